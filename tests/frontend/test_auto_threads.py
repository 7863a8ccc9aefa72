"""What rules write for many threads: which loops these share, and terms that they fold apart."""

import re

import numpy as np
import pytest

import teloom
from teloom import te, topi
from teloom.errors import Error
from teloom.frontend.auto.threads.sharing import InnerCopy, Sharing, iterations, sharing_of

TARGET = "sapphirerapids"


def copied(*shape: int) -> tuple[te.Schedule, te.Stage]:
    A = te.placeholder(shape, name="A")
    s = te.create_schedule(te.compute(shape, lambda *at: A(*at) + 1, name="B"))
    return s, s.stages[-1]


def product(m: int, k: int, n: int, transposed: bool = False) -> list[te.Tensor]:
    A = te.placeholder((m, k), name="A")
    B = te.placeholder((n, k) if transposed else (k, n), name="B")
    return [A, B, topi.matmul(A, B, False, transposed)]


def parallel_loops(args: list[te.Tensor], threads: int) -> list[str]:
    s = topi.schedule(args[-1], TARGET, num_threads=threads)
    text = str(teloom.lower(s, args, level="loop", target=TARGET))
    return [f"{name} {end}" for name, end in re.findall(r"%(\S+) = 0 to (\d+) parallel", text)]


def assert_computes(args: list[te.Tensor], expected, threads: int, rtol: float = 1e-4) -> None:
    """As many threads as the schedule is for, and one, give the same."""
    rng = np.random.default_rng(0)
    given = [rng.standard_normal(one.shape).astype(one.dtype) for one in args[:-1]]
    call = teloom.build(topi.schedule(args[-1], num_threads=threads), args)
    results = []
    for count in (1, 2, threads):
        results.append(np.full(tuple(args[-1].shape), 7, args[-1].dtype))
        with teloom.num_threads(count):
            call(*given, results[-1])
    for one in results:
        np.testing.assert_array_equal(one, results[0])
    np.testing.assert_allclose(results[0], expected(*given), rtol=rtol, atol=rtol)


class TestSharing:
    """How many loops are shared follows from their extents."""

    @pytest.mark.parametrize(
        ("shape", "threads", "whole"),
        [
            ((32, 8, 8), 16, 1),
            ((8, 8, 8), 16, 2),
            ((3, 5, 64), 16, 3),
            ((3, 5, 64), 3, 1),
            ((1, 1, 64), 2, 3),
            ((17, 100, 4), 16, 2),
            ((95, 100, 4), 16, 1),  # the last thread has 5 of 6, which is nearly the same
            ((2, 2, 2), 1, 1),
            ((0, 4, 4), 16, 1),
        ],
    )
    def test_whole_loops(self, shape, threads, whole):
        _, stage = copied(*shape)
        assert sharing_of(stage, stage.op.axis, threads) == Sharing(whole)

    def test_a_loop_is_divided_where_copies_are_few(self):
        _, stage = copied(4, 171)
        panels = [InnerCopy(0, 2 / 3)]
        found = sharing_of(stage, stage.op.axis, 16, panels, may_divide=True)
        assert found == Sharing(1, 4)
        dear = [InnerCopy(0, 10000)]
        assert sharing_of(stage, stage.op.axis, 16, dear, may_divide=True) == Sharing(1)

    def test_a_symbolic_loop_is_not_shared_with_others(self):
        n = te.var("n")
        A = te.placeholder((4, n, 8), name="A")
        B = te.compute((4, n, 8), lambda i, j, k: A[i, j, k] + 1, name="B")
        stage = te.create_schedule(B)[B]
        assert sharing_of(stage, stage.op.axis, 16) == Sharing(1)

    def test_iterations_follow_from_commands(self):
        _, stage = copied(10, 6, 4)
        i, j, k = stage.op.axis
        outer, inner = stage.split(i, factor=4)
        parts, each = stage.split(j, nparts=4)
        fused = stage.fuse(each, k)
        found = [iterations(stage, loop) for loop in (i, outer, inner, parts, fused)]
        assert found == [10, 3, 4, 4, 8]


class TestProducts:
    @pytest.mark.parametrize(
        ("args", "threads", "loops"),
        [
            (product(1024, 256, 256), 1, []),
            (product(1024, 256, 256), 2, ["i1.outer 4"]),
            (product(1024, 256, 256), 16, ["i1.outer 4", "i0.outer.outer 4"]),
            (product(1024, 256, 1024), 16, ["i1.outer 16"]),
            (product(8, 1024, 1024), 16, ["i1.outer 16"]),
            (product(96, 3136, 64, True), 16, ["ax1.outer 784", "i0.outer 16"]),
        ],
    )
    def test_threads_have_tiles(self, args, threads, loops):
        assert parallel_loops(args, threads) == loops

    @pytest.mark.parametrize("size", [(129, 33, 129), (301, 70, 200), (64, 64, 64)])
    @pytest.mark.parametrize("threads", [3, 16])
    def test_numbers(self, size, threads):
        assert_computes(product(*size), np.matmul, threads)

    def test_two_loops_are_one_for_threads(self):
        args = product(1024, 256, 256)
        s = topi.schedule(args[-1], TARGET, num_threads=16)
        text = str(teloom.lower(s, args, level="standard", target=TARGET))
        assert text.count("scf.parallel") == 1

    def test_loops_of_a_triangle_are_shared_alone(self):
        A = te.placeholder((8, 64, 512), name="A")
        B = te.compute(
            (8, 64, 512),
            lambda b, i, j: A[b, i, j] * 2,
            name="B",
            domain=lambda b, i, j: i <= b * 8 + 7,
        )
        assert parallel_loops([A, B], 16) == ["b 8"]

    def test_a_heavy_epilogue_of_a_small_product_is_on_threads(self):
        A, B, C = product(64, 2, 64)
        D = te.compute((64, 64), lambda i, j: te.exp(te.sin(te.exp(C[i, j]))), name="D")
        assert parallel_loops([A, B, D], 2)

    def test_images_and_channels_are_shared(self):
        data = te.placeholder((8, 64, 14, 14), name="data")
        kernel = te.placeholder((64, 64, 3, 3), name="kernel")
        args = [data, kernel, topi.nn.conv2d_nchw(data, kernel, 1, 1, 1)]
        assert len(parallel_loops(args, 16)) == 4  # the border, and the product: two loops each
        assert len(parallel_loops(args, 2)) == 2

    def test_it_says_so(self):
        topi.schedule(product(1024, 256, 256)[-1], TARGET, reasons=(why := []), num_threads=16)
        assert "matmul: threads share the iterations of i1.outer and i0.outer.outer together" in why


class TestFactors:
    """Sums of which results are few."""

    @pytest.mark.parametrize(
        ("shape", "axis", "fold", "expected"),
        [
            ((60000, 16), 0, topi.sum, lambda a: a.astype("float64").sum(axis=0)),
            ((3, 300001), 1, topi.max, lambda a: a.max(axis=1)),
            ((1000003,), 0, topi.min, lambda a: a.min(axis=0)),
            ((700, 900), (0, 1), topi.sum, lambda a: a.astype("float64").sum()),
            ((2, 300000), 1, topi.argmax, lambda a: a.argmax(axis=1)),
        ],
    )
    def test_numbers(self, shape, axis, fold, expected):
        A = te.placeholder(shape, name="A")
        args = [A, fold(A, axis)]
        assert parallel_loops(args, 8)
        assert_computes(args, expected, 8, rtol=1e-3)

    def test_terms_of_a_product(self):
        args = product(6, 50000, 9)
        assert parallel_loops(args, 2) == ["k0.outer 50"]
        assert_computes(args, np.matmul, 2, rtol=1e-2)

    def test_what_is_read_through_an_inlined_stage(self):
        A = te.placeholder((16, 60000), name="A")
        topi.schedule(topi.sum(topi.transpose(A), 0), TARGET, reasons=(why := []), num_threads=16)
        assert any("sum.rf: lanes fold k0.inner, which is contiguous" in one for one in why)

    def test_a_member_is_computed_before(self):
        D = te.placeholder((6, 3, 50000), name="D")
        Y = topi.sum(D, 1)
        args = [D, topi.sum(Y, 1)]
        assert "rfactor" in str(topi.schedule(args[1], TARGET, num_threads=16).schedule_record)
        assert_computes(args, lambda d: d.sum((1, 2)), 16, rtol=1e-2)

    def test_one_thread_folds_all_in_order(self):
        A = te.placeholder((60000, 16), name="A")
        s = topi.schedule(topi.sum(A, 0), num_threads=1)
        assert not any("rfactor" in command for command in s.schedule_record)

    def test_enough_results_are_not_divided(self):
        A = te.placeholder((600, 4096), name="A")
        s = topi.schedule(topi.sum(A, 0), num_threads=8)
        assert not any("rfactor" in command for command in s.schedule_record)


def test_build_hands_its_threads_to_the_rules():
    args = product(1024, 64, 256)
    shared = [
        " parallel," in teloom.build(args, num_threads=threads).source("schedule")
        for threads in (1, 16)
    ]
    assert shared == [False, True]


def test_the_environment_counts(monkeypatch):
    monkeypatch.setenv("TELOOM_NUM_THREADS", "16")
    args = product(1024, 256, 256)
    assert len(parallel_loops(args, None)) == 2  # pyright: ignore
    with teloom.num_threads(1):
        assert not parallel_loops(args, None)  # pyright: ignore


def test_one_thread_has_no_parallel_loops():
    A = te.placeholder((1024, 1024), name="A")
    for result in (A + 1, topi.sum(A), topi.sum(A, 0), topi.nn.softmax(A), topi.transpose(A)):
        assert parallel_loops([A, result], 2)
        assert not parallel_loops([A, result], 1)


@pytest.mark.parametrize("threads", [0, 1025, 1.5, "2", True])
def test_wrong_numbers_of_threads(threads):
    s = te.create_schedule(product(4, 4, 4)[-1])
    with pytest.raises(Error, match=r"num_threads is .*; it must be an integer from 1 to 1024"):
        te.auto_schedule(s, num_threads=threads)


class TestScans:
    """Threads share lines along time, each for all times, if no line needs another one."""

    @staticmethod
    def running(*shape: int, last_alone: bool = False) -> list[te.Tensor]:
        A, S = (te.placeholder(shape, "float64", name=name) for name in "AS")
        begin = te.compute((1, *shape[1:]), lambda t, *at: A(0, *at), name="begin")
        half = te.compute(shape, lambda t, *at: S(t - 1, *at) * 0.5, name="half")
        step = te.compute(shape, lambda t, *at: half(t, *at) + A(t, *at), name="step")
        sums = te.scan(begin, step, S, name="sums")
        if not last_alone:
            return [A, sums]
        return [A, te.compute(shape[1:], lambda *at: sums(shape[0] - 1, *at), name="last")]

    @pytest.mark.parametrize(
        ("shape", "threads", "loops"),
        [
            ((40, 1000), 16, ["i1.outer 16"]),  # no strip is narrower than a line
            ((40, 1000), 1, []),
            ((4, 1000), 16, []),  # too little to do
            ((900, 60), 16, []),
            ((40, 5, 1000), 2, ["i1 5", "i2.outer 2"]),
            ((40, 80, 50), 16, ["i1 80"]),
        ],
    )
    def test_lines_are_shared(self, shape, threads, loops):
        assert parallel_loops(self.running(*shape), threads) == loops

    def test_each_thread_runs_all_times(self):
        A, sums = self.running(40, 5, 1000)
        s = te.create_schedule(sums)
        reasons = te.auto_schedule(s, TARGET, num_threads=2)
        assert "sums: threads share i1, i2.outer, each for all times" in reasons
        assert "sums: threads share the iterations of i1 and i2.outer together" in reasons
        text = str(teloom.lower(s, [A, sums], level="loop", target=TARGET))
        assert re.findall(r"%(\S+) = 0 to", text)[:3] == ["i1", "i2.outer", "idx"]

    @pytest.mark.parametrize("is_last_alone", [False, True])
    @pytest.mark.parametrize("shape", [(40, 1001), (7, 5000), (40, 9, 130), (3, 130, 3, 70)])
    def test_results(self, shape, is_last_alone):
        def expected(a: np.ndarray) -> np.ndarray:
            found = [a[0]]
            for row in a[1:]:
                found.append(found[-1] * 0.5 + row)
            return found[-1] if is_last_alone else np.array(found)

        assert_computes(self.running(*shape, last_alone=is_last_alone), expected, 5, 1e-12)

    def test_lines_that_need_each_other_are_not_moved_out_of_time(self):
        A, S = (te.placeholder((40, 1000), name=name) for name in "AS")
        begin = te.compute((1, 1000), lambda t, i: A[0, i], name="begin")
        step = te.compute((40, 1000), lambda t, i: S[t - 1, (i + 1) % 1000] + A[t, i], name="step")
        assert parallel_loops([A, te.scan(begin, step, S, name="sums")], 16) == []

    def test_steps_of_which_rules_know_nothing_keep_lines_together(self):
        A, S = (te.placeholder((40, 1000), "float64", name=name) for name in "AS")
        begin = te.compute((1, 1000), lambda t, i: A[0, i], name="begin")
        add = te.extern(
            (40, 1000),
            lambda t: [S[t - 1], A[t]],
            lambda ins, outs, t: te.call_packed(
                lambda before, new, out: np.add(before[::-1], new, out=out), *ins, *outs
            ),
            dtype="float64",
            name="add",
        )
        sums = te.scan(begin, add, S, name="sums")

        def expected(a: np.ndarray) -> np.ndarray:
            found = [a[0]]
            for row in a[1:]:
                found.append(found[-1][::-1] + row)
            return np.array(found)

        assert parallel_loops([A, sums], 16) == []
        assert_computes([A, sums], expected, 5, 1e-12)


class TestUpdates:
    """Threads share outer loops of an update that carry no dependence."""

    @staticmethod
    def updated(shape: tuple[int, ...], points, write) -> list[te.Tensor]:
        A = te.placeholder(shape, "float64", name="A")
        axes = [te.reduce_axis((begin, end), f"k{k}") for k, (begin, end) in enumerate(points)]
        return [A, te.update(A, axes, write, name="U")]

    def test_loops_around_running_sums(self):
        shape = (3, 5, 20, 200)
        args = self.updated(
            shape,
            [(0, 3), (0, 5), (1, 20), (0, 200)],
            lambda u, a, b, t, i: ((a, b, t, i), u[a, b, t - 1, i] + u[a, b, t, i]),
        )
        assert parallel_loops(args, 16) == ["k0 3", "k1 5"]
        assert_computes(args, lambda a: a.cumsum(2), 5, 1e-12)

    def test_loops_around_tiles_of_steps_and_around_waves(self):
        def shortest(a: np.ndarray) -> np.ndarray:
            for k in range(40):
                a = np.minimum(a, abs(a[:, :, k : k + 1]) + abs(a[:, k : k + 1, :]))
            return a

        args = self.updated(
            (4, 40, 40),
            [(0, 4), (0, 40), (0, 40), (0, 40)],
            lambda u, b, k, i, j: (
                (b, i, j),
                te.min(u[b, i, j], te.abs(u[b, i, k]) + te.abs(u[b, k, j])),
            ),
        )
        assert parallel_loops(args, 16) == ["k0 4"]
        assert_computes(args, shortest, 5, 1e-12)

    def test_unrolled_cases_are_not_shared(self):
        def write(u, case, i, j):
            first = (case, i, j), u[case, i, j] * 2, te.all(case < 1)
            return [first, ((case, i, j), u[case, i, j - 1] + 1, te.all(case > 0))]

        args = self.updated((2, 90, 400), [(0, 2), (0, 90), (1, 400)], write)
        assert parallel_loops(args, 16) == ["k1.outer 23"]
        doubled = np.array([1.0, *[2.0] * 399])
        assert_computes(
            args, lambda a: np.array([a[0] * doubled, a[1][:, :1] + np.arange(400)]), 5, 1e-12
        )
