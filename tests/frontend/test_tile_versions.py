"""Numbers of tiles whose sums are in registers, at sizes that only the call knows.

The last tile has a version for each of its lengths; where an image has two borders, the only tile
of a short one has both.
"""

import numpy as np
import pytest

import teloom
from teloom import te

SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 23)


def product(rows, columns, depth, tail: str = "auto"):
    """A product of integers in tiles of 4 x 8, whose sums are in a cache of their own."""
    A = te.placeholder((rows, depth), "int32", name="A")
    B = te.placeholder((depth, columns), "int32", name="B")
    r = te.reduce_axis((0, depth), "r")
    C = te.compute((rows, columns), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C)
    sums = s.cache_write(C, "local")
    i, j = C.op.axis
    j_outer, j_inner = s[C].split(j, factor=8)
    i_outer, i_inner = s[C].split(i, factor=4, tail=tail)
    s[C].reorder(j_outer, i_outer, i_inner, j_inner)
    s[C].unroll(i_inner)
    s[C].vectorize(j_inner)
    s[sums].compute_at(s[C], i_outer)
    i, j = sums.op.axis
    s[sums].reorder(sums.op.reduce_axis[0], i, j)
    s[sums].unroll(i)
    s[sums].vectorize(j)
    return s, [A, B, C]


@pytest.mark.parametrize("tail", ["auto", "cut", "guard", "predicate"])
def test_a_product_of_every_number_of_rows(tail: str):
    run = teloom.build(*product(te.var("rows"), te.var("columns"), te.var("depth"), tail))
    for rows in SIZES:
        for columns in (1, 8, 19):
            for depth in (0, 1, 5):
                a = np.arange(rows * depth, dtype="int32").reshape(rows, depth)
                b = np.arange(depth * columns, dtype="int32").reshape(depth, columns) - 7
                run(a, b, c := np.full((rows, columns), -1, "int32"))
                np.testing.assert_array_equal(c, a @ b)


def test_rows_of_which_one_number_is_known_at_the_call():
    """Rows and columns are as many: the size of a version stands for both."""
    n = te.var("n")
    run = teloom.build(*product(n, n, n))
    for size in SIZES:
        a = np.arange(size * size, dtype="int32").reshape(size, size) - 11
        run(a, a, c := np.full((size, size), -1, "int32"))
        np.testing.assert_array_equal(c, a @ a)


def test_every_length_has_a_version_unless_the_schedule_wants_one_loop():
    rows, columns, depth = te.var("rows"), te.var("columns"), te.var("depth")
    told = te.explain(product(rows, columns, depth)[0]).tiles
    assert "i.c: a version for each length, 1 to 3, in what is left over" in told
    text = str(teloom.lower(*product(rows, columns, depth), level="loop"))
    assert "loop.if (%rows - %i.outer_1 * 4 - 2 == 0)" in text
    text = str(teloom.lower(*product(rows, columns, depth, tail="guard"), level="loop"))
    assert "== 0" not in text


def sums_of_neighbours(rows, columns, channels, lanes: int = 8):
    """Weighted ones of each pixel and those around it, with zeros around the image.

    Tiles have 4 pixels of `lanes` channels.
    """
    W = te.placeholder((3, 3, channels), "int32", name="W")
    A = te.placeholder((rows, columns, channels), "int32", name="A")

    def at(y, x, c):
        is_there = te.all(y >= 0, y < rows, x >= 0, x < columns)
        return te.if_then_else(is_there, A[y, x, c], te.const(0, "int32"))

    dy, dx = te.reduce_axis((0, 3), "dy"), te.reduce_axis((0, 3), "dx")
    C = te.compute(
        A.shape,
        lambda y, x, c: te.sum(at(y + dy - 1, x + dx - 1, c) * W[dy, dx, c], axis=[dy, dx]),
        name="C",
    )
    s = te.create_schedule(C)
    sums = s.cache_write(C, "local")
    y, x, c = C.op.axis
    x_outer, x_inner = s[C].split(x, factor=4)
    c_outer, c_inner = s[C].split(c, factor=lanes)
    s[C].reorder(y, x_outer, c_outer, x_inner, c_inner)
    s[C].unroll(x_inner)
    s[C].vectorize(c_inner)
    s[sums].compute_at(s[C], c_outer)
    y, x, c = sums.op.axis
    dy, dx = sums.op.reduce_axis
    s[sums].reorder(y, dy, dx, x, c)
    for axis in (dy, dx, x):
        s[sums].unroll(axis)
    s[sums].vectorize(c)
    return s, [A, W, C]


def test_tiles_between_two_borders():
    run = teloom.build(*sums_of_neighbours(te.var("rows"), te.var("columns"), te.var("channels")))
    for columns in SIZES:
        for rows, channels in ((1, 1), (2, 8), (5, 11), (3, 16)):
            shape = rows, columns, channels
            a = np.arange(rows * columns * channels, dtype="int32").reshape(shape) ** 2
            w = np.arange(9 * channels, dtype="int32").reshape(3, 3, channels) - 5
            around = np.pad(a, ((1, 1), (1, 1), (0, 0)))
            expected = np.zeros(shape, "int32")
            for y, x in np.ndindex(3, 3):
                expected += around[y : y + rows, x : x + columns] * w[y, x]
            run(a, w, c := np.full(shape, -1, "int32"))
            np.testing.assert_array_equal(c, expected)


def test_tiles_of_a_known_image_are_divided_in_branches_and_loops():
    """Branches are one copy of what is in them: so there is room for the loops of each."""
    told = te.explain(sums_of_neighbours(111, 111, 31, lanes=32)[0], target="znver4").tiles
    assert "x.outer: whole from 1 to 27; 2 others at most, in a loop behind or in front" in told
