"""Reduce axes whose bounds are read from tensors: rows of sparse matrices, and segments."""

from collections.abc import Callable

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import InterpretError, interpret
from teloom.frontend.schedule.schedules import Schedule

n, m, w, nnz = te.var("n"), te.var("m"), te.var("w"), te.var("nnz")
P = te.placeholder((n + 1,), "int32", name="P")
J = te.placeholder((nnz,), "int64", name="J")
D = te.placeholder((nnz,), "float64", name="D")
X = te.placeholder((m,), "float64", name="X")
M = te.placeholder((m, w), "float64", name="M")


def times_vector(i):
    k = te.reduce_axis((P[i], P[i + 1]), "k")
    return te.sum(D[k] * X[J[k]], axis=k)


def times_matrix(i, j):
    k = te.reduce_axis((P[i], P[i + 1]), "k")
    return te.sum(D[k] * M[J[k], j], axis=k)


def parallel_rows(s: Schedule, y: te.schedule.Stage, z: te.schedule.Stage):
    y.parallel(*y.op.axis)
    (i, j), (k,) = z.op.axis, z.op.reduce_axis
    z.parallel(i)
    z.reorder(k, j)
    z.vectorize(j)


def tiles(s: Schedule, y: te.schedule.Stage, z: te.schedule.Stage):
    _, ki = y.split(*y.op.reduce_axis, factor=4)
    y.vectorize(ki)
    (i, j), (k,) = z.op.axis, z.op.reduce_axis
    io, jo, ii, ji = z.tile(i, j, 2, 8)
    z.reorder(io, jo, ii, k, ji)
    z.vectorize(ji)


def columns_first(s: Schedule, y: te.schedule.Stage, z: te.schedule.Stage):
    y.reorder(*y.op.reduce_axis, *y.op.axis)
    starts = s.cache_read(P, "local", [y.op.output(0)])
    s[starts].compute_at(y, y.op.axis[0])
    cache = s.cache_write(z.op.output(0), "local")
    s[cache].compute_at(z, z.op.axis[0])


@pytest.mark.parametrize("schedule", [parallel_rows, tiles, columns_first])
def test_sparse_products(schedule: Callable):
    Y, Z = te.compute((n,), times_vector, name="Y"), te.compute((n, w), times_matrix, name="Z")
    s = te.create_schedule([Y, Z])
    schedule(s, s[Y], s[Z])
    f = teloom.build(s, [P, J, D, X, M, Y, Z], name="products")
    rng = np.random.default_rng(0)
    for rows, columns, width, density in [(5, 7, 9, 0.4), (0, 3, 2, 0), (1, 1, 1, 1), (9, 0, 3, 0)]:
        dense = rng.random((rows, columns)) * (rng.random((rows, columns)) < density)
        at, indices = map(np.ascontiguousarray, np.nonzero(dense))
        starts = np.searchsorted(at, np.arange(rows + 1)).astype("int32")
        x, matrix = rng.random(columns), rng.random((columns, width))
        y, z = np.full(rows, np.nan), np.full((rows, width), np.nan)
        f(starts, indices, dense[at, indices], x, matrix, y, z)
        np.testing.assert_allclose(y, dense @ x)
        np.testing.assert_allclose(z, dense @ matrix)


def segment_sums():
    """Sums over segments whose ends a stage finds, as a schedule."""
    lengths = te.placeholder((n,), "uint8", name="lengths")
    values = te.placeholder((n, nnz), "int32", name="values")
    least = te.compute((n,), lambda i: te.min(lengths[i], 5), name="least")
    twice = te.compute((n, nnz), lambda i, j: values[i, j] * 2, name="twice")

    def summed(i):
        j = te.reduce_axis((0, te.bounded(least[i], 0, nnz + 1)), "j")
        return te.sum(twice[i, j], axis=j)

    S = te.compute((n,), summed, name="S")
    s = te.create_schedule(S)
    s[least].compute_at(s[S], S.op.axis[0])
    s[twice].compute_at(s[S], S.op.reduce_axis[0])
    return s, lengths, values, S


def test_segments():
    s, lengths, values, S = segment_sums()
    f = teloom.build(s, [lengths, values, S], name="sums")
    ends = np.array([0, 5, 9, 1, 3], "uint8")
    array = np.arange(30, dtype="int32").reshape(5, 6)
    f(ends, array, sums := np.empty(5, "int32"))
    expected = [2 * row[: min(end, 5)].sum() for end, row in zip(ends, array, strict=True)]
    np.testing.assert_array_equal(sums, expected)
    names = [argument.name_hint for argument in s.program.func.tensors]
    given = {"lengths": ends, "values": array}
    (found,) = interpret(s.module, "main", [given[name] for name in names], [5, 6])
    np.testing.assert_array_equal(found, expected)
    short = {"lengths": ends, "values": array[:, :3]}
    with pytest.raises(InterpretError, match="is 5, outside the bounds 0 to 4 that"):
        interpret(s.module, "main", [short[name] for name in names], [5, 3])


def test_elements_of_rows_that_differ_are_computed_again():
    """An earlier row may have been shorter: it has not left all that this one needs."""
    Y = te.compute((n,), times_vector, name="Y")
    s = te.create_schedule(Y)
    copy = s.cache_read(D, "local", [Y])
    s[copy].compute_at(s[Y], *Y.op.reduce_axis)
    s[copy].store_root()
    starts, columns = np.array([0, 1, 4, 4], "int32"), np.array([1, 0, 1, 3])
    data, x, y = np.arange(1.0, 5), np.array([1.0, 10, 100, 1000]), np.full(3, np.nan)
    teloom.build(s, [P, J, D, X, Y])(starts, columns, data, x, y)
    np.testing.assert_array_equal(y, [10, 2 + 30 + 4000, 0])


@pytest.mark.parametrize("are_split", [False, True])
def test_what_computes_a_cache_has_the_bounds(are_split: bool):
    Y = te.compute((n,), times_vector, name="Y")
    s = te.create_schedule(Y)
    if are_split:
        s[Y].split(*Y.op.reduce_axis, factor=4)
    s[s.cache_write(Y, "local")].compute_at(s[Y], *s[Y].op.axis)
    starts, columns = np.array([0, 1, 4, 4], "int32"), np.array([1, 0, 1, 3])
    data, x, y = np.arange(1.0, 5), np.array([1.0, 10, 100, 1000]), np.full(3, np.nan)
    teloom.build(s, [P, J, D, X, Y])(starts, columns, data, x, y)
    np.testing.assert_array_equal(y, [10, 2 + 30 + 4000, 0])


def test_refusals():
    def nowhere(i):
        k = te.reduce_axis((P[i], P[i + 1]), "k")
        return te.sum(D[k * 2], axis=k)

    def twice_from_data(i):
        k = te.reduce_axis((P[i], P[i + 1]), "k")
        last = te.reduce_axis((0, P[k]), "l")
        return te.sum(D[last] * D[k], axis=[k, last])

    for equation, words in [
        (nowhere, "say where they lie, as in te.bounded"),
        (twice_from_data, "read from data at the reduce axis k; they can be over data axes only"),
    ]:
        Y = te.compute((n,), equation, name="Y")
        with pytest.raises(teloom.Error, match=words):
            teloom.lower(te.create_schedule(Y), [P, D, Y])
    Y = te.compute((n,), times_vector, name="Y")
    s = te.create_schedule(Y)
    copy = s.cache_read(P, "local", [Y])
    s[copy].compute_at(s[Y], Y.op.reduce_axis[0])
    with pytest.raises(teloom.ScheduleError, match='bounds of axes of "Y" are read from it before'):
        teloom.lower(s, [P, J, D, X, Y])
    s = te.create_schedule(Y)
    with pytest.raises(teloom.ScheduleError, match="bounds of reduce axes of that stage are read"):
        s.rfactor(Y, Y.op.reduce_axis[0])


def test_the_interpreter_refuses_a_broken_promise():
    Y = te.compute((n,), times_vector, name="Y")
    s = te.create_schedule(Y)
    arrays = {"P": np.array([0, 3], "int32"), "J": np.zeros(2, "int64"), "D": np.ones(2)}
    arrays["X"] = np.ones(1)
    sizes = {"n": 1, "nnz": 2, "m": 1}
    with pytest.raises(InterpretError, match="%k runs from 0 to 3, outside of 0 to 2"):
        interpret(
            s.module,
            "main",
            [arrays[one.name_hint] for one in s.program.func.tensors],
            [sizes[one.name_hint] for one in s.program.func.sizes],
        )


def test_bounds_of_a_reduction_that_never_runs():
    # Nothing asked for the bounds, and check-schedule did not know them.
    ends, X = te.placeholder((0,), "int32", name="ends"), te.placeholder((4,), name="X")

    def row(i):
        k = te.reduce_axis((i * 2, ends[i]), "k")
        return te.sum(X[k], axis=k)

    Y = te.compute((0,), row, name="Y")
    s = te.create_schedule(Y)
    s[Y].shift(Y.op.axis[0], 1)
    teloom.build(s, [ends, X, Y])(
        np.zeros(0, "int32"), np.zeros(4, "float32"), np.zeros(0, "float32")
    )


def test_ends_over_axes_may_be_negative():
    C, V = te.placeholder((5,), "int32", name="C"), te.placeholder((8,), name="V")

    def row(i, j):
        return te.max(V[k := te.reduce_axis((C[j], 8 - j), "k")], axis=k)

    Y = te.compute((5, 5), row, name="Y")
    s = te.create_schedule(Y)
    *_, i, j = s[Y].tile(s[Y].skew(*Y.op.axis, 1), Y.op.axis[1], 2, 8)
    s[Y].fuse(i, j)
    v, starts = np.arange(8, dtype="float32"), np.array([0, 7, 2, 5, 4], "int32")
    teloom.build(s, [C, V, Y])(starts, v, y := np.empty((5, 5), "float32"))
    rows = [v[start : 8 - j].max(initial=-np.inf) for j, start in enumerate(starts)]
    np.testing.assert_array_equal(y, [rows] * 5)


def test_a_stage_is_read_from_where_the_equation_promises():
    """An end over axes bounds no data, but where it is not reached, nothing begins below 0."""
    A, D = te.placeholder((8,), "int32", name="A"), te.placeholder((8,), "int32", name="D")
    B = te.compute((8,), lambda i: A[i] * 2, name="B")
    C = te.compute((8,), lambda i: te.sum(B[k := te.reduce_axis((D[i], 8 - i), "k")], k), name="C")
    s = te.create_schedule(C)
    a, starts = np.arange(8, dtype="int32"), np.array([0, 7, 2, 3, 4, 1, 1, 0], "int32")
    teloom.build(s, [A, D, C])(a, starts, c := np.empty(8, "int32"))
    np.testing.assert_array_equal(c, [2 * a[start : 8 - i].sum() for i, start in enumerate(starts)])


@pytest.mark.parametrize("stored_at_tile", [False, True])
def test_bounds_are_read_behind_guards_also_of_stages_with_windows(stored_at_tile: bool):
    m = te.size_var("m")
    A = te.placeholder((m, m), name="A")
    begin, end = (te.placeholder((m,), "int32", name=name) for name in ("begin", "end"))
    T = te.compute((m, m), lambda i, j: A[j, i] + 1, name="T")

    def row_sum(i, j):
        k = te.reduce_axis((begin[i], end[i]), "k")
        return te.sum(T[k, i], axis=k)

    S = te.compute((m, m), row_sum, name="S")
    s = te.create_schedule(S)
    tile, _ = s[S].split(S.op.axis[0], nparts=3)
    s[T].compute_at(s[S], s[S].split(S.op.reduce_axis[0], factor=4)[0])
    if stored_at_tile:
        s[T].store_at(s[S], tile)
    a = np.random.default_rng(0).random((4, 4), "float32")
    first, last = np.array([0, 1, 0, 2], "int32"), np.array([4, 3, 0, 4], "int32")
    teloom.build(s, [A, begin, end, S])(a, first, last, out := np.empty((4, 4), "float32"))
    sums = [(a[i, b:e] + 1).sum() for i, (b, e) in enumerate(zip(first, last, strict=True))]
    np.testing.assert_allclose(out, np.repeat(sums, 4).reshape(4, 4), rtol=1e-6)


@pytest.mark.parametrize("is_leader", [False, True])
def test_a_loop_with_bounds_from_data_is_not_shared(is_leader: bool):
    Y = te.compute((n,), times_vector, name="Y")
    k = te.reduce_axis((0, 5), "k5")
    Z = te.compute((n,), lambda i: te.sum(P[i] * k, axis=k), name="Z")

    def shared(axis):
        s = te.create_schedule([Y.op, Z.op])
        one, other = (Z, Y) if is_leader else (Y, Z)
        s[one].compute_with(s[other], axis(other.op))
        return teloom.lower(s, [P, J, D, X, Y, Z])

    shared(lambda op: op.axis[0])
    words = 'stage "Y" shares the loop of k, whose bounds come from data'
    with pytest.raises(teloom.ScheduleError, match=words):
        shared(lambda op: op.reduce_axis[0])
