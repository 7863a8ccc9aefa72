"""The programs that are compared: those of the tests, the examples and the benchmarks."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import lit.TestRunner
from lit_format import without_debug_mark
from test_lit import lit_tests

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
COLLECT = "TELOOM_REPLAY_COLLECT"
"""The environment variable that says where `recording` leaves what tests lower."""


class Program(NamedTuple):
    """A text that passes are run on: at level `te`, or the commands of a test on textual IR."""

    name: str
    text: str
    options: dict[str, dict[str, Any]]
    commands: list[str]


def collected(jobs: int) -> list[Program]:
    """All programs, each once: runs the tests with all their cases, to see what they lower."""
    found: dict[tuple[str, str, str], Program] = {}
    for program in (*_lowered_by_tests(jobs), *_of_benchmarks(), *_of_lit_tests()):
        same = program.text, json.dumps(program.options), "\n".join(program.commands)
        found.setdefault(same, program)
    return sorted(found.values())


def _lowered_by_tests(jobs: int) -> list[Program]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", str(jobs), "-p", "replay.recording"],
            cwd=ROOT,
            env={**os.environ, "TELOOM_TESTS": "all", COLLECT: folder, "PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
        )
        lines = [line for file in Path(folder).iterdir() for line in file.open()]
    return sorted(Program(*json.loads(line)) for line in lines)


def _of_benchmarks() -> Iterator[Program]:
    sys.path.insert(0, str(BENCHMARKS))
    for name, row in runpy.run_path(str(BENCHMARKS / "bounds.py"))["ROWS"].items():
        yield Program(f"benchmarks/bounds.py: {name}", str(row.program().module), {}, [])


def _of_lit_tests() -> Iterator[Program]:
    for test in lit_tests():
        script = lit.TestRunner.parseIntegratedTestScript(test)
        path = "/".join(test.path_in_suite)
        text = Path(test.getSourcePath()).read_text()
        # What looks at the text: what is printed is compared as a whole.
        commands = [
            without_debug_mark(line.command).split("| filecheck")[0].strip() for line in script
        ]
        if "REQUIRES-PROCESS" not in text:
            yield Program(path, text, {}, commands)
