"""From dialects that upstream MLIR has and Teloom computes otherwise, to Teloom's."""
