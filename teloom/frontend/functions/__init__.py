"""Functions of scalars, by their names."""
