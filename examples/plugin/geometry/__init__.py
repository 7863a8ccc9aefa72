"""Distances: a dialect, a pass and a schedule command for Teloom."""
