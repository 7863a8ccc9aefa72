"""Tensors, the operations that give them, and what is made of whole graphs of them."""
