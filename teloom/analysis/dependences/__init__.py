"""Dependences of a scheduled program: when each instance runs, what it reads and what it writes."""
