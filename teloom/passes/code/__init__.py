"""Code that several passes write or move: index values, reductions, what starts a function."""
