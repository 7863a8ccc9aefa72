"""From tensors and expressions to IR at level `te`."""
