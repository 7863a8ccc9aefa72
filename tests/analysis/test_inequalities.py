"""Proofs about index expressions, against all values of what they are made of."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.inequalities import Inequalities
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from tests.analysis.test_polynomials import VALUES, X, Y, divisors, expressions

boxes = st.tuples(*[st.tuples(st.integers(-4, 4), st.integers(1, 6))] * 3)
Box = tuple[tuple[int, int], ...]


def inside(box: Box) -> Inequalities:
    """What is known of the values inside of a box of their starts and extents."""
    known = Inequalities(lambda atom: False)
    for value, (start, extent) in zip(VALUES, box, strict=True):
        known.add_value((value,))
        known.add(Polynomial.of(value) - Polynomial.constant(start))
        known.add(Polynomial.constant(start + extent - 1) - Polynomial.of(value))
    return known


@given(expressions, divisors, boxes)
def test_division_means_the_same(expr: AffineExpr, divisor: int, box: Box):
    operands = OperandList(VALUES)
    (given,) = polynomials.of_exprs([expr // divisor], VALUES)
    found = polynomials.to_expr(inside(box).divided(given), operands.dim)
    for at in product(*(range(start, start + extent) for start, extent in box)):
        assert found.eval(at, ()) == (expr // divisor).eval(at, ())


def test_what_a_remainder_decides():
    known = inside(((0, 31), (0, 7), (0, 1)))
    whole, of_whole, other = polynomials.of_exprs(
        [X * 7 + Y, (X * 1518 + 216) // 217, (X * 7 + Y + 1) // 7], VALUES
    )
    assert known.divided(whole.floordiv(7)) == Polynomial.of(VALUES[0])
    assert known.divided(of_whole) == Polynomial.of(VALUES[0]).times(7)
    assert known.divided(other) == other
