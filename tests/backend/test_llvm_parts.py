"""Functions that are compiled apart: at once, and what stays the same once."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.parser import Parser

import teloom
from teloom import te
from teloom.backend.machine.codegen import machine_code
from teloom.backend.machine.llvm_parts import FEWEST, SHORTEST, llvm_parts
from teloom.driver.function import Function

FACTORS = [1.0 + layer / 8 for layer in range(9)]


def network(factors: list[float]) -> tuple[te.Schedule, list[te.Tensor]]:
    """Layers of different code, more than are left in one: the number of roots grows."""
    X = A = te.placeholder((9, 33), name="A")
    for layer, factor in enumerate(factors):

        def body(i, j, X=X, layer=layer, factor=factor):
            value = te.exp(X[i, j] * factor)
            for shift in range(layer):
                value = value + X[i, (j + shift + 1) % 33]
            return te.sqrt(value)

        X = te.compute((9, 33), body, name=f"X{layer}")
    return te.create_schedule(X), [A, X]


def expected(a: np.ndarray, factors: list[float]) -> np.ndarray:
    x = a.astype("float64")
    for layer, factor in enumerate(factors):
        turned = (np.roll(x, -shift - 1, 1) for shift in range(layer))
        x = np.sqrt(np.exp(x * factor) + sum(turned))
    return x


def check(f: Function, factors: list[float]) -> None:
    a = np.random.default_rng(0).random((9, 33), "float32")
    b = np.empty_like(a)
    f(a, b)
    np.testing.assert_allclose(b, expected(a, factors), rtol=1e-5)


def build(factors: list[float]) -> Function:
    return teloom.build(*network(factors), name="network")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The texts that LLVM compiles, with a cache that is empty."""
    monkeypatch.setenv("TELOOM_CACHE", "1")
    monkeypatch.setenv("TELOOM_CACHE_DIR", str(tmp_path))
    texts: list[str] = []
    emit = machine_code.emit_object

    def noted(text: str, *how):
        if "@teloom.network" in text or "@teloom.part" in text:  # and not what all call
            texts.append(text)
        return emit(text, *how)

    monkeypatch.setattr(machine_code, "emit_object", noted)
    return texts


def test_only_what_is_new_is_compiled(compiled: list[str]):
    check(build(FACTORS), FACTORS)
    assert len(compiled) == 1 + len(FACTORS)
    assert sum("define hidden" in text for text in compiled) == len(FACTORS)
    compiled.clear()
    changed = [*FACTORS[:4], 1.75, *FACTORS[5:]]
    check(build(changed), changed)
    # The nest that is another one, and the function that calls it.
    assert len(compiled) == 2


def test_functions_that_do_the_same_are_one_part(ctx: Context):
    """Their names are no part of what they do, so there is one text, and one declaration."""
    body = "\n".join([f"    %{k} = llvm.add %{k - 1}, %0 : i32" for k in range(1, SHORTEST + 1)])
    functions = "\n".join(
        f"""
  llvm.func internal @nest{number}() -> i32 attributes {{no_inline}} {{
    %0 = llvm.mlir.constant(1 : i32) : i32
{body}
    llvm.return %{SHORTEST} : i32
  }}
  llvm.func @call{number}() -> i32 {{
    %r = llvm.call @nest{number}() : () -> i32
    llvm.return %r : i32
  }}"""
        for number in range(FEWEST)
    )
    module = Parser(ctx, f"builtin.module {{{functions}\n}}").parse_module()
    rest, part = llvm_parts(module, {}, "")
    (symbol,) = re.findall(r"define hidden i32 (@[\w.]+)\(", part)
    assert rest.count("declare i32") == 1
    assert rest.count(f"call i32 {symbol}(") == FEWEST


def test_a_short_program_is_one_module(compiled: list[str]):
    check(build(FACTORS[:3]), FACTORS[:3])
    assert len(compiled) == 1


def test_damaged_code_is_compiled_again(compiled: list[str], tmp_path: Path):
    build(FACTORS)
    for entry in tmp_path.iterdir():
        entry.write_bytes(entry.read_bytes()[:-1] + b"?")
    compiled.clear()
    check(build(FACTORS), FACTORS)
    assert len(compiled) == 1 + len(FACTORS)


def test_the_source_is_one_module():
    f = build(FACTORS)
    lines = f.source("llvm-ir").splitlines()
    assert sum(line.startswith("define ") for line in lines) == 1 + len(FACTORS)
    assert all(f"network.nest{number}" in f.source("asm") for number in range(len(FACTORS)))


def test_lines_of_the_program_are_of_one_module(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TELOOM_DEBUG_INFO", "1")
    check(build(FACTORS), FACTORS)
    assert len(compiled) == 1


def test_several_threads_compile_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_CACHE", "0")
    programs = [[factor + number / 16 for factor in FACTORS] for number in range(3)]
    with ThreadPoolExecutor(3) as pool:
        for factors, f in zip(programs, pool.map(build, programs), strict=True):
            check(f, factors)
