"""The canonical form of an affine expression is equal to it, and its own form."""

import random

from budget import EXAMPLES
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.canonical import canonical

DIMS = 3
NUMBERS = st.integers(-9, 9)
DIVISORS = st.sampled_from([1, 2, 3, 4, 6, 8, 12])


def grown(inner: st.SearchStrategy[AffineExpr]) -> st.SearchStrategy[AffineExpr]:
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, c: a * c, inner, NUMBERS),
        st.builds(lambda a, d: a // d, inner, DIVISORS),
        st.builds(lambda a, d: a % d, inner, DIVISORS),
        st.builds(lambda a, d: a.ceil_div(d), inner, DIVISORS),
    )


EXPRESSIONS = st.recursive(
    st.one_of(st.integers(0, DIMS - 1).map(AffineExpr.dimension), NUMBERS.map(AffineExpr.constant)),
    grown,
    max_leaves=8,
)


X, Y, Z = map(AffineExpr.dimension, range(DIMS))


@settings(max_examples=5 * EXAMPLES)
@given(EXPRESSIONS, st.integers())
# What is left of one quotient beside it can be a part of another one.
@example((X % 3 * -1 + -3 + Z * 4) % 6, 0)
@example(Y // 12 % 8 * 6 + (Z * -1 + 9) // 3 + Y // 2, 0)
@example((Z - Y) % 3 + Y.ceil_div(6) * 6, 0)
def test_is_equal_everywhere_and_its_own_form(expr: AffineExpr, seed: int):
    simple = canonical(expr)
    assert canonical(simple) == simple
    choices = random.Random(seed)
    for _ in range(30):
        point = [choices.randrange(-40, 40) for _ in range(DIMS)]
        assert simple.eval(point, []) == expr.eval(point, []), point
