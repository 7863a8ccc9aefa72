"""What a user types: tensors, schedules and operators in Python, made into IR; build and call."""
