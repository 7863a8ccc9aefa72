"""Machine code that says which lines of the program it comes from, where that is asked for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

import teloom
from teloom import te
from teloom.backend.machine import elf
from teloom.backend.machine.codegen import machine_code
from teloom.backend.machine.cpus import target
from teloom.errors import Error
from teloom.locations import location_of

HERE = Path(__file__)


def line_of(text: str) -> int:
    """The line of this file that holds a text, the first one."""
    return next(n for n, line in enumerate(HERE.read_text().splitlines(), 1) if text in line)


def scheduled() -> tuple[te.Schedule, list[te.Tensor]]:
    A = te.placeholder((40, 70), name="A")
    r = te.reduce_axis((0, 70), name="r")
    B = te.compute((40,), lambda i: te.sum(A[i, r], axis=r), name="B")  # the sum
    C = te.compute((40,), lambda i: te.exp(B[i]), name="C")  # the power
    s = te.create_schedule(C.op)
    s[C].parallel(C.op.axis[0])
    return s, [A, C]


def lowered() -> ModuleOp:
    return teloom.lower(*scheduled(), name="f", level="llvm", target=target("x86-64-v3"))


def lines_in(text: str) -> set[int]:
    """The lines of the program that assembly says."""
    return {int(line) for line in re.findall(r"^\t\.loc\t1 (\d+)", text, re.MULTILINE)}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_DEBUG_INFO", "1")


def test_places_survive_to_the_llvm_level():
    found: set[int] = set()
    for function in lowered().ops:
        assert isinstance(function, llvm.FuncOp)
        if function.sym_name.data not in ("f", "f.parallel0"):
            continue  # elementary functions, and what calls for threads
        for op in function.body.walk():
            if not isinstance(op, llvm.LoadOp | llvm.StoreOp | llvm.FAddOp):
                continue
            place = location_of(op)
            assert place is not None
            assert place.filename.data == str(HERE)
            found.add(place.line.data)
    assert {line_of("# the sum"), line_of("# the power")} <= found


def test_lines_in_machine_code(asked: None):
    f = teloom.build(*scheduled(), name="f")
    assembly = f.source("asm")
    assert f'.file\t1 "{HERE.parent}" "{HERE.name}"' in assembly
    assert {line_of("# the sum"), line_of("# the power")} <= lines_in(assembly)


def test_nothing_is_said_that_nobody_asks_for():
    f = teloom.build(*scheduled(), name="f")
    assert ".loc" not in f.source("asm")
    assert "!DILocation" not in f.source("llvm-ir")


def test_results_are_the_same(asked: None):
    a = np.random.default_rng(0).random((40, 70), dtype="float32") / 10
    c = np.zeros(40, "float32")
    teloom.build(*scheduled(), name="f")(a, c)
    np.testing.assert_allclose(c, np.exp(a.sum(axis=1)), rtol=1e-5)


def test_lines_in_a_library(asked: None, tmp_path: Path):
    teloom.build(*scheduled(), name="f").export(tmp_path / "f.o", ["x86-64-v3", "x86-64"])
    data = (tmp_path / "f.o").read_bytes()
    assert b".debug_line" in data
    assert HERE.name.encode() in data


def test_perf_finds_the_functions(asked: None):
    file = Path(f"/tmp/perf-{os.getpid()}.map")
    before = file.read_text() if file.exists() else ""
    f = teloom.build(*scheduled(), name="listed")
    added = file.read_text().removeprefix(before)
    listed = {name: int(at, 16) for at, _, name in map(str.split, added.splitlines())}
    assert listed["teloom.listed"] == f.kernel._library.address("teloom.listed")
    assert any("parallel" in name for name in listed)
    file.unlink()


DEBUGGED = """
import numpy as np
import teloom
from teloom import te
A = te.placeholder((8, 70), name="A")
B = te.compute((8, 70), lambda i, j: A[i, j] + 1, name="B")
s = te.create_schedule(B.op)
s[B].parallel(B.op.axis[0])
add_one = teloom.build(s, [A, B], name="add_one", num_threads=1)
add_one(np.zeros((8, 70), "float32"), np.zeros((8, 70), "float32"))
"""

COMMANDS = """
set breakpoint pending on
break add_one.parallel0
run
backtrace 12
"""


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs Debian's package gdb")
def test_gdb_stops_in_code_of_this_process(asked: None, tmp_path: Path):
    (tmp_path / "program.py").write_text(DEBUGGED.lstrip("\n"))
    (tmp_path / "commands").write_text(COMMANDS)
    command = ["gdb", "-nx", "-batch", "-x", "commands", "--args", sys.executable, "program.py"]
    unchecked = os.environ | {"TELOOM_SANITIZE": ""}
    done = subprocess.run(
        command, cwd=tmp_path, env=unchecked, capture_output=True, text=True, timeout=300
    )
    assert re.search(r"^Thread .* hit Breakpoint 1, add_one\.parallel0 \(", done.stdout, re.M), done
    assert re.search(r"^#0  add_one\.parallel0 \(\) at .*program\.py:5$", done.stdout, re.M), done
    assert re.search(r"^#\d+ .* add_one \(\) at .*program\.py:\d$", done.stdout, re.M), done


def test_functions_of_an_object():
    text = "define i32 @f() { ret i32 1 }\ndefine i32 @g() { ret i32 2 }"
    code = machine_code.emit_object(text, target("x86-64"))
    assert {one.name for one in elf.functions(code)} == {"f", "g"}
    assert [*elf.functions(b"no object")] == []


def test_another_word_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_DEBUG_INFO", "yes")
    with pytest.raises(Error, match=r"^TELOOM_DEBUG_INFO is 'yes'; it must be 0 or 1$"):
        teloom.build(*scheduled(), name="f")
