"""`precompute`: parts of an equation are computed once, in a stage of their own."""

import numpy as np
import pytest

import teloom
from teloom import Error, ScheduleError, te


def product(n=6, terms=5):
    A, B = te.placeholder((n, terms), name="A"), te.placeholder((terms, n), name="B")
    k = te.reduce_axis((0, terms), "k")
    C = te.compute((n, n), lambda i, j: te.sum(te.exp(A[i, k]) * B[k, j], axis=k), name="C")
    return A, B, C


def rotation(n=7):
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    phi = te.placeholder((n,), name="phi")

    def rotated(i, j):
        return te.cos(phi[j]) * A[i, j] - te.sin(phi[j]) * B[i, j]

    return A, B, phi, te.compute((n, n), rotated, name="C")


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype("f4")


def result(s, arguments, *values):
    out = np.full(values[-1], np.nan, "f4")
    teloom.build(s, arguments)(*values[:-1], out)
    return out


def test_the_new_stage_has_the_axes_as_they_are_named():
    A, B, C = product()
    s = te.create_schedule(C)
    i, _ = C.op.axis
    (k,) = C.op.reduce_axis
    E = s.precompute(C, [k, i])
    assert (E.name, E.shape, E.dtype) == ("C.pre", (5, 6), "float32")
    assert [axis.name for axis in s[E].leaf_iter_vars] == ["k", "i"]
    assert str(s[C].op.body[0]) == "sum((C.pre[k, i] * B[k, j]), axis=[k])"
    assert s[C].leaf_iter_vars == [*C.op.axis, k]
    assert s.schedule_record[-1] == "%C.pre = schedule.precompute %C, %k, %i"
    a, b = numbers(6, 5), numbers(5, 6)
    np.testing.assert_allclose(result(s, [A, B, C], a, b, (6, 6)), np.exp(a) @ b, rtol=1e-5)


def test_several_parts_are_several_tensors():
    A, B, phi, C = rotation()
    s = te.create_schedule(C)
    cosine, sine = s.precompute(C, C.op.axis[1:])
    assert s[cosine] is s[sine]
    assert str(s[C].op.body[0]) == "((C.pre.v0[j] * A[i, j]) - (C.pre.v1[j] * B[i, j]))"
    s[sine].vectorize(sine.op.axis[0])
    a, b, angle = numbers(7, 7), numbers(7, 7), numbers(7)
    wanted = np.cos(angle) * a - np.sin(angle) * b
    np.testing.assert_allclose(result(s, [A, B, phi, C], a, b, angle, (7, 7)), wanted, rtol=1e-5)


def test_only_what_is_read_is_computed():
    A = te.placeholder((9,), name="A")
    k = te.reduce_axis((2, 9), "k")
    C = te.compute((4,), lambda i: te.sum(te.exp(A[k - 2]) * i.astype("float32"), axis=k), name="C")
    s = te.create_schedule(C)
    E = s.precompute(C, [k])
    assert str(te.infer_bounds(s)[E.op.axis[0]]) == "Range(min=2, extent=7)"
    a = numbers(9)
    wanted = np.exp(a[:7]).sum() * np.arange(4)
    np.testing.assert_allclose(result(s, [A, C], a, (4,)), wanted, rtol=1e-5)


def test_it_is_computed_where_a_command_says():
    A, B, C = product()
    s = te.create_schedule(C)
    i = C.op.axis[0]
    E = s.precompute(C, [i, C.op.reduce_axis[0]])
    s[E].compute_at(s[C], i)
    assert te.infer_bounds(s)[E.op.axis[0]].extent == 1
    a, b = numbers(6, 5), numbers(5, 6)
    np.testing.assert_allclose(result(s, [A, B, C], a, b, (6, 6)), np.exp(a) @ b, rtol=1e-5)


def test_it_is_replayed_from_text():
    *_, C = rotation()
    s = te.create_schedule(C)
    s[s.precompute(C, C.op.axis[1:])[0]].vectorize(s.stages[-2].op.axis[0])
    again = te.Schedule.from_json(C, s.to_json())
    assert again.schedule_record == s.schedule_record
    assert str(again[C].op.body[0]) == str(s[C].op.body[0])


def test_what_is_conditional_or_read_as_it_is_stays():
    A = te.placeholder((8, 8), name="A")

    def chosen(i, j):
        return te.if_then_else(i < 4, te.exp(A[j, j]), A[j, 0]) * A[i, j]

    C = te.compute((8, 8), chosen, name="C")
    s = te.create_schedule(C)
    with pytest.raises(ScheduleError, match="C computes nothing of j alone, as an equation over i"):
        s.precompute(C, C.op.axis[1:])
    assert len(s.stages) == 2


def test_axes_of_others_and_what_is_no_axis_are_refused():
    _, _, C = product()
    s = te.create_schedule(C)
    with pytest.raises(Error, match="axes of precompute must be a list of axes, got 'i' in it"):
        s.precompute(C, ["i"])
    with pytest.raises(ScheduleError, match="axis z is not an axis of stage C; its axes: i, j"):
        s.precompute(C, [te.reduce_axis((0, 3), "z")])
    with pytest.raises(ScheduleError, match="precompute names axis i twice"):
        s.precompute(C, [C.op.axis[0], C.op.axis[0]])
    with pytest.raises(ScheduleError, match="precompute needs at least one axis"):
        s.precompute(C, [])
    outer, _ = s[C].split(C.op.axis[0], factor=2)
    with pytest.raises(ScheduleError, match=r"C computes nothing of i.outer alone"):
        s.precompute(C, [outer])


def test_what_is_no_equation_is_refused():
    A = te.compute((4,), lambda i: 1.0, name="A")
    n = te.reduce_axis((0, 4), "n")
    U = te.update(A, n, lambda A, n: (n, A[n] + te.exp(n.astype("float32"))), name="U")
    s = te.create_schedule(U)
    with pytest.raises(
        ScheduleError, match="cannot precompute parts of U: it is no equation of te"
    ):
        s.precompute(U, [n])
