"""Integer sets, on isl: made of affine expressions, approximated, counted and read back.

Nothing here knows an op.
"""
