"""Storage planning: which buffers share memory, when it is allocated, and whether it fits."""
