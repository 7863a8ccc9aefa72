"""A transposed matrix, in tiles that stay in the nearest caches.

Rows that begin at lines of the cache are written past it, from square tiles. Others go through the
cache, where a line is best written by tiles that follow each other: these are low and wide, if
vectors are as long as lines. Tiles as low as shorter vectors would read each line several times.

Run it by `python examples/transpose.py --size 4096x4096`.
"""

import numpy as np
from example import HERE, LANES, Example, Program, main, random

from teloom import te

TILE = 128

LINE = max(LANES, HERE.line_bytes // 4)
"""Elements of a row of small tiles: whole lines of the cache."""


def transpose(rows: int, columns: int) -> Program:
    """The rows x columns matrix whose element i, j is X[j, i]."""
    X = te.placeholder((columns, rows), "float32", name="X")
    Y = te.compute((rows, columns), lambda i, j: X[j, i], name="Y")
    s = te.create_schedule(Y)
    is_streamed = not isinstance(columns, int) or columns % LINE == 0
    is_square = is_streamed or LANES < LINE
    height, width = (TILE, TILE) if is_square else (LANES, 4 * TILE)
    i_tile, j_tile, i, j = s[Y].tile(*Y.op.axis, height, width)
    i_outer, j_outer, i_inner, j_inner = s[Y].tile(i, j, LANES, LINE)
    # Vectors of a line that is read come one after the other.
    outer = (i_outer, j_outer) if LANES == LINE else (j_outer, i_outer)
    s[Y].reorder(i_tile, j_tile, *outer, i_inner, j_inner)
    s[Y].parallel(i_tile)
    s[Y].unroll(i_inner)
    s[Y].vectorize(j_inner)
    if is_streamed:
        s[Y].stream_stores()
    return s, [X, Y]


def transpose_numpy(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.T)


def arrays(rng: np.random.Generator, rows: int, columns: int) -> list[np.ndarray]:
    return [random(rng, columns, rows)]


EXAMPLE = Example(transpose, arrays, transpose_numpy, (4096, 4096), 0)

if __name__ == "__main__":
    main(EXAMPLE)
