"""What type checkers and editors are told of the public names."""

import inspect
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from stubs import STUBS

import teloom
from teloom import te
from teloom.frontend.schedule.schedules import Stage

USE = """
import teloom
from teloom import te

A = te.placeholder((8, 8), name="A")
r = te.reduce_axis((0, 8), "r")
C = te.compute((8,), lambda i: te.sum(A[i, r], axis=r), name="C")
low, high = te.compute((8, 8), lambda i, j: (A[i, j] - 1, te.exp(A[i, j])), name="T")
s = te.create_schedule(C)
outer, inner = s[C].split(C.op.axis[0], factor=4)
s[C].vectorize(inner)
cache = s.cache_read(A, "local", [C])
s[cache].compute_at(s[C], outer)
relation = s[C].relations[0]
if isinstance(relation, te.schedule.Split):
    print(relation.outer.name)
f = teloom.build(s, [A, C], "llvm", name="f")
print(f.source("asm").splitlines(), teloom.__version__)
"""

MISTAKES = {
    "s[C].vectorise(inner)": "reportAttributeAccessIssue",
    "s[C].split(outer, factr=8)": "reportCallIssue",
    "s[C].split(3, factor=8)": "reportArgumentType",
    "s[C].compute_at(outer, s[C])": "reportArgumentType",
    "te.exq(A[0, 0])": "reportAttributeAccessIssue",
    "A[0, 0].astyp('int8')": "reportAttributeAccessIssue",
    "teloom.buld(s, [A, C])": "reportAttributeAccessIssue",
    "teloom.build(s, [A, C], nam='f')": "reportCallIssue",
    "f.sourc('asm')": "reportAttributeAccessIssue",
    "te.schedule.Splt": "reportAttributeAccessIssue",
}


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.name)
def test_stubs_are_up_to_date(stub: Path):
    assert stub.read_text() == STUBS[stub](), "run python tests/stubs.py"


def test_every_name_of_te_is_exported():
    public = {name for name in vars(te) if not name.startswith("_")} | {*te._LAZY}
    assert set(te.__all__) == public - {"Any", "TYPE_CHECKING", "OF_TE", "loaded", "missing"}
    assert len(set(te.__all__)) == len(te.__all__)
    assert dir(te) == sorted(te.__all__)


def test_every_method_of_a_stage_is_declared():
    stub = next(file.read_text() for file in STUBS if file.name == "stage_methods.pyi")
    for name, method in inspect.getmembers(Stage, inspect.isfunction):
        own = name in vars(Stage)
        assert own or f"def {name}(" in stub, name
        for parameter in () if own else inspect.signature(method).parameters:
            assert parameter in stub


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is in the extra lint")
def test_pyright_knows_all_names(tmp_path: Path):
    lines = [*USE.splitlines(), *MISTAKES]
    (tmp_path / "use.py").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run([*command, "use.py"], cwd=tmp_path, capture_output=True, text=True)
    found = {
        lines[one["range"]["start"]["line"]]: one.get("rule", one["message"])
        for one in json.loads(done.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    }
    assert found == MISTAKES


def test_the_names_of_the_package_are_there():
    assert all(hasattr(teloom, name) for name in teloom.__all__)
