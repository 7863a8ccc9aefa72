"""The meaning of `split`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.sets.integer_sets import at_least, between
from teloom.analysis.stages.relations.meaning import (
    MOST_EMPTY,
    ONE_MORE,
    AxisExtents,
    CeilQuotient,
    Fact,
    IndexArithmetic,
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    SizeExpr,
    Span,
    Spans,
    V,
    check_number,
)
from teloom.analysis.stages.threads import iterations_asked
from teloom.dialects import schedule
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.polynomials import Polynomial, of_expr, over
from teloom.dialects.syntax.stage_header import ZERO


class SplitMeaning(Meaning[schedule.SplitOp]):
    """parent = origin + outer * factor + inner, where 0 <= inner < factor.

    Tiles of a constant factor begin at its multiples; all others begin at the start.
    """

    of = schedule.SplitOp

    def add_spans(
        self, relation: schedule.SplitOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        start, extent = spans[relation.parent_]
        if (size := relation.size) is not None:
            number, other = SizeExpr(size.expr), CeilQuotient(extent, size.expr)
            by_factor = relation.factor is not None
            outer, inner = (other, number) if by_factor else (number, other)
            spans[relation.outer] = Span(ZERO, make(relation.outer, outer))
            spans[relation.inner] = Span(ZERO, make(relation.inner, inner))
            return
        factor = self._factor(relation, extent)
        if not isinstance(factor, AffineConstantExpr):
            assert relation.nparts is not None
            assert factor is not None
            nparts = AffineExpr.constant(relation.nparts.value.data)
            check_number("nparts", relation.nparts, MOST_EMPTY, relation)
            spans[relation.outer], spans[relation.inner] = Span(ZERO, nparts), Span(ZERO, factor)
            return
        start = start if relation.nparts is None else ZERO
        first = start // factor.value
        end = start + extent
        tiles = difference(end.ceil_div(factor.value), first)
        spans[relation.outer] = Span(first, _with_idle(relation, relation.outer, tiles))
        longest = start % factor.value + extent
        if isinstance(longest, AffineConstantExpr) and longest.value < factor.value:
            factor = longest
        spans[relation.inner] = Span(ZERO, _with_idle(relation, relation.inner, factor))

    def own_axes(self, relation: schedule.SplitOp, spans: Spans) -> list[SSAValue]:
        factor = self._factor(relation, spans[relation.parent_].extent)
        return [] if isinstance(factor, AffineConstantExpr) else [relation.parent_]

    def add_values(self, relation: schedule.SplitOp, map: LeafMap) -> None:
        parent = relation.parent_
        start, extent = map.spans[parent]
        factor = self._factor(relation, extent)
        inner, outer = map.values[relation.inner], map.values[relation.outer]
        if isinstance(factor, AffineConstantExpr):
            map.require(relation.inner, between(inner, factor))
            origin = ZERO if relation.nparts is None else start
            map.values[parent] = origin + (outer * factor.value + inner)
            return
        map.require(relation.inner, between(inner, map.spans[relation.inner].extent))
        map.add_opaque(parent)
        map.facts.append(Fact([parent], [], [at_least(map.position(parent))]))
        map.require(parent, between(map.position(parent), extent))
        map.require(relation.outer, between(outer, map.spans[relation.outer].extent))

    def divisors(self, relation: schedule.SplitOp) -> Sequence[AffineExpr]:
        return () if relation.size is None else (relation.size.expr,)

    def follow(self, relation: schedule.SplitOp, at: Iteration) -> bool:
        position, parent = at.positions[relation.parent_], relation.parent_
        if relation.size is None and relation.factor is not None:
            factor: int | None = relation.factor.value.data
        else:
            ends = self._extents_of_parts(relation, at)
            if ends is None:
                return False
            position, factor = position - at.start(parent), ends[1].as_constant()
            if factor is None:
                return _follow_symbolic(relation, position, ends, at)
            factor = max(1, factor)
        at.positions[relation.outer] = position.floordiv(factor)
        at.positions[relation.inner] = position.mod(factor)
        return True

    def bounds(
        self, relation: schedule.SplitOp, at: AxisExtents, known: Inequalities
    ) -> Iterator[tuple[SSAValue, Polynomial]]:
        if known.hold(at.value(relation.outer)) and self._is_inside(relation, at, known):
            yield relation.parent_, at.distances(relation.parent_)[0]

    def keeps_apart(self, relation: schedule.SplitOp, at: AxisExtents, known: Inequalities) -> bool:
        outer, inner = map(at.value, relation.results)
        if relation.size is None and relation.factor is not None:
            factor = relation.factor.value.data
            is_right = at.value(relation.parent_) == outer.times(factor) + inner
            return is_right and known.hold(inner, Polynomial.constant(factor - 1) - inner)
        return super().keeps_apart(relation, at, known) and self._is_inside(relation, at, known)

    def _is_inside(self, relation: schedule.SplitOp, at: AxisExtents, known: Inequalities) -> bool:
        """Whether the inner axis of symbolic parts is inside of its extent."""
        ends, inner = self._extents_of_parts(relation, at), at.value(relation.inner)
        return ends is not None and known.hold(inner, ends[1] - inner - ONE_MORE)

    def _extents_of_parts(
        self, relation: schedule.SplitOp, at: AxisExtents
    ) -> tuple[Polynomial, Polynomial] | None:
        """The extents of the axes that it makes; None if one is not known."""
        parent, outer, inner = relation.parent_, relation.outer, relation.inner
        if (given := relation.size) is None:
            if relation.nparts is None:
                return None
            number = relation.nparts.value.data
            return Polynomial.constant(number), at.extent(parent).ceildiv(number)
        size = of_expr(given.expr, over(at.sizes))
        by_factor = relation.factor is not None
        parts = at.parts(outer if by_factor else inner, parent, size)
        if parts is None:
            return None
        return (parts, size) if by_factor else (size, parts)

    def position(
        self, relation: schedule.SplitOp, axis: SSAValue, code: IndexArithmetic[V]
    ) -> V | None:
        if relation.nparts is not None:
            factor = code.extent(axis, relation.nparts.get())
        elif relation.size is not None:
            factor = code.size(relation.size.expr)
        else:
            return None
        outer = code.of_axis(relation.outer)
        return code.add(code.multiply(outer, factor), code.of_axis(relation.inner))

    def step(self, relation: schedule.SplitOp, made: Sequence[int | None]) -> int | None:
        outer, inner = made
        if outer == 0:
            return inner
        if outer is None or inner is None or relation.factor is None or relation.size is not None:
            return None
        return outer * relation.factor.value.data + inner

    @staticmethod
    def _factor(relation: schedule.SplitOp, extent: AffineExpr) -> AffineExpr | None:
        """The factor of a split whose parent has this extent; at least 1 where constant.

        None if it is known at the call.
        """
        if relation.size is not None:
            return None
        if (given := relation.factor) is not None:
            check_number("factor", given, LARGEST_SIZE, relation)
            return AffineExpr.constant(given.value.data)
        assert relation.nparts is not None
        factor = extent.ceil_div(relation.nparts.value.data)
        if isinstance(factor, AffineConstantExpr):
            return AffineExpr.constant(max(1, factor.value))
        return factor


def _with_idle(relation: schedule.SplitOp, axis: SSAValue, extent: AffineExpr) -> AffineExpr:
    """The extent of an axis of a split, with the idle iterations that the schedule asks for."""
    asked = iterations_asked(axis)
    if asked is None or not isinstance(extent, AffineConstantExpr) or asked <= extent.value:
        return extent
    if relation.nparts is not None:
        check_number("nparts", relation.nparts, MOST_EMPTY, relation)
    return AffineExpr.constant(asked)


def _follow_symbolic(
    relation: schedule.SplitOp,
    position: Polynomial,
    ends: tuple[Polynomial, Polynomial],
    at: Iteration,
) -> bool:
    """Adds the axes that a split makes as values of their own, inside of their extents."""
    whole = at.extent(relation.parent_)
    if not at.known.hold(position, whole - position - ONE_MORE):
        return False
    for axis, end in zip(relation.results, ends, strict=True):
        at.known.add_value((axis,))
        at.positions[axis] = made = Polynomial.of(axis)
        at.known.add(made)
        at.known.add(end - made - ONE_MORE)
    return True
