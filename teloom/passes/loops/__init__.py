"""`infer-bounds`, and the passes on loops."""
