"""Accesses to memory of the levels `loop` and `memref`: when they run, and whether two may meet."""
