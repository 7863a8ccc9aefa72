"""From stages to loops: `infer-bounds`, `build-loops`, and the passes on loops."""
