"""A matrix product as fast as a tuned library's, by its schedule alone.

The schedule is the one that such libraries use: a panel of B is copied so that it is
read in the order of memory, and a tile of the result stays in registers for all of the
sum. The product says nothing of either: both are caches of the schedule.

    python examples/matmul.py --size 512x512x512
"""

import numpy as np
from example import HERE, LANES, ROWS, VECTORS, Example, Program, main, random

from teloom import te

COLUMNS = VECTORS * LANES

PANELS = max(1, 64 // COLUMNS)
"""Panels of B that are copied together, and that the rows of a tile meet before the next rows.

Of one narrow panel alone each row is a short piece of memory, far from the next one, and rows of a
large matrix would be read again too soon.
"""

STEPS = 4
"""Terms of the sum per round of its loop."""

L1, L2 = HERE.caches[:2] if len(HERE.caches) > 1 else (32 * 1024, 512 * 1024)
"""The bytes of the first two caches."""

TERMS = L1 // (COLUMNS * 4)
"""Rows of B of which a tile's columns fill the first cache."""

BLOCK = 1024
"""Columns of B that so many terms of a tile's rows of A meet, one panel after the other."""


def schedule_product(
    s: te.Schedule, C: te.Tensor, product: te.Tensor, A: te.Tensor, B: te.Tensor
) -> None:
    """Tiles `C`, a matrix computed from `product`, which sums rows of `A` times columns of `B`."""
    m, k = A.shape
    is_large = isinstance(m, int) and isinstance(k, int) and m * k * 4 > 8 * L2
    if VECTORS < 4 and is_large:
        schedule_blocks(s, C, product, A, B)
    else:
        schedule_panels(s, C, product, B)


def schedule_panels(s: te.Schedule, C: te.Tensor, product: te.Tensor, B: te.Tensor) -> None:
    """Each tile of `C` is computed at once; all rows of A meet some panels of `B`."""
    panels = s.cache_read(B, "global", [product])
    i, j = s[C].op.axis
    i_outer, j_outer, i_inner, j_inner = s[C].tile(i, j, ROWS, COLUMNS, tail="round_up")
    group, j_outer = s[C].split(j_outer, factor=PANELS)
    s[C].reorder(group, i_outer, j_outer, i_inner, j_inner)
    s[C].parallel(group)
    s[C].unroll(i_inner)
    s[C].vectorize(j_inner)

    s[panels].compute_at(s[C], group)
    copy_by_rows(s, panels)

    s[product].compute_at(s[C], j_outer)
    i, j = s[product].op.axis
    r_outer, r_inner = s[product].split(s[product].op.reduce_axis[0], factor=STEPS)
    s[product].reorder(r_outer, r_inner, i, j)
    s[product].unroll(r_inner)
    s[product].unroll(i)
    s[product].vectorize(j)


def copy_by_rows(s: te.Schedule, panels: te.Tensor) -> None:
    """Stores some panels of B one behind the other, and reads their rows as they are in memory."""
    panel, r, j = s[panels].transform_layout(lambda r, j: [j // COLUMNS, r, j % COLUMNS])
    s[panels].reorder(r, panel, j)
    s[panels].vectorize(j)


def schedule_blocks(
    s: te.Schedule, C: te.Tensor, product: te.Tensor, A: te.Tensor, B: te.Tensor
) -> None:
    """Some terms are added to all tiles in a block of columns, then the next ones.

    With two vectors in a row of a tile, a number of `A` is needed in each cycle. If `A` is too
    large for caches, it comes too slowly for each panel of `B` again. A tile's rows of it are
    copied, because in a matrix with rows of pages, the same lines of a cache would hold all.
    """
    panels, rows = (s.cache_read(one, "global", [product]) for one in (B, A))
    i, j = s[C].op.axis
    j_outer, j_inner = s[C].split(j, factor=BLOCK)
    s[C].reorder(j_outer, i, j_inner)
    s[C].parallel(j_outer)
    s[C].vectorize(j_inner)

    s[product].compute_at(s[C], j_outer)
    i, j = s[product].op.axis
    r_outer, r = s[product].split(s[product].op.reduce_axis[0], factor=TERMS)
    r, r_inner = s[product].split(r, factor=STEPS)
    i_outer, j_outer, i_inner, j_inner = s[product].tile(i, j, ROWS, COLUMNS)
    s[product].reorder(r_outer, i_outer, j_outer, r, r_inner, i_inner, j_inner)
    s[product].unroll(r_inner)
    s[product].unroll(i_inner)
    s[product].vectorize(j_inner)

    s[panels].compute_at(s[product], r_outer)
    copy_by_rows(s, panels)

    s[rows].compute_at(s[product], i_outer)
    s[rows].vectorize(s[rows].op.axis[1])


def matmul(m: int, n: int, k: int) -> Program:
    """The product of an m x k and a k x n matrix."""
    A = te.placeholder((m, k), "float32", name="A")
    B = te.placeholder((k, n), "float32", name="B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C)
    schedule_product(s, C, s.cache_write(C, "global"), A, B)
    return s, [A, B, C]


def arrays(rng: np.random.Generator, m: int, n: int, k: int) -> list[np.ndarray]:
    return [random(rng, m, k), random(rng, k, n)]


# Sums of float32 differ by their order.
EXAMPLE = Example(matmul, arrays, np.matmul, (512, 512, 512), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
