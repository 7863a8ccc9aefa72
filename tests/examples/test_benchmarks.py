"""The benchmarks still run; what they measure is for people to judge."""

import runpy
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_functions import needs_compiler

from teloom.passes.pipelines import PIPELINES

ROOT = Path(__file__).parents[2]


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


def test_the_rows_have_sizes_of_their_programs(benchmarks: None):
    rows = import_module("workloads").ROWS
    assert len(rows) == 19
    for row in rows.values():
        assert len(row.sizes) == len(row.example.sizes)
        assert [size + 1 for size in row.ragged.sizes] == list(row.sizes)


def test_every_row_is_a_program_of_ours_and_of_numpys(benchmarks: None):
    programs = {row.program for row in import_module("workloads").ROWS.values()}
    for library in ("teloom", "teloom_symbolic", "numpy"):
        assert set(import_module(f"libraries.with_{library}").PROGRAMS) == programs


@pytest.mark.parametrize("library", ["teloom", "numpy"])
def test_a_worker_checks_and_times_a_program(benchmarks: None, library: str):
    worker = import_module("worker").Worker(library, threads=1)
    worker.prepare("six_ops", [1000])
    assert worker.run()["seconds"] > 0


def test_the_comparison_prints_its_rows(
    benchmarks: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """With a library that is not there, and with NumPy."""
    monkeypatch.setenv("TELOOM_SANITIZE", "")  # other tests check what the rows compute
    peers: dict[str, Any] = runpy.run_path(str(ROOT / "benchmarks" / "peers.py"))
    workloads = import_module("workloads")
    monkeypatch.setitem(workloads.ROWS, "matrix x vector 4096", workloads.Row("six_ops", (1000,)))
    command = "peers.py --rows vector --rounds 3 --libraries numpy no_library".split()
    monkeypatch.setattr("sys.argv", command)
    peers["main"]()
    printed = capsys.readouterr().out
    assert "without no_library: ModuleNotFoundError" in printed
    assert "matrix x vector 4096" in printed
    assert "geometric mean of 1 rows, teloom: " in printed


def test_the_comparison_of_operators_prints_its_rows(
    benchmarks: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("TELOOM_SANITIZE", "")
    operators: dict[str, Any] = runpy.run_path(str(ROOT / "benchmarks" / "operators.py"))
    command = ["operators.py", "--rows", "take 1024 rows", "--rounds", "2", "--libraries", "numpy"]
    monkeypatch.setattr("sys.argv", command)
    operators["main"]()
    printed = capsys.readouterr().out
    assert "take 1024 rows" in printed
    assert "geometric mean" in printed
    assert "built first: geometric mean" in printed


def test_every_operator_has_a_row_in_numpy_and_in_another_library(benchmarks: None):
    for name, operator in import_module("operator_rows").ROWS.items():
        assert operator.torch or operator.onnx, name
        arrays = import_module("operator_rows").Row(name).inputs()
        assert [array.shape for array in arrays] == [*map(tuple, operator.shapes)]


def test_calls_add():
    timers = runpy.run_path(str(ROOT / "benchmarks" / "calls.py"))["timers"]()
    assert {"teloom", "teloom, bound", "numpy"} <= timers.keys()
    assert all(timer.timeit(1) > 0 for timer in timers.values())


def test_every_pass_is_in_the_compile_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for folder in ("examples", "benchmarks"):
        monkeypatch.syspath_prepend(ROOT / folder)
    monkeypatch.setenv("TELOOM_SANITIZE", "")  # checks have passes of their own
    one_process = runpy.run_path(str(ROOT / "benchmarks" / "compile_time.py"))["one_process"]
    times = one_process(str(tmp_path))
    passes = [name for name, _ in PIPELINES["te-to-llvm"]]
    llvm = [f"LLVM {part}" for part in ("IR", "parse", "optimize", "codegen", "link")]
    known = {"import", "all imports", "whole", "te and schedule", *passes, *llvm}
    assert set(times) == known
    assert 0 < times["te and schedule"] < times["whole"]
    assert list(tmp_path.iterdir()), "the object code is kept"


def test_programs_to_compile_are_those_compared(monkeypatch: pytest.MonkeyPatch):
    for folder in ("examples", "benchmarks"):
        monkeypatch.syspath_prepend(ROOT / folder)
    programs = runpy.run_path(str(ROOT / "benchmarks" / "compile_programs.py"))
    rows = programs["workloads"].PROGRAMS
    assert len(programs["COMPARED"]) == 2 * len(rows)
    for name, make in programs["COMPARED"].items():
        (_, arguments), is_known = make(), "of all sizes" not in name
        assert name.split()[0] in rows
        assert all(isinstance(extent, int) for extent in arguments[-1].shape) == is_known


def test_streamed_stores_agree():
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "stores.py"))
    small = {"add_one": (640,), "blur": (32, 256), "centred": (8, 64)}
    for name, sizes in small.items():
        shapes = benchmark["shapes"](benchmark[name](*sizes))
        results = []
        for streamed in (False, True):
            a, b = (benchmark["behind"](0, shape) for shape in shapes)
            a[...] = np.random.default_rng(0).random(a.shape)
            benchmark["built"](benchmark[name](*sizes), streamed)(a, b)
            results.append(b)
        assert results[0].any()
        np.testing.assert_array_equal(*results)


@needs_compiler
def test_c_sources_are_measured(benchmarks: None):
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "c_source.py"))
    row = import_module("workloads").Row("six_ops", (1000,))
    ours, theirs = benchmark["measure"](row, "cc", "extension", rounds=1)
    assert ours > 0
    assert theirs > 0


def test_programs_are_measured_beside_numpy(benchmarks: None):
    """Also where numba is not installed."""
    beside, kernel = import_module("beside"), import_module("polybench").KERNELS["gemm"]
    one = beside.measured(kernel, kernel.small, rounds=1, threads=1)
    assert one.peers.keys() <= {"numba", "numpy"}
    assert one.ratio == one.peers[one.fastest] / one.rules > 0
