"""The benchmarks still run; what they measure is for people to judge."""

import runpy
from pathlib import Path

import pytest

from teloom.passes.pipelines import PIPELINES

ROOT = Path(__file__).parents[2]


def test_kernels_agree_with_numpy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    kernels = runpy.run_path(str(ROOT / "benchmarks" / "kernels.py"))["KERNELS"]
    for programs in kernels.values():
        assert {"teloom", "numpy"} <= programs().keys()


def test_calls_add():
    timers = runpy.run_path(str(ROOT / "benchmarks" / "calls.py"))["timers"]()
    assert {"teloom", "teloom, bound", "numpy"} <= timers.keys()
    assert all(timer.timeit(1) > 0 for timer in timers.values())


def test_every_pass_is_in_the_compile_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "examples"))
    monkeypatch.setenv("TELOOM_SANITIZE", "")  # checks have passes of their own
    one_process = runpy.run_path(str(ROOT / "benchmarks" / "compile_time.py"))["one_process"]
    times = one_process(str(tmp_path))
    passes = [name for name, _ in PIPELINES["te-to-llvm"]]
    assert list(times) == ["import", "whole", "te and schedule", *passes]
    assert 0 < times["te and schedule"] < times["whole"]
    assert list(tmp_path.iterdir()), "the object code is kept"
