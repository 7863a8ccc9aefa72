"""Convolutions, one file per way to compute them or per kind of window."""
