"""The matrices of Winograd convolutions: polynomials evaluated and interpolated at points.

The points are those that Barabasz et al., Error Analysis and Improving the Accuracy of Winograd
Convolution for Deep Neural Networks, 2018, found to round least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from teloom import te
from teloom.topi.arguments import an_integer, wrong
from teloom.topi.elementwise import computed

Rows = list[list[Fraction]]

_POINTS = {
    3: "0 -1 1",
    4: "0 -1 1 1/2",
    5: "0 -1 1 1/2 -2",
    6: "0 -1 1 1/2 -2 -1/2",
    7: "0 -1 1 1/2 -1/2 2 -2",
    8: "0 -1 1 1/2 -1/2 2 -2 -1/4",
    9: "0 -1 1 1/2 -1/2 2 -2 -1/4 4",
    10: "0 -1 1 1/2 -1/2 2 -2 -1/4 3/4 -4/3",
    11: "0 -1 1 1/2 -1/2 2 -2 -1/4 4 3/4 -4/3",
    12: "0 -1 1 1/2 -1/2 2 -2 -1/4 4 3/4 -4/3 1/4",
    13: "0 -1 1 1/2 -1/2 2 -2 -1/4 4 1/4 -3/4 4/3 -4",
}
"""The finite points for as many results and taps, less 2, along an axis; infinity is the last."""


def matrices(name: str, tile: int, taps: Any) -> tuple[Rows, Rows, Rows]:
    """A, B and G, exactly: `A^T ((G w) * (B^T d))` are the results of a tile.

    >>> for row in matrices("", 2, 3)[2]: print(*row)
    1 0 0
    1/2 -1/2 1/2
    1/2 1/2 1/2
    0 0 1
    """
    if not 2 <= tile <= 8:
        raise wrong(name, "tile_size", f"is {tile}, outside of 2..8")
    if not (isinstance(taps, int) and 3 <= taps <= 7):
        raise wrong(name, "kernel", f"has {taps} taps along an axis, outside of 3..7")
    points = [Fraction(one) for one in _POINTS[tile + taps - 2].split()]
    others = [[q for q in points if q != p] for p in points]
    scales = [
        math.prod((p - q for q in rest), start=Fraction(1))
        for p, rest in zip(points, others, strict=True)
    ]
    # Both signs of the first product may change; that of its weight is positive.
    sign = -1 if scales[0] < 0 else 1
    scales[0] *= sign
    a = [[p**k for k in range(tile)] for p in points] + [_unit(tile)]
    g = [[p**k / s for k in range(taps)] for p, s in zip(points, scales, strict=True)] + [
        _unit(taps)
    ]
    columns = [[*_product(rest), Fraction(0)] for rest in others] + [_product(points)]
    columns[0] = [one * sign for one in columns[0]]
    return a, [list(row) for row in zip(*columns, strict=True)], g


def _unit(length: int) -> list[Fraction]:
    return [Fraction(k == length - 1) for k in range(length)]


def _product(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial with these roots, from the lowest on."""
    found = [Fraction(1)]
    for root in roots:
        found = [
            x - root * y for x, y in zip([Fraction(0), *found], [*found, Fraction(0)], strict=True)
        ]
    return found


def winograd_transform_matrices(
    tile_size: int, kernel_size: int, out_dtype: Any
) -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    """The matrices A, B and G, for `tile_size` results (2 to 8) and `kernel_size` taps (3 to 7).

    They are of the shapes (n, tile_size), (n, n) and (n, kernel_size), where n is the sum of the
    two sizes, less 1.

    >>> [one.shape for one in winograd_transform_matrices(4, 3, "float32")]
    [(6, 4), (6, 6), (6, 3)]
    """
    name = "nn.winograd_transform_matrices"
    sizes = an_integer(name, "tile_size", tile_size), an_integer(name, "kernel_size", kernel_size)
    a, b, g = matrices(name, *sizes)
    return constant("A", a, out_dtype), constant("B", b, out_dtype), constant("G", g, out_dtype)


def constant(name: str, rows: Rows, dtype: Any) -> te.Tensor:
    """A matrix as a stage, which chooses between its elements."""
    columns = len(rows[0])
    others = {k: one for k, one in enumerate(x for row in rows for x in row) if one}

    def value(i: Any, j: Any) -> Any:
        found = te.const(0, dtype)
        for place, one in others.items():
            found = te.select(i * columns + j == place, te.const(float(one), dtype), found)
        return found

    return computed(f"nn.winograd_{name}", (len(rows), columns), value, "const_matrix")
