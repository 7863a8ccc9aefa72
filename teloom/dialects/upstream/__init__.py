"""xDSL's `affine`, `arith`, `memref`, `scf` and `llvm`, with what these lack of upstream MLIR's.

Nothing of Teloom's own: an op here is one that `mlir-opt` knows.
"""

# Imported with every part, so that an op has one text wherever it is printed.
from teloom.dialects.upstream import formats, scf

__all__ = ["formats", "scf"]
