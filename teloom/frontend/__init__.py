"""What a user types: tensors, schedules and operators in Python, made into IR; build and call.

Definitions (`expr`, `tensor`, `compute`, `functions`) are no IR yet, and import no dialect: `te`
loads all else when it is first used.
"""
