"""Runs programs: the reference interpreter, machine code, and the calls of both."""
