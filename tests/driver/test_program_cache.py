"""A program that was compiled before is found by what it says, and no pass runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import teloom
from teloom import te
from teloom.backend.machine import cpus
from teloom.driver import program_cache
from teloom.driver.runner import Runner
from teloom.passes.loops import apply_pragmas

n = te.var("n")


class Made:
    """A program, and how it is built."""

    def __init__(self):
        self.constant, self.vectorized, self.asked, self.name = 1.0, False, {}, "A"

    def build(self) -> teloom.driver.function.Function:
        A = te.placeholder((16,), name=self.name)
        B = te.compute((16,), lambda i: A[i] + self.constant, name="B")
        C = te.compute((16,), lambda i: B[i] * A[15 - i], name="C")
        s = te.create_schedule(C)
        if self.vectorized:
            s[B].vectorize(B.op.axis[0])
        if self.asked.get("binds"):
            self.asked["binds"] = {A: te.decl_buffer((16,), name="A", data_alignment=64)}
        return teloom.build(s, [A, C], **{"name": "f", **self.asked})


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TELOOM_SANITIZE", "")
    monkeypatch.setenv("TELOOM_VERIFY", "0")
    monkeypatch.setenv("TELOOM_CACHE", "1")
    monkeypatch.setenv("TELOOM_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passes that have run."""
    names: list[str] = []
    run = Runner.run

    def told(self: Runner, module: ModuleOp, steps: list[ModulePass]) -> None:
        names.extend(step.name for step in steps)
        run(self, module, steps)

    monkeypatch.setattr(Runner, "run", told)
    return names


def found(passes: list[str], make: Callable[[], Any]) -> bool:
    """Whether `make` runs no pass."""
    passes.clear()
    make()
    return not passes


def test_the_second_time_no_pass_runs(passes: list[str]):
    assert not found(passes, Made().build)
    assert found(passes, Made().build)
    first, second = (np.zeros(16, "float32") for _ in range(2))
    a = np.arange(16, dtype="float32")
    Made().build()(a, first)
    np.testing.assert_array_equal(first, (a + 1) * a[::-1])
    with pytest.raises(teloom.CallError, match="argument A has dtype int64"):
        Made().build()(np.zeros(16, "int64"), second)


def test_levels_are_made_when_they_are_asked_for(passes: list[str]):
    before, after = Made().build(), Made().build()
    for level in ("te", "loop", "llvm", "llvm-ir", "asm"):
        passes.clear()
        assert after.source(level) == before.source(level)
        assert bool(passes) == (level != "te")


@dataclass(frozen=True)
class Nothing(ModulePass):
    """A pass of somebody else, which does nothing."""

    name = "nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@pytest.mark.parametrize(
    "change",
    [
        {"constant": 2.0},
        {"vectorized": True},
        {"name": "X"},
        {"asked": {"name": "g"}},
        {"asked": {"alignment": 128}},
        {"asked": {"budget": 50_000}},
        {"asked": {"math": "fast"}},
        {"asked": {"options": {"buffer-reuse": {"in_place": False}}}},
        {"asked": {"passes": {"loop": "cse"}}},
        {"asked": {"passes": {"memref": "cse"}}},
        {"asked": {"target": "x86-64"}},
        {"asked": {"binds": True}},
    ],
)
def test_what_decides_the_code_counts(passes: list[str], change: dict[str, Any]):
    assert not found(passes, Made().build)
    other = Made()
    vars(other).update(change)
    assert not found(passes, other.build)
    assert found(passes, other.build)


def test_the_machine_and_the_versions_count(passes: list[str], monkeypatch: pytest.MonkeyPatch):
    assert not found(passes, Made().build)
    with monkeypatch.context() as patched:
        patched.setenv("TELOOM_CPU", "x86-64")
        assert not found(passes, Made().build)
    with monkeypatch.context() as patched:
        patched.setattr(program_cache, "_versions", lambda: ("another",))
        assert not found(passes, Made().build)
    with monkeypatch.context() as patched:
        here = cpus.host()
        patched.setattr(cpus, "host", lambda: replace(here, line_bytes=2 * here.line_bytes))
        assert not found(passes, Made().build)
    assert found(passes, Made().build)


def test_a_note_with_a_hook_of_others_is_handed_over_each_time(
    passes: list[str], monkeypatch: pytest.MonkeyPatch
):
    def build(note: str):
        A = te.placeholder((16,), name="A")
        B = te.compute((16,), lambda i: A[i] * 3, name="B")
        s = te.create_schedule(B)
        s[B].pragma(B.op.axis[0], note, 1)
        teloom.build(s, [A, B])

    for note in ("tests.note", "unroll_explicit"):
        assert not found(passes, lambda note=note: build(note))
        assert found(passes, lambda note=note: build(note))
    called = []
    monkeypatch.setitem(apply_pragmas.PRAGMAS, "tests.note", lambda op, value: called.append(op))
    for _ in range(2):
        assert not found(passes, lambda: build("tests.note"))
    assert len(called) == 2
    assert found(passes, lambda: build("unroll_explicit"))


def test_every_file_of_the_package_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "one.py").write_text("1")
    monkeypatch.setattr(program_cache, "_PACKAGE", tmp_path)
    versions = program_cache._versions.__wrapped__
    before = versions()
    (tmp_path / "one.py").write_text("12")
    assert versions() != before


@pytest.mark.parametrize("passes_of_others", [Nothing, Nothing()])
def test_a_pass_of_others_runs_each_time(passes: list[str], passes_of_others: object):
    made = Made()
    made.asked = {"passes": {"loop": passes_of_others}}
    assert not found(passes, made.build)
    assert not found(passes, made.build)


@pytest.mark.parametrize(
    ("switch", "value"),
    [("DEBUG", "1"), ("PRINT", "after"), ("VERIFY", "1"), ("SANITIZE", "memory"), ("CACHE", "0")],
)
def test_who_asks_what_passes_do_is_told(
    passes: list[str], monkeypatch: pytest.MonkeyPatch, switch: str, value: str
):
    assert not found(passes, Made().build)
    monkeypatch.setenv(f"TELOOM_{switch}", value)
    assert not found(passes, Made().build)


def test_what_passes_remarked_is_said_again_of_an_equal_program(passes: list[str]):
    A = te.placeholder((16,), name="A")
    alike = [
        te.compute((16,), lambda i: A[i] + 1, name="B"),
        te.compute((16,), lambda i: A[i] + 1, name="B"),
    ]
    lines: list[int] = []
    for B in alike:
        C = te.compute((16,), lambda i, B=B: B[i] * A[15 - i], name="C")
        program, passes[:] = te.create_schedule(C), []
        with pytest.warns(teloom.Remark, match='"B" is computed as a box, as asked') as told:
            teloom.build(program, [A, C], mode="box", name="f")
        lines += [one.lineno for one in told if '"B"' in str(one.message)]
    assert not passes
    assert lines[1] == lines[0] + 1


def test_damage_is_mended(place: Path, passes: list[str]):
    assert not found(passes, Made().build)
    recipes = [entry for entry in place.iterdir() if b"Recipe" in entry.read_bytes()]
    (objects,) = (
        entry
        for entry in place.iterdir()
        if entry.name in pickle.loads(recipes[0].read_bytes()[32:]).recipes[0].codes
    )
    objects.unlink()
    assert not found(passes, Made().build)
    assert found(passes, Made().build)
    (entry,) = recipes
    entry.write_bytes(entry.read_bytes()[:-1] + b"?")
    assert not found(passes, Made().build)
    assert found(passes, Made().build)


def test_what_a_kernel_needs_is_there(passes: list[str]):
    """Memory of its own, a size from a shape, a function of Python, an assertion."""

    def made(factor: float) -> teloom.driver.function.Function:
        A = te.placeholder((n, 1 << 12), name="A")
        B = te.compute((n, 1 << 12), lambda i, j: A[i, j] + 1, name="B")
        C = te.compute((n, 1 << 12), lambda i, j: B[n - 1 - i, j], name="C")

        def doubled(given, out):
            if given[0, 0] < 0:
                raise ValueError("below 0")
            out[...] = given * factor

        D = te.extern(
            (n, 1 << 12),
            [C],
            lambda ins, outs: te.call_packed(doubled, ins[0], outs[0]),
            name="D",
            dtype="float32",
        )
        return teloom.build(te.create_schedule(D), [A, D], name="f")

    assert not found(passes, lambda: made(2.0))
    a = np.arange(2 << 12, dtype="float32").reshape(2, -1)
    d = np.empty_like(a)
    passes.clear()
    f = made(3.0)
    assert not passes
    f(a, d)
    np.testing.assert_array_equal(d, (a[::-1] + 1) * 3)
    with pytest.raises(teloom.KernelError, match="below 0"):
        f(-a - 2, d)
