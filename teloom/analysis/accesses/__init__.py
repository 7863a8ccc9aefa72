"""Dependence analysis of memory accesses at the levels `loop` and `memref`."""
