"""Gradients of tensors, as further equations."""
