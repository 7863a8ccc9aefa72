"""Schedules as text, and back: commands of the IR, and steps in JSON."""
