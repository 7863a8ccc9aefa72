"""Which loops of a stage compute what an intrinsic does, and where."""
