"""Stages that share loops give NumPy's numbers, whatever their sizes and offsets are."""

from itertools import product

import numpy as np
import pytest

from teloom import ScheduleError, build, lower, te

SIZES = (0, 5, 16, 19)


def filled(*shape):
    return np.arange(np.prod(shape), dtype="float32").reshape(shape) % 13


def ran(s, args, inputs, shapes):
    """The outputs of a program, which begin as 7."""
    outputs = [np.full(shape, 7, "float32") for shape in shapes]
    build(s, args)(*inputs, *outputs)
    return outputs


def two_vectors():
    """Two outputs of sizes of their own, neither of which reads the other."""
    n, m = te.size_var("n"), te.size_var("m")
    A, D = te.placeholder((n,), name="A"), te.placeholder((m,), name="D")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    C = te.compute((m,), lambda i: D[i] * 2, name="C")
    return te.create_schedule([B.op, C.op]), A, D, B, C


def from_the_start(s, B, C):
    s[B].shift(B.op.axis[0], 5)
    s[C].compute_with(s[B], s[B].leaf_iter_vars[0], align="start")


def to_the_end(s, B, C):
    s[B].compute_with(s[C], C.op.axis[0], align="end")
    s[B].parallel(B.op.axis[0])


def tiles(s, B, C):
    bo, _ = s[B].split(B.op.axis[0], 8)
    _, ci = s[C].split(C.op.axis[0], 8)
    s[C].after(s[B], s[B].leaf_iter_vars[1])
    s[B].parallel(bo)
    s[C].vectorize(ci)


@pytest.mark.parametrize("schedule", [from_the_start, to_the_end, tiles])
def test_sizes_may_differ(schedule):
    s, A, D, B, C = two_vectors()
    schedule(s, B, C)
    run = build(s, [A, D, B, C])
    for n, m in product(SIZES, SIZES):
        a, d = filled(n), filled(m)
        b, c = np.full(n, 7, "float32"), np.full(m, 7, "float32")
        run(a, d, b, c)
        np.testing.assert_array_equal(b, a + 1)
        np.testing.assert_array_equal(c, d * 2)


@pytest.mark.parametrize("align", ["none", ["end", "start"]])
def test_a_part_of_a_nest(align):
    A = te.placeholder((20, 9), name="A")
    B = te.compute((20, 9), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((13, 4), lambda y, x: A[y + 3, x] * 2, name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].compute_with(s[C], C.op.axis[1], align=align)
    a = filled(20, 9)
    b, c = ran(s, [A, B, C], [a], [(20, 9), (13, 4)])
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, a[3:16, :4] * 2)


def test_sum_and_sum_of_squares_in_one_pass():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    k, r = te.reduce_axis((0, m), "k"), te.reduce_axis((0, m), "r")
    S = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="S")
    Q = te.compute((n,), lambda i: te.sum(A[i, r] * A[i, r], axis=r), name="Q")
    s = te.create_schedule([S.op, Q.op])
    s[Q].compute_with(s[S], k)
    s[S].vectorize(k)
    run = build(s, [A, S, Q])
    for rows, columns in ((0, 3), (3, 0), (1, 1), (4, 35)):
        a = filled(rows, columns)
        sums, squares = np.full(rows, 7, "float32"), np.full(rows, 7, "float32")
        run(a, sums, squares)
        np.testing.assert_allclose(sums, a.sum(1))
        np.testing.assert_allclose(squares, (a * a).sum(1))


def test_a_function_and_its_gradient():
    A = te.placeholder((6, 7), name="A")
    B = te.compute((6, 7), lambda i, j: te.tanh(A[i, j]), name="B")
    C = te.compute((6, 7), lambda i, j: 1 - B[i, j] * B[i, j], name="C")
    s = te.create_schedule([B.op, C.op])
    s[C].merge(C.op.axis[1], s[B], B.op.axis[1])
    s[B].vectorize(B.op.axis[1])
    a = filled(6, 7)
    b, c = ran(s, [A, B, C], [a], [(6, 7), (6, 7)])
    np.testing.assert_allclose(b, np.tanh(a), rtol=1e-5)
    np.testing.assert_allclose(c, 1 - np.tanh(a) ** 2, atol=1e-5)


def test_a_pyramid_of_two_outputs():
    """A coarse row is computed as soon as the two fine rows that it needs are."""
    A = te.placeholder((21, 10), name="A")
    F = te.compute((21, 10), lambda y, x: A[y, x] * 3, name="F")
    G = te.compute((10, 5), lambda y, x: F[2 * y, 2 * x] + F[2 * y + 1, 2 * x + 1], name="G")
    s = te.create_schedule([F.op, G.op])
    outer, _ = s[F].split(F.op.axis[0], 2)
    s[G].compute_with(s[F], outer)
    a = filled(21, 10)
    fine, coarse = ran(s, [A, F, G], [a], [(21, 10), (10, 5)])
    np.testing.assert_array_equal(fine, a * 3)
    np.testing.assert_array_equal(coarse, (a[0:20:2, ::2] + a[1:20:2, 1::2]) * 3)


@pytest.mark.parametrize(("at", "depth"), [(0, 1), (1, 0)])
def test_what_is_computed_inside_runs_where_its_reader_does(at, depth):
    A = te.placeholder((12, 6), name="A")
    P = te.compute((12, 6), lambda i, j: A[i, j] + 1, name="P")
    B = te.compute((10, 6), lambda i, j: P[i, j] + P[i + 2, j], name="B")
    C = te.compute((12, 5), lambda i, j: A[i, j] * 2, name="C")
    s = te.create_schedule([B.op, C.op])
    s[P].compute_at(s[B], B.op.axis[at])
    s[B].compute_with(s[C], C.op.axis[depth])
    a = filled(12, 6)
    b, c = ran(s, [A, B, C], [a], [(10, 6), (12, 5)])
    np.testing.assert_array_equal(b, a[:10] + a[2:] + 2)
    np.testing.assert_array_equal(c, a[:, :5] * 2)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 1)])
def test_three_stages_share_as_many_loops_as_each_two_say(first, second):
    A = te.placeholder((9, 6), name="A")
    B = te.compute((9, 6), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((8, 5), lambda i, j: A[i, j] * 2, name="C")
    D = te.compute((10, 4), lambda i, j: A[te.min(i, 8), j] - 2, name="D")
    s = te.create_schedule([B.op, C.op, D.op])
    s[C].compute_with(s[B], B.op.axis[first])
    s[D].compute_with(s[B], B.op.axis[second])
    s[C].unroll(C.op.axis[1])
    a = filled(9, 6)
    b, c, d = ran(s, [A, B, C, D], [a], [(9, 6), (8, 5), (10, 4)])
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, a[:8, :5] * 2)
    np.testing.assert_array_equal(d, a[np.minimum(np.arange(10), 8), :4] - 2)


def test_stages_in_a_loop_of_their_reader_share_loops_there():
    A = te.placeholder((20, 10), name="A")
    B = te.compute((20, 10), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((20, 10), lambda i, j: A[i, j] * 2, name="C")
    D = te.compute((16, 8), lambda i, j: B[i, j] + B[i + 1, j] + C[i + 2, j + 1], name="D")
    s = te.create_schedule(D)
    outer, _ = s[D].split(D.op.axis[0], 4)
    s[B].compute_at(s[D], outer)
    s[C].compute_at(s[D], outer)
    s[B].compute_with(s[C], C.op.axis[1], align="start")
    assert [one.at for one in te.explain(s)] == ["D.i.outer", "D.i.outer with B.j", "the root"]
    a = filled(20, 10)
    (d,) = ran(s, [A, D], [a], [(16, 8)])
    np.testing.assert_array_equal(d, a[:16, :8] + a[1:17, :8] + 2 + a[2:18, 1:9] * 2)


def test_a_tuple_reduction_beside_a_sum():
    A = te.placeholder((5, 8), name="A")
    k, r = te.reduce_axis((0, 8), "k"), te.reduce_axis((0, 6), "r")
    larger = te.comm_reducer(
        lambda x, y: (
            te.select(x[1] >= y[1], x[0], y[0]),
            te.select(x[1] >= y[1], x[1], y[1]),
        ),
        lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
        name="larger",
    )
    where, most = te.compute((5,), lambda i: larger((k, A[i, k]), axis=k), name="M")
    S = te.compute((5,), lambda i: te.sum(A[i, r], axis=r), name="S")
    s = te.create_schedule([where.op, S.op])
    s[S].compute_with(s[where], k)
    a = filled(5, 8)
    index, value, total = np.zeros(5, "int32"), np.zeros(5, "float32"), np.zeros(5, "float32")
    build(s, [A, where, most, S])(a, index, value, total)
    np.testing.assert_array_equal(index, a.argmax(1))
    np.testing.assert_array_equal(value, a.max(1))
    np.testing.assert_array_equal(total, a[:, :6].sum(1))


def test_rows_between_stages_that_share_loops_are_few():
    """Two readers follow row by row: three rows of what they read are there at a time."""
    A = te.placeholder((14, 5), name="A")
    P = te.compute((14, 5), lambda i, j: A[i, j] + 1, name="P")
    B = te.compute((12, 5), lambda y, x: P[y, x] + P[y + 2, x], name="B")
    C = te.compute((13, 5), lambda y, x: P[y, x] * P[y + 1, x], name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].shift(B.op.axis[0], 2)
    s[C].shift(C.op.axis[0], 1)
    s[B].compute_with(s[P], P.op.axis[0])
    s[C].compute_with(s[P], P.op.axis[0])
    s[P].fold_storage(P.op.axis[0])
    assert te.explain(s)[0].stored == 3 * 5 * 4
    a = filled(14, 5)
    b, c = ran(s, [A, B, C], [a], [(12, 5), (13, 5)])
    np.testing.assert_array_equal(b, a[:12] + a[2:] + 2)
    np.testing.assert_array_equal(c, (a[:13] + 1) * (a[1:] + 1))


def chain(offset):
    A = te.placeholder((20,), name="A")
    B = te.compute((20,), lambda i: A[i] + 1, name="B")
    C = te.compute((16,), lambda i: B[i] + B[i + 4], name="C")
    s = te.create_schedule([B.op, C.op])
    if offset:
        s[C].shift(C.op.axis[0], offset)
    s[B].compute_with(s[C], s[C].leaf_iter_vars[0])
    return s, [A, B, C]


def test_what_is_read_too_early_is_refused_with_two_instances():
    with pytest.raises(ScheduleError) as refused:
        lower(*chain(3))
    assert str(refused.value).endswith(
        'stage "C" at [0] reads B[4] in iteration [3] of the loops that they share, but "B" at [4] '
        "computes it in iteration [4], which is not before that"
    )
    s, args = chain(4)
    s[args[1]].parallel(s[args[1]].leaf_iter_vars[0])
    words = r"it in iteration \[\d+\], and iterations of i, which is parallel, have no order$"
    with pytest.raises(ScheduleError, match=words):
        lower(s, args)
    s, args = chain(4)
    a = filled(20)
    b, c = ran(s, args, [a], [(20,), (16,)])
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, a[:16] + a[4:] + 2)


def test_another_iteration_of_a_parallel_loop_can_be_later():
    s, args = chain(4)
    s[args[1]].parallel(args[1].op.axis[0])
    with pytest.raises(ScheduleError, match=r'"C" at \[0\] reads B\[0\] in iteration \[4\]'):
        lower(s, args)


def test_stages_run_in_the_order_that_is_asked_for():
    A = te.placeholder((4,), name="A")
    stages = [te.compute((4,), lambda i, k=k: A[i] + k, name=f"S{k}") for k in range(3)]
    s = te.create_schedule([one.op for one in stages])
    first, second, third = (s[stages[k]] for k in (2, 0, 1))
    first.then(second, stages[2].op.axis[0]).then(third)
    a, outputs = filled(4), [np.zeros(4, "float32") for _ in stages]
    build(s, [A, *stages])(a, *outputs)
    for k, found in enumerate(outputs):
        np.testing.assert_array_equal(found, a + k)
    text = str(lower(s, [A, *stages], level="loop"))
    assert text.count("loop.for") == 2
    assert text.index("%S2_1[") < text.index("%S0_1[") < text.index("%S1_1[")


def test_methods_refuse_other_arguments():
    s, _, _, B, C = two_vectors()
    with pytest.raises(ScheduleError, match="no alignment 'middle'"):
        s[B].compute_with(s[C], C.op.axis[0], align="middle")
    with pytest.raises(ScheduleError, match="align of compute_with must be a string, got 3"):
        s[B].compute_with(s[C], C.op.axis[0], align=3)
    with pytest.raises(ScheduleError, match="after of stage C wants an axis for axis, got 0"):
        s[B].after(s[C], 0)
