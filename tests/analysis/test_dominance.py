"""A value that is used where it is not defined is found, on every way through blocks."""

import pytest
from standard_kernels import parse
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.verification.dominance import check_dominance
from teloom.dialects.faults import OpFault

BRANCHES = """
func.func @f(%p: i1, %a: i32) -> i32 {
  cf.cond_br %p, ^then, ^else
^then:
  %t = arith.addi %a, %a : i32
  cf.br ^end(%t : i32)
^else:
  %e = arith.muli %a, %a : i32
  cf.br ^end(%e : i32)
^end(%x: i32):
  %y = arith.addi %x, %a : i32
  cf.br ^last
^last:
  func.return %y : i32
}
"""

NESTED = """
func.func @f(%n: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %inner = arith.addi %i, %one : index
  }
  %after = arith.addi %n, %one : index
  func.return %after : index
}
"""


def op_named(module: ModuleOp, name: str):
    return next(op for op in module.walk() if any(r.name_hint == name for r in op.results))


@pytest.mark.parametrize("text", [BRANCHES, NESTED])
def test_what_is_in_order_is_accepted(text: str):
    check_dominance(parse(text))


@pytest.mark.parametrize(
    ("text", "user", "operand", "defined"),
    [
        (BRANCHES, "y", 1, "t"),  # one of two ways
        (BRANCHES, "e", 0, "t"),  # the other way
        (BRANCHES, "t", 0, "y"),  # behind it
        (BRANCHES, "t", 0, "t"),  # itself
        (NESTED, "after", 0, "inner"),
        (NESTED, "inner", 1, "after"),
    ],
)
def test_what_is_not_is_refused(text: str, user: str, operand: int, defined: str):
    module = parse(text)
    use, definition = op_named(module, user), op_named(module, defined)
    use.operands[operand] = definition.results[0]
    words = f"{use.name} uses %{defined}, which is not defined there"
    with pytest.raises(OpFault, match=words) as error:
        check_dominance(module)
    assert error.value.op is use


def test_blocks_that_nothing_leads_to_are_not_looked_at():
    text = BRANCHES.replace("^last:", "^lost:\n  cf.br ^last\n^last:")
    module = parse(text)
    check_dominance(module)


def test_a_loop_of_blocks():
    module = parse("""
func.func @f(%n: index) -> index {
  %zero = arith.constant 0 : index
  cf.br ^head(%zero : index)
^head(%i: index):
  %goes = arith.cmpi slt, %i, %n : index
  cf.cond_br %goes, ^body, ^end
^body:
  %next = arith.addi %i, %n : index
  cf.br ^head(%next : index)
^end:
  %last = arith.addi %i, %i : index
  func.return %last : index
}""")
    check_dominance(module)
    op_named(module, "last").operands[0] = op_named(module, "next").results[0]
    with pytest.raises(OpFault, match="%next, which is not defined there"):
        check_dominance(module)
