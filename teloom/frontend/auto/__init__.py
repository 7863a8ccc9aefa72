"""Schedules by rules, for users who write none; they consist of the same commands."""
