"""Numbers of splits with parts that are empty, and which run because a guard asks for them."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te

PARTS = 16


class Sums:
    """C[i] is the sum of two rows of B, which has two more of them than A."""

    def __init__(self, n: int):
        A = self.A = te.placeholder((n + 2, 5), "int32", name="A")
        k = self.k = te.reduce_axis((0, 5), "k")
        B = self.B = te.compute(A.shape, lambda i, j: A[i, j] * 2, name="B")
        self.C = te.compute((n,), lambda i: te.sum(B[i, k] + B[i + 2, k], axis=k), name="C")
        self.s = te.create_schedule(self.C)

    def split(self, axis: te.IterVar, tail: str | None = "guard") -> tuple[te.IterVar, te.IterVar]:
        return self.s[self.C].split(axis, nparts=PARTS, tail=tail)

    def rows(self, tail: str | None = "guard") -> tuple[te.IterVar, te.IterVar]:
        return self.split(self.C.op.axis[0], tail)


def bound(p: Sums):
    parts, _ = p.rows(tail=None)
    p.s[p.C].bind(parts, te.thread_axis((0, PARTS), "vthread"))
    p.s[p.B].compute_at(p.s[p.C], parts)


def bound_blocks(p: Sums):
    parts, _ = p.rows()
    blocks, each = p.s[p.C].split(parts, factor=4)
    p.s[p.C].bind(blocks, te.thread_axis((0, 4), "vthread"))
    p.s[p.B].compute_at(p.s[p.C], each)


def vectorized(p: Sums):
    parts, inner = p.rows()
    p.s[p.C].reorder(inner, parts)
    p.s[p.C].vectorize(parts)


def parallel(p: Sums):
    parts, inner = p.rows()
    p.s[p.C].parallel(parts)
    p.s[p.B].compute_at(p.s[p.C], inner)
    p.s[p.B].split(p.B.op.axis[0], nparts=4, tail="guard")


def kept(p: Sums):
    _, inner = p.rows()
    p.s[p.B].compute_at(p.s[p.C], inner)
    p.s[p.B].store_root()
    p.s[p.B].fold_storage(p.B.op.axis[0])


def moved(p: Sums):
    parts, inner = p.rows()
    moved = p.s[p.C].reverse(p.s[p.C].shift(parts, 3))
    p.s[p.C].skew(inner, moved, 1)
    p.s[p.B].compute_at(p.s[p.C], moved)


def fused(p: Sums):
    rows, columns = p.B.op.axis
    parts, inner = p.s[p.B].split(rows, nparts=PARTS, tail="guard")
    few, column = p.s[p.B].split(columns, nparts=3, tail="guard")
    p.s[p.B].reorder(parts, few, inner, column)
    p.s[p.B].parallel(p.s[p.B].fuse(parts, few))


def reduced(p: Sums):
    parts, inner = p.split(p.k)
    p.s[p.C].reorder(parts, p.C.op.axis[0], inner)
    p.s[p.B].compute_at(p.s[p.C], parts)


def factored(p: Sums):
    parts, _ = p.split(p.k)
    partial = p.s.rfactor(p.C, parts)
    assert [str(extent) for extent in partial.shape] == [str(PARTS), str(p.C.shape[0])]


COMMANDS = (bound, bound_blocks, vectorized, parallel, kept, moved, fused, reduced, factored)


SIZES = (10, 16, 33)


@pytest.mark.parametrize(
    ("schedule", "n"),
    [*product(COMMANDS, (0, 1, 20)), *each(COMMANDS, SIZES)],
)
def test_empty_parts_do_nothing(schedule: Callable[[Sums], None], n: int):
    p = Sums(n)
    schedule(p)
    a = np.arange(5 * (n + 2), dtype="int32").reshape(n + 2, 5)
    found = np.full(n, -1, "int32")
    teloom.build(p.s, [p.A, p.C])(a, found)
    np.testing.assert_array_equal(found, 2 * (a[:-2] + a[2:]).sum(1))


@pytest.mark.parametrize("n", [1, 10, 16, 20, 33])
def test_how_many_parts_there_are(n: int):
    def extent(tail: str | None, threads: te.IterVar | None) -> object:
        p = Sums(n)
        parts, _ = p.rows(tail)
        if threads is not None:
            p.s[p.C].bind(parts, threads)
        return te.infer_bounds(p.s)[parts].extent

    some = -(-n // max(1, -(-n // PARTS)))
    all_threads = te.thread_axis((0, PARTS), "threadIdx.x")
    for threads in (None, te.thread_axis("threadIdx.x")):
        assert extent(None, threads) == some
        assert extent("guard", threads) == PARTS
    assert extent(None, all_threads) == extent("guard", all_threads) == PARTS
