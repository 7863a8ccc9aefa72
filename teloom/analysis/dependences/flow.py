"""Whether each read finds the value of its writer: flow dependences, by integer sets.

Instances of writer and reader are ordered by the loops that both share inside of the storage. A
loop whose iterations do not run one after another orders no instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.dependences.instances import InstanceSets, is_size
from teloom.analysis.dependences.time_vectors import (
    Nest,
    loops_of_nest,
    time_vector,
)
from teloom.analysis.regions.shared_order import shared_with
from teloom.analysis.regions.slices import elements_filled
from teloom.analysis.sets.integer_sets import Constraint, extreme, flat_set, inside
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.queries import (
    Read,
    in_init,
    kind_of,
    path,
    path_to_storage,
    reader_of,
    result_behind,
    states_of,
)
from teloom.analysis.stages.read_maps import Root, coordinates, data_roots
from teloom.dialects import schedule


@dataclass(frozen=True)
class Later:
    """The name of a coordinate of the reader, where the writer has one of the same name."""

    name: Name


@dataclass(frozen=True)
class Last:
    """The name of a loop of the instance that wrote last what is read."""

    name: Name


@dataclass(frozen=True)
class Other:
    """The name of a coordinate of the other element, which is stored in the same place."""

    name: Name


class ViolationKind(Enum):
    """Why a read does not find the value of its writer."""

    NEVER = "nothing writes it"
    LATE = "it is written later"
    OVERWRITTEN = "another element has taken its place"
    AT_ONCE = "two iterations without an order write one place"


class Violation(NamedTuple):
    """A read that does not find the value of its writer, at one point.

    `point` has values of sizes, of the roots of the reader, of the element, and of the loops of the
    writer. The loops of the reader are named by `Later`, the coordinates of an element that has
    taken the place by `Other`.
    """

    kind: ViolationKind
    point: Mapping[Name, int]


class Edge:
    """Reads of what a stage writes, in one block of an equation; `read` is the first of them."""

    def __init__(self, reads: Sequence[Read], sets: InstanceSets):
        self.all, self.sets = reads, sets
        self.read = read = reads[0]
        self.tensor = result_behind(read.tensor)
        writer, reader = self.tensor.owner, reader_of(read)
        assert isinstance(writer, schedule.StageOp)
        self.writer, self.reader = writer, reader
        self.nest = Nest.INIT if in_init(read) else Nest.BODY
        self.storage = path_to_storage(writer)
        self.is_own = bool(states_of(writer))
        """Whether instances of the writer have to be told apart, and not only its elements."""
        self.loops = [*path(writer), *(loops_of_nest(writer) if self.is_own else ())]
        around = [*path(reader), *loops_of_nest(reader, self.nest)]
        self.is_inside = around[: len(self.storage)] == self.storage
        shared = 0
        while shared < min(len(self.loops), len(around)) and self.loops[shared] is around[shared]:
            shared += 1
        self.shared = self.loops[len(self.storage) : shared]
        self.between = self.loops[len(self.storage) :]
        positions = (time_vector(writer), time_vector(reader, self.nest))
        first, second = (one[2 * shared] for one in positions)
        assert isinstance(first, int)
        assert isinstance(second, int)
        self.is_before = first < second or shared_with(writer, read) is not None
        """Whether the writer comes first where both are in the same iteration of shared loops."""
        self.element = coordinates(len(sets.reads.box(self.tensor)))

    @property
    def fixed(self) -> list[Name]:
        """The coordinates that writer and reader share: sizes, and the loops around the storage."""
        return [*filter(is_size, self.sets.sizes), *self.storage]

    def reads(self, with_instances: bool = False) -> Points:
        """The reads, over what is shared, loops of the reader, the element, and maybe roots."""
        found = self.sets.of(self.reader, self.nest)
        instance = found.names_of(Root) if with_instances else []
        found = found.intersect(self._elements())
        found = found.over([*self.fixed, *self.shared, *self.element, *instance])
        return found.renamed(self.shared, [*map(Later, self.shared)])

    def _elements(self) -> Points:
        """The elements that instances read, by any of the reads."""
        found, *others = map(self._elements_of, self.all)
        found = reduce(Points.union, others, found)
        return found._replace(set=found.set.coalesce()) if others else found

    def _elements_of(self, read: Read) -> Points:
        """The elements that instances read; a subscript from data has any value inside."""
        access, reads = self.sets.reads.of(read), self.sets.reads
        found = access.elements.with_integer_equalities()
        box, opaque = reads.box(self.tensor), access.opaque
        points = [found.dim(self.element[axis]) for axis in opaque]
        return found.where(*inside(points, [box[axis] for axis in opaque]))

    def writes(self) -> Points:
        """The writes, over what is shared, the loops of the writer, and the element."""
        found = self.sets.finished(self.writer)
        found = found.over([*self.sets.sizes, *self.loops, *data_roots(self.writer)])
        found = elements_filled(found, self.tensor, self.sets.reads)
        return found.over([*self.fixed, *self.between, *self.element])

    def violation(self, is_there: bool) -> Violation | None:
        """A read of what nothing has written before, or whose place another element has taken.

        With `is_there`, no other element can have taken the place.
        """
        reads, writes = self.reads(), self.writes()
        before = self._before()
        written = writes.intersect(before)
        missing = reads.subtract(written.over(reads.names))
        if not missing.set.is_empty():
            ever = writes.intersect(missing)
            kind = ViolationKind.NEVER if ever.set.is_empty() else ViolationKind.LATE
            return self._witness(kind, missing if kind is ViolationKind.NEVER else ever)
        if not all(kind_of(axis).one_after_another for axis in self.between):
            found = self._written_at_once(writes)
            if found is not None:
                return found
        if is_there or not self.writer.storage.folds:
            return None
        return self._overwritten(reads, writes, before)

    def _written_at_once(self, writes: Points) -> Violation | None:
        """Two writes to one place in iterations that have no order."""
        last = [*map(Last, self.between)]
        others = writes.renamed([*self.between, *self.element], [*last, *map(Other, self.element)])
        pairs = self._at_one_place(writes.intersect(others))
        same = [Constraint(pairs.dim(axis), True, pairs.dim(Last(axis))) for axis in self.between]
        pairs = pairs.subtract(pairs.where(*same))
        for one, other in ((self.between, last), (last, self.between)):
            for piece in first_before(self.between, one, other, self.sets.context):
                pairs = pairs.without_those_of(piece)
        return None if pairs.set.is_empty() else Violation(ViolationKind.AT_ONCE, pairs.first())

    def _at_one_place(self, pairs: Points) -> Points:
        """Pairs of an element and another that are stored at one place."""
        factors = self.writer.storage.factors
        return pairs.where(
            *(
                Constraint(
                    _modulo(pairs.dim(name), factors.get(name.axis)),
                    True,
                    _modulo(pairs.dim(Other(name)), factors.get(name.axis)),
                )
                for name in self.element
            )
        )

    def _witness(self, kind: ViolationKind, points: Points) -> Violation:
        return Violation(kind, self.reads(with_instances=True).intersect(points).first())

    def _before(self) -> Points:
        """The pairs of iterations in which the writer runs before the reader, over shared loops."""
        later = [Later(axis) for axis in self.shared]
        names = [*self.shared, *later]
        pieces = [*first_before(self.shared, self.shared, later, self.sets.context)]
        if self.is_before:
            pieces.append(_universe(names, self.sets.context).where(*_equal(names, self.shared)))
        empty = Points(names, isl.Set.empty(isl.Space.set_alloc(self.sets.context, 0, len(names))))
        return reduce(Points.union, pieces, empty)

    def _overwritten(self, reads: Points, writes: Points, before: Points) -> Violation | None:
        """A read of an element whose place another element has taken since it was written."""
        # The last write of the element before the read, and then each write of another element to
        # the same place that runs before the read, but not before that last write.
        found = reads.intersect(writes).intersect(before)
        found = found.over([*reads.names, *self.between])
        last = extreme(found.relation(self.between), isl.Map.lexmax)
        named = Points([*reads.names, *map(Last, self.between)], flat_set(last))
        others = writes.renamed(self.element, [*map(Other, self.element)])
        pairs = named.intersect(others).intersect(before)
        pairs = self._at_one_place(pairs)
        same = [Constraint(pairs.dim(name), True, pairs.dim(Other(name))) for name in self.element]
        pairs = pairs.subtract(pairs.where(*same))
        last = [*map(Last, self.between)]
        for piece in first_before(self.between, self.between, last, self.sets.context):
            pairs = pairs.without_those_of(piece)
        return None if pairs.set.is_empty() else self._witness(ViolationKind.OVERWRITTEN, pairs)


def _modulo(expr: AffineExpr, factor: int | None) -> AffineExpr:
    return expr if factor is None else expr % factor


def _universe(names: Sequence[Name], context: isl.Context) -> Points:
    return Points(names, isl.Set.universe(isl.Space.set_alloc(context, 0, len(names))))


def _equal(names: Sequence[Name], loops: Sequence[SSAValue]) -> Iterator[Constraint]:
    for axis in loops:
        position = AffineExpr.dimension(names.index(axis))
        yield Constraint(position, True, AffineExpr.dimension(names.index(Later(axis))))


def first_before(
    loops: Sequence[SSAValue], one: Sequence[Name], other: Sequence[Name], context: isl.Context
) -> Iterator[Points]:
    """Where one iteration of loops runs before another: a set for each loop that decides it."""
    points = _universe([*one, *other], context)
    for axis, step in zip(loops, points.steps(one, other), strict=True):
        if kind_of(axis).one_after_another:
            yield points.where(*step)
