"""Stages in loops that are made of parts of an axis and of another axis."""

import numpy as np
import pytest
from budget import pairs

import teloom
from teloom import te


@pytest.mark.parametrize(
    ("rows", "factor", "inner_first"), pairs([0, 1, 3, 5], [1, 2, 4], [True, False])
)
def test_a_row_is_there_for_each_part(rows: int, factor: int, inner_first: bool):
    A = te.placeholder((rows,), "int32", name="A")
    B = te.compute((rows,), lambda i: A[i] * 2, name="B")
    C = te.compute((rows, 3), lambda i, j: B[i] + j, name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    outer, inner = s[C].split(i, factor=factor)
    fused = s[C].fuse(inner, j)
    s[C].reorder(*((fused, outer) if inner_first else (outer, fused)))
    s[B].compute_at(s[C], fused)
    a = np.arange(rows, dtype="int32")
    c = np.zeros((rows, 3), "int32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a[:, None] * 2 + np.arange(3))


@pytest.mark.parametrize("n", [1, 3, 4])
def test_a_fused_stage_in_a_loop_of_fused_fusions(n: int):
    A = te.placeholder((n + 1, n + 1), "int32", name="A")
    B = te.compute(A.shape, lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n, n), lambda i, j: B[i + 1, n - j], name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    i_outer, rest = s[C].split(i, factor=2)
    middle, inner = s[C].split(rest, factor=2)
    s[C].reorder(j, i_outer, middle, inner)
    fused = s[C].fuse(s[C].fuse(j, i_outer), s[C].fuse(middle, inner))
    _, last = s[C].split(fused, factor=4)
    s[B].compute_at(s[C], last)
    s[B].fuse(*B.op.axis)
    a = np.arange((n + 1) ** 2, dtype="int32").reshape(n + 1, n + 1)
    c = np.zeros((n, n), "int32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, (a * 2)[1:, :0:-1])


def test_no_axes_fuse_to_a_place_around_all():
    A = te.placeholder((te.var("n"),), "int32", name="A")
    k = te.reduce_axis((0, A.shape[0]), "k")
    B = te.compute(A.shape, lambda i: A[i] * 2, name="B")
    C = te.compute((), lambda: te.sum(B[k], axis=k), name="C")
    D = te.compute((1,), lambda i: C[()] + i, name="D")
    s = te.create_schedule(D)
    around = s[D].fuse()
    s[C].compute_at(s[D], around)
    one = s[C].fuse(*C.op.axis)
    outer, inner = s[C].split(one, factor=2)
    s[C].reorder(outer, k, inner)
    s[B].compute_at(s[C], outer)
    s[D].parallel(s[D].fuse(around, *D.op.axis))
    assert [type(one).__name__ for one in s[C].relations] == ["Singleton", "Split"]
    built = teloom.build(s, [A, D])
    for n in (0, 1, 5):
        a, d = np.arange(n, dtype="int32"), np.zeros(1, "int32")
        built(a, d)
        assert d == a.sum() * 2


@pytest.mark.parametrize("columns", [None, 3])
def test_data_and_reduce_axes_in_one_loop(columns: int | None):
    n = te.var("n")
    m = te.var("m") if columns is None else columns
    A = te.placeholder((n, m), "int32", name="A")
    P = te.compute(A.shape, lambda i, j: A[i, j] * 2, name="P")
    k = te.reduce_axis((0, m), "k")
    C = te.compute((n,), lambda i: te.sum(P[i, k], axis=k, init=i), name="C")
    first, second = (
        te.reduce_axis((0, m), "r"),
        te.reduce_axis((0, n), "t"),
    )
    D = te.compute((m,), lambda j: te.max(A[second, j] + C[second], axis=second), name="D")
    E = te.compute((n,), lambda i: te.sum(A[i, first] * D[first], axis=first), name="E")
    s = te.create_schedule(E)
    rows, inside = s[C].split(C.op.axis[0], factor=2)
    fused = s[C].fuse(inside, k)
    s[P].compute_at(s[C], s[C].split(fused, factor=4)[0])
    s[C].parallel(rows)
    s[D].reorder(second, D.op.axis[0])
    s[D].fuse(second, D.op.axis[0])
    s[E].unroll(s[E].split(s[E].fuse(*E.op.axis, first), factor=3)[1])
    built = teloom.build(s, [A, E])
    for rows, columns in ((0, 3), (1, 3), (5, 3)) if columns else ((2, 0), (3, 1), (3, 5)):
        a = np.arange(rows * columns, dtype="int32").reshape(rows, columns) % 7
        c = a.sum(1) * 2 + np.arange(rows)
        d = (a + c[:, None]).max(0, initial=np.iinfo("int32").min)
        e = np.zeros(rows, "int32")
        built(a, e)
        np.testing.assert_array_equal(e, a @ d)


def test_elements_that_two_iterations_fold_into_are_not_parallel():
    A = te.placeholder((4, 6), name="A")
    k = te.reduce_axis((0, 6), "k")
    C = te.compute((4,), lambda i: te.sum(A[i, k], axis=k), name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].split(s[C].fuse(*C.op.axis, k), factor=6)
    s[C].parallel(outer)
    a, c = np.ones((4, 6), "float32"), np.zeros(4, "float32")
    teloom.build(s, [A, C])(a, c)  # a row each
    np.testing.assert_array_equal(c, 6)
    s[C].vectorize(inner)
    meeting = r'"C" at \[0, 5\] overwrites C\[0\], .*; the equations read it .*, at \[0, 0\],'
    with pytest.raises(teloom.ScheduleError, match=meeting):
        teloom.build(s, [A, C])


def test_a_reduction_that_cannot_begin_apart():
    A = te.placeholder((4, 6), name="A")
    ends = te.placeholder((4,), "int32", name="ends")

    def fused(change, *end) -> None:
        def row(i):
            k = te.reduce_axis((0, *(end or (te.bounded(ends[i], 0, 7),))), "k")
            return te.sum(A[i, k], axis=k)

        B = te.compute((4,), row, name="B")
        s = te.create_schedule(B)
        change(s[B])
        s[B].fuse(*s[B].leaf_iter_vars)
        teloom.lower(s, [A, ends, B], level="schedule")

    for reason, change, *end in (
        ("axis singleton is of no axis of the equation", lambda B: B.fuse(), 6),
        ("its reduce axes have bounds from data", lambda B: None),
        (
            "a loop of it is bound to threads",
            lambda B: B.bind(B.op.axis[0], te.thread_axis("blockIdx.x")),
            6,
        ),
    ):
        with pytest.raises(teloom.ScheduleError, match=f'of stage "B": {reason}'):
            fused(change, *end)


def test_two_stages_share_the_loops_that_both_have():
    A = te.placeholder((6, 5), "int32", name="A")
    k = te.reduce_axis((0, 5), "k")
    B = te.compute((6, 5), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((6,), lambda i: te.sum(A[i, k], axis=k), name="C")
    D = te.compute((), lambda: A[0, 0], name="D")
    s = te.create_schedule([B, C, D])
    with pytest.raises(teloom.ScheduleError, match="D and B have no loops to share"):
        s[D].fuse_with(s[B])
    with pytest.raises(teloom.ScheduleError, match="wants a stage for other"):
        s[D].fuse_with(B)
    s[C].fuse_with(s[B], align="start")
    a, b, c, d = (np.zeros(shape, "int32") for shape in ((6, 5), (6, 5), 6, ()))
    a += np.arange(30, dtype="int32").reshape(6, 5)
    assert str(teloom.lower(s, [A, B, C, D], level="loop")).count("loop.for") == 2
    teloom.build(s, [A, B, C, D])(a, b, c, d)
    np.testing.assert_array_equal(b, a * 2)
    np.testing.assert_array_equal(c, a.sum(1))


@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (0, 3), (3, 0), (1, 0), (2, 3)])
def test_a_fused_reduction_of_nothing_is_the_identity(rows: int, columns: int):
    A = te.placeholder((rows, columns), name="A")
    i, j = te.reduce_axis((0, rows), "i"), te.reduce_axis((0, columns), "j")
    C = te.compute((), lambda: te.min(A[i, j], axis=[i, j]), name="C")
    s = te.create_schedule(C)
    s[C].split(s[C].fuse(i, j), factor=2)
    a = np.full((rows, columns), 3, "float32")
    c = np.zeros((), "float32")
    teloom.build(s, [A, C])(a, c)
    assert c == a.min(initial=np.inf)
