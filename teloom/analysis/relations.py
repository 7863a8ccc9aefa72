"""What every relation means: the spans of the axes that it makes, the values of those it consumes.

Axes count as relations do: a root axis from 0, where its region starts, and an axis that
a relation makes from the start that the relation gives it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.integer_sets import Constraint, between, simplified
from teloom.dialects import schedule

ZERO = AffineExpr.constant(0)

R = TypeVar("R", bound=schedule.RelationOp)


class Span(NamedTuple):
    """The coordinates of an axis: from `start` up to, not including, `start + extent`."""

    start: AffineExpr
    extent: AffineExpr


Spans = dict[SSAValue, Span]

# Gives the product of symbolic extents, as a size of its own.
Product = Callable[[schedule.FuseOp, Sequence[AffineExpr]], AffineExpr]


class Fact(NamedTuple):
    """What holds by itself of some opaque axes, wherever `given` holds."""

    axes: Sequence[SSAValue]
    given: list[Constraint]
    then: list[Constraint]


@dataclass
class LeafMap:
    """Axes as functions of leaf axes.

    Where an extent that a relation divides or multiplies by is symbolic, the value is no
    affine expression. Such an axis is opaque: it stands as a dimension of its own, of
    which only the range is known.

    values: an expression for every axis.
    starts: of the root axes, to which their dimensions are absolute.
    spans: of all axes.
    constraints: what must hold between leaf axes beyond the bounds of the root axes.
    opaque: axes that are dimensions of their own, numbered after all others.
    """

    values: dict[SSAValue, AffineExpr]
    starts: dict[SSAValue, AffineExpr]
    spans: Mapping[SSAValue, Span]
    first_opaque: int
    constraints: list[Constraint] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    opaque: list[SSAValue] = field(default_factory=list)

    def add_opaque(self, axis: SSAValue) -> None:
        """Gives `axis` a dimension of its own."""
        dimension = AffineExpr.dimension(self.first_opaque + len(self.opaque))
        self.values[axis] = dimension + self.starts.get(axis, ZERO) * -1
        self.opaque.append(axis)

    def position(self, axis: SSAValue) -> AffineExpr:
        """How far an axis is from its start."""
        return self.values[axis] + self.spans[axis].start * -1


class Meaning(ABC, Generic[R]):
    """What one relation means, in both directions."""

    @abstractmethod
    def add_spans(self, relation: R, spans: Spans, product: Product) -> None:
        """Adds the spans of the axes that it makes, given those of the ones it is made from."""

    @abstractmethod
    def add_values(self, relation: R, map: LeafMap) -> None:
        """Adds the values of the axes that it consumes, given those of the ones it makes."""


class SplitMeaning(Meaning[schedule.SplitOp]):
    """parent = origin + outer * factor + inner, where 0 <= inner < factor.

    Tiles of a given factor lie at its multiples; a number of parts begins at the start.
    """

    def add_spans(self, relation: schedule.SplitOp, spans: Spans, product: Product) -> None:
        start, extent = spans[relation.parent_]
        factor = self._factor(relation, extent)
        if not isinstance(factor, AffineConstantExpr):
            assert relation.nparts is not None
            nparts = AffineExpr.constant(relation.nparts.value.data)
            spans[relation.outer], spans[relation.inner] = Span(ZERO, nparts), Span(ZERO, factor)
            return
        start = start if relation.nparts is None else ZERO
        first = start // factor.value
        end = start + extent
        spans[relation.outer] = Span(first, end.ceil_div(factor.value) + first * -1)
        longest = start % factor.value + extent
        if isinstance(longest, AffineConstantExpr) and longest.value < factor.value:
            factor = longest
        spans[relation.inner] = Span(ZERO, factor)

    def add_values(self, relation: schedule.SplitOp, map: LeafMap) -> None:
        parent = relation.parent_
        start, extent = map.spans[parent]
        factor = self._factor(relation, extent)
        inner, outer = map.values[relation.inner], map.values[relation.outer]
        map.constraints += between(inner, factor)
        if isinstance(factor, AffineConstantExpr):
            origin = ZERO if relation.nparts is None else start
            map.values[parent] = origin + (outer * factor.value + inner)
            return
        map.add_opaque(parent)
        map.facts.append(Fact([parent], [], [Constraint(map.position(parent), False)]))
        map.constraints += between(map.position(parent), extent)
        map.constraints += between(outer, map.spans[relation.outer].extent)

    @staticmethod
    def _factor(relation: schedule.SplitOp, extent: AffineExpr) -> AffineExpr:
        """The factor of a split whose parent has this extent; at least 1 where constant."""
        if relation.factor is not None:
            return AffineExpr.constant(relation.factor.value.data)
        assert relation.nparts is not None
        factor = extent.ceil_div(relation.nparts.value.data)
        if isinstance(factor, AffineConstantExpr):
            return AffineExpr.constant(max(1, factor.value))
        return factor


class FuseMeaning(Meaning[schedule.FuseOp]):
    """fused = (x1 * e2 + x2) * e3 + ..., of extents e and positions x: counted from the start."""

    def add_spans(self, relation: schedule.FuseOp, spans: Spans, product: Product) -> None:
        extents = [spans[axis].extent for axis in relation.args]
        symbolic = [extent for extent in extents if not isinstance(extent, AffineConstantExpr)]
        if len(symbolic) > 1:
            spans[relation.fused] = Span(ZERO, product(relation, extents))
            return
        fused = symbolic[0] if symbolic else AffineExpr.constant(1)
        for extent in extents:
            if isinstance(extent, AffineConstantExpr):
                fused = fused * extent.value
        spans[relation.fused] = Span(ZERO, fused)

    def add_values(self, relation: schedule.FuseOp, map: LeafMap) -> None:
        inner = [map.spans[axis].extent for axis in relation.args[1:]]
        rest = map.values[relation.fused]
        if not all(isinstance(extent, AffineConstantExpr) for extent in inner):
            runs = between(rest, map.spans[relation.fused].extent)
            inside: list[Constraint] = []
            for axis in relation.args:
                map.add_opaque(axis)
                inside += between(map.position(axis), map.spans[axis].extent)
            map.constraints += runs
            map.facts.append(Fact(relation.args, runs, inside))
            return
        for axis in reversed(relation.args[1:]):
            start, extent = map.spans[axis]
            assert isinstance(extent, AffineConstantExpr)
            # An extent of 0 leaves nothing to run; dividing by 1 then is as good.
            divisor = max(1, extent.value)
            map.values[axis] = start + rest % divisor
            rest = rest // divisor
        map.values[relation.args[0]] = map.spans[relation.args[0]].start + rest


class ShiftMeaning(Meaning[schedule.ShiftOp]):
    """shifted = parent + offset."""

    def add_spans(self, relation: schedule.ShiftOp, spans: Spans, product: Product) -> None:
        start, extent = spans[relation.parent_]
        spans[relation.shifted] = Span(start + relation.offset.value.data, extent)

    def add_values(self, relation: schedule.ShiftOp, map: LeafMap) -> None:
        shifted = map.values[relation.shifted]
        map.values[relation.parent_] = shifted + -relation.offset.value.data


class ReverseMeaning(Meaning[schedule.ReverseOp]):
    """reversed = first + last - parent."""

    def add_spans(self, relation: schedule.ReverseOp, spans: Spans, product: Product) -> None:
        spans[relation.reversed] = spans[relation.parent_]

    def add_values(self, relation: schedule.ReverseOp, map: LeafMap) -> None:
        start, extent = map.spans[relation.parent_]
        last = start + extent + -1
        map.values[relation.parent_] = start + last + map.values[relation.reversed] * -1


class SkewMeaning(Meaning[schedule.SkewOp]):
    """skewed = parent + factor * along."""

    def add_spans(self, relation: schedule.SkewOp, spans: Spans, product: Product) -> None:
        (start, extent), along = spans[relation.parent_], spans[relation.along]
        factor = relation.factor.value.data
        steps = along.extent + -1
        start = start + along.start * factor
        if factor < 0:
            start = start + steps * factor
        extent = extent + steps * abs(factor)
        # Axes that are skewed along each other in turn would double their terms every time.
        spans[relation.skewed] = Span(simplified(start), simplified(extent))

    def add_values(self, relation: schedule.SkewOp, map: LeafMap) -> None:
        skewed, along = map.values[relation.skewed], map.values[relation.along]
        parent = skewed + along * -relation.factor.value.data
        map.values[relation.parent_] = simplified(parent)


_MEANINGS: Mapping[type[schedule.RelationOp], Meaning] = {
    schedule.SplitOp: SplitMeaning(),
    schedule.FuseOp: FuseMeaning(),
    schedule.ShiftOp: ShiftMeaning(),
    schedule.ReverseOp: ReverseMeaning(),
    schedule.SkewOp: SkewMeaning(),
}


def meaning_of(relation: schedule.RelationOp) -> Meaning:
    return _MEANINGS[type(relation)]
