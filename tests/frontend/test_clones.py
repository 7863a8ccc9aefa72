"""`clone_in`: some readers of a stage have a computation of it of their own."""

import numpy as np
import pytest

import teloom
from teloom import te


class Blurred:
    """D reads B and C, which reads B; n is the extent of D, or a symbol."""

    def __init__(self, n=31):
        A = self.A = te.placeholder((n + 2,), name="A")
        B = self.B = te.compute((n + 2,), lambda i: A[i] * 2, name="B")
        C = self.C = te.compute((n,), lambda i: B[i] + B[i + 2], name="C")
        self.D = te.compute((n,), lambda i: B[i + 1] * C[i], name="D")
        self.s = te.create_schedule(self.D)

    def check(self, *sizes: int) -> None:
        """Compares with NumPy; of a symbolic extent, for these sizes."""
        function = teloom.build(self.s, [self.A, self.D])
        for size in sizes:
            a = np.arange(size + 2, dtype="f4")
            d = np.full(size, np.nan, "f4")
            function(a, d)
            assert np.array_equal(d, 2 * a[1:-1] * 2 * (a[:-2] + a[2:]))


def test_each_reader_has_its_own_schedule():
    p = Blurred(te.var("n"))
    s = p.s
    s[p.B].split(p.B.op.axis[0], factor=8)
    B2 = s.clone_in(p.B, [p.C])
    assert [stage.name for stage in s.stages] == ["A", "B", "B.clone", "C", "D"]
    assert str(B2.op.body[0]) == "(A[i] * 2.0)"
    assert str(s[p.C].op.body[0]) == "(B.clone[i] + B.clone[(i + 2)])"
    assert s[B2].leaf_iter_vars == B2.op.axis != p.B.op.axis
    tile, _ = s[p.C].split(p.C.op.axis[0], factor=5)
    s[p.C].compute_at(s[p.D], s[p.D].split(p.D.op.axis[0], factor=16)[0])
    s[B2].compute_at(s[p.C], tile)
    again = te.Schedule.from_json(p.D, s.to_json())
    assert again.to_json() == s.to_json()
    p.check(0, 1, 31)


def test_what_nobody_reads_any_more_is_not_computed():
    p = Blurred()
    first = p.s.clone_in(p.B, [p.C, p.D])
    second = p.s.clone_in(first, p.D)
    assert second.name == "B.clone.clone"
    p.s[second].compute_inline()
    assert te.infer_bounds(p.s)[p.B.op.axis[0]].extent == 0
    p.check(31)


def test_reductions_of_tuples_updates_and_externs():
    n, m = 13, te.reduce_axis((0, 5), "m")
    A = te.placeholder((n, 5), name="A")
    both = te.comm_reducer(
        lambda x, y: (te.min(x[0], y[0]), te.max(x[1], y[1])),
        lambda t, u: (te.max_value(t), te.min_value(u)),
    )
    low, high = te.compute((n,), lambda i: both((A[i, m], A[i, m]), axis=m), name="R")
    j = te.reduce_axis((0, n - 1), "j")
    U = te.update(low, (j,), lambda u, j: ((j + 1,), u[j] + high[j]), name="U")
    E = te.extern((n,), [U], lambda ins, outs: te.call_packed(np.negative, *ins, *outs), name="E")
    F = te.compute((n,), lambda i: U[i] * 100 + E[i], name="F")
    G = te.compute((n,), lambda i: E[i] + F[i] + high[i], name="G")
    s = te.create_schedule(G)
    E2 = s.clone_in(E, F)
    U2 = s.clone_in(U, E2)
    low2, high2 = s.clone_in(high, [U2, G])
    assert s[low2].op.body[0].reduction.axes == tuple(high2.op.reduce_axis) != (m,)
    partial, _ = s.rfactor(high2, s[high2].split(high2.op.reduce_axis[0], factor=2)[1])
    s[partial].compute_at(s[high2], high2.op.axis[0])
    s[U2].split(U2.op.reduce_axis[0], factor=4)
    a = np.random.default_rng(1).integers(-9, 9, (n, 5)).astype("f4")
    g = np.full(n, np.nan, "f4")
    teloom.build(s, [A, G])(a, g)
    u = a.min(1)
    for t in range(n - 1):
        u[t + 1] = u[t] + a.max(1)[t]
    assert np.array_equal(g, u * 98 + a.max(1))


def test_steps_of_a_scan():
    X = te.placeholder((9, 4), name="X")
    state = te.placeholder((9, 4), name="state")
    first = te.compute((1, 4), lambda t, i: X[t, i], name="first")
    double = te.compute((9, 4), lambda t, i: state[t - 1, i] * 2, name="double")
    other = te.compute((9, 4), lambda t, i: double[t, 3 - i] + X[t, i], name="other")
    new = te.compute((9, 4), lambda t, i: double[t, i] + other[t, i], name="new")
    S = te.scan(first, new, state, inputs=[X], name="S")
    s = te.create_schedule(S)
    clone = s.clone_in(double, new)
    s[clone].compute_inline()
    with pytest.raises(teloom.ScheduleError, match=r"cannot clone S: it is a scan, .* cache_read"):
        s.clone_in(S, new)
    x = np.arange(36, dtype="f4").reshape(9, 4)
    got = np.full((9, 4), np.nan, "f4")
    teloom.build(s, [X, S])(x, got)
    want = x.copy()
    for t in range(1, 9):
        want[t] = 2 * want[t - 1] + x[t] + 2 * want[t - 1, ::-1]
    assert np.array_equal(got, want)


def test_axes_of_a_reduction_whose_loops_were_fused_with_data_axes():
    A, k = te.placeholder((7, 4), name="A"), te.reduce_axis((0, 4), "k")
    B = te.compute((7,), lambda i: te.sum(A[i, k], axis=k), name="B")
    C = te.compute((7,), lambda i: B[i] * 2, name="C")
    D = te.compute((7,), lambda i: B[i] + C[i], name="D")
    s = te.create_schedule(D)
    s[B].fuse(*B.op.axis, k)
    B2 = s.clone_in(B, C)
    assert s[B2].leaf_iter_vars[1:] == [*B2.op.axis, *B2.op.reduce_axis]
    outer, _ = s[B2].split(B2.op.axis[0], factor=3)
    s[B2].parallel(outer)
    a, d = np.arange(28, dtype="f4").reshape(7, 4), np.full(7, np.nan, "f4")
    teloom.build(s, [A, D])(a, d)
    assert np.array_equal(d, 3 * a.sum(1))


def test_refused():
    p = Blurred()
    for call, words in (
        (lambda: p.s.clone_in(p.B, []), "clone_in needs at least one reader"),
        (lambda: p.s.clone_in(p.B, p.A), "A is a placeholder: it is given, not computed"),
        (lambda: p.s.clone_in(p.A, p.B), "A is a placeholder: it is given, not computed"),
        (lambda: p.s.clone_in("B", p.C), "clone_in wants a tensor, got 'B'"),
    ):
        with pytest.raises(teloom.ScheduleError, match=words):
            call()
    p.s.clone_in(p.B, p.B)
    words = '"B" does not read "B"; stages that do: "C", "D"'
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(p.s, [p.A, p.D])
