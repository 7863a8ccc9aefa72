"""Code that several passes write or move: of index values, at the start of a function."""
