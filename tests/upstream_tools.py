"""Upstream MLIR's `mlir-opt`, where it is installed."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

OLDEST = 19
"""The first version whose text is that of today: `#llvm.loop_unroll`, `nuw` of index arithmetic."""


def _candidates() -> Iterator[str]:
    if (plain := shutil.which("mlir-opt")) is not None:
        yield plain
    found = [path for path in Path("/usr/bin").glob("mlir-opt-*") if path.suffix == ""]
    yield from sorted(map(str, found), reverse=True)


def _version(path: str) -> int:
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"version (\d+)", said)
    return int(number[1]) if number else 0


MLIR_OPT = next((path for path in _candidates() if _version(path) >= OLDEST), None)
"""Debian has it as mlir-22-tools."""

needs_mlir_opt = pytest.mark.skipif(
    MLIR_OPT is None, reason=f"there is no mlir-opt of version {OLDEST} or later"
)


def through_mlir_opt(text: str, *options: str) -> str:
    """What `mlir-opt` prints of a module; fails where it refuses it."""
    assert MLIR_OPT is not None
    command = [MLIR_OPT, *options]
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert made.returncode == 0, f"{made.stderr[:3000]}\n{text[:20000]}"
    return made.stdout
