"""What an operation says, told apart from all that says something else."""

import pytest
from standard_kernels import parse

from teloom.analysis.structure import structure_of

TEXT = """
func.func @f(%a: i32, %b: memref<4xf32>, %c: i1) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.constant 0.0 : f32
  %2 = arith.constant 1 : index
  memref.store %1, %b[%2] : memref<4xf32>
  cf.cond_br %c, ^x, ^y
^x:
  func.return %0 : i32
^y:
  func.return %a : i32
}
"""


def test_layout_and_locations_do_not_count():
    other = TEXT.replace("\n", "\n\n").replace(
        "addi %a, %a : i32", 'addi %a, %a : i32 loc("f":1:2)'
    )
    assert structure_of(parse(TEXT), names=True) == structure_of(parse(other), names=True)


def test_names_count_where_they_are_asked_for():
    other = TEXT.replace("%a", "%n")
    assert structure_of(parse(TEXT)) == structure_of(parse(other))
    assert structure_of(parse(TEXT), names=True) != structure_of(parse(other), names=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@f", "@g"),
        ("0.0", "-0.0"),
        ("0.0", "1.0e-30"),
        ("%a, %a : i32", "%a, %a overflow<nsw> : i32"),
        ("arith.addi", "arith.muli"),
        ("[%2] : memref<4xf32>", "[%2] {nontemporal = true} : memref<4xf32>"),
        ("^x, ^y", "^y, ^x"),
        ("4xf32", "5xf32"),
        ("%0 : i32\n^y", "%a : i32\n^y"),
        (
            "%1 = arith.constant 0.0 : f32\n  %2 = arith.constant 1 : index",
            "%2 = arith.constant 1 : index\n  %1 = arith.constant 0.0 : f32",
        ),
    ],
)
def test_all_else_counts(old: str, new: str):
    assert old in TEXT
    assert structure_of(parse(TEXT)) != structure_of(parse(TEXT.replace(old, new)))


def test_where_an_operation_stands_counts():
    inside = """
    func.func @f(%c: i1) {
      scf.if %c {
        %0 = arith.constant 1 : i32
      }
      func.return
    }"""
    behind = """
    func.func @f(%c: i1) {
      scf.if %c {
      }
      %0 = arith.constant 1 : i32
      func.return
    }"""
    assert structure_of(parse(inside)) != structure_of(parse(behind))
