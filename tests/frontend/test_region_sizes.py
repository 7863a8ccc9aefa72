"""How many elements a stage computes in all, and how many bytes it stores: no more than needed."""

import numpy as np
import pytest

import teloom
from teloom import te

TAPS = [(0, 0), (1, 2), (2, 1)]


def copied(shape: tuple[int, ...]) -> tuple[te.Schedule, te.Tensor, te.Tensor, te.Tensor]:
    A = te.placeholder(shape, "int32", name="A")
    B = te.compute(shape, lambda *at: A[at] * 2, name="B")
    C = te.compute(shape, lambda *at: B[at] + 1, name="C")
    return te.create_schedule(C), A, B, C


def sizes(s: te.Schedule, name: str) -> tuple[int | None, int | None]:
    return all_sizes(s)[name]


def all_sizes(s: te.Schedule) -> dict[str, tuple[int | None, int | None]]:
    return {cost.name: (cost.computed, cost.stored) for cost in te.explain(s)}


def check_copy(s: te.Schedule, A: te.Tensor, C: te.Tensor) -> None:
    shape = tuple(int(extent) for extent in A.shape)
    a = np.arange(np.prod(shape), dtype="int32").reshape(shape)
    c = np.zeros(shape, "int32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a * 2 + 1)


@pytest.mark.parametrize(("at_row", "stored"), [(False, 4), (True, 1)])
def test_columns_of_blocks_fused(at_row: bool, stored: int):
    s, A, B, C = copied((8, 6))
    i, j = C.op.axis
    i_outer, i_inner = s[C].split(i, factor=4)
    s[C].reorder(i_outer, j, i_inner)
    fused = s[C].fuse(i_outer, j)
    s[B].compute_at(s[C], i_inner if at_row else fused)
    assert sizes(s, "B") == (48, 4 * stored)
    check_copy(s, A, C)


@pytest.mark.parametrize(("shape", "tile"), [((33, 40), (8, 16)), ((7, 5), (2, 3))])
def test_rows_of_tiles_fused(shape: tuple[int, int], tile: tuple[int, int]):
    s, A, B, C = copied(shape)
    y_outer, x_outer, y_inner, _ = s[C].tile(*C.op.axis, *tile)
    s[C].fuse(y_outer, x_outer)
    s[B].compute_at(s[C], y_inner)
    s[B].tile(*B.op.axis, 2, 4)
    assert sizes(s, "B") == (shape[0] * shape[1], 4 * tile[1])
    check_copy(s, A, C)


@pytest.mark.parametrize(
    ("extent", "factor", "inner", "stored"), [(128, 64, 32, 97), (64, 16, 4, 61)]
)
def test_inner_part_of_two_splits_outermost(extent: int, factor: int, inner: int, stored: int):
    s, A, B, C = copied((extent,))
    outer, rest = s[C].split(C.op.axis[0], factor=factor)
    middle, inner_axis = s[C].split(rest, factor=inner)
    s[C].reorder(inner_axis, outer, middle)
    s[B].compute_at(s[C], inner_axis)
    assert sizes(s, "B") == (extent, 4 * stored)
    check_copy(s, A, C)


def test_parts_of_long_rows_fold():
    s, A, B, C = copied((5, 301))
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=32)
    s[B].compute_at(s[C], outer)
    s[B].fold_storage(B.op.axis[1])
    assert sizes(s, "B") == (5 * 301, 2 * 32 * 4)
    check_copy(s, A, C)


@pytest.mark.parametrize("mode", [None, "exact", "hull", "box"])
@pytest.mark.filterwarnings("ignore::teloom.Remark")
def test_windows_in_one_another(mode: str | None):
    A = te.placeholder((20, 12), "int32", name="A")
    first = te.compute(A.shape, lambda y, x: A[y, x] * 2, name="first")

    def sums(t: te.Tensor):
        others = TAPS[1:]
        return lambda y, x: sum((t[y + dy, x + dx] for dy, dx in others), t[y, x])

    second = te.compute((18, 10), sums(first), name="second")
    out = te.compute((16, 8), sums(second), name="out")
    s = te.create_schedule(out)
    y_outer, y_inner = s[out].split(out.op.axis[0], factor=8)
    for stage in (first, second):
        s[stage].compute_at(s[out], y_inner)
        s[stage].store_at(s[out], y_outer)
        s[stage].fold_storage(stage.op.axis[0])
        if mode is not None:
            s[stage].set_mode(mode)
    read_of_second = {(y + dy, x + dx) for y in range(8) for x in range(8) for dy, dx in TAPS}
    read_of_first = {(y + dy, x + dx) for y, x in read_of_second for dy, dx in TAPS}
    found_of = all_sizes(s)
    for name, read, stored in (
        ("first", read_of_first, 4 * 5 * 12),
        ("second", read_of_second, 4 * 3 * 10),
    ):
        computed, found = found_of[name]
        assert found == stored
        # A hull, or a box, has some corners that nothing reads; no row is computed twice.
        corners = 0 if mode in (None, "exact") else len(read) // 10
        assert 0 <= computed - 2 * len(read) <= 2 * corners
    a = np.arange(20 * 12, dtype="int32").reshape(20, 12)
    c = np.zeros((16, 8), "int32")
    teloom.build(s, [A, out])(a, c)
    b = a * 2
    for _ in range(2):
        b = b[:-2, :-2] + b[1:-1, 2:] + b[2:, 1:-1]
    np.testing.assert_array_equal(c, b)
