"""Every example runs, at sizes that its tiles divide and at others; each checks itself."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.machine.codegen.machine_code import assembly
from teloom.backend.machine.llvm_text import llvm_text
from teloom.dialects.target import target_of
from teloom.tools.timing import time_in_turns

EXAMPLES = Path(__file__).parents[2] / "examples"

SIZES = {
    "matmul": ("64x64x64", "45x67x33", "1x1x1"),
    "dense": ("45x67x33",),
    "gemv": ("45x67", "1x1"),
    "blur": ("64x256", "45x67", "1x1"),
    "blur_integers": ("45x67",),
    "unsharp": ("45x67", "1x1"),
    "harris": ("45x67", "1x1"),
    "conv2d": ("28x28x32", "9x5x3", "1x1x1"),
    "depthwise": ("9x11x20", "1x1x1"),
    "softmax": ("8x64", "5x37", "1x1"),
    "layer_norm": ("8x64", "5x37"),
    "row_sum": ("5x37", "1x1"),
    "six_ops": ("100", "1"),
    "attention": ("2x9x20",),
    "transpose": ("64x128", "45x67", "1x1"),
    "c_tiles": ("17x35x70",),
    "blas_tiles": ("9x11x5x7",),
    "dot_tiles": ("5x64x12",),
    "dot_tiles_bf16": ("5x64x12",),
}


@pytest.fixture(autouse=True)
def timed_in_one_round(monkeypatch: pytest.MonkeyPatch):
    """A run with a check takes long, and its time says nothing."""
    monkeypatch.syspath_prepend(EXAMPLES)
    example = import_module("example")
    monkeypatch.setattr(example, "time_in_turns", lambda all, rounds: time_in_turns(all, 1))


def test_every_example_is_listed():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*SIZES, "example"}


@pytest.mark.parametrize(
    ("name", "sizes"), [(name, sizes) for name, runs in SIZES.items() for sizes in runs]
)
def test_example(name: str, sizes: str, capsys: pytest.CaptureFixture[str]):
    module = import_module(name)
    if missing := getattr(module, "MISSING", None):
        pytest.skip(missing)
    import_module("example").main(module.EXAMPLE, ["--size", sizes])
    printed = capsys.readouterr().out
    assert "loop.for" in printed or set(sizes) <= set("1x")
    assert "agrees with NumPy" in printed
    assert "teloom: " in printed


def test_blocks_of_a_large_product(monkeypatch: pytest.MonkeyPatch):
    """Those of narrow tiles, whatever this machine's are."""
    module, example = import_module("matmul"), import_module("example")
    for name, value in (("VECTORS", 2), ("L2", 0), ("TERMS", 32), ("BLOCK", 70)):
        monkeypatch.setattr(module, name, value)
    run = module.EXAMPLE.build(45, 150, 67)
    assert "%r.outer" in run.source("loop")
    inputs = module.EXAMPLE.arrays(np.random.default_rng(0), 45, 150, 67)
    expected = module.EXAMPLE.numpy(*inputs)
    run(*inputs, result := np.full_like(expected, np.nan))
    example.check(module.EXAMPLE, result, expected)


OF_ALL_SIZES = {
    "matmul": ((64, 64, 64), (45, 67, 33), (1, 1, 1)),
    "blur": ((64, 256), (45, 67), (1, 1)),
    "attention": ((2, 9, 20), (1, 1, 1)),
    "conv2d": ((1, 1, 1), (3, 8, 5), (4, 14, 70), (28, 28, 32)),
    "depthwise": ((1, 1, 1), (2, 3, 40), (5, 13, 32), (3, 16, 31)),
    "softmax": ((1, 1), (8, 64), (13, 37)),
    "layer_norm": ((1, 1), (4, 64), (7, 37)),
}


@pytest.mark.parametrize("name", OF_ALL_SIZES)
def test_an_example_of_sizes_that_the_call_says(name: str):
    """The same schedules, of sizes that only the call knows."""
    module, example = import_module(name), import_module("example")
    sizes = OF_ALL_SIZES[name]
    run = module.EXAMPLE.build(*(te.size_var(f"n{axis}") for axis in range(len(sizes[0]))))
    for some in sizes:
        inputs = module.EXAMPLE.arrays(np.random.default_rng(0), *some)
        expected = module.EXAMPLE.numpy(*inputs)
        run(*inputs, result := np.full_like(expected, np.nan))
        example.check(module.EXAMPLE, result, expected)


def example_for(cpu: str, name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example, whose tiles are those of a CPU that no machine needs to be."""
    machine = teloom.target(cpu)
    monkeypatch.setattr(teloom, "target", lambda _: machine)
    for module in ("example", name):
        monkeypatch.setitem(sys.modules, module, sys)
        monkeypatch.delitem(sys.modules, module)
    return import_module(name)


@pytest.mark.parametrize(("cpu", "bits"), [("icelake-server", 512), ("alderlake", 256)])
def test_a_tile_of_dot_products_is_an_instruction_where_there_is_one(
    cpu: str, bits: int, monkeypatch: pytest.MonkeyPatch
):
    s, arguments = example_for(cpu, "dot_tiles", monkeypatch).dot_tiles(4, 64, 16)
    text = teloom.lower(s, arguments, level="llvm", target=cpu)
    assert f"x86.avx512.vpdpbusd.{bits}" in str(text)


@pytest.mark.parametrize("cpu", ["cooperlake", "sapphirerapids", "znver4"])
def test_a_tile_of_bfloat16_is_an_instruction_where_there_is_one(
    cpu: str, monkeypatch: pytest.MonkeyPatch
):
    module = example_for(cpu, "dot_tiles_bf16", monkeypatch)
    s, arguments = module.dot_tiles_bf16(4, 64, 16)
    lowered = teloom.lower(s, arguments, level="llvm", target=cpu)
    text = llvm_text(lowered)
    assert "@llvm.x86.avx512bf16.dpbf16ps.512(<16 x float>" in text
    assert "vdpbf16ps" in assembly(text, target_of(lowered))


def test_a_wrong_number_of_sizes(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        import_module("example").main(import_module("blur").EXAMPLE, ["--size", "5"])
    assert "1 sizes, expected 2, such as 1600x2560" in capsys.readouterr().err
