"""How many instructions LLVM gets of an unrolled loop, beside how many there are."""

import pytest
from xdsl.dialects import math
from xdsl.ir import Operation

import teloom
from teloom.analysis.unrolled_size import instructions
from teloom.passes.elementary.accuracy import FUNCTIONS


def unrolled(op: type[Operation], count: int) -> str:
    """`count` iterations of a function of floats."""
    operands = ", ".join("%a" for _ in op.get_irdl_definition().operands)
    return f"""
func.func @f(%A: memref<{count}xf32>) {{
  loop.for %i = 0 to {count} unrolled {{
    %a = memref.load %A[%i] : memref<{count}xf32>
    %b = {op.name} {operands} : f32
    memref.store %b, %A[%i] : memref<{count}xf32>
  }}
  func.return
}}"""


def lines(op: type[Operation], count: int) -> int:
    return teloom.compile(unrolled(op, count)).source("llvm-ir").count("\n")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_counts_as_what_it_becomes(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_SANITIZE", "")  # nothing is called
    op = FUNCTIONS[name].op
    each = (lines(op, 4) - lines(op, 2)) / 2
    assert each / 2 <= instructions(op.create()) <= each * 2


@pytest.mark.parametrize("op", [math.SqrtOp, math.FloorOp, math.FmaOp, math.AbsFOp])
def test_what_machines_have_is_one_instruction(op: type[Operation]):
    assert instructions(op.create()) == 1
