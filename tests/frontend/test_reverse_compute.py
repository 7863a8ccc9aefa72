"""`reverse_compute_inline` and `reverse_compute_at`: a reader in the loops of its producer."""

from collections.abc import Callable

import numpy as np
import pytest

import teloom
from teloom import te


def run(s: te.Schedule, arguments: list[te.Tensor], *inputs: np.ndarray) -> list[np.ndarray]:
    """What a program makes of float32 arrays."""
    outputs = [
        np.zeros([int(extent) for extent in tensor.shape], tensor.dtype)
        for tensor in arguments[len(inputs) :]
    ]
    teloom.build(s, arguments)(*inputs, *outputs)
    return outputs


def counted(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


def test_merged_readers():
    """Each output is merged into a producer with loops of its own: what it gives is the same."""
    A = te.placeholder((32, 64), name="A")
    bias = te.placeholder((4, 8, 1), name="bias")

    def producer(name: str) -> te.Tensor:
        return te.compute((32, 64), lambda i, j: A[i, j] * 2, name=name)

    P = [producer(f"p{k}") for k in range(5)]
    readers = [
        te.compute((64, 32), lambda j, i: P[0][i, j] + 2, name="transpose"),
        te.compute(
            (4, 8, 16, 4),
            lambda a, b, c, d: P[1][a * 8 + b, c * 4 + d] + bias[a, b, 0],
            name="axes",
        ),
        te.compute((2048,), lambda f: P[2][f // 64, f % 64] + P[2][f // 64, f % 64], name="flat"),
        te.compute((1, 31, 63), lambda u, i, j: P[3][i, j] - 1, name="part"),
        te.compute((31, 32), lambda i, j: P[4][i + 1, 63 - 2 * j], name="strided"),
    ]
    s = te.create_schedule(readers)
    for reader, tensor in zip(readers, P, strict=True):
        outer, inner = s[tensor].split(tensor.op.axis[0], factor=5)
        s[reader].reverse_compute_inline()
        s[reader].reorder(outer, tensor.op.axis[1], inner)
    a, b = counted(32, 64), counted(4, 8, 1)
    found = run(s, [A, bias, *readers], a, b)
    double = a * 2
    expected = [
        double.T + 2,
        double.reshape(4, 8, 16, 4) + b[..., None],
        double.ravel() * 2,
        double[None, :31, :63] - 1,
        double[1:, 63::-2],
    ]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_stores_of_a_transpose():
    """The producer's loops store at the transposed place: C[32 j + i] of A[64 i + j]."""
    A = te.placeholder((32, 64), name="A")
    B = te.compute((32, 64), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((64, 32), lambda j, i: B[i, j] + 2, name="C")
    s = te.create_schedule(C)
    s[C].reverse_compute_inline()
    assert [axis.name for axis in s[C].leaf_iter_vars] == ["i", "j"]
    text = str(teloom.lower(s, [A, C]))
    assert text.index("loop.for %i = 0 to 32") < text.index("loop.for %j = 0 to 64")
    assert "affine_map<(d0, d1) -> (((d0 * 64) + d1))> (%i, %j)" in text
    assert "affine_map<(d0, d1) -> (((d0 * 32) + d1))> (%j, %i)" in text
    assert [line.split()[0] for line in str(te.explain(s)).splitlines()] == ["stage", "C"]


def test_indices_of_another_shape():
    """Elements of 8 x 32 x 8 x 8 are stored at quotients and remainders of those of 128 x 128."""
    A = te.placeholder((128, 128), name="A")
    B = te.compute((128, 128), lambda i, j: A[i, j] * 2, name="B")

    def element(i: te.IterVar, j: te.IterVar, k: te.IterVar, m: te.IterVar):
        place = ((i * 32 + j) * 8 + k) * 8 + m
        return B[place // 128, place % 128] + 1

    C = te.compute((8, 32, 8, 8), element, name="C")
    s = te.create_schedule(C)
    s[C].reverse_compute_inline()
    text = str(teloom.lower(s, [A, C], level="schedule"))
    x, y = (f"%{axis.name}" for axis in s[C].leaf_iter_vars)
    values = {
        "i": lambda f: f // 2048,
        "j": lambda f: f // 64 % 32,
        "k": lambda f: f // 8 % 8,
        "m": lambda f: f % 8,
    }
    rows, columns = np.ogrid[:128, :128]
    for axis, value in values.items():
        line = next(one for one in text.splitlines() if f"schedule.value %{axis} =" in one)
        expression = line.partition(" = ")[2].replace("floordiv", "//").replace("mod", "%")
        expression = expression.replace(x + "_1", "rows").replace(y + "_1", "columns")
        found = eval(expression, {"rows": rows, "columns": columns})
        np.testing.assert_array_equal(found + 0 * rows * columns, value(rows * 128 + columns))


def chain() -> tuple[te.Tensor, list[te.Tensor]]:
    A = te.placeholder((8, 6), name="A")
    B = te.compute((8, 6), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((6, 8), lambda p, q: B[q, p] + 1, name="C")
    D = te.compute((2, 3, 8), lambda r, s, t: C[r * 3 + s, t] * C[r * 3 + s, t], name="D")
    return A, [B, C, D]


@pytest.mark.parametrize("merge", ["reverse_compute_inline", "compute_inline"])
def test_a_chain_in_either_order(merge: str):
    modules = []
    for order in (1, -1):
        A, (B, C, D) = chain()
        s = te.create_schedule(D)
        for stage in ([C, D] if merge == "reverse_compute_inline" else [B, C])[::order]:
            getattr(s[stage], merge)()
        modules.append(teloom.lower(s, [A, D], level="schedule"))
        a = counted(8, 6)
        (found,) = run(s, [A, D], a)
        np.testing.assert_array_equal(found, ((a.T * 2 + 1) ** 2).reshape(2, 3, 8))
    assert modules[0].is_structurally_equivalent(modules[1])


def matmul(s_of: Callable[[te.Tensor], te.Schedule] = te.create_schedule):
    A, W = te.placeholder((33, 17), name="A"), te.placeholder((17, 20), name="W")
    k = te.reduce_axis((0, 17), "k")
    B = te.compute((33, 20), lambda i, j: te.sum(A[i, k] * W[k, j], axis=k), name="B")
    C = te.compute((20, 33), lambda j, i: te.max(B[i, j], 50.0), name="C")
    return A, W, k, B, C, s_of(C)


def test_a_tile_and_its_reader():
    A, W, k, B, C, s = matmul()
    io, jo, ii, ji = s[B].tile(*B.op.axis, 8, 16)
    s[B].reorder(io, jo, k, ii, ji)
    s[B].parallel(io)
    s[B].vectorize(ji)
    i, j = s[C].reverse_compute_at(s[B], jo)
    s[C].reorder(j, i)
    s[C].vectorize(i)
    assert [axis.name for axis in s[C].leaf_iter_vars] == [
        *("i.outer", "j.outer", "j.inner", "i.inner")
    ]
    bounds = te.infer_bounds(s)
    assert [bounds[axis].extent for axis in (io, jo, *B.op.axis)] == [5, 2, 8, 16]
    a, w = counted(33, 17) / 100, counted(17, 20) / 100
    (found,) = run(s, [A, W, C], a, w)
    np.testing.assert_allclose(found, np.maximum(a @ w, 50).T, rtol=1e-5)
    costs = te.explain(s)
    assert str(costs).splitlines()[1].split()[:5] == ["B", "C.j.outer", "10", "660", "660"]


def test_a_stage_in_the_loops_of_a_reader_and_its_producer():
    """Handles of the loops that they share are of both; other stages can be computed there."""
    A, W, _, B, C, s = matmul()
    AL = s.cache_read(A, "local", [B])
    io, _ = s[B].split(B.op.axis[0], factor=8)
    s[C].reverse_compute_at(s[B], io)
    s[AL].compute_at(s[C], io)
    assert te.infer_bounds(s)[AL.op.axis[0]].extent == 8
    a, w = counted(33, 17) / 100, counted(17, 20) / 100
    (found,) = run(s, [A, W, C], a, w)
    np.testing.assert_allclose(found, np.maximum(a @ w, 50).T, rtol=1e-5)


def test_refused_where_it_is_asked():
    A, W, k, B, C, s = matmul()
    with pytest.raises(teloom.ScheduleError, match='"B" is complete only behind the loop of k'):
        s[C].reverse_compute_at(s[B], k)
    s[C].reverse_compute_inline()
    with pytest.raises(teloom.ScheduleError, match='its producer "B" is a reduction'):
        teloom.lower(s, [A, W, C])


def test_readers_whose_subscripts_have_sizes():
    n, m = te.size_var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((m, n), lambda j, i: B[n - 1 - i, m - 1 - j] + 1, name="C")
    s = te.create_schedule(C)
    outer, _ = s[B].split(B.op.axis[0], factor=4)
    s[C].reverse_compute_inline()
    s[C].parallel(outer)
    f = teloom.build(s, [A, C])
    for rows, columns in ((0, 2), (1, 1), (7, 5), (8, 3)):
        a = counted(rows, columns)
        out = np.zeros((columns, rows), "float32")
        f(a, out)
        np.testing.assert_array_equal(out, (a * 2 + 1)[::-1, ::-1].T)


def test_an_axis_of_the_producer_that_is_gone_is_one_of_the_loops():
    A = te.placeholder((12, 16), name="A")
    B = te.compute((12, 16), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((12, 16), lambda i, j: B[i, j] * 2, name="C")
    s = te.create_schedule(C)
    s[C].reverse_compute_inline()
    (row,) = s[C].blockize(B.op.axis[1])
    assert s[C].leaf_iter_vars == [row]
    s[C].split(row, factor=4)
    a = np.arange(192, dtype="float32").reshape(12, 16)
    teloom.build(s, [A, C])(a, result := np.empty_like(a))
    np.testing.assert_array_equal(result, (a + 1) * 2)


@pytest.mark.parametrize("of_producer", [False, True])
def test_a_place_is_named_by_an_axis_of_either_stage(of_producer: bool):
    A = te.placeholder((12, 16), name="A")
    B = te.compute((12, 16), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((12, 16), lambda y, x: B[y, x] * 2, name="C")
    D = te.compute((12, 16), lambda u, v: C[u, v] - 3, name="D")
    s = te.create_schedule(D)
    s[C].reverse_compute_inline()
    inner = s[D].reverse_compute_at(s[C], (B if of_producer else C).op.axis[0])
    assert inner == [D.op.axis[1]]
    a = np.arange(192, dtype="float32").reshape(12, 16)
    teloom.build(s, [A, D])(a, result := np.empty_like(a))
    np.testing.assert_array_equal(result, (a + 1) * 2 - 3)
