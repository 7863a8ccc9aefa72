"""PolyBench's kernels, images, signals, learning: rules give what loops in Python give."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import teloom
from teloom import te

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

POLYBENCH = """
2mm 3mm adi atax bicg cholesky correlation covariance deriche doitgen durbin fdtd-2d floyd-warshall
gemm gemver gesummv gramschmidt heat-3d jacobi-1d jacobi-2d lu ludcmp mvt nussinov seidel-2d symm
syr2k syrk trisolv trmm
""".split()

IMAGES = "balance blend blur edges halved unsharp".split()

SIGNALS = [
    "complex product",
    "mixed",
    "outer product",
    "running maxima",
    "running sums",
    "smoothed",
    "thin product",
    "wavelets",
]

LEARNING = "bytes cosines covariance groups moments rotations".split()

TINY = replace(teloom.target("x86-64-v3"), caches=(1024, 2048, 4096))
"""Caches so small that small grids are tiled, too."""


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def check(kernel, sizes, target="native"):
    inputs, outputs = kernel.program(*sizes)
    s = te.create_schedule([out.op for out in outputs])
    te.auto_schedule(s, target)
    arrays = kernel.arrays(np.random.default_rng(0), *sizes)
    found, expected = ([np.zeros(out.shape, out.dtype) for out in outputs] for _ in range(2))
    teloom.build(s, [*inputs, *outputs])(*arrays, *found)
    given = kernel.arguments(sizes, arrays)
    kernel.loops(*given, *expected)
    import_module("beside").compare(kernel, found, expected)
    if kernel.numpy is not None:
        results = kernel.numpy(*given)
        results = results if isinstance(results, tuple) else (results,)
        import_module("beside").compare(kernel, results, expected)


def test_there_are_thirty():
    assert sorted(import_module("polybench").KERNELS) == POLYBENCH
    assert len(POLYBENCH) == 30
    assert sorted(import_module("images").KERNELS) == IMAGES
    assert sorted(import_module("signals").KERNELS) == SIGNALS
    assert sorted(import_module("learning").KERNELS) == LEARNING


@pytest.mark.parametrize("name", POLYBENCH)
def test_a_kernel(name):
    kernel = import_module("polybench").KERNELS[name]
    check(kernel, kernel.small)


@pytest.mark.parametrize("name", IMAGES)
def test_images(name):
    kernel = import_module("images").KERNELS[name]
    check(kernel, kernel.small)


@pytest.mark.parametrize("name", SIGNALS)
def test_signals(name):
    kernel = import_module("signals").KERNELS[name]
    check(kernel, kernel.small)


@pytest.mark.parametrize("name", LEARNING)
def test_learning(name):
    kernel = import_module("learning").KERNELS[name]
    check(kernel, kernel.small)


@pytest.mark.parametrize(("name", "sizes"), [("jacobi-2d", (9, 20)), ("heat-3d", (4, 9))])
def test_grids_that_no_cache_holds(name, sizes):
    check(import_module("polybench").KERNELS[name], sizes, TINY)
