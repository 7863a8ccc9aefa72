"""The meaning of relations: the spans of axes that they make, the values of axes they consume.

A root axis counts from 0, where its region starts; an axis that a relation makes counts from
the start that the relation gives it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Generic, NamedTuple, Protocol, TypeVar

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.index.limits import LARGEST_SIZE, MANY
from teloom.analysis.sets.integer_sets import Constraint, at_least, between, simplified
from teloom.analysis.sets.inverses import (
    Inverse,
    NoInverseError,
    holes,
    image_sides,
    inverse_of,
)
from teloom.analysis.stages.queries import function_around, size_names
from teloom.analysis.stages.threads import iterations_asked
from teloom.dialects import schedule
from teloom.dialects.affine.fold import is_linear, replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.polynomials import Polynomial, of_expr, over
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import ScheduleError

MOST_EMPTY = 2**20
"""The empty iterations that a relation may make for each one in which something runs."""

ONE = AffineExpr.constant(1)
ONE_MORE = Polynomial.constant(1)

R = TypeVar("R", bound=schedule.RelationOp)


class Span(NamedTuple):
    """The coordinates of an axis: from `start` up to, not including, `start + extent`."""

    start: AffineExpr
    extent: AffineExpr


Spans = Mapping[SSAValue, Span]


class Product(NamedTuple):
    """A product of extents; several of them are symbolic."""

    factors: Sequence[AffineExpr]


class CeilQuotient(NamedTuple):
    """An extent divided by an expression of sizes of the function, and rounded up."""

    extent: AffineExpr
    size: AffineExpr


class SizeExpr(NamedTuple):
    """An expression of sizes of the function."""

    size: AffineExpr


# Makes a size of its own of the extent of an axis that is no affine expression of sizes.
MakeSize = Callable[[SSAValue, Product | CeilQuotient | SizeExpr], AffineExpr]


class Fact(NamedTuple):
    """A constraint on axes with dimensions of their own, which holds wherever `given` holds."""

    axes: Sequence[SSAValue]
    given: list[Constraint]
    then: list[Constraint]


@dataclass
class LeafMap:
    """Axes as functions of leaf axes.

    An axis that is no linear function of leaves is a dimension of its own, so that sets need no
    divisions. If it is part of a fusion with constant extents, it is *divided*: an affine
    expression with divisions. If a relation divides or multiplies by a symbolic extent, it is
    *opaque*: only the range of its value is known.

    values: a linear expression for every axis.
    starts: of the root axes, to which their dimensions are absolute.
    spans: of all axes.
    own: the dimensions of those axes that have some.
    exprs: what each dimension is in terms of sizes, leaf axes and opaque axes.
    constraints: what must hold for each axis beyond the bounds of the root axes.
    """

    values: dict[SSAValue, AffineExpr]
    starts: dict[SSAValue, AffineExpr]
    spans: Mapping[SSAValue, Span]
    own: Mapping[SSAValue, int]
    exprs: list[AffineExpr]
    constraints: dict[SSAValue, list[Constraint]] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)

    def require(self, axis: SSAValue, constraints: Sequence[Constraint]) -> None:
        """Adds a constraint of an axis; it may be about leaves, or about constants alone."""
        self.constraints.setdefault(axis, []).extend(constraints)

    def add_opaque(self, axis: SSAValue) -> None:
        """Makes the value of `axis` a dimension of its own, without constraints."""
        dimension = AffineExpr.dimension(self.own[axis])
        self.values[axis] = difference(dimension, self.starts.get(axis, ZERO))

    def add_divided(self, axis: SSAValue, value: AffineExpr) -> None:
        """Makes the value of `axis` its own dimension, equal to `value`, which divides leaves."""
        self.add_opaque(axis)
        self.exprs[self.own[axis]] = self.in_loops(self.starts.get(axis, ZERO)) + value

    def in_loops(self, expr: AffineExpr) -> AffineExpr:
        """The expression with divisions of leaves in place of the dimensions of divided axes."""
        return expr.replace_dims_and_symbols(self.exprs, ())

    def position(self, axis: SSAValue) -> AffineExpr:
        """The distance of an axis from its start."""
        return difference(self.values[axis], self.spans[axis].start)


def divided_dims(exprs: Sequence[AffineExpr]) -> list[int]:
    """The dimensions of divided axes, where `exprs` says what each dimension is."""
    return [dim for dim, expr in enumerate(exprs) if expr != AffineExpr.dimension(dim)]


def substitution(exprs: Sequence[AffineExpr]) -> Callable[[AffineExpr], AffineExpr]:
    """Replaces the dimensions of divided axes in expressions."""
    if not divided_dims(exprs):
        return lambda expr: expr
    return lambda expr: expr.replace_dims_and_symbols(exprs, ())


V = TypeVar("V")


class IndexArithmetic(Protocol[V]):
    """Arithmetic on index values of some kind, as affine expressions or values of IR."""

    def of_axis(self, axis: SSAValue) -> V:
        """The value of an axis that a relation makes."""
        ...

    def extent(self, axis: SSAValue, parts: int = 1) -> V:
        """The extent of an axis that a relation consumes, or of each of its parts.

        The number of parts may be a size of the function.
        """
        ...

    def size(self, expr: AffineExpr) -> V:
        """An expression of sizes of the function."""
        ...

    def divisor(self, axis: SSAValue, made: SSAValue) -> V:
        """The extent of an axis, by which the value of `made` is divided."""
        ...

    def add(self, lhs: V, rhs: V) -> V: ...
    def multiply(self, lhs: V, rhs: V) -> V: ...
    def divide(self, lhs: V, rhs: V) -> V: ...
    def remainder(self, lhs: V, rhs: V) -> V: ...


class AxisExtents(Protocol):
    """Sizes of the function, and what a text says of axes, in the coordinates of relations."""

    sizes: Sequence[Polynomial]

    def value(self, axis: SSAValue) -> Polynomial:
        """An axis in terms of loops."""
        ...

    def start(self, axis: SSAValue) -> Polynomial:
        """Where an axis that a relation consumes starts; a root axis counts from 0."""
        ...

    def extent(self, axis: SSAValue) -> Polynomial: ...

    def distances(self, axis: SSAValue) -> tuple[Polynomial, Polynomial]:
        """How far an axis is from the first and the last element of its range."""
        ...

    def parts(self, axis: SSAValue, whole: SSAValue, number: Polynomial) -> Polynomial | None:
        """The extent of `axis`, if that is the extent of `whole` divided by a number of sizes."""
        ...


class Iteration(AxisExtents, Protocol):
    """The iteration of a stage's loops that computes one point, as it is found.

    positions: of axes, in the coordinates of relations.
    known: the bounds of what these are made of.
    """

    positions: dict[SSAValue, Polynomial]
    known: Inequalities


class Meaning(ABC, Generic[R]):
    """The meaning of one relation, in both directions."""

    @abstractmethod
    def add_spans(self, relation: R, spans: dict[SSAValue, Span], product: Product) -> None:
        """Adds the spans of the axes that it makes; those of the axes it consumes are there."""

    def own_axes(self, relation: R, spans: Spans) -> list[SSAValue]:
        """The consumed axes that are no linear functions of the axes that it makes."""
        return []

    @abstractmethod
    def add_values(self, relation: R, map: LeafMap) -> None:
        """Adds the values of the axes that it consumes; those of the axes it makes are there."""

    def divisors(self, relation: R) -> Sequence[AffineExpr]:
        """The expressions of sizes of the function that it divides by."""
        return ()

    def follow(self, relation: R, at: Iteration) -> bool:
        """Adds the positions of the axes that it makes; those of the axes it consumes are there.

        False if they are not known.
        """
        return False

    def keeps_apart(self, relation: R, at: AxisExtents, known: Inequalities) -> bool:
        """Whether different points of the axes that it makes are of different points it consumes.

        `known` is over the loops of the stage. False if that is not proved, as of axes that have
        a value of their own in the text.
        """
        return _are_by_relation(relation.consumed, at)

    def bounds(
        self, relation: R, at: AxisExtents, known: Inequalities
    ) -> Iterator[tuple[SSAValue, Polynomial]]:
        """Axes it consumes that are no linear functions of loops, and what is not negative of them.

        That is proved by what is `known` of the axes that it makes.
        """
        return iter(())

    def position(self, relation: R, axis: SSAValue, code: IndexArithmetic[V]) -> V | None:
        """The distance of a consumed axis from its start, if an extent is symbolic.

        None if the value of the axis is a linear expression in any case.
        """
        return None

    def step(self, relation: R, made: Sequence[int | None]) -> int | None:
        """The steps of the axes that it consumes, for the steps `made` of the axes that it makes.

        None if they are not always the same.
        """
        return None


def _are_by_relation(axes: Iterable[SSAValue], at: AxisExtents) -> bool:
    """Whether axes are computed by their relation: the text has no values for them."""
    return all(at.value(axis) == Polynomial.of(axis) for axis in axes)


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


class SplitMeaning(Meaning[schedule.SplitOp]):
    """parent = origin + outer * factor + inner, where 0 <= inner < factor.

    Tiles of a constant factor begin at its multiples; all others begin at the start.
    """

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
            nparts = AffineExpr.constant(relation.nparts.value.data)
            _check_number("nparts", relation.nparts, MOST_EMPTY, relation)
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
        if relation.size is None and relation.nparts is not None:
            number = relation.nparts.value.data
            return Polynomial.constant(number), at.extent(parent).ceildiv(number)
        if relation.size is None:
            return None
        size = of_expr(relation.size.expr, over(at.sizes))
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
            _check_number("factor", given, LARGEST_SIZE, relation)
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
        _check_number("nparts", relation.nparts, MOST_EMPTY, relation)
    return AffineExpr.constant(asked)


class FuseMeaning(Meaning[schedule.FuseOp]):
    """fused = (x1 * e2 + x2) * e3 + ..., of extents e and positions x: counted from the start."""

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
            inside: list[Constraint] = []
            for axis in relation.args:
                map.add_opaque(axis)
                inside += between(map.position(axis), map.spans[axis].extent)
            map.require(relation.fused, runs)
            map.facts.append(Fact(relation.args, runs, inside))
            return
        first, *inner = several = self._several(relation, map.spans)
        quotient, stride, linear = map.in_loops(rest), 1, rest * -1
        inside: list[Constraint] = []
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
        fused, product = Polynomial({}), Polynomial.constant(1)
        extents = [at.extent(axis) for axis in relation.args]
        symbolic = any(extent.as_constant() is None for extent in extents[1:])
        for axis, extent in zip(relation.args, extents, strict=True):
            distance = at.positions[axis] - at.start(axis)
            if symbolic and not at.known.hold(distance, extent - distance - ONE_MORE):
                return False
            fused, product = fused * extent + distance, product * extent
        if symbolic:
            # Distances inside their extents are joined to one inside of the product of these.
            at.known.add_value((relation.fused,))
            fused = Polynomial.of(relation.fused)
            at.known.add(fused)
            at.known.add(product - fused - ONE_MORE)
        at.positions[relation.fused] = fused
        return True

    def keeps_apart(self, relation: schedule.FuseOp, at: AxisExtents, known: Inequalities) -> bool:
        fused = Polynomial({})
        for axis in relation.args:
            fused = fused * at.extent(axis) + at.distances(axis)[0]
        is_sum = known.are_equal(fused, at.value(relation.fused))
        return is_sum or super().keeps_apart(relation, at, known)

    def bounds(
        self, relation: schedule.FuseOp, at: AxisExtents, known: Inequalities
    ) -> Iterator[tuple[SSAValue, Polynomial]]:
        fused = at.value(relation.fused)
        if not known.hold(fused):
            return
        product = reduce(mul, map(at.extent, relation.args), Polynomial.constant(1))
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


class SingletonMeaning(Meaning[schedule.SingletonOp]):
    """singleton = 0."""

    def add_spans(
        self, relation: schedule.SingletonOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        spans[relation.singleton] = Span(ZERO, ONE)

    def add_values(self, relation: schedule.SingletonOp, map: LeafMap) -> None:
        map.require(relation.singleton, between(map.values[relation.singleton], ONE))

    def follow(self, relation: schedule.SingletonOp, at: Iteration) -> bool:
        at.positions[relation.singleton] = Polynomial.constant(0)
        return True


class ShiftMeaning(Meaning[schedule.ShiftOp]):
    """shifted = parent + offset."""

    def add_spans(
        self, relation: schedule.ShiftOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        start, extent = spans[relation.parent_]
        _check_number("offset", relation.offset, MANY, relation)
        spans[relation.shifted] = Span(start + relation.offset.value.data, extent)

    def add_values(self, relation: schedule.ShiftOp, map: LeafMap) -> None:
        shifted = map.values[relation.shifted]
        map.values[relation.parent_] = shifted + -relation.offset.value.data

    def follow(self, relation: schedule.ShiftOp, at: Iteration) -> bool:
        offset = Polynomial.constant(relation.offset.value.data)
        at.positions[relation.shifted] = at.positions[relation.parent_] + offset
        return True

    def step(self, relation: schedule.ShiftOp, made: Sequence[int | None]) -> int | None:
        return made[0]


class ReverseMeaning(Meaning[schedule.ReverseOp]):
    """reversed = first + last - parent."""

    def add_spans(
        self, relation: schedule.ReverseOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        spans[relation.reversed] = spans[relation.parent_]

    def add_values(self, relation: schedule.ReverseOp, map: LeafMap) -> None:
        start, extent = map.spans[relation.parent_]
        last = start + extent + -1
        map.values[relation.parent_] = start + last + map.values[relation.reversed] * -1

    def follow(self, relation: schedule.ReverseOp, at: Iteration) -> bool:
        parent = relation.parent_
        start = at.start(parent)
        ends = start + start + at.extent(parent) - ONE_MORE
        at.positions[relation.reversed] = ends - at.positions[parent]
        return True

    def step(self, relation: schedule.ReverseOp, made: Sequence[int | None]) -> int | None:
        return None if made[0] is None else -made[0]


class SkewMeaning(Meaning[schedule.SkewOp]):
    """skewed = parent + factor * along."""

    def add_spans(
        self, relation: schedule.SkewOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        (start, extent), along = spans[relation.parent_], spans[relation.along]
        _check_number("factor", relation.factor, MOST_EMPTY, relation)
        factor = relation.factor.value.data
        steps = along.extent + -1
        start = start + along.start * factor
        if factor < 0:
            start = start + steps * factor
        extent = extent + steps * abs(factor)
        # Axes that are skewed along each other in turn would double their terms every time.
        extent = simplified(extent)
        if isinstance(extent, AffineConstantExpr) and extent.value > LARGEST_SIZE:
            raise ScheduleError(
                f"skew makes an axis of extent {extent.value}; no axis has more than "
                f"{LARGEST_SIZE} iterations",
                relation,
            )
        spans[relation.skewed] = Span(simplified(start), extent)

    def add_values(self, relation: schedule.SkewOp, map: LeafMap) -> None:
        skewed, along = map.values[relation.skewed], map.values[relation.along]
        parent = skewed + along * -relation.factor.value.data
        map.values[relation.parent_] = simplified(parent)

    def follow(self, relation: schedule.SkewOp, at: Iteration) -> bool:
        along = at.positions[relation.along].times(relation.factor.value.data)
        at.positions[relation.skewed] = at.positions[relation.parent_] + along
        return True


class RemapMeaning(Meaning[schedule.RemapOp]):
    """remapped = map(axes); isl finds the inverse."""

    def add_spans(
        self, relation: schedule.RemapOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        box = [spans[axis] for axis in relation.args]
        exprs = relation.exprs()
        made = [*map(Span._make, image_sides(exprs, box))]
        for axis, (start, extent) in zip(relation.remapped, made, strict=True):
            if isinstance(start, AffineConstantExpr) and abs(start.value) > MANY:
                raise _refused(relation, f"axis {schedule.axis_name(axis)} starts at {start}")
            if isinstance(extent, AffineConstantExpr) and extent.value > LARGEST_SIZE:
                raise _refused(relation, f"axis {schedule.axis_name(axis)} has {extent} iterations")
        most = holes(exprs, box, made)
        if most > MOST_EMPTY:
            raise _refused(relation, f"{most} iterations would do nothing for each that does")
        spans.update(zip(relation.remapped, made, strict=True))

    def own_axes(self, relation: schedule.RemapOp, spans: Spans) -> list[SSAValue]:
        exprs = self._inverse(relation, spans).exprs
        pairs = zip(relation.args, exprs, strict=True)
        return [axis for axis, expr in pairs if not is_linear(expr)]

    def add_values(self, relation: schedule.RemapOp, map: LeafMap) -> None:
        exprs, around = self._inverse(relation, map.spans)
        made = [map.values[axis] for axis in relation.remapped]
        over = [*(AffineExpr.dimension(dim) for dim in around), *made]
        for axis, expr in zip(relation.args, exprs, strict=True):
            value = replace_dims(expr, over.__getitem__)
            if is_linear(expr):
                map.values[axis] = simplified(value)
                continue
            map.add_divided(axis, map.in_loops(value))
            map.facts.append(Fact([axis], [], [Constraint(map.values[axis], True, value)]))
        values = [map.values[axis] for axis in relation.args]
        values += [AffineExpr.dimension(size) for size in range(relation.map.data.num_symbols)]
        for position, expr in zip(made, relation.exprs(), strict=True):
            there = replace_dims(expr, values.__getitem__)
            if simplified(difference(position, there)) != ZERO:
                map.require(relation.remapped[0], [Constraint(position, True, there)])

    def follow(self, relation: schedule.RemapOp, at: Iteration) -> bool:
        sizes = at.sizes[: relation.map.data.num_symbols]
        consumed = over([*(at.positions[axis] for axis in relation.args), *sizes])
        for axis, expr in zip(relation.remapped, relation.exprs(), strict=True):
            at.positions[axis] = of_expr(expr, consumed)
        return True

    @staticmethod
    def _inverse(relation: schedule.RemapOp, spans: Spans) -> Inverse:
        box = tuple((spans[axis].start, spans[axis].extent) for axis in relation.args)
        try:
            return inverse_of(relation.exprs(), box)
        except NoInverseError as error:
            stage = relation.parent_op()
            assert isinstance(stage, schedule.StageOp)
            raise _refused(relation, error.words(size_names(stage))) from None


def _refused(relation: schedule.RemapOp, reason: str) -> ScheduleError:
    return ScheduleError(
        f"remap of axes {schedule.axis_names(relation.args)} by {relation.map.data}: {reason}",
        relation,
    )


def _check_number(
    word: str, number: schedule.NumberAttr, most: int, relation: schedule.RelationOp
) -> None:
    """Raises `ScheduleError` for a number with which loops would not end, or would wrap."""
    value = number.value.data
    if abs(value) > most:
        axis = relation.consumed[0]
        raise ScheduleError(
            f"{relation.name.removeprefix('schedule.')} of axis {schedule.axis_name(axis)} by "
            f"{word} {value}: {word} must be at most {most}",
            relation,
        )


def check_sizes(relation: schedule.RelationOp, stage: schedule.StageOp) -> None:
    """Raises `ScheduleError` for a relation by a size that the stage's function does not have."""
    if relation.last_size >= 0:
        count = len(function_around(stage).sizes)
        if relation.last_size >= count:
            axes = schedule.axis_names(relation.consumed)
            raise ScheduleError(
                f"{relation.name.removeprefix('schedule.')} of axis {axes} is by size "
                f"{relation.last_size} of the function, which has {count}",
                relation,
            )


_MEANINGS: Mapping[type[schedule.RelationOp], Meaning] = {
    schedule.SplitOp: SplitMeaning(),
    schedule.FuseOp: FuseMeaning(),
    schedule.SingletonOp: SingletonMeaning(),
    schedule.ShiftOp: ShiftMeaning(),
    schedule.ReverseOp: ReverseMeaning(),
    schedule.SkewOp: SkewMeaning(),
    schedule.RemapOp: RemapMeaning(),
}


def meaning_of(relation: schedule.RelationOp) -> Meaning:
    return _MEANINGS[type(relation)]
