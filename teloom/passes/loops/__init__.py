"""From stages to loops: `infer-bounds`, `build-loops`, and what is done to loops alone."""
