"""A run beside the code's own, which looks at each access to memory."""
