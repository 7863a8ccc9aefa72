"""The methods that docs/extending.md names, of the objects that rules of plug-ins get."""

import re
from pathlib import Path

import pytest

from teloom.backend.c.writer import FunctionWriter
from teloom.backend.interpreter.externs import ExternRun
from teloom.passes.lanes.lanes import LaneWriter
from teloom.passes.llvm.builder import Builder

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"


@pytest.mark.parametrize("kind", [Builder, LaneWriter, FunctionWriter, ExternRun])
def test_the_methods_that_are_named_are_there(kind: type):
    (row,) = re.findall(rf"^\| `{kind.__name__}`, of .*? \| (.*) \|$", PAGE.read_text(), re.M)
    named = re.findall(r"(?<![\w.])(\w+)\(", " ".join(re.findall(r"`(.*?)`", row)))
    assert named
    assert [name for name in named if not hasattr(kind, name)] == []
