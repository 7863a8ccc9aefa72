"""Runs passes and compiles: pipelines, verification, what is printed, reports of mistakes.

What knows passes, machine code and texts at once. Nothing here knows tensors of Python.
"""
