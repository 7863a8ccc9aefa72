"""What is said of index values in loops of constant bounds holds at every iteration."""

from itertools import product

from analysis.index_nests import applied, nest, random_bounds, random_expr, seeds, value_at
from xdsl.dialects.affine import ApplyOp
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.index.ranges import range_of, settle
from teloom.dialects import loop
from teloom.dialects.affine import polynomials


def of_expr(bounds, expr: AffineExpr) -> tuple[polynomials.Polynomial, list[dict]]:
    """The polynomial of an expression in loops, and where its values are at each iteration."""
    module = nest(bounds, [expr])
    (value,) = applied(module)
    assert isinstance(value.owner, ApplyOp)
    counters = [op.induction_variable for op in module.walk() if isinstance(op, loop.ForOp)]
    (found,) = polynomials.of_exprs(value.owner.map.data.results, value.owner.operands)
    ranges = [range(first, end) for first, end in bounds]
    return found, [dict(zip(counters, at, strict=True)) for at in product(*ranges)]


def test_values_stay_in_their_range():
    exact = 0
    for chosen in seeds(80):
        found, everywhere = of_expr(random_bounds(chosen, 2), random_expr(chosen, 2))
        values = [value_at(found, at) for at in everywhere]
        range = range_of(found.terms.items())
        assert range is not None
        assert range[0] <= min(values)
        assert max(values) <= range[1]
        exact += range == (min(values), max(values))
    assert exact > 20


def test_a_linear_sum_has_the_range_of_its_ends():
    i, j = AffineExpr.dimension(0), AffineExpr.dimension(1)
    found, _ = of_expr([(2, 5), (-1, 3)], i * 3 - j * 2 + 1)
    assert range_of(found.terms.items()) == (6 - 4 + 1, 12 + 2 + 1)


def test_nothing_is_said_of_what_has_no_constant_bounds():
    module = nest([(0, 8)], [AffineExpr.dimension(0)])
    (counter,) = (op.induction_variable for op in module.walk() if isinstance(op, loop.ForOp))
    form = polynomials.Polynomial.of(counter)
    assert range_of(form.terms.items()) == (0, 7)
    assert range_of((form * form).terms.items()) is None


def test_settled_quotients_mean_what_they_meant():
    changed = 0
    for chosen in seeds(100):
        # Rows of eight elements and of fewer, as split loops have them.
        inner = (0, chosen.choice([4, 6, 8]))
        expr = AffineExpr.dimension(0) * 8 * chosen.randint(1, 2) + AffineExpr.dimension(1)
        quotient = (expr + chosen.randint(-1, 2)) // chosen.choice([4, 8, 16])
        found, everywhere = of_expr([(-3, 5), inner], quotient * 3 + random_expr(chosen, 2))
        settled = settle(found)
        changed += settled != found
        for at in everywhere:
            assert value_at(settled, at) == value_at(found, at)
    assert changed > 20


def test_what_is_lost_in_rounding_is_left_out():
    """(8i + j) floordiv 8 is i, and (8i + j) floordiv 16 is i floordiv 2, for j in 0 .. 7."""
    i, j = AffineExpr.dimension(0), AffineExpr.dimension(1)
    module = nest([(0, 5), (0, 8)], [(i * 8 + j) // 8, (i * 8 + j) // 16, i // 2, (i * 8 + j) % 8])
    forms = IndexForms()
    eighth, sixteenth, half, rest = (forms.of(value) for value in applied(module))
    counters = [op.induction_variable for op in module.walk() if isinstance(op, loop.ForOp)]
    assert eighth == polynomials.Polynomial.of(counters[0])
    assert sixteenth == half
    assert rest == polynomials.Polynomial.of(counters[1])
