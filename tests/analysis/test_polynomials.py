"""Index expressions as polynomials: equal ones are one, and mean what they meant."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.test import TestOp
from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine import polynomials
from teloom.dialects.affine.operands import OperandList

VALUES = TestOp.create(result_types=[IndexType()] * 3).results
X, Y, Z = (AffineExpr.dimension(position) for position in range(3))

divisors = st.integers(1, 12)
expressions = st.recursive(
    st.one_of(st.sampled_from([X, Y, Z]), st.integers(-20, 20).map(AffineExpr.constant)),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, c: a * c, inner, st.integers(-6, 6)),
        st.builds(lambda a, d: a // d, inner, divisors),
        st.builds(lambda a, d: a % d, inner, divisors),
        st.builds(lambda a, d: a.ceil_div(d), inner, divisors),
    ),
    max_leaves=8,
)
numbers = st.tuples(*[st.integers(-100, 100)] * 3)


def rebuilt(expr: AffineExpr) -> tuple[AffineExpr, list[int]]:
    """The expression again, and which of the values its dimensions stand for."""
    (polynomial,) = polynomials.of_exprs([expr], VALUES)
    operands = OperandList()
    again = polynomials.to_expr(polynomial, operands.dim)
    return again, [VALUES.index(value) for value in operands.values]


@given(expressions, numbers)
def test_means_the_same(expr: AffineExpr, at: tuple[int, ...]):
    again, used = rebuilt(expr)
    assert again.eval([at[k] for k in used], ()) == expr.eval(at, ())


@given(expressions, divisors)
def test_quotient_and_remainder_make_the_whole(expr: AffineExpr, divisor: int):
    whole, parts = polynomials.of_exprs([expr, expr // divisor * divisor + expr % divisor], VALUES)
    assert whole == parts
    assert hash(whole) == hash(parts)


@given(expressions, expressions, numbers)
def test_substitution(expr: AffineExpr, new: AffineExpr, at: tuple[int, ...]):
    polynomial, replacement = polynomials.of_exprs([expr, new], VALUES)
    operands = OperandList(VALUES)
    result = polynomials.to_expr(polynomial.substitute(VALUES[1], replacement), operands.dim)
    assert result.eval(at, ()) == expr.eval((at[0], new.eval(at, ()), at[2]), ())


def test_nested_divisions_are_one():
    once, twice = polynomials.of_exprs([X // 12, (X // 3) // 4], VALUES)
    assert once == twice


def test_products_are_written_in_their_order_and_equal_in_any():
    """Values are in no order of their own but where they lie in memory."""
    values = TestOp.create(result_types=[IndexType()] * 8).results
    for first, second in permutations(values, 2):
        one, other = polynomials.Polynomial.of(first), polynomials.Polynomial.of(second)
        ((*written,),) = (one * other).terms
        assert written == [first, second]
        assert one * other == other * one
        assert (one * other - other * one).as_constant() == 0
        assert one * one != one * other
