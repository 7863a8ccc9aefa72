"""Schedules by rules: numbers, the commands that they are made of, and what they leave alone."""

import time
from dataclasses import replace

import numpy as np
import pytest
from budget import each, is_chosen

import teloom
from teloom import te, topi
from teloom.errors import Error

SIZES = (0, 1, 5, 17, 70)


def product(n, m):
    A, B = te.placeholder((n, m), name="A"), te.placeholder((m, n), name="B")
    k = te.reduce_axis((0, m), "k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return [A, B, C], lambda a, b: a @ b


def transposed_product(n, m):
    A, B = te.placeholder((n, m), name="A"), te.placeholder((n, m), name="B")
    k = te.reduce_axis((0, m), "k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
    D = te.compute((n, n), lambda i, j: te.maximum(C[i, j], 0.0), name="D")
    return [A, B, D], lambda a, b: np.maximum(a @ b.T, 0)


def softmax(n, m):
    A = te.placeholder((n, m), name="A")
    k, q = te.reduce_axis((0, m), "k"), te.reduce_axis((0, m), "q")
    most = te.compute((n,), lambda i: te.max(A[i, k], axis=k), name="most")
    power = te.compute((n, m), lambda i, j: te.exp(A[i, j] - most[i]), name="power")
    total = te.compute((n,), lambda i: te.sum(power[i, q], axis=q), name="total")
    C = te.compute((n, m), lambda i, j: power[i, j] / total[i], name="C")

    def expected(a):
        if not a.size:
            return a
        power = np.exp(a - a.max(axis=1, keepdims=True))
        return power / power.sum(axis=1, keepdims=True)

    return [A, C], expected


def blur(n, m):
    A = te.placeholder((n + 2, m + 2), name="A")
    B = te.compute((n + 2, m), lambda i, j: A[i, j] + A[i, j + 1] * 2 + A[i, j + 2], name="B")
    C = te.compute((n, m), lambda i, j: B[i, j] + B[i + 1, j] * 2 + B[i + 2, j], name="C")

    def expected(a):
        b = a[:, :-2] + a[:, 1:-1] * 2 + a[:, 2:]
        return b[:-2] + b[1:-1] * 2 + b[2:]

    return [A, C], expected


def columns(n, m):
    A = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((m,), lambda j: te.sum(A[k, j], axis=k), name="C")
    return [A, C], lambda a: a.sum(axis=0)


def everything(n, m):
    A = te.placeholder((n, m), name="A")
    i, k = te.reduce_axis((0, n), "i"), te.reduce_axis((0, m), "k")
    C = te.compute((), lambda: te.sum(A[i, k], axis=[i, k]), name="C")
    return [A, C], lambda a: a.sum()


def transpose(n, m):
    A = te.placeholder((n, m), name="A")
    C = te.compute((m, n), lambda i, j: A[j, i], name="C")
    return [A, C], lambda a: a.T


PROGRAMS = [product, transposed_product, softmax, blur, columns, everything, transpose]


def check(program, sizes, made_for):
    args, _ = program(*made_for)
    s = te.create_schedule(args[-1])
    te.auto_schedule(s)
    function = teloom.build(s, args)
    for n, m in sizes:
        given, wanted = program(n, m)
        shapes = [[int(extent) for extent in one.shape] for one in given[:-1]]
        arrays = [np.random.default_rng(0).random(shape, dtype="float32") for shape in shapes]
        result = np.full([int(extent) for extent in given[-1].shape], 77, "float32")
        function(*arrays, result)
        np.testing.assert_allclose(result, wanted(*arrays), rtol=1e-4)


@pytest.mark.parametrize("program", PROGRAMS)
def test_sizes_known_at_the_call(program):
    sizes = [(n, m) for n in SIZES for m in SIZES if (n and m) or program is not softmax]
    check(program, sizes, (te.var("n"), te.var("m")))


@pytest.mark.parametrize(
    ("program", "sizes"),
    [
        *((program, (1, 1)) for program in PROGRAMS),
        *each(PROGRAMS, [(7, 130), (200, 33)]),
    ],
)
def test_known_sizes(program, sizes):
    check(program, [sizes], sizes)


def test_a_long_fold_runs_on_threads():
    A, k = te.placeholder((100_000,), name="A"), te.reduce_axis((0, 100_000), "k")
    C = te.compute((), lambda: te.sum(A[k], axis=k), name="C")
    s = te.create_schedule(C)
    assert te.auto_schedule(s, num_threads=2) == [
        "C: 16384 elements at a time are folded across lanes",
        "C.rf: threads share the iterations of k.outer",
    ]
    teloom.build(s, [A, C])(np.ones(100_000, "float32"), result := np.empty((), "float32"))
    assert result == 100_000


def test_the_same_program_gets_the_same_commands_for_a_target():
    def commands(target: str) -> list[str]:
        args, _ = product(512, 512)
        s = te.create_schedule(args[-1])
        te.auto_schedule(s, target)
        return s.schedule_record

    assert commands("x86-64-v3") == commands("x86-64-v3") != commands("x86-64-v4")


def test_results_of_several_values():
    A, k = te.placeholder((64, 40), "float32", name="A"), te.reduce_axis((0, 64), "k")
    argmax = te.comm_reducer(
        lambda x, y: (te.select(x[1] >= y[1], x[0], y[0]), te.maximum(x[1], y[1])),
        lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
    )
    at, most = te.compute((40,), lambda j: argmax((k, A[k, j]), axis=k), name="T")
    s = te.create_schedule(at.op)
    te.auto_schedule(s)
    a = np.random.default_rng(0).permuted(np.arange(64 * 40, dtype="float32")).reshape(64, 40)
    i, v = np.empty(40, at.dtype), np.empty(40, "float32")
    teloom.build(s, [A, at, most])(a, i, v)
    np.testing.assert_array_equal(i, a.argmax(axis=0))
    np.testing.assert_array_equal(v, a.max(axis=0))


def test_what_a_command_names_stays_as_it_is():
    args, _ = blur(100, 100)
    s = te.create_schedule(args[-1])
    s[args[-1]].unroll(args[-1].op.axis[0])
    before = s.schedule_record
    te.auto_schedule(s)
    assert s.schedule_record[: len(before)] == before
    assert not [line for line in s.schedule_record[len(before) :] if '"C"' in line]


def computed_in_a_cache(s: te.Schedule, C: te.Tensor) -> None:
    s[C].parallel(C.op.axis[0])
    s.cache_write(C, "global")


def made_a_block(s: te.Schedule, C: te.Tensor) -> None:
    outer, inner = s[C].split(C.op.axis[0], factor=2)
    s[C].unroll(outer)
    s[C].blockize(inner)


@pytest.mark.parametrize("command", [computed_in_a_cache, made_a_block])
def test_what_commands_gave_new_axes_stays_as_it_is(command):
    A, B = te.placeholder((4, 3), name="A"), te.placeholder((3, 8), name="B")
    C = topi.matmul(A, B)
    D = te.compute((8, 4), lambda j, i: C[i, j] + 1, name="D")
    s = te.create_schedule(D)
    command(s, C)
    reasons = te.auto_schedule(s)
    assert not [one for one in reasons if one.startswith(C.op.name)]
    a, b = np.ones((4, 3), "float32"), np.ones((3, 8), "float32")
    teloom.build(s, [A, B, D])(a, b, found := np.zeros((8, 4), "float32"))
    assert (found == 4).all()


def test_refuses_what_is_no_schedule_and_unknown_targets():
    with pytest.raises(Error, match=r"is not a schedule; make one with te\.create_schedule"):
        te.auto_schedule(product(4, 4)[0][-1])
    with pytest.raises(Error, match="no target 'z80'"):
        te.auto_schedule(te.create_schedule(product(4, 4)[0][-1]), "z80")


def test_many_stages_take_milliseconds():
    stage = te.placeholder((300, 300), name="A")
    for number in range(20):
        stage = te.compute(
            (300 - number, 300),
            lambda i, j, of=stage: te.exp(of[i, j]) + te.exp(of[i + 1, j]),
            name=f"S{number}",
        )
    s = te.create_schedule(stage)
    start = time.process_time()
    te.auto_schedule(s)
    assert time.process_time() - start < 1  # 0.02 s; the machine may be busy


def test_tensors_are_built_by_rules_unless_one_says_no():
    args, expected = product(64, 64)
    by_rules, by_default = teloom.build(args), teloom.build(args, auto=False)
    in_order = teloom.build(args, strict=True)
    a, b = np.random.default_rng(0).random((2, 64, 64), dtype="float32")
    for function in (by_rules, by_default, in_order):
        function(a, b, c := np.empty((64, 64), "float32"))
        np.testing.assert_allclose(c, expected(a, b), rtol=1e-5)
    assert "vectorized" in by_rules.source("loop")
    assert "vectorized" not in by_default.source("loop") + in_order.source("loop")


def test_what_is_read_beside_a_tile_without_loops_around_it():
    A, at = te.placeholder((7, 9), name="A"), te.placeholder((7,), "int32", name="at")
    k = te.reduce_axis((0, 9), "k")
    most = te.compute((7,), lambda i: te.exp(A[i, 0]) + te.exp(A[i, 1]), name="most")
    total = te.compute((7,), lambda i: te.sum(A[at[i], k] * most[i], axis=k), name="total")
    C = te.compute((7,), lambda i: total[i] / most[i], name="C")
    s = te.create_schedule(C)
    te.auto_schedule(s)
    a, rows = np.random.default_rng(0).random((7, 9), dtype="float32"), np.arange(7, dtype="int32")
    teloom.build(s, [A, at, C])(a, rows, c := np.empty(7, "float32"))
    np.testing.assert_allclose(c, a.sum(axis=1), rtol=1e-5)


def test_windows_of_different_lengths_are_folded_one_by_one():
    A = te.placeholder((3, 50, 61), name="A")
    B = topi.nn.adaptive_pool(topi.expand_dims(A, 0), (5, 4), "avg")
    s = te.create_schedule(B)
    reasons = te.auto_schedule(s)
    assert (
        "adaptive_pool_sum: lanes fold k1, which begins or ends where its element says" in reasons
    )
    a = np.random.default_rng(0).random((3, 50, 61), dtype="float32")
    teloom.build(s, [A, B])(a, b := np.empty((1, 3, 5, 4), "float32"))
    columns = [(int(k * 61 / 4), -int(-(k + 1) * 61 // 4)) for k in range(4)]
    for row in range(5):
        for k, (begin, end) in enumerate(columns):
            part = a[:, 10 * row : 10 * row + 10, begin:end]
            np.testing.assert_allclose(b[0, :, row, k], part.mean((1, 2)), rtol=1e-5)


@pytest.mark.parametrize(("size", "stride"), [(3, 2), (2, 2), (3, 1)])
@pytest.mark.parametrize("is_known", [True, False])
def test_rows_of_the_next_windows_are_prefetched_from_memory(size, stride, is_known):
    shape = (3, 37, 61)
    extents = shape if is_known else [te.size_var(f"n{axis}") for axis in range(3)]
    A = te.placeholder((1, *extents), name="A")
    B = topi.nn.pool2d(A, size, stride, 1, [1] * 4, "max")
    machine = replace(teloom.target("x86-64-v3"), caches=(2**15, 2**14))
    reasons = te.auto_schedule(s := te.create_schedule(B), machine, num_threads=1)
    assert any("the next rows of A are prefetched" in one for one in reasons)
    if not is_known and not is_chosen((size, stride), [(3, 2)]):
        return
    a = np.random.default_rng(0).random((1, *shape), dtype="float32")
    rows, columns = ((extent + 2 - size) // stride + 1 for extent in shape[1:])
    teloom.build(s, [A, B])(a, b := np.empty((1, 3, rows, columns), "float32"))
    padded = np.pad(a, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (2, 3))
    np.testing.assert_array_equal(b, windows[:, :, ::stride, ::stride].max((4, 5)))


@pytest.mark.parametrize(
    ("shape", "threads", "layout"),
    [
        pytest.param((1, 3, 37, 61), 1, "NCHW", id="in a cache"),
        pytest.param((1, 1, 999, 999), 4, "NCHW", id="threads share rows"),
        pytest.param((1, 112, 112, 32), 1, "NHWC", id="tiles read runs of memory"),
    ],
)
def test_what_comes_by_itself_or_on_another_thread_is_not_prefetched(shape, threads, layout):
    A = te.placeholder(shape, name="A")
    s = te.create_schedule(topi.nn.pool2d(A, 3, 2, 1, [1] * 4, "max", layout=layout))
    te.auto_schedule(s, "haswell", threads)
    assert not any("prefetch" in command for command in s.schedule_record)


@pytest.mark.parametrize("shape", [(64, 100), (64, 100, 1), (40, 300, 1, 1), (33, 7, 1)])
def test_lanes_are_the_last_axis_with_several_elements(shape):
    A = te.placeholder(shape, name="A")
    s = te.create_schedule(out := topi.sum(A, 0))
    te.auto_schedule(s, "x86-64-v4")
    assert s[out].leaf_iter_vars[-1].name.startswith("i0")
    numbers = np.random.default_rng(0).integers(-4, 5, shape).astype("float32")
    teloom.build(s, [A, out])(numbers, found := np.empty(shape[1:], "float32"))
    np.testing.assert_array_equal(found, numbers.sum(0))


def test_lanes_of_a_matrix_by_one_column_are_its_rows():
    A, B = te.placeholder((40, 50), name="A"), te.placeholder((40, 1), name="B")
    s = te.create_schedule(out := topi.matmul(A, B, transp_a=True))
    (reason,) = te.auto_schedule(s, "x86-64-v4")
    assert reason.startswith("matmul.global: tiles of 1 x 64 elements")
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, out])(a, b, found := np.empty((50, 1), "float32"))
    np.testing.assert_array_equal(found, a.T @ b)


SHAPES = [(3, 2, 5, 3), (7, 2, 3, 11), (2, 2, 5, 8), (1, 4, 3, 3)]
TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


@pytest.mark.parametrize(
    ("shape", "target"), sorted({*each(SHAPES, TARGETS), *each(SHAPES[::-1], TARGETS)})
)
def test_tiles_end_with_the_elements_where_other_stages_share_their_loops(shape, target):
    A = te.placeholder(shape, name="A")
    s = te.create_schedule(out := topi.argmax(topi.sum(A, 1), 1))
    te.auto_schedule(s, target)
    numbers = np.random.default_rng(0).integers(-4, 5, shape).astype("float32")
    expected = numbers.sum(1).argmax(1)
    teloom.build(s, [A, out])(numbers, found := np.empty(expected.shape, out.dtype))
    np.testing.assert_array_equal(found, expected)
