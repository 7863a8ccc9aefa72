"""Tensorized loops: numbers against NumPy, which code ran for them, and what is refused."""

import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.errors import PassError, ScheduleError

RNG = np.random.default_rng(0)


def strided(tensor, name):
    """A buffer in which only the elements of the last axis are neighbours."""
    strides = [te.var(f"{name}{axis}") for axis in range(tensor.ndim - 1)] + [1]
    return te.decl_buffer(
        tensor.shape, tensor.dtype, name, strides=strides[-tensor.ndim :], offset_factor=1
    )


def declared(z, compute, name, calls, reset=True, zero=0):
    """An intrinsic of an equation; `compute` gives its results, `calls` counts its parts."""
    inputs = z[0].op.input_tensors
    binds = {tensor: strided(tensor, f"b{k}") for k, tensor in enumerate([*inputs, *z])}

    def body(*arrays):
        calls.append("body")
        for out, value in zip(arrays[len(inputs) :], compute(*arrays[: len(inputs)]), strict=True):
            out[...] = value

    def cleared(*outs):
        calls.append("reset")
        for out in outs:
            out[...] = zero

    def update(*arrays):
        calls.append("update")
        for out, value in zip(arrays[len(inputs) :], compute(*arrays[: len(inputs)]), strict=True):
            out[...] += value

    def code(ins, outs):
        call = te.call_packed(body, *ins, *outs)
        if not z[0].op.reduce_axis:
            return call
        start = te.call_packed(cleared, *outs) if reset else None
        return call, start, te.call_packed(update, *ins, *outs)

    return te.decl_tensor_intrin(z[0].op, code, name, binds=binds)


def gemm(rows, columns, depth, calls, **options):
    x, y = te.placeholder((rows, depth), name="x"), te.placeholder((depth, columns), name="y")
    k = te.reduce_axis((0, depth), "k")
    z = te.compute((rows, columns), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), name="z")
    return declared([z], lambda a, b: [a @ b], "gemm", calls, **options)


def product(rows, columns, depth, dtype="float32"):
    A = te.placeholder((rows, depth), dtype, name="A")
    B = te.placeholder((depth, columns), dtype, name="B")
    k = te.reduce_axis((0, depth), "k")
    # The factors in another order than in the intrinsic.
    C = te.compute((rows, columns), lambda i, j: te.sum(B[k, j] * A[i, k], axis=k), name="C")
    return A, B, C, k


def close(found, expected):
    # The order of a sum is free: some rounding errors of float32.
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_tiles_of_a_product_of_any_sizes():
    calls = []
    A, B, C, k = product(te.var("n"), te.var("m"), te.var("p"))
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 8, 8)
    ko, ki = s[C].split(k, factor=4)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    s[C].tensorize(ii, gemm(8, 8, 4, calls))
    f = teloom.build(s, [A, B, C])
    sizes = [(16, 16, 8), (17, 9, 7), (8, 8, 0), (0, 3, 3), (1, 1, 1), (24, 25, 13)]
    for n, m, p in sizes:
        a, b = (RNG.random(shape, "float32") for shape in ((n, p), (p, m)))
        c = np.full((n, m), 7, "float32")
        calls.clear()
        f(a, b, c)
        close(c, a @ b)
        whole = (n // 8) * (m // 8)
        # Once for the program, and once for the check of its memory.
        assert calls.count("update") in (whole * (p // 4), 2 * whole * (p // 4))
        assert calls.count("reset") in (whole, 2 * whole)
        assert "body" not in calls


@pytest.mark.parametrize(
    "sizes", [(3, 3, 3), (0, 4, 8), (1, 1, 1), (4, 4, 0), (4, 4, 1), (4, 3, 9), (5, 1, 17)]
)
def test_constant_extents_below_those_of_a_tile_run_as_loops(sizes):
    n, m, p = sizes
    calls = []
    A, B, C, k = product(n, m, p)
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 4)
    ko, ki = s[C].split(k, factor=8)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    s[C].tensorize(ii, gemm(4, 4, 8, calls))
    words = (
        "loops run in the place of @gemm: no tile of 4 x 4 x 8 is whole: "
        f"axis i has the extent {n}, axis j has the extent {m}, axis k has the extent {p}"
    )
    with pytest.warns(teloom.Remark, match=words):
        f = teloom.build(s, [A, B, C])
    a, b = RNG.random((n, p), "float32"), RNG.random((p, m), "float32")
    f(a, b, c := np.full((n, m), 7, "float32"))
    close(c, a @ b)
    assert not calls


@pytest.mark.parametrize("extent", [0, 1, 3])
def test_an_equation_is_compared_where_no_tile_is_whole(extent):
    x = te.placeholder((4,), name="x")
    z = te.compute((4,), lambda i: x[i] * 2.0, name="z")
    intrinsic = declared([z], lambda a: [a * 2], "twice", [])
    A = te.placeholder((extent,), name="A")
    B = te.compute((extent,), lambda i: A[i] * 3.0, name="B")
    s = te.create_schedule(B)
    s[B].tensorize(s[B].split(B.op.axis[0], factor=4)[1], intrinsic)
    words = "it computes 3.0 : f32 where @twice computes 2.0 : f32"
    with pytest.raises(PassError, match=re.escape(words)):
        teloom.lower(s, [A, B])


def test_a_stage_with_fewer_axes_than_an_intrinsic_is_refused():
    A, B = te.placeholder((3,), name="A"), te.placeholder((3,), name="B")
    C = te.compute((3,), lambda i: A[i] * B[i], name="C")
    s = te.create_schedule(C)
    s[C].tensorize(C.op.axis[0], gemm(4, 4, 8, []))
    words = "the loops inside run over i of the axes i, those of @gemm over i, j, k"
    with pytest.raises(PassError, match=words):
        teloom.lower(s, [A, B, C])


def test_a_stage_at_its_place_is_one_tile_with_the_whole_reduction():
    calls = []
    A, B, C, _ = product(20, te.var("m"), 8)
    s = te.create_schedule(C)
    CL = s.cache_write(C, "local")
    _, jo, _, _ = s[C].tile(*C.op.axis, 4, 8)
    s[CL].compute_at(s[C], jo)
    s[CL].tensorize(CL.op.axis[0], gemm(4, 8, 8, calls))
    f = teloom.build(s, [A, B, C])
    a, b = RNG.random((20, 8), "float32"), RNG.random((8, 19), "float32")
    f(a, b, c := np.empty((20, 19), "float32"))
    close(c, a @ b)
    assert set(calls) == {"body"}


def test_a_convolution_is_a_sum_of_products():
    calls = []
    A, W = te.placeholder((9, 19, 8), name="A"), te.placeholder((3, 3, 8, 5), name="W")
    r, q, c = (te.reduce_axis((0, extent), name) for extent, name in ((3, "r"), (3, "q"), (8, "c")))
    C = te.compute(
        (4, 17, 5),
        lambda y, x, f: te.sum(A[2 * y + r, x + q, c] * W[r, q, c, f], axis=[r, q, c]),
        name="C",
    )
    s = te.create_schedule(C)
    y, x, f = C.op.axis
    xo, xi = s[C].split(x, factor=8)
    s[C].reorder(y, xo, r, q, xi, f, c)
    s[C].tensorize(xi, gemm(8, 5, 8, calls, reset=False))
    run = teloom.build(s, [A, W, C])
    a, w = RNG.random((9, 19, 8), "float32"), RNG.random((3, 3, 8, 5), "float32")
    run(a, w, found := np.empty((4, 17, 5), "float32"))
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3), (0, 1))[::2]
    close(found, np.einsum("yxcrq,rqcf->yxf", windows, w))
    assert set(calls) == {"update"}  # the loops fill what has no reset


def test_a_matrix_and_a_vector_with_two_reduce_axes_in_another_order():
    calls = []
    x, y = te.placeholder((3, 4, 5), name="x"), te.placeholder((4, 5), name="y")
    p, q = te.reduce_axis((0, 4), "p"), te.reduce_axis((0, 5), "q")
    z = te.compute((3,), lambda i: te.sum(x[i, p, q] * y[p, q], axis=[q, p]), name="z")
    gemv = declared([z], lambda a, b: [np.einsum("ipq,pq->i", a, b)], "gemv", calls)
    A, B = te.placeholder((2, 7, 4, 5), name="A"), te.placeholder((2, 4, 5), name="B")
    p, q, b = (te.reduce_axis((0, extent), name) for extent, name in ((4, "p"), (5, "q"), (2, "b")))
    C = te.compute((7,), lambda i: te.sum(B[b, p, q] * A[b, i, p, q], axis=[p, b, q]), name="C")
    s = te.create_schedule(C)
    io, ii = s[C].split(C.op.axis[0], factor=3)
    s[C].reorder(b, io, ii, p, q)
    s[C].tensorize(ii, gemv)
    f = teloom.build(s, [A, B, C])
    a, v = RNG.random((2, 7, 4, 5), "float32"), RNG.random((2, 4, 5), "float32")
    f(a, v, c := np.empty(7, "float32"))
    close(c, np.einsum("bipq,bpq->i", a, v))
    assert "update" in calls


def test_an_outer_product_is_added_at_each_point_of_a_reduce_axis():
    calls = []
    A, B, C, k = product(6, 8, 5)
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 3, 4)
    s[C].reorder(io, jo, k, ii, ji)
    s[C].tensorize(ii, gemm(3, 4, 1, calls))
    f = teloom.build(s, [A, B, C])
    a, b = RNG.random((6, 5), "float32"), RNG.random((5, 8), "float32")
    f(a, b, c := np.empty((6, 8), "float32"))
    close(c, a @ b)
    assert set(calls) == {"reset", "update"}


def test_several_results_and_a_reduction_from_its_own_start():
    calls = []

    def both(i, k, a, start=None):
        return te.comm_reducer(
            lambda p, q: (p[0] + q[0], p[1] + q[1]),
            lambda *types: tuple(te.const(0, type) for type in types),
        )((a[i, k], a[i, k] * a[i, k]), axis=k)

    x, k = te.placeholder((2, 4), name="x"), te.reduce_axis((0, 4), "k")
    z = te.compute((2,), lambda i: both(i, k, x), name="z")
    moments = declared(z, lambda a: [a.sum(1), (a * a).sum(1)], "moments", calls)
    A, k = te.placeholder((5, 10), name="A"), te.reduce_axis((0, 10), "k")
    S, Q = te.compute((5,), lambda i: both(i, k, A), name="S")
    s = te.create_schedule([S.op])
    io, ii = s[S].split(S.op.axis[0], factor=2)
    ko, ki = s[S].split(k, factor=4)
    s[S].reorder(io, ko, ii, ki)
    s[S].tensorize(ii, moments)
    f = teloom.build(s, [A, S, Q])
    a = RNG.random((5, 10), "float32")
    f(a, total := np.empty(5, "float32"), squares := np.empty(5, "float32"))
    close(total, a.sum(1))
    close(squares, (a * a).sum(1))
    assert {"reset", "update"} == set(calls)


def test_lanes_threads_and_tails_around():
    calls = []
    x, y = te.placeholder((8,), name="x"), te.placeholder((8,), name="y")
    z = te.compute((8,), lambda i: x[i] + y[i], name="z")
    add = declared([z], lambda a, b: [a + b], "add", calls)
    n = te.var("n")
    A, B = te.placeholder((n + 1,), name="A"), te.placeholder((n,), name="B")
    P = te.compute((n + 1,), lambda i: A[i] * 2, name="P")
    C = te.compute((n,), lambda i: P[i + 1] + B[i], name="C")
    D = te.compute((n,), lambda i: B[i] + A[i], name="D")
    s = te.create_schedule([C, D])
    io, ii = s[C].split(C.op.axis[0], factor=8)
    s[C].parallel(io)
    s[P].compute_at(s[C], io)
    s[P].vectorize(P.op.axis[0])
    s[C].tensorize(ii, add)
    i = s[D].shift(D.op.axis[0], 3)
    io, ii = s[D].split(i, factor=8)
    s[D].vectorize(ii)
    s[D].tensorize(ii, add)
    f = teloom.build(s, [A, B, C, D])
    for size in (0, 1, 5, 13, 40, 43):
        a, b = RNG.random(size + 1, "float32"), RNG.random(size, "float32")
        f(a, b, c := np.empty(size, "float32"), d := np.empty(size, "float32"))
        close(c, 2 * a[1:] + b)
        close(d, a[:-1] + b)


def test_refusals():
    calls = []
    _, _, C, _ = product(16, 16, 16)
    s = te.create_schedule(C)
    with pytest.raises(ScheduleError, match=r"tensorize of stage C wants a te\.decl_tensor_intrin"):
        s[C].tensorize(C.op.axis[0], "gemm")
    with pytest.raises(ScheduleError, match="depends on n, and loops give it no value"):
        s[C].tensorize(C.op.axis[0], gemm(te.var("n"), 4, 4, calls))
    x = te.placeholder((16, 16), name="x")
    compact = te.compute((16, 16), lambda i, j: x[i, j] * 2.0, name="z")
    twice = te.decl_tensor_intrin(compact.op, lambda i, o: te.call_packed(print, *i, *o), "twice")
    T = te.compute((20, 20), lambda i, j: te.placeholder((20, 20), name="A")[i, j] * 2.0, name="T")
    s = te.create_schedule(T)
    _, _, ii, _ = s[T].tile(*T.op.axis, 16, 16)
    s[T].tensorize(ii, twice)
    message = "the buffer of A: axis 0 has the stride 20, but the buffer asks for 16"
    with pytest.raises(PassError, match=re.escape(message)):
        teloom.lower(s, [T.op.input_tensors[0], T])


def test_an_intrinsic_is_declared_once_and_its_text_can_be_read():
    _, B, C, _ = product(16, 16, 16)
    k = te.reduce_axis((0, 16), "k")
    D = te.compute((16, 16), lambda i, j: te.sum(C[i, k] * B[k, j], axis=k), name="D")
    s = te.create_schedule(D)
    intrinsic = gemm(16, 16, 16, [])
    for stage in (C, D):
        s[stage].tensorize(stage.op.axis[0], intrinsic)
    text = str(s)
    assert text.count("te.intrinsic @gemm ") == 1
    assert text.count("by @gemm") == 2


def test_blocks_are_scheduled_as_points_are():
    A, B, C, k = product(16, 24, 12)
    D = te.compute((13, 20), lambda i, j: C[i + 2, j + 1] * 2.0, name="D")
    s = te.create_schedule(D)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 8)
    ko, ki = s[C].split(k, factor=3)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    rows, columns, terms = s[C].blockize(ii)
    assert [s[C].op.axis, s[C].op.reduce_axis] == [[rows, columns], [terms]]
    yo, _ = s[D].split(D.op.axis[0], factor=5)
    s[C].compute_at(s[D], yo)
    outer, inner = s[C].split(columns, factor=2)
    s[C].reorder(outer, rows, inner, terms)
    assert s[C].leaf_iter_vars == [outer, rows, inner, terms]
    assert te.infer_bounds(s)[rows].extent == 2
    f = teloom.build(s, [A, B, D])
    a, b = RNG.random((16, 12), "float32"), RNG.random((12, 24), "float32")
    f(a, b, d := np.empty((13, 20), "float32"))
    close(d, 2 * (a @ b)[2:15, 1:21])
    with pytest.raises(ScheduleError, match="is not an axis of stage C"):
        s[C].split(ii, factor=2)


@pytest.mark.parametrize(
    ("subscript", "reason"),
    [
        (lambda i, at: te.max(i - 1, 0), "is no sum of multiples of its axes"),
        (lambda i, at: te.if_then_else(i > 0, i - 1, 0), "is no sum of multiples of its axes"),
        (lambda i, at: te.bounded(at[i], 0, 12), "depends on data"),
        (lambda i, at: te.if_then_else(i > at[i], i - 1, 0), "depends on data"),
    ],
)
def test_a_block_reads_at_sums_of_multiples_of_axes(subscript, reason: str):
    A, at = te.placeholder((12,), name="A"), te.placeholder((12,), "int32", name="at")
    B = te.compute((12,), lambda i: A[subscript(i, at)], name="B")
    s = te.create_schedule(B)
    s[B].blockize(B.op.axis[0])
    with pytest.raises(PassError, match=f'a block of "B": a subscript of A {reason}'):
        teloom.lower(s, [A, at, B])


def test_caches_of_blocks_have_an_axis_for_each_of_their_elements():
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j] * 2.0, name="B")
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.axis[0], factor=4)
    s[B].blockize(inner)
    BG = s.cache_write(B, "global")
    BL = s.cache_read(BG, "local", [B])
    assert [len(s[one].leaf_iter_vars) for one in (BG, BL, B)] == [1, 2, 2]
    f = teloom.build(s, [A, B])
    a = RNG.random((8, 8), "float32")
    f(a, b := np.empty((8, 8), "float32"))
    close(b, 2 * a)


def test_a_padding_is_a_fill_and_a_copy():
    n = te.var("n")
    A = te.placeholder((n, 8), name="A")

    def padded(i, j):
        inside = te.all(i >= 1, i < n + 1, j >= 1, j < 9)
        return te.if_then_else(inside, A[i - 1, j - 1] * 2.0, 0.5)

    P = te.compute((n + 2, 10), padded, name="P")
    C = te.compute((n, 8), lambda i, j: P[i, j] + P[i + 2, j + 2], name="C")
    s = te.create_schedule(C)
    _, column = s[P].decompose_padding()
    s[P].vectorize(s[P].op.axis[1])
    s[P].vectorize(column)
    assert "loop.if" not in str(teloom.lower(s, [A, C], level="loop"))
    f = teloom.build(s, [A, C])
    for rows in (0, 1, 5):
        a = RNG.random((rows, 8), "float32")
        f(a, c := np.empty((rows, 8), "float32"))
        p = np.pad(2 * a, 1, constant_values=0.5)
        close(c, p[:-2, :-2] + p[2:, 2:])


def test_tiles_below_the_diagonal_are_tensorized():
    calls, n = [], te.var("n")
    a, b = (te.placeholder((n, n), name=name) for name in "AB")

    def row_times_column(i, j):
        k = te.reduce_axis((0, i + 1), "k")
        return te.sum(a[i, k] * b[k, j], axis=k)

    C = te.compute((n, n), row_times_column, name="C")
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 4)
    ko, ki = s[C].split(*C.op.reduce_axis, factor=4)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    s[C].tensorize(ii, gemm(4, 4, 4, calls))
    f = teloom.build(s, [a, b, C])
    x, y = RNG.random((2, 14, 14), "float32")
    f(x, y, z := np.empty((14, 14), "float32"))
    np.testing.assert_allclose(z, np.tril(x) @ y, rtol=1e-5)
    assert calls.count("update") in (9, 18)  # in three rows of tiles, none on the diagonal


def test_a_tile_with_bounds_from_data_is_not_tensorized():
    n, nnz = te.var("n"), te.var("nnz")
    P = te.placeholder((n + 1,), "int32", name="P")
    A, B = te.placeholder((n, nnz), name="A"), te.placeholder((nnz, n), name="B")

    def row_times_column(i, j):
        k = te.reduce_axis((P[i], P[i + 1]), "k")
        return te.sum(A[i, k] * B[k, j], axis=k)

    C = te.compute((n, n), row_times_column, name="C")
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 4)
    ko, ki = s[C].split(*C.op.reduce_axis, factor=4)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    s[C].tensorize(ii, gemm(4, 4, 4, []))
    with pytest.raises(teloom.Error, match="bounds of its reduce axes are read from data inside"):
        teloom.lower(s, [P, A, B, C])
    s = te.create_schedule(C)
    s[C].blockize(C.op.axis[1])
    with pytest.raises(ScheduleError, match="bounds of its reduce axes are read from data"):
        teloom.lower(s, [P, A, B, C])
