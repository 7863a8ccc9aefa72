"""Which stages the AutoInline functions inline, and that numbers stay."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.analysis.stages.kinds import IS_OF_KIND
from teloom.analysis.stages.queries import name_of
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.schedule import StageOp

INLINE = te.schedule.AutoInlineElemWise, te.schedule.AutoInlineBroadcast
INLINE = *INLINE, te.schedule.AutoInlineInjective


@pytest.mark.parametrize(
    ("inline", "left"),
    list(zip(INLINE, ("BITSR", "ITSR", "SR"), strict=True)),
    ids=lambda one: getattr(one, "__name__", one),
)
def test_what_is_inlined(inline, left: str):
    A, b = te.placeholder((4, 6), name="A"), te.placeholder((6,), name="b")
    E = te.compute((4, 6), lambda i, j: A[i, j] * 2, name="E")
    B = te.compute((4, 6), lambda i, j: E[i, j] + b[j], name="B")
    I = te.compute((6, 4), lambda j, i: B[i, 5 - j], name="I")  # noqa: E741
    T = te.compute((6, 4), lambda j, i: I[j, i] + B[i, j], name="T")
    S = te.compute((6, 4), lambda j, i: T[j, i] + 1, name="S")
    k = te.reduce_axis((0, 4), "k")
    R = te.compute((6,), lambda j: te.sum(S[j, k], axis=k), name="R")
    s = te.create_schedule(R)
    s[S].vectorize(S.op.axis[1])  # what a command names stays
    inline(s)
    computed = [stage.name for stage in s.stages if stage.leaf_iter_vars]
    assert "".join(computed) == left
    run = teloom.build(s, [A, b, R])
    a, c = np.arange(24, dtype="float32").reshape(4, 6), np.arange(6, dtype="float32")
    run(a, c, found := np.empty(6, "float32"))
    rows = a * 2 + c
    np.testing.assert_array_equal(found, (rows[:, ::-1] + rows + 1).sum(axis=0))


def test_outputs_externs_and_scans_are_left_alone():
    X, state = te.placeholder((8,), name="X"), te.placeholder((8,), name="state")
    first = te.compute((1,), lambda t: X[t], name="first")
    step = te.compute((8,), lambda t: state[t - 1] + X[t], name="step")
    S = te.scan(first, step, state, name="S")
    s = te.create_schedule(S)
    te.schedule.AutoInlineInjective(s)
    run = teloom.build(s, [X, S])
    run(x := np.arange(8, dtype="float32"), found := np.empty_like(x))
    np.testing.assert_array_equal(found, np.cumsum(x))


def test_a_stage_may_be_inlined_twice():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] * 2, name="B")
    C = te.compute((4,), lambda i: B[i] + 1, name="C")
    D = te.compute((4,), lambda i: C[i] + B[i], name="D")
    s = te.create_schedule(D)
    s[B].compute_inline()
    s[B].compute_inline()
    s[C].compute_inline()
    s[D].vectorize(D.op.axis[0])
    s[B].compute_inline()
    assert str(teloom.lower(s, [A, D], level="schedule")).count("schedule.stage") == 1


def test_what_an_extern_needs():
    A = te.placeholder((8, 4), name="A")
    for strides, needed in ((None, True), ([te.var("s"), 1], False)):
        buffer = te.decl_buffer((8, 4), name="buffer", strides=strides)
        E = te.extern(
            (8, 4),
            [A],
            lambda i, o: te.call_packed(np.copyto, *o, *i),
            name="E",
            in_buffers=[buffer],
            out_buffers=[te.decl_buffer((8, 4), name="out", strides=[te.var("t"), 1])],
        )
        s = te.create_schedule(E)
        assert te.schedule.VerifyCompactBuffer(s) is needed
        assert te.schedule.VerifyCompactBuffer(teloom.lower(s, [A, E], level="loop")) is needed


def test_only_a_scan_has_fixed_points():
    A = te.placeholder((4,), name="A")
    with pytest.raises(teloom.Error, match="is no scan"):
        te.schedule.ScanFixPointAnalysis(A.op)


@pytest.mark.parametrize(
    ("read", "is_broadcast", "is_elementwise"),
    [
        (lambda X, i, j: X["matrix"][i, j], True, True),
        (lambda X, i, j: X["matrix"][j, i], False, False),
        (lambda X, i, j: X["matrix"][i, 0], False, False),
        (lambda X, i, j: X["row"][j] + X["column"][i, 0], True, False),
        (lambda X, i, j: X["one"][0, 0], True, False),
        (lambda X, i, j: X["matrix"][i, i], False, False),
        (lambda X, i, j: X["matrix"][i, j + X["at"][0]], False, False),
    ],
)
def test_kinds_are_those_of_schedules(read, is_broadcast: bool, is_elementwise: bool):
    """`AutoInlineBroadcast` and `schedule.for_each broadcast` take the same stages."""
    shapes = {"matrix": (4, 4), "row": (4,), "column": (4, 1), "one": (1, 1)}
    X = {name: te.placeholder(shape, name=name) for name, shape in shapes.items()}
    X["at"] = te.placeholder((1,), "int32", name="at")
    B = te.compute((4, 4), lambda i, j: read(X, i, j), name="B")
    C = te.compute((4, 4), lambda i, j: B[i, j] + 1, name="C")

    def lowered(inline):
        s = te.create_schedule(C)
        inline(s)
        return teloom.lower(s, [*X.values(), C], level="schedule")

    (stage,) = (one for one in ops_in(lowered(bool), StageOp) if name_of(one) == "B")
    for inline, kind, holds in [
        (te.schedule.AutoInlineElemWise, "elementwise", is_elementwise),
        (te.schedule.AutoInlineBroadcast, "broadcast", is_broadcast),
    ]:
        assert IS_OF_KIND[kind](stage) == holds
        assert ('stage "B"' not in str(lowered(inline))) == holds
