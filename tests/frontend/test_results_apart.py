"""`fission_results`: results of one operation are computed in stages of their own."""

import numpy as np
import pytest

import teloom
from teloom import te


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).integers(-9, 9, shape).astype("f4")


def agree(s: te.Schedule, arguments: list, inputs: list, wanted: list) -> None:
    """Compares the outputs, the last arguments, with arrays."""
    found = [np.full(one.shape, -99, one.dtype) for one in wanted]
    teloom.build(s, arguments)(*inputs, *found)
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(one, other)


def replayed(s: te.Schedule, outputs: list) -> te.Schedule:
    """The same schedule from its JSON, after a look at its text."""
    again = te.Schedule.from_json(outputs, s.to_json())
    assert again.to_json() == s.to_json()
    of_text = te.Schedule.from_sequence(outputs, s)
    assert of_text.schedule_record == s.schedule_record
    return again


class Pair:
    """C reads both results, a sum and a maximum, of one pass over the rows of A."""

    def __init__(self, n=13):
        self.A = te.placeholder((n, 5), name="A")
        self.k = te.reduce_axis((0, 5), "k")
        both = te.comm_reducer(
            lambda x, y: (x[0] + y[0], te.max(x[1], y[1])),
            lambda t, u: (te.const(0, t), te.min_value(u)),
            name="both",
        )

        def row(i):
            return both((self.A[i, self.k], self.A[i, self.k] * 2), axis=self.k)

        self.S, self.M = te.compute((n,), row, name="T")
        self.C = te.compute((n,), lambda i: self.M[i] - self.S[i], name="C")
        self.s = te.create_schedule(self.C)

    def check(self, *sizes: int, s: te.Schedule | None = None) -> None:
        function = teloom.build(s or self.s, [self.A, self.C])
        for size in sizes:
            a, c = numbers(size, 5), np.full(size, np.nan, "f4")
            function(a, c)
            assert np.array_equal(c, 2 * a.max(1) - a.sum(1))


def test_each_component_of_a_reduction_has_its_own_nest():
    p = Pair(te.var("n"))
    s, (i,) = p.s, p.S.op.axis
    outer, inner = s[p.S].split(i, factor=4)
    assert s[p.S] is s[p.M]
    M = s.fission_results(p.M)
    assert [stage.name for stage in s.stages] == ["A", "T.v1", "T", "C"]
    assert s[p.S] is not s[p.M] is s[M]
    assert str(s[p.M].op.body) == "[both((A[i, k] * 2.0), axis=[k])]"
    assert str(s[p.S].op.body) == "[both(A[i, k], axis=[k])]"
    assert str(s[p.C].op.body) == "[(T.v1[i] - T[i])]"
    assert s[M].leaf_iter_vars == [*M.op.axis, *M.op.reduce_axis] != s[p.S].leaf_iter_vars
    s[p.M].compute_at(s[p.C], s[p.C].split(p.C.op.axis[0], factor=3)[0])
    s[p.S].reorder(outer, p.k, inner)
    s[p.S].vectorize(inner)
    s[p.S].parallel(outer)
    assert [one.at for one in te.explain(s)] == ["C.i.outer", "the root", "the root"]
    p.check(0, 1, 7, 16)
    p.check(5, s=replayed(s, [p.C]))


def test_a_part_is_factored_cloned_copied_and_shares_loops_again():
    p = Pair()
    s = p.s
    M = s.fission_results(p.M)
    factored = s.rfactor(p.M, s[M].split(M.op.reduce_axis[0], factor=2)[1])
    s[factored].compute_at(s[M], M.op.axis[0])
    S = s.clone_in(p.S, p.C)
    assert te.infer_bounds(s)[p.S.op.axis[0]].extent == 0
    s[s.cache_write(S, "local")].compute_at(s[S], S.op.axis[0])
    copy = s.cache_read(p.M, "shared", p.C)
    assert copy.name == "T.v1.shared"
    s[S].compute_with(s[M], M.op.axis[0])
    p.check(13)
    p.check(13, s=replayed(s, [p.C]))
    s[M].fission(M.op.axis[0])
    p.check(13)


def test_axes_of_a_nest_that_was_fused_with_data_axes():
    p = Pair()
    s = p.s
    fused = s[p.S].fuse(*p.S.op.axis, p.k)
    M = s.fission_results(p.M)
    assert s[M].leaf_iter_vars[1:] == [*M.op.axis, *M.op.reduce_axis]
    assert fused in s[p.S].leaf_iter_vars
    s[M].reorder(*M.op.reduce_axis, *M.op.axis)
    s[M].vectorize(M.op.axis[0])
    p.check(13)


def test_rows_that_data_bounds():
    n, count = te.var("n"), te.var("count")
    ends = te.placeholder((n + 1,), "int32", name="ends")
    A = te.placeholder((count,), name="A")
    both = te.comm_reducer(
        lambda x, y: (x[0] + y[0], te.max(x[1], y[1])),
        lambda t, u: (te.const(0, t), te.min_value(u)),
    )

    def row(i):
        k = te.reduce_axis((ends[i], ends[i + 1]), "k")
        return both((A[k], A[k]), axis=k, init=(10.0, -3.0))

    S, M = te.compute((n,), row, name="T")
    s = te.create_schedule(S.op)
    made = s.fission_results(S)
    s[S].parallel(made.op.axis[0])
    s[M].split(M.op.reduce_axis[0], factor=4)
    a = np.arange(9, dtype="f4")
    wanted = [np.array(one, "f4") for one in ([10 + a[:8].sum(), 10, 18], [7, -3, 8])]
    agree(s, [ends, A, S, M], [np.array([0, 8, 8, 9], "i4"), a], wanted)


class Triple:
    """C reads three results of an operation without a reduction."""

    n = 19

    def __init__(self):
        n = self.n
        self.A = A = te.placeholder((n + 2,), name="A")
        self.T = te.compute((n + 2,), lambda i: (A[i] + 1, A[i] * 2, i), name="T")
        P, Q, R = self.T
        self.C = te.compute((n,), lambda i: P[i] + P[i + 2] - Q[i + 1] + R[i], name="C")
        a = self.a = numbers(n + 2)
        self.c = a[:-2] + a[2:] + 2 - 2 * a[1:-1] + np.arange(n, dtype="f4")


def test_results_of_an_elementwise_operation_are_placed_one_by_one():
    p = Triple()
    s, (P, Q, R) = te.create_schedule(p.C), p.T
    made = s.fission_results([R, Q])
    assert [one.name for one in made] == ["T.v2", "T.v1"]
    assert [s[one].name for one in (P, Q, R)] == ["T", "T.v1", "T.v2"]
    s[Q].compute_inline()
    s[P].compute_at(s[p.C], p.C.op.axis[0])
    s[P].rolling_buffer()
    group = s.create_group(outputs=[p.C, P], inputs=p.A, include_inputs=True)
    assert group.member_names == ["T.v1", "T", "C"]
    assert {one.name: one.stored for one in te.explain(s)}["T"] == 12
    agree(s, [p.A, p.C], [p.a], [p.c])
    agree(replayed(s, [p.C]), [p.A, p.C], [p.a], [p.c])


def test_a_reader_takes_the_loops_of_one_result():
    p = Triple()
    _, Q, R = p.T
    D = te.compute((p.n + 2,), lambda i: Q[i] - 1, name="D")
    E = te.compute((p.n + 2,), lambda i: R[i] + D[i], name="E")
    s = te.create_schedule(E)
    made = s.fission_results(Q)
    outer, inner = s[Q].split(made.op.axis[0], factor=4)
    s[D].reverse_compute_inline()
    assert s[D].leaf_iter_vars == [outer, inner]
    agree(s, [p.A, E], [p.a], [2 * p.a - 1 + np.arange(p.n + 2, dtype="f4")])


def test_one_after_the_other():
    p = Triple()
    s, (P, Q, R) = te.create_schedule([p.C.op, p.T[0].op]), p.T
    s.fission_results(P)
    assert s[Q] is s[R] is not s[P]
    s.fission_results(R)
    assert [stage.name for stage in s.stages] == ["A", "T.v0", "T.v1", "T", "C"]
    assert len({*map(s.__getitem__, p.T)}) == 3
    te.schedule.AutoInlineInjective(s)  # of outputs none
    wanted = [p.a + 1, p.a * 2, np.arange(p.n + 2, dtype="i4"), p.c]
    agree(s, [p.A, *p.T, p.C], [p.a], wanted)
    with pytest.raises(teloom.ScheduleError, match=r"results of T are .* T of T.v0, T.v1, T.v2"):
        s[Q.op]
    with pytest.raises(teloom.Error, match=r"argument 1, T\.v0, is made by a command"):
        teloom.build(s, [p.A, s[P].op.output(0), *p.T[1:], p.C])


def test_updates_and_steps_of_a_scan():
    A = te.placeholder((9,), name="A")
    i = te.reduce_axis((1, 9), "i")

    def point(P, Q, i):
        return [(i, (P[i - 1] + A[i], None), A[i] < 0), (i - 1, (None, Q[i] * 2))]

    P, Q = te.update([A, A], i, point, name="U")
    s = te.create_schedule([P.op])
    (begin,), (j,) = s[P].op.axis, s[P].op.reduce_axis
    assert s[P] is s[Q]
    assert j is i
    made = s.fission_results(Q)
    s[made].reorder(*made.op.reduce_axis)
    s[made].split(made.op.reduce_axis[0], factor=3)
    s[P].split(begin, factor=2)
    a = numbers(9)
    p, q = a.copy(), a.copy()
    for k in range(1, 9):
        p[k] = p[k - 1] + a[k] if a[k] < 0 else p[k]
        q[k - 1] = q[k] * 2
    agree(s, [A, P, Q], [a], [p, q])
    agree(replayed(s, [P.op]), [A, P, Q], [a], [p, q])


def test_results_of_a_step():
    X = te.placeholder((9, 4), name="X")
    low, high = (te.placeholder((9, 4), name=name) for name in ("low", "high"))
    first = te.compute((1, 4), lambda t, i: (X[t, i], X[t, 3 - i]), name="first")
    step = te.compute((9, 4), lambda t, i: (low[t - 1, i] + X[t, i], high[t - 1, i] * 2), name="N")
    L, H = te.scan(first, step, (low, high), inputs=[X], name="S")
    s = te.create_schedule(L.op)
    (made,) = s.fission_results([step[1]])
    s[made].vectorize(made.op.axis[1])
    s.fission_results(first[0])
    s[first[0]].compute_inline()
    x = numbers(9, 4)
    wanted = [np.cumsum(x, 0), x[:1, ::-1] * 2.0 ** np.arange(9)[:, None].astype("f4")]
    agree(s, [X, L, H], [x], [one.astype("f4") for one in wanted])
    with pytest.raises(teloom.ScheduleError, match="results of S: it is a scan, whose steps"):
        s.fission_results(H)


def test_refused():
    A, k = te.placeholder((8,), name="A"), te.reduce_axis((0, 8), "k")
    argmax = te.comm_reducer(
        lambda x, y: (
            te.select(y[0] > x[0], y[0], x[0]),
            te.select(y[0] > x[0], y[1], x[1]),
        ),
        lambda t, u: (te.min_value(t), te.const(-1, u)),
        name="argmax",
    )
    M, P = te.compute((), lambda: argmax((A[k], k), axis=k), name="T")
    E, F = te.extern(
        [(8,), (8,)], [A], lambda i, o: te.call_packed(np.copyto, o[0], i[0]), name="E"
    )
    s = te.create_schedule([M.op, E.op])
    for tensors, words in (
        ([], "fission_results wants results of one stage, got none"),
        ([M, F], "fission_results wants results of one stage, got T.v0, E.v1"),
        ([M, P], "cannot part the results of T: one of them stays in it; name the others"),
        ([P, P], "fission_results names result 1 twice"),
        ("M", "fission_results wants a tensor, got 'M'"),
        (A, "A is a placeholder: it is given, not computed"),
        (F, "cannot part the results of E: it is an extern, whose body fills them all"),
    ):
        with pytest.raises(teloom.ScheduleError, match=words):
            s.fission_results(tensors)
    assert "fission_results" not in str(s)
    s.fission_results(P)
    words = 'results of "T": what changes result 1 reads result 0, so they stay in one stage'
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, M, P, E, F])
