"""Schedules: Python methods that append commands."""
