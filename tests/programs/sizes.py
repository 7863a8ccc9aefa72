"""A program for constant sizes, or one for all sizes, that is called with each of them."""

from collections.abc import Sequence

from teloom import te

Size = tuple[int, ...]


def known(sizes: Sequence[Size]) -> list[list[Size]]:
    """Each size for a program of its own."""
    return [[one] for one in sizes]


def extents(sizes: Sequence[Size], *names: str):
    """The extents of a program for `sizes`: constants of a single one, else variables."""
    return sizes[0] if len(sizes) == 1 else tuple(te.size_var(name) for name in names)
