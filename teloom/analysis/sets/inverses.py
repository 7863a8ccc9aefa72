"""The inverse of a quasi-affine map on a box, as quasi-affine expressions that isl finds.

The results of a map are expressions over the axes of its box, and then over what the sides of the
box are over: sizes, and loops around. With an axis for each side, dimension `len(box) + k` of a
result is dimension k of the sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple, TypeGuard

import islpy as isl
from xdsl.ir.affine import AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from teloom.analysis.sets.boxes import MOST_PIECES
from teloom.analysis.sets.ends import Side, constant_ends_inside, constant_side, side_around
from teloom.analysis.sets.integer_sets import (
    IN,
    ONE,
    OUT,
    Constraint,
    at_least,
    expr_of_aff,
    extreme,
    first_of,
    inside,
    set_of,
    simplified,
)
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects.affine.fold import DIVISIONS, operations, replace_dims
from teloom.dialects.syntax.stage_header import ZERO

_MUL = AffineBinaryOpKind.Mul

OPERATIONS = 1_000_000
"""isl operations that an inverse may take; one takes about a microsecond."""


def is_constant(side: Side) -> bool:
    """Whether a side of a box is the same in all iterations, for all sizes."""
    return all(map(is_number, side))


def is_number(expr: AffineExpr) -> TypeGuard[AffineConstantExpr]:
    return isinstance(expr, AffineConstantExpr)


class NoInverseError(Exception):
    """A map without an inverse, or without one that is a single expression; says why.

    at: the values of what is around, by dimensions of the sides, in a witness.
    """

    def __init__(self, why: str, at: Mapping[int, int] | None = None):
        super().__init__(why)
        self.at = at or {}

    def words(self, names: Sequence[str]) -> str:
        """Its text; the first dimensions of the sides have these names."""
        named = [f"{names[dim]} = {value}" for dim, value in self.at.items() if dim < len(names)]
        return f"{self}, with {', '.join(named)}" if named else str(self)


class Inverse(NamedTuple):
    """The arguments of a map, over some dimensions of the box's sides and then over its results.

    exprs: one per argument; right for all results that the map has.
    around: the dimensions of the sides that come first, by their numbers there.
    """

    exprs: list[AffineExpr]
    around: list[int]


@lru_cache(maxsize=1024)
def inverse_of(exprs: tuple[AffineExpr, ...], box: tuple[Side, ...]) -> Inverse:
    """The inverse of the map with the results `exprs`, over the axes of a box.

    Raises NoInverseError for a map that is not injective on the box, with two points as witness,
    and for an inverse in several pieces.
    """
    try:
        return _Graph(exprs, box).inverse()
    except OverBudget:
        raise NoInverseError(f"its inverse takes more than {OPERATIONS} isl operations") from None


def image_sides(exprs: Sequence[AffineExpr], box: Sequence[Side]) -> list[Side]:
    """A side around each result of a map on a box: the smallest one if its own are constant."""
    given = max((dim for expr in exprs for dim in expr.used_dims()), default=0) + 1 - len(box)
    sides = [*box, *((AffineExpr.dimension(k), ONE) for k in range(given))]
    return [_image_side(expr, sides) for expr in exprs]


def _image_side(expr: AffineExpr, box: Sequence[Side]) -> Side:
    used = {dim: box[dim] for dim in sorted(expr.used_dims())}
    if not all(map(is_constant, used.values())):
        return side_around(expr, box)
    start, extent = constant_side(*(constant_ends_inside(expr, used) or (0, -1)))
    return simplified(start), simplified(extent)


def holes(exprs: Sequence[AffineExpr], box: Sequence[Side], image: Sequence[Side]) -> int:
    """How many points there are around the image of a map for each point of its box, about.

    For symbolic extents, the factors of the map tell.
    """
    extents = [[extent for _, extent in sides] for sides in (box, image)]
    if not all(is_number(one) for side in extents for one in side):
        factors = (part.rhs for expr in exprs for part in operations(expr) if part.kind is _MUL)
        return max((abs(one.value) for one in factors if is_number(one)), default=0)
    points, around = (prod(one.value for one in side) for side in extents)
    return around // points if points > 0 else 0


class _Graph:
    """The pairs of a map's arguments and its results, for all that is around."""

    def __init__(self, exprs: Sequence[AffineExpr], box: Sequence[Side]):
        self.exprs, self.box = exprs, box
        of_sides = {dim for side in box for expr in side for dim in expr.used_dims()}
        of_map = {dim - len(box) for expr in exprs for dim in expr.used_dims() if dim >= len(box)}
        self.sizes, self.around = of_map, sorted(of_sides | of_map)
        self.context = isl.Context()
        self.known = len(self.around) + len(exprs)

    def inverse(self) -> Inverse:
        """The inverse on all integers if there is one: it is the shortest, and holds in any box."""
        with budget(self.context, OPERATIONS):
            for within in self._boxes():
                graph = self._pairs(within)
                if graph.is_injective():
                    arguments = range(len(self.box))
                    return Inverse([self._argument(graph, k) for k in arguments], self.around)
            raise self._witness(self._pairs(self.box))

    def _boxes(self) -> Iterator[Sequence[Side | None]]:
        """No sides of the box, then those of constant extent, then all."""
        yield [None] * len(self.box)
        constant = [side if is_constant(side) else None for side in self.box]
        if any(constant):
            yield constant
        if not all(constant):
            yield self.box

    def _pairs(self, within: Sequence[Side | None]) -> isl.Map:
        """From the arguments, which are in these sides, to what is around and the results."""
        arguments = [AffineExpr.dimension(self.known + k) for k in range(len(self.box))]
        results = [AffineExpr.dimension(len(self.around) + k) for k in range(len(self.exprs))]

        def given(dim: int) -> AffineExpr:
            axes = len(arguments)
            return arguments[dim] if dim < axes else self._around_dim(dim - axes)

        constraints = [
            Constraint(result, True, replace_dims(expr, given))
            for result, expr in zip(results, self.exprs, strict=True)
        ]
        sides = [
            (argument, tuple(replace_dims(expr, self._around_dim) for expr in side))
            for argument, side in zip(arguments, within, strict=True)
            if side is not None
        ]
        constraints += inside([one for one, _ in sides], [side for _, side in sides])
        constraints += [at_least(self._around_dim(size)) for size in self.sizes]
        pairs = isl.Map.from_range(self._set(constraints))
        return pairs.move_dims(IN, 0, OUT, self.known, len(self.box))

    def _around_dim(self, dim: int) -> AffineExpr:
        return AffineExpr.dimension(self.around.index(dim))

    def _argument(self, graph: isl.Map, position: int) -> AffineExpr:
        """The shortest expression that is the argument at all pairs, of those that isl gives."""
        pairs = graph.move_dims(OUT, self.known, IN, 0, len(self.box)).range()
        dim = AffineExpr.dimension(self.known + position)
        given = [*dict.fromkeys(_forms(graph.reverse(), position))] or [ZERO]
        right = [
            expr for expr in given if pairs.is_subset(self._set([Constraint(dim, True, expr)]))
        ]
        if not right:
            pieces = ", ".join(map(str, given))
            raise NoInverseError(
                f"no single expression is the value of axis {position} at all of its results; "
                f"in pieces it is one of {pieces}"
            )
        return min(right, key=_length)

    def _set(self, constraints: Sequence[Constraint]) -> isl.Set:
        return set_of(self.context, self.known + len(self.box), constraints).to_set()

    def _witness(self, graph: isl.Map) -> NoInverseError:
        """Two points of the box with the same results, in words."""
        met = meeting_of(graph, len(self.around))
        return NoInverseError(str(met), dict(zip(self.around, met.around, strict=True)))


class Meeting(NamedTuple):
    """Two arguments of a map with the same results, and the numbers that are around."""

    around: Sequence[int]
    first: Sequence[int]
    second: Sequence[int]
    results: Sequence[int]

    def __str__(self) -> str:
        return f"it is not injective: {self.first} and {self.second} both become {self.results}"


def meeting_of(graph: isl.Map, around: int) -> Meeting:
    """The first meeting of a map that is not injective, to so many numbers and its results."""
    arguments = isl.Map.universe(graph.get_space().domain().map_from_set())
    different = arguments.subtract(isl.Map.identity(arguments.get_space()))
    sources = graph.reverse()
    both = sources.flat_range_product(sources).intersect_range(different.wrap().flatten())
    numbers = first_of(both.wrap().flatten())
    known, axes = graph.dim(OUT), graph.dim(IN)
    first, second = numbers[known : known + axes], numbers[known + axes :]
    return Meeting(numbers[:around], first, second, numbers[around:known])


def _forms(inverse: isl.Map, position: int) -> Iterator[AffineExpr]:
    """The pieces that isl finds of a result of the inverse, alone or together with the others."""
    count = inverse.dim(OUT)
    alone = inverse.project_out(OUT, position + 1, count - position - 1)
    alone = alone.project_out(OUT, 0, position)
    for number, found in (
        (0, extreme(alone, isl.Map.lexmin_pw_multi_aff)),
        (0, alone.compute_divs().as_pw_multi_aff()),
        (position, extreme(inverse, isl.Map.lexmin_pw_multi_aff)),
    ):
        pieces: list[isl.MultiAff] = []
        found.foreach_piece(lambda _, piece, pieces=pieces: pieces.append(piece))
        for piece in pieces[:MOST_PIECES]:
            aff = piece.get_aff(number)
            yield expr_of_aff(aff if aff.get_denominator_val().is_one() else aff.floor())


def _length(expr: AffineExpr) -> tuple[int, int]:
    """Divisions count most."""
    divisions = sum(part.kind in DIVISIONS for part in operations(expr))
    return divisions, len(str(expr))
