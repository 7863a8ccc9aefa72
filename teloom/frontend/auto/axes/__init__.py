"""Axes of equations that tiles fill better if several are one, or one is several."""
