"""xDSL's `affine`, `arith`, `memref` and `llvm`, with what these lack of upstream MLIR's.

Nothing of Teloom's own: an op here is one that `mlir-opt` knows.
"""
