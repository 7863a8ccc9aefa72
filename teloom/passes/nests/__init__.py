"""Loop nests of several stages."""
