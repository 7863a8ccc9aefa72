"""Index values of the levels `loop` and `memref`: as affine forms, as polynomials, as ranges."""
