"""The meaning of `fuse`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import mul, sub

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.sets.integer_sets import Constraint, between
from teloom.analysis.stages.relations.meaning import (
    ONE_MORE,
    AxisExtents,
    Fact,
    IndexArithmetic,
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    Product,
    Span,
    Spans,
    V,
)
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.syntax.stage_header import ZERO


class FuseMeaning(Meaning[schedule.FuseOp]):
    """fused = (x1 * e2 + x2) * e3 + ..., of extents e and positions x: counted from the start."""

    of = schedule.FuseOp

    def add_spans(
        self, relation: schedule.FuseOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        extents = [spans[axis].extent for axis in relation.args]
        symbolic = [extent for extent in extents if not isinstance(extent, AffineConstantExpr)]
        if len(symbolic) > 1:
            spans[relation.fused] = Span(ZERO, make(relation.fused, Product(extents)))
            return
        fused = symbolic[0] if symbolic else AffineExpr.constant(1)
        for extent in extents:
            if isinstance(extent, AffineConstantExpr):
                fused = fused * extent.value
        spans[relation.fused] = Span(ZERO, fused)

    def own_axes(self, relation: schedule.FuseOp, spans: Spans) -> list[SSAValue]:
        several = self._several(relation, spans)
        if all(isinstance(spans[axis].extent, AffineConstantExpr) for axis in several[1:]):
            return several if len(several) > 1 else []
        return [*relation.args]

    def _several(self, relation: schedule.FuseOp, spans: Spans) -> list[SSAValue]:
        """The axes that have several values; the first axis, if none has."""
        several = [axis for axis in relation.args if not _is_one(spans[axis].extent)]
        return several or [relation.args[0]]

    def add_values(self, relation: schedule.FuseOp, map: LeafMap) -> None:
        own = self.own_axes(relation, map.spans)
        rest = map.values[relation.fused]
        if not all(isinstance(map.spans[axis].extent, AffineConstantExpr) for axis in own[1:]):
            runs = between(rest, map.spans[relation.fused].extent)
            inside = list[Constraint]()
            for axis in relation.args:
                map.add_opaque(axis)
                inside += between(map.position(axis), map.spans[axis].extent)
            map.require(relation.fused, runs)
            map.facts.append(Fact(relation.args, runs, inside))
            return
        first, *inner = several = self._several(relation, map.spans)
        quotient, stride, linear = map.in_loops(rest), 1, rest * -1
        inside = list[Constraint]()
        for axis in reversed(relation.args):
            start, extent = map.spans[axis]
            if axis not in several:
                map.values[axis] = start
            if axis not in inner:
                continue
            assert isinstance(extent, AffineConstantExpr)
            map.add_divided(axis, map.in_loops(start) + quotient % extent.value)
            inside += between(map.position(axis), extent)
            linear += map.position(axis) * stride
            quotient, stride = quotient // extent.value, stride * extent.value
        if not inner:
            map.values[first] = map.spans[first].start + rest
            return
        map.add_divided(first, map.in_loops(map.spans[first].start) + quotient)
        inside.append(Constraint(linear + map.position(first) * stride, True))
        map.facts.append(Fact(own, [], inside))

    def follow(self, relation: schedule.FuseOp, at: Iteration) -> bool:
        extents = [at.extent(axis) for axis in relation.args]
        distances = [at.positions[axis] - at.start(axis) for axis in relation.args]
        at.positions[relation.fused] = _joined(distances, extents)
        if all(extent.as_constant() is not None for extent in extents[1:]):
            return True
        ends = (extent - ONE_MORE for extent in extents)
        if not at.known.hold(*distances, *map(sub, ends, distances)):
            return False
        # Distances inside their extents are joined to one inside of the product of these.
        at.known.add_value((relation.fused,))
        at.positions[relation.fused] = fused = Polynomial.of(relation.fused)
        at.known.add(fused)
        at.known.add(_product(extents) - fused - ONE_MORE)
        return True

    def keeps_apart(self, relation: schedule.FuseOp, at: AxisExtents, known: Inequalities) -> bool:
        distances = [at.distances(axis)[0] for axis in relation.args]
        fused = _joined(distances, [*map(at.extent, relation.args)])
        is_sum = known.are_equal(fused, at.value(relation.fused))
        return is_sum or super().keeps_apart(relation, at, known)

    def bounds(
        self, relation: schedule.FuseOp, at: AxisExtents, known: Inequalities
    ) -> Iterator[tuple[SSAValue, Polynomial]]:
        fused = at.value(relation.fused)
        if not known.hold(fused):
            return
        product = _product(map(at.extent, relation.args))
        is_inside = known.hold(product - fused - ONE_MORE)
        for number, axis in enumerate(relation.args):
            low, high = at.distances(axis)
            yield axis, low
            if number or is_inside:  # all but the first are remainders
                yield axis, high

    def position(self, relation: schedule.FuseOp, axis: SSAValue, code: IndexArithmetic[V]) -> V:
        rest = code.of_axis(relation.fused)
        for inner in reversed(relation.args[1:]):
            extent = code.divisor(inner, relation.fused)
            if inner is axis:
                return code.remainder(rest, extent)
            rest = code.divide(rest, extent)
        return rest


def _is_one(extent: AffineExpr) -> bool:
    """Whether an axis has at most one value; one of extent 0 never runs."""
    return isinstance(extent, AffineConstantExpr) and extent.value <= 1


def _product(extents: Iterable[Polynomial]) -> Polynomial:
    return reduce(mul, extents, Polynomial.constant(1))


def _joined(distances: Sequence[Polynomial], extents: Sequence[Polynomial]) -> Polynomial:
    """The distance of a fused axis from its start, for those of the axes it is made of."""
    found = Polynomial({})
    for distance, extent in zip(distances, extents, strict=True):
        found = found * extent + distance
    return found
