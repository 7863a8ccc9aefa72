"""Integer sets and relations, on isl: built from affine expressions and read back.

Sizes, loops and tensor axes are all plain set dimensions here, numbered as the
dimensions of the `AffineExpr`s; there are no isl parameters. Nothing is parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple, TypeVar

import islpy as isl
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import LinearTerms, Term, difference, linear_terms, sum_of
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError
from teloom.widths import fits_64_bits

SET, IN, OUT, DIV = (
    isl.dim_type.set,
    isl.dim_type.in_,
    isl.dim_type.out,
    isl.dim_type.div,
)


ONE = AffineExpr.constant(1)

_Terms = TypeVar("_Terms", isl.Aff, isl.Constraint)
_End = TypeVar("_End", isl.Map, isl.PwMultiAff)


class Constraint(NamedTuple):
    """`above >= below + margin`, or `above == below + margin`.

    Sets take it as it stands: making one expression of it takes longer than all that isl does.
    """

    above: AffineExpr
    is_equality: bool
    below: AffineExpr = ZERO
    margin: int = 0

    @property
    def expr(self) -> AffineExpr:
        """The expression that is 0, or at least 0."""
        return difference(self.above, self.below) + -self.margin

    def holds_at(self, point: Sequence[int]) -> bool:
        """Whether it holds where the dimensions have these values."""
        value = self.expr.eval(point, ())
        return value == 0 if self.is_equality else value >= 0

    def used_dims(self) -> set[int]:
        """The dimensions that it is about."""
        return self.above.used_dims() | self.below.used_dims()

    def terms(self) -> LinearTerms:
        """The terms of the expression that is 0, or at least 0."""
        linear, constant, divisions = linear_terms((self.above, 1), (self.below, -1))
        return LinearTerms(linear, constant - self.margin, divisions)


def at_least(above: AffineExpr, below: AffineExpr = ZERO) -> Constraint:
    """above >= below."""
    return Constraint(above, False, below)


def more_than(above: AffineExpr, below: AffineExpr) -> Constraint:
    """above > below."""
    return Constraint(above, False, below, 1)


def between(expr: AffineExpr, extent: AffineExpr) -> list[Constraint]:
    """0 <= expr < extent."""
    return [at_least(expr), more_than(extent, expr)]


def inside(
    points: Iterable[AffineExpr], box: Iterable[tuple[AffineExpr, AffineExpr]]
) -> list[Constraint]:
    """Every point lies in the (offset, extent) of its side of a box."""
    found: list[Constraint] = []
    for point, (offset, extent) in zip(points, box, strict=True):
        end = extent if offset == ZERO else offset + extent
        found += [at_least(point, offset), more_than(end, point)]
    return found


def universe(context: isl.Context, dims: int) -> isl.BasicSet:
    """All points of `dims` integers."""
    return isl.BasicSet.universe(isl.Space.set_alloc(context, 0, dims))


def aff_of(expr: AffineExpr, space: isl.Space) -> isl.Aff:
    """`expr` as a quasi-affine function on a set space.

    Raises PassError for a number of more than 64 bits.
    """
    return _aff_of(linear_terms((expr, 1)), space)


def _aff_of(terms: LinearTerms, space: isl.Space) -> isl.Aff:
    aff = _with_terms(isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space)), terms, IN)
    for division, coefficient in terms.divisions:
        value = isl.Val.int_from_si(space.get_ctx(), fitting(coefficient))
        aff = aff.add(_division(division, space).scale_val(value))
    return aff


def _with_terms(made: _Terms, terms: LinearTerms, kind: isl.dim_type) -> _Terms:
    """An aff or a constraint that is 0 so far, with all terms but divisions."""
    context = made.get_ctx()
    for position, coefficient in terms.linear.items():
        if coefficient:
            value = isl.Val.int_from_si(context, fitting(coefficient))
            made = made.set_coefficient_val(kind, position, value)
    if not terms.constant:
        return made
    return made.set_constant_val(isl.Val.int_from_si(context, fitting(terms.constant)))


def _division(expr: AffineBinaryOpExpr, space: isl.Space) -> isl.Aff:
    """A quotient or remainder by a constant."""
    assert isinstance(expr.rhs, AffineConstantExpr)
    dividend = aff_of(expr.lhs, space)
    divisor = isl.Val.int_from_si(space.get_ctx(), fitting(expr.rhs.value))
    match expr.kind:
        case AffineBinaryOpKind.FloorDiv:
            return dividend.scale_down_val(divisor).floor()
        case AffineBinaryOpKind.CeilDiv:
            return dividend.scale_down_val(divisor).ceil()
        case _:
            return dividend.mod_val(divisor)


def fitting(number: int) -> int:
    """`number`, which a bound or a subscript needs; raises `PassError` unless 64 bits hold it."""
    if not fits_64_bits(number):
        raise PassError(
            f"a bound or subscript needs the number {number}, which does not fit into 64 bits"
        )
    return number


def set_of(context: isl.Context, dims: int, constraints: Sequence[Constraint]) -> isl.BasicSet:
    """The points of `dims` integers that satisfy all constraints."""
    return constrained(universe(context, dims), constraints)


def non_negative(context: isl.Context, dims: int) -> isl.BasicSet:
    """All points of `dims` integers that are 0 or more, as sizes are."""
    return set_of(context, dims, [at_least(AffineExpr.dimension(k)) for k in range(dims)])


def in_box(
    context: isl.Context, sizes: int, box: Sequence[tuple[AffineExpr, AffineExpr]]
) -> isl.BasicSet:
    """All (sizes, coordinates) with coordinates in a box of (offset, extent) over the sizes."""
    coordinates = map(AffineExpr.dimension, range(sizes, sizes + len(box)))
    around = non_negative(context, sizes).add_dims(SET, len(box))
    return constrained(around, inside(coordinates, box))


def constrained(domain: isl.BasicSet, constraints: Sequence[Constraint]) -> isl.BasicSet:
    """The points of `domain` that satisfy all constraints."""
    local = isl.LocalSpace.from_space(domain.get_space())
    for constraint in constraints:
        domain = domain.add_constraint(_constraint(constraint, local))
    return domain


def _constraint(constraint: Constraint, local: isl.LocalSpace) -> isl.Constraint:
    terms, is_equality = constraint.terms(), constraint.is_equality
    if terms.divisions:
        aff = _aff_of(terms, local.get_space())
        if is_equality:
            return isl.Constraint.equality_from_aff(aff)
        return isl.Constraint.inequality_from_aff(aff)
    # The same, in half the time.
    alloc = isl.Constraint.alloc_equality if is_equality else isl.Constraint.alloc_inequality
    return _with_terms(alloc(local), terms, SET)


def sample(points: isl.Set) -> list[int]:
    """One of the points of a set that is not empty."""
    point = points.sample_point()
    return [point.get_coordinate_val(SET, dim).to_python() for dim in range(points.dim(SET))]


def first_of(points: isl.Set) -> list[int]:
    """The lexicographically least point of a set that is not empty: a witness of small numbers.

    Where there is no least one, as data leaves an end open, it is any point.
    """
    try:
        return sample(_with_equalities(points).lexmin())
    except isl.Error:
        return sample(points)


def first_and_last(points: isl.Set) -> tuple[list[int], list[int]] | None:
    """The lexicographically least and greatest point; None of an empty set."""
    if points.is_empty():
        return None
    points = _with_equalities(points)
    return sample(points.lexmin()), sample(points.lexmax())


def _with_equalities(points: isl.Set) -> isl.Set:
    """The set with its implicit equalities, without which isl's lexmin may lose points."""
    return points.detect_equalities()


def with_integer_equalities(points: isl.Set) -> isl.Set:
    """The same points, with all equalities that hold for the integers of a piece.

    Those of `i = x floordiv 8` and `j = x mod 8` have `x = 8 * i + j`. isl looks for that only in
    an affine hull. Without it, a projection along `x` can leave an integer of which isl knows no
    expression, and finds none in short time.
    """
    if not points.involves_locals():
        return points
    pieces = (piece.intersect(piece.affine_hull()) for piece in points.get_basic_sets())
    return reduce(isl.Set.union, pieces, isl.Set.empty(points.get_space()))


def simple_hull(domain: isl.Set) -> isl.BasicSet:
    """A convex set around `domain`, of constraints that its pieces have; one piece as it is."""
    pieces = domain.get_basic_sets()
    return pieces[0] if len(pieces) == 1 else domain.unshifted_simple_hull()


def function_of(space: isl.Space, exprs: Sequence[AffineExpr]) -> isl.MultiAff:
    """The function from the points of a set space that has these results."""
    context = space.get_ctx()
    affs = isl.AffList.alloc(context, len(exprs))
    for expr in exprs:
        affs = affs.add(aff_of(expr, space))
    result_space = isl.Space.alloc(context, 0, space.dim(SET), len(exprs))
    return isl.MultiAff.from_aff_list(result_space, affs)


def map_of(domain: isl.Set, exprs: Sequence[AffineExpr]) -> isl.Map:
    """The function on `domain` with these results, as a relation."""
    function = function_of(domain.get_space(), exprs)
    return isl.Map.from_multi_aff(function).intersect_domain(domain)


def flat_set(map: isl.Map) -> isl.Set:
    """The pairs of a relation as points: in-dimensions, then out-dimensions."""
    return map.wrap().flatten()


def extreme(relation: isl.Map, end: Callable[[isl.Map], _End]) -> _End:
    """The result of `end`, such as `isl.Map.lexmin`, on a relation; isl alone can be wrong.

    Of a relation with integers that exist but have no expression, it can lose pairs; over some
    constraints that follow from others it stumbles, in one form of a relation and not in another.
    """
    known = relation.compute_divs()
    *forms, last = _FORMS
    for form in forms:
        try:
            return end(form(known))
        except isl.Error as error:
            if "involves some of the domain dimensions" not in str(error):
                raise
    return end(last(known))


def _read_again(relation: isl.Map) -> isl.Map:
    """The relation, without what isl has worked out about it."""
    return isl.Map.read_from_str(relation.get_ctx(), str(relation))


_FORMS: Sequence[Callable[[isl.Map], isl.Map]] = (
    lambda relation: relation,
    isl.Map.remove_redundancies,
    _read_again,
)
"""Each gives the same relation."""


def expr_of_aff(aff: isl.Aff) -> AffineExpr:
    """A quasi-affine function with integer coefficients as an `AffineExpr`.

    It is in its canonical form: positive terms come first, so that `n - 8 * i` reads as it is
    thought of.
    """
    expr = _linear(aff, aff.get_denominator_val().to_python())
    return canonical(expr) if aff.dim(DIV) else expr


def _linear(aff: isl.Aff, denominator: int) -> AffineExpr:
    """`aff * denominator`."""
    terms: list[Term] = []
    for position in range(aff.dim(IN)):
        coefficient = aff.get_coefficient_val(IN, position)
        if not coefficient.is_zero():
            terms.append((AffineExpr.dimension(position), _integer(coefficient, denominator)))
    for position in range(aff.dim(DIV)):
        coefficient = aff.get_coefficient_val(DIV, position)
        if not coefficient.is_zero():
            terms.append((_floor(aff.get_div(position)), _integer(coefficient, denominator)))
    return _positive_first(terms, _integer(aff.get_constant_val(), denominator))


def _positive_first(terms: Iterable[Term], constant: int) -> AffineExpr:
    return sum_of(sorted(terms, key=lambda pair: pair[1] < 0), constant)


def _floor(div: isl.Aff) -> AffineExpr:
    denominator = div.get_denominator_val().to_python()
    return _linear(div, denominator) // denominator


def _integer(value: isl.Val, denominator: int) -> int:
    if denominator != 1:
        value = value.mul(isl.Val.int_from_si(value.get_ctx(), denominator))
    return value.to_python()


class LinearBound(NamedTuple):
    """x >= numerator / denominator if it is a lower bound, x <= that if an upper; or both."""

    numerator: AffineExpr
    denominator: int
    is_lower: bool
    is_upper: bool


def bounds_on(domain: isl.BasicSet, dim: int) -> Iterator[LinearBound]:
    """The constraints that bound `dim` linearly: not through a division of it.

    Neither are those that isl knows only by some integer that exists.
    """
    zero = isl.Val.zero(domain.get_ctx())
    for constraint in without_divisions(domain, ()).get_constraints():
        aff = constraint.get_aff()
        factor = aff.get_coefficient_val(IN, dim)
        if factor.is_zero() or divides(aff, dim):
            continue
        coefficient = factor.to_python()
        rest = aff.set_coefficient_val(IN, dim, zero)
        yield LinearBound(
            # c * x + rest >= 0
            expr_of_aff(rest.neg() if coefficient > 0 else rest),
            abs(coefficient),
            is_lower=coefficient > 0 or constraint.is_equality(),
            is_upper=coefficient < 0 or constraint.is_equality(),
        )


def divides(aff: isl.Aff, dim: int) -> bool:
    """Whether a division in `aff` involves `dim`."""
    for position in range(aff.dim(DIV)):
        if aff.get_coefficient_val(DIV, position).is_zero():
            continue
        if aff.get_div(position).involves_dims(IN, dim, 1):
            return True
    return False


def conjunction_of(domain: isl.BasicSet) -> Conjunction:
    """The constraints of a basic set."""
    found = Conjunction([], [])
    for constraint in domain.get_constraints():
        kind = found.equalities if constraint.is_equality() else found.inequalities
        kind.append(expr_of_aff(constraint.get_aff()))
    return found


def with_known_divisions(domain: isl.Set) -> isl.Set:
    """A superset of `domain` without existential integers, which isl cannot compute."""
    pieces = domain.get_basic_sets()
    known = [without_divisions(piece, ()) for piece in pieces]
    if all(one is piece for one, piece in zip(known, pieces, strict=True)):
        return domain
    return reduce(isl.Set.union, (one.to_set() for one in known))


def without_divisions(domain: isl.BasicSet, dims: Sequence[int]) -> isl.BasicSet:
    """A set around `domain` without divisions of `dims`; what these say linearly is kept.

    Neither has it integers of which isl knows only that they exist. Every division becomes a
    dimension, and those to remove are projected out rationally, which can only add points.
    isl's `remove_divs_involving_dims` can lose some.
    """
    if not domain.dim(DIV):
        return domain
    local, count = domain.get_local_space(), domain.dim(SET)
    divisions = [_known_division(local, position) for position in range(domain.dim(DIV))]
    kept = [
        division is not None and not any(division.involves_dims(IN, dim, 1) for dim in dims)
        for division in divisions
    ]
    if all(kept):
        return domain
    lifted = domain.lift().flatten()
    for position in reversed(range(len(kept))):
        if not kept[position]:
            lifted = lifted.remove_dims(SET, count + position, 1)
    pairs = zip(divisions, kept, strict=True)
    remaining = [one for one, is_kept in pairs if one is not None and is_kept]
    for dim, division in enumerate(remaining, count):
        quotient = division.add_dims(IN, len(remaining)).floor()
        variable = isl.Aff.var_on_domain(quotient.get_domain_local_space(), SET, dim)
        lifted = lifted.add_constraint(isl.Constraint.equality_from_aff(variable.sub(quotient)))
    return lifted.project_out(SET, count, len(remaining))


def _known_division(local: isl.LocalSpace, position: int) -> isl.Aff | None:
    """A division of a set; None for an existential integer."""
    try:
        return local.get_div(position)
    except isl.Error as error:
        if "unknown" not in str(error):
            raise
        return None


def linear_part(domain: isl.BasicSet, dims: Sequence[int]) -> isl.BasicSet:
    """The constraints of `domain` that have no divisions of `dims`."""
    if not domain.dim(DIV):
        return domain
    linear = isl.BasicSet.universe(domain.get_space())
    for constraint in without_divisions(domain, ()).get_constraints():
        aff = constraint.get_aff()
        if not any(divides(aff, dim) for dim in dims):
            linear = linear.add_constraint(constraint)
    return linear


def simplified(expr: AffineExpr) -> AffineExpr:
    """`expr` with like terms joined, by a round trip through isl if it has divisions.

    Raises PassError for a number of more than 64 bits.
    """
    if type(expr) is AffineDimExpr:
        return expr
    linear, constant, divisions = terms = linear_terms((expr, 1))
    if not divisions:
        found = [(AffineExpr.dimension(d), fitting(linear[d])) for d in sorted(linear) if linear[d]]
        return _positive_first(found, fitting(constant))
    space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 1 + max(expr.used_dims(), default=-1))
    return expr_of_aff(_aff_of(terms, space))


def simplified_in(domain: isl.Set, expr: AffineExpr) -> AffineExpr:
    """An expression that equals `expr` at the points of `domain`, with fewer divisions."""
    aff = aff_of(expr, domain.get_space())
    if not aff.dim(DIV) or domain.is_empty():
        return expr
    simple = aff.gist(domain.remove_divs())
    # Where all points are multiples of 3, isl gives `i / 3`, which is no affine expression.
    affine = simple.get_denominator_val().is_one()
    return expr_of_aff(simple) if affine and _divisions(simple) < _divisions(aff) else expr


def _divisions(aff: isl.Aff) -> int:
    """How many divisions an expression uses."""
    return sum(
        not aff.get_coefficient_val(DIV, position).is_zero() for position in range(aff.dim(DIV))
    )
