"""The meaning of relations: the spans of axes that they make, the values of axes they consume.

A root axis counts from 0, where its region starts; an axis that a relation makes counts from
the start that the relation gives it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.sets.integer_sets import Constraint
from teloom.dialects import schedule
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.polynomials import Polynomial
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

    of: ClassVar[type[schedule.RelationOp]]
    """The op that is this relation."""

    @abstractmethod
    def add_spans(self, relation: R, spans: dict[SSAValue, Span], make: MakeSize) -> None:
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
        return are_by_relation(relation.consumed, at)

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


def are_by_relation(axes: Iterable[SSAValue], at: AxisExtents) -> bool:
    """Whether axes are computed by their relation: the text has no values for them."""
    return all(at.value(axis) == Polynomial.of(axis) for axis in axes)


def check_number(
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
