"""Stages with their schedules: the op, and the bodies that it may have."""
