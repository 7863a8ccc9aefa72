"""Schedules by rules: what a user who writes none gets; made of the commands that users write."""
