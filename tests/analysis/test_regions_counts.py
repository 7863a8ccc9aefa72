"""How many elements each iteration of the place computes and stores: the documents' numbers.

The loops are run, and what they wrote is counted.
"""

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import pytest
from analysis.loop_runner import Storage, run_loops
from xdsl.context import Context
from xdsl.dialects import func

import teloom
from teloom import te
from teloom.errors import Remark
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.nests.build_loops import BuildLoopsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass


def storages(
    s: Schedule, tensors: list[Tensor], name: str, mode: str | None = None
) -> list[Storage]:
    """What stage `name` was stored in, once per iteration of the place, after a run."""
    module = teloom.lower(s, tensors, level="te")
    for step in (ApplySchedulePass(), InferBoundsPass(mode=mode), BuildLoopsPass()):
        step.apply(Context(), module)
        module.verify()
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    inputs = [lambda index: sum(index)] * sum(isinstance(t.op, te.PlaceholderOp) for t in tensors)
    return [one for one in run_loops(function, [], inputs).realized if one.name == name]


def computed(found: list[Storage]) -> list[int]:
    """The number of elements that were written, in the order of the storages."""
    for storage in found:
        assert set(storage.writes.values()) <= {1}
    return [len(storage.elements) for storage in found]


def stored(found: list[Storage]) -> list[int]:
    """The number of elements that there is room for."""
    return [prod(extent for _, extent in storage.box) for storage in found]


def rows(found: list[Storage]) -> list[int]:
    """The number of rows that elements were written in."""
    return [len({index[0] for index in storage.elements}) for storage in found]


def rectangles(found: list[Storage]) -> list[int]:
    """The number of elements of the least rectangle around those that were written."""
    return [
        prod(max(axis) - min(axis) + 1 for axis in zip(*storage.elements, strict=True))
        for storage in found
    ]


# --- two axes fused, the fused one split: B is computed at the outer part -----------------


def fused(shape: tuple[int, int], factor: int, mode: str | None = None) -> list[Storage]:
    A = te.placeholder(shape, "int64", name="A")
    B = te.compute(shape, lambda i, j: A[i, j] + 1, name="B")
    C = te.compute(shape, lambda i, j: B[i, j] * 2, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=factor)
    s[B].compute_at(s[C], outer)
    return storages(s, [A, C], "B", mode)


class Fused(NamedTuple):
    """What an iteration computes, in how many rows, in which rectangle, and in which box."""

    shape: tuple[int, int]
    factor: int
    computed: list[int]
    rows: list[int]
    rectangles: list[int]
    stored: int
    boxes: list[int]


SMALL, TALL = (4, 4), (12, 6)
FUSED = [
    # A factor that is a row, rows, or a part of a row: rectangles.
    Fused(SMALL, 4, [4] * 4, [1] * 4, [4] * 4, 4, [4] * 4),
    Fused(SMALL, 8, [8] * 2, [2] * 2, [8] * 2, 8, [8] * 2),
    Fused(SMALL, 2, [2] * 8, [1] * 8, [2] * 8, 2, [2] * 8),
    Fused(TALL, 12, [12] * 6, [2] * 6, [12] * 6, 12, [12] * 6),
    Fused(TALL, 3, [3] * 24, [1] * 24, [3] * 24, 3, [3] * 24),
    # Parts of rows: the rectangles around them hold more, and boxes of one size still more.
    Fused(
        SMALL, 3, [3, 3, 3, 3, 3, 1], [1, 2, 2, 1, 1, 1], [3, 8, 8, 3, 3, 1], 8, [8] * 4 + [4] * 2
    ),
    Fused(TALL, 9, [9] * 8, [2] * 8, [12] * 8, 12, [12] * 8),
    Fused(
        TALL,
        10,
        [10] * 7 + [2],
        [2, 3, 2, 2, 3, 2, 2, 1],
        [12, 18, 12, 12, 18, 12, 12, 2],
        18,
        [18] * 6 + [12, 6],
    ),
]


@pytest.mark.parametrize("case", FUSED, ids=lambda case: f"{case.shape}-{case.factor}")
def test_a_part_of_a_fused_axis(case: Fused):
    found = fused(case.shape, case.factor)
    assert computed(found) == case.computed
    assert sum(case.computed) == case.shape[0] * case.shape[1]
    assert rows(found) == case.rows
    assert rectangles(found) == case.rectangles
    assert stored(found) == [case.stored] * len(found)


@pytest.mark.parametrize("case", FUSED, ids=lambda case: f"{case.shape}-{case.factor}")
def test_a_box_of_a_part_of_a_fused_axis(case: Fused):
    more, needed = sum(case.boxes), sum(case.computed)
    told = "computed as a box, as asked; " + (
        f"that costs nothing: all {needed} elements"
        if more == needed
        else f"at all places together {more} elements are computed, {needed} are needed"
    )
    with pytest.warns(Remark, match=told):
        assert computed(fused(case.shape, case.factor, "box")) == case.boxes


# --- a blur in tiles: rows between two tiles are computed by both -------------------------


def blur(
    height: int, width: int, tile: int, inside: bool, mode: str | None = None
) -> list[Storage]:
    """What tiles of the second stage compute of the first.

    It has two rows more than the second; with `inside` as many, and rows that it does not
    have are not read.
    """
    A = te.placeholder((height + 2, width + 2), "int64", name="A")
    bx = te.compute(
        (height if inside else height + 2, width),
        lambda i, j: A[i, j] + A[i, j + 1] + A[i, j + 2],
        name="bx",
    )

    def row(i, j):
        return te.if_then_else(i < height, bx[i, j], 0) if inside else bx[i, j]

    by = te.compute(
        (height, width), lambda i, j: bx[i, j] + row(i + 1, j) + row(i + 2, j), name="by"
    )
    s = te.create_schedule(by)
    _, j_outer, _, _ = s[by].tile(*by.op.axis, tile, tile)
    s[bx].compute_at(s[by], j_outer)
    return storages(s, [A, by], "bx")


@pytest.mark.parametrize(
    ("inside", "total", "different", "last_rows"),
    [(True, 20592, 19404, 2), (False, 20988, 19800, 4)],
)
def test_tiles_of_a_blur(inside: bool, total: int, different: int, last_rows: int):
    found = blur(98, 198, 32, inside)
    heights = [34, 34, 34, last_rows]
    widths = [32] * 6 + [6]
    assert computed(found) == [height * width for height in heights for width in widths]
    assert sum(computed(found)) == total
    assert len({index for storage in found for index in storage.elements}) == different
    assert max(computed(found)) == 34 * 32
    assert stored(found) == [34 * 32] * 28


# --- what is not read is not computed -----------------------------------------------------


def reader_of(shape: tuple[int, ...], body: Callable, reader_shape: tuple[int, ...]):
    """B of `shape`, and C that reads B by `body(B, *axes)`."""
    A = te.placeholder(shape, "int64", name="A")
    B = te.compute(shape, lambda *i: A(*i) + 1, name="B")
    C = te.compute(reader_shape, lambda *i: body(B, *i), name="C")
    return A, B, C, te.create_schedule(C)


def triangle(B, i, j):
    return te.if_then_else(j <= i, B[i, j], 0)


def blocks(B, i, j):
    return B[i, j] + B[i + 2, j + 2]


def sparse(B, i):
    return B[i] + B[i + 10] + B[i + 20] + B[i + 22] + B[i + 23]


def never(B, i):
    return te.if_then_else(i >= 20, B[i], 0)


@pytest.mark.parametrize(
    ("shape", "body", "reader_shape", "whole", "per_row"),
    [
        ((16, 16), triangle, (16, 16), 136, list(range(1, 17))),
        ((4, 4), blocks, (2, 2), 8, [4, 4]),
        ((24,), sparse, (1,), 5, [5]),
        ((32,), sparse, (9,), 30, [5] * 9),
        ((20,), never, (20,), 0, [0] * 20),
        ((21,), lambda B, i: B[i * 5], (5,), 5, [1] * 5),
        ((9,), lambda B, i: B[i * 2] + B[i * 2 + 2], (4,), 5, [2] * 4),
        ((12, 7), lambda B, i, j: B[j, i], (7, 12), 84, [12] * 7),
        ((7,), lambda B, i: B[i // 2], (14,), 7, [1] * 14),
        ((7,), lambda B, i: B[i % 3], (14,), 3, [1] * 14),
    ],
)
def test_what_is_not_read_is_not_computed(shape, body, reader_shape, whole, per_row):
    A, B, C, s = reader_of(shape, body, reader_shape)
    s[B].set_mode("exact")
    assert computed(storages(s, [A, C], "B")) == [whole]
    A, B, C, s = reader_of(shape, body, reader_shape)
    s[B].set_mode("exact")
    s[B].compute_at(s[C], C.op.axis[0])
    assert computed(storages(s, [A, C], "B")) == per_row


def test_tiles_above_the_diagonal_compute_nothing():
    A, B, C, s = reader_of((16, 16), triangle, (16, 16))
    _, j_outer, _, _ = s[C].tile(*C.op.axis, 4, 4)
    s[B].compute_at(s[C], j_outer)
    on, above, below = 10, 0, 16
    expected = [
        on if row == column else above if column > row else below
        for row in range(4)
        for column in range(4)
    ]
    assert computed(storages(s, [A, C], "B")) == expected


# --- padding ------------------------------------------------------------------------------


def padded(tensor: Tensor, name: str) -> Tensor:
    height, width = (int(str(extent)) for extent in tensor.shape)

    def bordered(y, x):
        inside = te.all(y >= 1, y <= height, x >= 1, x <= width)
        return te.if_then_else(inside, tensor[y - 1, x - 1], 0)

    return te.compute((height + 2, width + 2), bordered, name=name)


def convolved(tensor: Tensor, name: str) -> Tensor:
    height, width = (int(str(extent)) for extent in tensor.shape)
    p, q = te.reduce_axis((0, 3), "p"), te.reduce_axis((0, 3), "q")
    return te.compute(
        (height - 2, width - 2),
        lambda y, x: te.sum(tensor[y + p, x + q], axis=[p, q]),
        name=name,
    )


class TwoConvolutions:
    """Two padded convolutions of 3 x 3 on 24 x 24."""

    def __init__(self):
        self.A = te.placeholder((24, 24), "int64", name="A")
        self.P = padded(self.A, "P")
        self.C = convolved(self.P, "C")
        self.Q = padded(self.C, "Q")
        self.D = convolved(self.Q, "D")
        self.s = te.create_schedule(self.D)

    def elements(self, name: str) -> list[int]:
        found = storages(self.s, [self.A, self.D], name)
        return [len(storage.elements) for storage in found]


def test_padding_does_not_grow_from_stage_to_stage():
    two = TwoConvolutions()
    assert two.elements("P") == two.elements("Q") == [26 * 26]
    assert two.elements("C") == [24 * 24]


def test_inlined_padding_leaves_the_first_convolution_as_it_is():
    two = TwoConvolutions()
    two.s[two.P].compute_inline()
    two.s[two.Q].compute_inline()
    assert two.elements("C") == [24 * 24]


def test_padding_at_tiles_ends_with_its_tensor():
    two = TwoConvolutions()
    s, D = two.s, two.D
    y_outer, x_outer, y_inner, x_inner = s[D].tile(*D.op.axis, 8, 8)
    s[D].reorder(y_outer, x_outer, y_inner, x_inner, *D.op.reduce_axis)
    for tensor in (two.Q, two.C, two.P):
        s[tensor].compute_at(s[D], x_outer)

    def squares(sides: list[int]) -> list[int]:
        return [height * width for height in sides for width in sides]

    assert two.elements("Q") == squares([10, 10, 10])
    assert two.elements("C") == squares([9, 10, 9])
    assert two.elements("P") == squares([11, 12, 11])


# --- what a remark counts is what the loops run --------------------------------------------


def rows_in_a_window() -> tuple[Schedule, list[Tensor], str]:
    A, B, C, s = reader_of((28, 20), lambda B, i, j: B[i, j] + B[i + 2, j], (26, 20))
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].store_root()
    return s, [A, C], "B"


def tiles_in_a_window() -> tuple[Schedule, list[Tensor], str]:
    A, B, C, s = reader_of((28, 24), lambda B, i, j: B[i, j] + B[i + 1, j + 2], (24, 20))
    outer, _, inner, _ = s[C].tile(*C.op.axis, 5, 5)
    s[B].compute_at(s[C], inner)
    s[B].store_at(s[C], outer)
    return s, [A, C], "B"


def colours() -> tuple[Schedule, list[Tensor], str]:
    A, B, C, s = reader_of((26, 12), lambda B, i, j: B[2 * i + j % 2, j], (12, 12))
    _, outer, _, _ = s[C].tile(*C.op.axis, 5, 5)
    s[B].compute_at(s[C], outer)
    return s, [A, C], "B"


@pytest.mark.parametrize("mode", ["hull", "box"])
@pytest.mark.parametrize("program", [rows_in_a_window, tiles_in_a_window, colours])
def test_a_remark_counts_what_the_loops_run(program: Callable, mode: str):
    s, tensors, name = program()
    with pytest.warns(Remark) as warnings:
        found = storages(s, tensors, name, mode)
    runs = sum(sum(one.writes.values()) for one in found)
    said = (f"together {runs} elements are computed", f"all {runs} elements that are computed")
    assert any(words in str(one.message) for one in warnings for words in said)
    s, tensors, name = program()
    # Done exactly, the loops run through what is needed.
    needed = sum(computed(storages(s, tensors, name)))
    excess = "that costs nothing" if needed == runs else f"computed, {needed} are needed"
    assert any(excess in str(one.message) for one in warnings)
