"""An op of another package that is no scalar function gets a rule in each step that meets it."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest
from xdsl.dialects import cf
from xdsl.ir import Block, Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, traits_def
from xdsl.traits import IsTerminator
from xdsl.universe import Universe

import teloom
from teloom.backend.machine.llvm_ir.function_text import FunctionText
from teloom.backend.machine.llvm_text import PRINTERS
from teloom.dialects.interfaces import Rules, ScalarOp
from teloom.driver import registry
from teloom.passes.llvm.builder import Builder
from teloom.passes.llvm.lower_scf import BLOCKS, Flattener
from teloom.passes.llvm.lower_to_llvm import CONVERSIONS


@irdl_op_definition
class TwiceOp(IRDLOperation):
    """Runs its region twice."""

    name = "other.twice"

    body = region_def("single_block")

    assembly_format = "$body attr-dict"


@irdl_op_definition
class EndOp(IRDLOperation):
    """Ends the region."""

    name = "other.end"

    assembly_format = "attr-dict"

    traits = traits_def(IsTerminator())


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Orders what is stored before and behind it."""

    name = "other.fence"

    assembly_format = "attr-dict"


def run_twice(flattener: Flattener, op: TwiceOp) -> None:
    for body in (op.body, op.body.clone()):
        flattener.current.add_op(cf.BranchOp(body.block))
        flattener.inline_region(body)
    end = Block()
    flattener.current.add_op(cf.BranchOp(end))
    flattener.begin_behind(op, end, ())


def keep(op: FenceOp, builder: Builder) -> None:
    builder.block.add_op(op)


def fence(text: FunctionText, op: FenceOp) -> None:
    text.line("  fence seq_cst")


TEXT = """\
func.func @f(%A: memref<1xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  other.twice {
    other.twice {
      %a = memref.load %A[%zero] : memref<1xi32>
      %b = arith.addi %a, %one : i32
      memref.store %b, %A[%zero] : memref<1xi32>
      other.end
    }
    other.fence
    other.end
  }
  func.return
}
"""


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Universe(all_dialects={"other": lambda: Dialect("other", [TwiceOp, EndOp, FenceOp])})
    monkeypatch.setattr(EntryPoint, "load", lambda self: other)
    entry = EntryPoint("other", "tests:other", "xdsl.universe")
    monkeypatch.setattr(registry, "installed_plugins", lambda: [entry])
    for table, kind, rule in (
        (BLOCKS, TwiceOp, run_twice),
        (CONVERSIONS, FenceOp, keep),
        (PRINTERS, FenceOp, fence),
    ):
        monkeypatch.setitem(table, kind, rule)


@pytest.mark.usefixtures("plugin")
def test_a_region_and_an_instruction_by_rules():
    function = teloom.compile(TEXT)
    assert function.source("llvm-ir").count("fence seq_cst") == 2
    a = np.array([3], "int32")
    function(a)
    assert a == 7


@pytest.mark.usefixtures("plugin")
def test_a_rule_may_write_inline_assembly(monkeypatch: pytest.MonkeyPatch):
    def nop(text: FunctionText, op: FenceOp) -> None:
        text.line('  call void asm sideeffect "nop", ""()')

    monkeypatch.setitem(PRINTERS, FenceOp, nop)
    a = np.array([3], "int32")
    teloom.compile(TEXT)(a)
    assert a == 7


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("table", "kind", "words"),
    [
        (BLOCKS, TwiceOp, "after lower-scf: region 'body' at position 0 expected a single block"),
        (CONVERSIONS, FenceOp, "cannot lower other.fence"),
        (PRINTERS, FenceOp, "LLVM IR has no text for other.fence"),
    ],
)
def test_without_a_rule_it_is_refused(monkeypatch: pytest.MonkeyPatch, table, kind, words: str):
    monkeypatch.delitem(table, kind)
    with pytest.raises(teloom.Error, match=words):
        teloom.compile(TEXT)


def test_a_rule_of_its_own_goes_before_that_of_a_base_class():
    rules: Rules[str] = Rules({IRDLOperation: "any"})
    assert rules[TwiceOp] == "any"
    rules[TwiceOp] = "twice"
    assert (rules[TwiceOp], rules[FenceOp], rules[int]) == ("twice", "any", None)


def test_a_rule_holds_for_classes_that_were_looked_up_before():
    rules: Rules[str] = Rules()
    assert rules[TwiceOp] is None
    rules[IRDLOperation] = "any"
    assert rules[TwiceOp] == "any"
    del rules[IRDLOperation]
    assert rules[TwiceOp] is None


def test_a_base_class_without_a_rule_hides_none_of_another():
    class Inherits(FenceOp, ScalarOp):
        pass

    rules: Rules[str] = Rules({ScalarOp: "scalar"})
    assert (rules[FenceOp], rules[Inherits]) == (None, "scalar")


def test_a_rule_is_for_a_class():
    with pytest.raises(teloom.Error, match=r"a rule is for the class of an op, got 'other\.fence'"):
        CONVERSIONS["other.fence"] = keep  # pyright: ignore
