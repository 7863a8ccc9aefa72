"""Outputs that are computed in loops of their readers: all of them, or a refusal."""

import numpy as np
import pytest

import teloom
from teloom import te


def agree(s: te.Schedule, arguments: list, inputs: list, wanted: list) -> None:
    """Compares the outputs, the last arguments, with arrays."""
    found = [np.full(one.shape, np.nan, one.dtype) for one in wanted]
    teloom.build(s, arguments)(*inputs, *found)
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(one, other)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).integers(-9, 9, shape).astype("f4")


def test_tiles_of_a_matrix_product_on_threads():
    n, m, depth = 19, 13, 7
    A, W = te.placeholder((n, depth), name="A"), te.placeholder((depth, m), name="W")
    k = te.reduce_axis((0, depth), "k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * W[k, j], axis=k), name="C")
    D = te.compute((n, m), lambda i, j: te.max(C[i, j], 0.0), name="D")
    s = te.create_schedule([C.op, D.op])
    io, jo, _, _ = s[D].tile(*D.op.axis, 4, 8)
    s[D].parallel(io)
    s[C].compute_at(s[D], jo)
    s[C].reorder(k, *C.op.axis)
    assert "parallel" in str(teloom.lower(s, [A, W, C, D], level="loop"))
    a, w = numbers(n, depth), numbers(depth, m)
    agree(s, [A, W, C, D], [a, w], [a @ w, np.maximum(a @ w, 0)])


def test_a_chain_of_overlapping_tiles():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    inside = lambda i: te.all(i >= 0, i < n)  # noqa: E731
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    near = lambda T, i: te.if_then_else(inside(i), T[i], 0.0)  # noqa: E731
    C = te.compute((n,), lambda i: near(B, i - 1) + B[i] + near(B, i + 1), name="C")
    D = te.compute((n,), lambda i: near(C, i - 1) + C[i] + near(C, i + 1), name="D")
    s = te.create_schedule([B.op, C.op, D.op])
    s[C].compute_at(s[D], s[D].split(D.op.axis[0], factor=8)[0])
    s[B].compute_at(s[C], s[C].split(C.op.axis[0], factor=3)[0])
    function = teloom.build(s, [A, B, C, D])
    for size in (0, 1, 8, 37):
        a = numbers(size)
        found = [np.full(size, np.nan, "f4") for _ in range(3)]
        function(a, *found)
        wanted = [2 * a]
        for _ in range(2):
            padded = np.pad(wanted[-1], 1)
            wanted.append(padded[:-2] + padded[1:-1] + padded[2:])
        assert all(map(np.array_equal, found, wanted))


def test_tuples_updates_externs_and_scans():
    n = 9
    A, m = te.placeholder((n, 4), name="A"), te.reduce_axis((0, 4), "m")
    both = te.comm_reducer(
        lambda x, y: (x[0] + y[0], te.max(x[1], y[1])),
        lambda t, u: (te.const(0, t), te.min_value(u)),
    )
    P, Q = te.compute((n,), lambda i: both((A[i, m], A[i, m]), axis=m), name="P")
    j = te.reduce_axis((1, n), "j")
    U = te.update(P, (j,), lambda u, j: ((j,), u[j] + u[j - 1]), name="U")
    E = te.extern((n,), [Q], lambda ins, outs: te.call_packed(np.negative, *ins, *outs), name="E")
    state = te.placeholder((n,), name="state")
    first = te.compute((1,), lambda t: Q[t], name="first")
    step = te.compute((n,), lambda t: state[t - 1] + Q[t], name="step")
    S = te.scan(first, step, state, inputs=[Q], name="S")
    R = te.compute((n,), lambda i: U[i] + E[i] + S[i] + P[i], name="R")
    s = te.create_schedule([P.op, U.op, E.op, S.op, R.op])
    for one in (U, E, S):
        place, _ = s[R].split(s[R].leaf_iter_vars[-1], factor=4)
        s[one].compute_at(s[R], place)
    a = numbers(n, 4)
    p, q = a.sum(1), a.max(1)
    wanted = [p, q, p.cumsum(), -q, q.cumsum(), p.cumsum() - q + q.cumsum() + p]
    agree(s, [A, P, Q, U, E, S, R], [a], wanted)


def test_the_reader_comes_to_the_loops_of_the_output():
    A = te.placeholder((11, 7), name="A")
    B = te.compute((11, 7), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((7, 11), lambda j, i: B[i, j] + 1, name="C")
    s = te.create_schedule([B.op, C.op])
    rows, _ = s[B].split(B.op.axis[0], factor=4)
    s[B].parallel(rows)
    s[C].reverse_compute_at(s[B], rows)
    a = numbers(11, 7)
    agree(s, [A, B, C], [a], [2 * a, 2 * a.T + 1])


def shifted(by: int, n: object = 16, condition=lambda i: True):
    """B of n elements, and C, which reads those from `by` on where a condition holds."""
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    C = te.compute(
        (n - by,), lambda i: te.if_then_else(condition(i), B[i + by] + B[i], 0.0), name="C"
    )
    s = te.create_schedule([B.op, C.op])
    place, _ = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], place)
    return A, B, C, s, place


@pytest.mark.parametrize(
    ("program", "change", "words"),
    [
        (lambda: shifted(0, condition=lambda i: i < 9), None, r"nothing computes B\[9\]"),
        (
            lambda: shifted(1, te.var("n")),
            None,
            r"nothing computes B\[0\], which is an output \(here n = 1\)",
        ),
        (
            lambda: shifted(2),
            lambda s, C, place: s[C].parallel(place),
            r"the schedule at \(i.outer = 0\), and iterations of i.outer, which is parallel",
        ),
    ],
)
def test_what_would_be_missing_or_race(program, change, words: str):
    A, B, C, s, place = program()
    if change is not None:
        change(s, C, place)
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, B, C], level="schedule")


def test_what_is_computed_whole_is_for_one_thread():
    A = te.placeholder((8,), name="A")
    E = te.extern((8,), [A], lambda ins, outs: te.call_packed(np.negative, *ins, *outs), name="E")
    C = te.compute((8,), lambda i: E[i] + 1, name="C")
    s = te.create_schedule([E.op, C.op])
    s[E].compute_at(s[C], C.op.axis[0])
    s[C].parallel(C.op.axis[0])
    words = r"the schedule at \(i = 0\), and iterations of i, which is parallel, have no order"
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, E, C], level="schedule")


def test_a_loop_of_axes_of_symbolic_extents():
    """All iterations of a fused axis are all points of its axes."""
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), "int32", name="A")
    B = te.compute((m, n), lambda i, j: A[j, i] * 2, name="B")
    C = te.compute((n, m), lambda i, j: B[j, i] + 1, name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].compute_at(s[C], s[C].fuse(*C.op.axis))
    run = teloom.build(s, [A, B, C])
    for shape in ((3, 5), (1, 1), (0, 2), (2, 0)):
        a = np.arange(np.prod(shape), dtype="int32").reshape(shape)
        b, c = np.full(shape[::-1], -1, "int32"), np.full(shape, -1, "int32")
        run(a, b, c)
        np.testing.assert_array_equal(b, a.T * 2)
        np.testing.assert_array_equal(c, a * 2 + 1)


def test_a_loop_of_axes_of_which_one_may_have_no_point():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), "int32", name="A")
    B = te.compute((n,), lambda i: i * 2, name="B")
    C = te.compute((n, m), lambda i, j: A[i, j] + B[i], name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].compute_at(s[C], s[C].fuse(*C.op.axis))
    words = r"nothing computes B\[0\], which is an output \(here n = 1, m = 0\)"
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, B, C], level="schedule")


def test_what_is_not_known_is_refused():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n, m), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].compute_at(s[C], s[C].split(s[C].fuse(*C.op.axis), 4)[1])
    words = 'compute all of it: an extent of a fused or split axis of "C" is symbolic; compute it'
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, B, C], level="schedule")
    starts = te.placeholder((5,), "int32", name="starts")
    V = te.placeholder((20,), name="V")
    X = te.compute((20,), lambda i: V[i] * 2, name="X")
    row = lambda i: te.reduce_axis((starts[i], starts[i + 1]), "row")  # noqa: E731
    Y = te.compute((4,), lambda i: te.sum(X[k := row(i)], axis=k), name="Y")
    s = te.create_schedule([X.op, Y.op])
    s[X].compute_at(s[Y], Y.op.reduce_axis[0])
    with pytest.raises(teloom.ScheduleError, match="a loop around it may end early, where data"):
        teloom.lower(s, [starts, V, X, Y], level="schedule")


@te.hybrid.script
def running_sums(a):
    found = output_tensor((a.shape[0],), "int32")  # noqa: F821
    total = allocate((1,), "int32")  # noqa: F821
    for i in range(a.shape[0]):
        total[0] = total[0] + a[i]
        found[i] = total[0]
    return found


def test_a_body_without_axes_has_nothing_to_compute_of_no_elements():
    n = te.var("n")
    A = te.placeholder((n,), "int32", name="A")
    B = running_sums(A)
    C = te.compute((n,), lambda i: B[n - 1 - i], name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].compute_at(s[C], C.op.axis[0])
    function = teloom.build(s, [A, B, C])
    for size in (0, 1, 5):
        found, backwards = (np.full(size, -1, "int32") for _ in range(2))
        function(np.arange(size, dtype="int32"), found, backwards)
        np.testing.assert_array_equal(found, np.arange(size).cumsum())
        np.testing.assert_array_equal(backwards, found[::-1])


def test_a_body_without_axes_has_not_run_where_its_reader_has_no_elements():
    n = te.var("n")
    A = te.placeholder((n + 1,), "int32", name="A")
    B = running_sums(A)
    C = te.compute((n,), lambda i: B[i], name="C")
    s = te.create_schedule([B.op, C.op])
    s[B].compute_at(s[C], C.op.axis[0])
    with pytest.raises(teloom.Error, match=r"nothing computes running_sums\[\].*here n = 0"):
        teloom.build(s, [A, B, C])
