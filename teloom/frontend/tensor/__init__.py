"""Tensors, the operations that produce them, and graphs of operations."""
