"""The plan of a schedule: which stages are inlined, and which are computed in the loops of others.

Stages that are computed in each other's loops are a nest: its anchor, which is an output or read by
several nests, and members. A member is computed at one of the anchor's axes if it computes nothing
twice there, but for windows that slide along one axis.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from teloom.frontend.auto.facts import (
    EquationFacts,
    Subscript,
    TensorNow,
    extent_of,
    is_box,
    unchanged,
)
from teloom.frontend.tensor.tensors import Operation
from teloom.frontend.tensor.updates import UpdateOp

CHEAP = 2
"""The most work of a stage that is computed again wherever it is read, instead of stored."""

MOST_READS = 9
"""The most times that such a stage is computed again: as a window of 3 x 3 reads it."""

MOST_WINDOW = 16
"""The longest window that slides."""


MANY_TERMS = 256
"""The least products per element from which on its place in memory does not matter.

Computed in loops over rows of its reader, a product would read an operand once for each tile of
rows.
"""


class Follow(NamedTuple):
    """How a dimension of a tensor follows an axis of an anchor.

    At position p of the axis, positions `scale` p + `low` to `scale` p + `high` are read.
    """

    axis: int
    scale: int
    low: int
    high: int

    @property
    def slides(self) -> bool:
        """Whether two positions read the same element."""
        return self.high - self.low >= abs(self.scale)


Follows = tuple[Follow | None, ...]
"""What each dimension follows; None for one that is read as a whole."""


@dataclass
class AnchorNest:
    """An anchor, and the stages in its loops with the number of its axes around each.

    `order` are the anchor's data axes, by number, outermost first.
    """

    anchor: EquationFacts
    order: list[int] = field(default_factory=list)
    members: dict[EquationFacts, int] = field(default_factory=dict)
    follows: dict[Operation, Follows] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The number of axes around the innermost members."""
        return max(self.members.values(), default=0)

    def is_innermost(self, member: EquationFacts) -> bool:
        """Whether as many axes are around a member as around any."""
        return self.members[member] == self.depth

    def read_by(self, member: EquationFacts) -> Iterator[EquationFacts]:
        """The members that a member reads, also through stages that are inlined in it."""
        by_op: dict[Operation, EquationFacts] = {one.op: one for one in self.members}
        read = dict.fromkeys(tensor.op for tensor in member.tensors)
        return (by_op[op] for op in read if op in by_op)

    def readers_of(self, member: EquationFacts) -> list[EquationFacts]:
        """The other members that read a member, also through stages that are inlined in them."""
        return [one for one in self.members if one is not member and member in self.read_by(one)]

    def is_read_by_anchor_alone(self, member: EquationFacts) -> bool:
        """Whether no other member reads a member."""
        return not self.readers_of(member)

    def follows_alone(self, member: EquationFacts, axis: int) -> bool:
        """Whether no two positions on an axis of the anchor need the same element of a member."""
        found = (one for one in self.follows[member.op] if one is not None)
        return any(one.axis == axis and not one.slides for one in found)

    def is_epilogue_of(self, member: EquationFacts) -> bool:
        """Whether the anchor is the epilogue of a reduction: it reads it point by point."""
        follows = self.follows[member.op]
        same = [one is not None and one == (axis, 1, 0, 0) for axis, one in enumerate(follows)]
        return bool(member.op.reduce_axis) and len(same) == len(self.order) and all(same)

    def slides(self, member: EquationFacts) -> bool:
        """Whether a member keeps rows for the next iterations of the innermost axis around it."""
        last = self.order[self.members[member] - 1]
        found = (one for one in self.follows[member.op] if one is not None)
        return any(one.axis == last and one.slides for one in found)


def nest_of(equation: EquationFacts) -> AnchorNest:
    """A nest with an anchor and no members yet."""
    order = [*range(len(equation.op.axis))]
    return AnchorNest(
        equation, order, {}, {equation.op: tuple(Follow(axis, 1, 0, 0) for axis in order)}
    )


@dataclass
class Plan:
    """`inlined` stages, and `nests`, the readers first.

    `alone` are stages that share no loops with others, are no reductions, and have one reader.
    """

    inlined: list[EquationFacts]
    nests: list[AnchorNest]
    alone: set[Operation]


def readers_of(
    operations: Sequence[Operation], result_now: TensorNow
) -> dict[Operation, list[Operation]]:
    """What reads each operation, and each that one of them reads."""
    found: dict[Operation, list[Operation]] = {op: [] for op in operations}
    for op in operations:
        for made in dict.fromkeys(result_now(tensor).op for tensor in op.input_tensors):
            found.setdefault(made, []).append(op)
    return found


class Planner:
    """Plans the stages of a program.

    `equations` are those that rules schedule, producers first. Those `apart` are members of none.
    `result_now` gives what a command made of a tensor.
    """

    def __init__(
        self,
        equations: Mapping[Operation, EquationFacts],
        operations: Sequence[Operation],
        apart: Container[Operation] = (),
        result_now: TensorNow = unchanged,
    ):
        self.equations, self._apart = equations, apart
        self.readers = readers_of(operations, result_now)
        self.work = {op: one.work for op, one in equations.items()}
        self.inlined: dict[Operation, EquationFacts] = {}
        self.nest_of: dict[Operation, AnchorNest] = {}

    def plan(self, outputs: Sequence[Operation]) -> Plan:
        """The plan of a program with these outputs."""
        for op, equation in self.equations.items():
            if op not in outputs and self._is_inlined(equation):
                self.inlined[op] = equation
        nests: dict[int, AnchorNest] = {}
        for op, equation in reversed(self.equations.items()):
            nest = self._nest(equation, op in outputs)
            if nest is not None:
                nests[id(nest)] = self.nest_of[op] = nest
        alone: list[AnchorNest] = []
        for nest in nests.values():
            self._place(nest)
            alone += [nest_of(one) for one, depth in nest.members.items() if not depth]
            nest.members = {one: depth for one, depth in nest.members.items() if depth}
        order = {op: number for number, op in enumerate(self.equations)}
        planned = sorted([*nests.values(), *alone], key=lambda one: -order[one.anchor.op])
        apart = {nest.anchor.op for nest in planned if self._is_alone(nest)} - {*outputs}
        return Plan([*self.inlined.values()], planned, apart)

    def _is_alone(self, nest: AnchorNest) -> bool:
        op = nest.anchor.op
        is_pointwise = not op.reduce_axis and is_box(op) and len(op.outputs) == 1
        return is_pointwise and not nest.members and len(self.readers[op]) == 1

    def _is_inlined(self, equation: EquationFacts) -> bool:
        op = equation.op
        readers = self.readers[op]
        if op.reduce_axis or not is_box(op):
            return False
        if len(readers) == 1 and _begins_as(readers[0], op):
            return not equation.transposes
        if not all(reader in self.equations for reader in readers):
            return False
        found = [(self.equations[one], self._reads(self.equations[one], op)) for one in readers]
        if any(read.is_data_dependent for one, _ in found for read in one.reads_of(op.outputs)):
            return False
        if equation.has_cases and any(_multiplies_cases(*one) for one in found):
            return False
        again = sum(one.points * reads for one, reads in found) / max(1, equation.points)
        is_cheap = self.work[op] <= CHEAP and again <= MOST_READS
        is_product = any(one.is_product for one, _ in found)
        is_folded = any(one.op.reduce_axis for one, _ in found)
        if is_product:
            is_cheap = equation.moves and not equation.is_apart and not self.work[op]
        elif is_folded and again > 1 and equation.is_bordered:
            is_cheap = False
        if not is_cheap and (is_product or again > (1 if is_folded else 1.5)):
            return False
        for one, reads in found:
            self.work[one.op] += self.work[op] * reads
        return True

    @staticmethod
    def _reads(equation: EquationFacts, op: Operation) -> int:
        return len([*equation.reads_of(op.outputs)])

    def _nest(self, equation: EquationFacts, is_output: bool) -> AnchorNest | None:
        """The nest of all readers of a stage, or a new one; None if several inline it."""
        op = equation.op
        nests = {id(found): found for one in self.readers[op] if (found := self.nest_of.get(one))}
        known = all(one in self.nest_of for one in self.readers[op])
        if known and not is_output and len(nests) == 1:
            (nest,) = nests.values()
            nest.follows[op] = follows = self._follows(equation, nest)
            if op in self.inlined:
                return nest
            if any(follows):
                nest.members[equation] = 0
                return nest
        return None if op in self.inlined else nest_of(equation)

    def _follows(self, equation: EquationFacts, nest: AnchorNest) -> Follows:
        """How the dimensions of a stage follow the anchor, through all of its readers."""
        found: Follows | None = None
        for reader in self.readers[equation.op]:
            around = nest.follows[reader]
            read_by = self.equations[reader]
            for read in read_by.reads_of(equation.op.outputs):
                there = tuple(_follow(read_by, around, one) for one in read.subscripts)
                found = there if found is None else tuple(map(_joined, found, there))
        return found or ()

    def _place(self, nest: AnchorNest) -> None:
        """Orders the axes of an anchor, and finds how many of them are around each member."""

        def followers(axis: int) -> int:
            follows = (nest.follows[member.op] for member in nest.members)
            return sum(axis in [one.axis for one in each if one is not None] for each in follows)

        steps = len(nest.order) - len(nest.anchor.space)
        space = nest.order[steps:]
        long = [number for number in space if extent_of(nest.anchor.op.axis[number]) > 1]
        single = [number for number in space if number not in long]
        long[:-1] = sorted(long[:-1], key=followers, reverse=True)
        nest.order = [*nest.order[:steps], *single, *long]
        for member in nest.members:
            readers = [one for one in self.readers[member.op] if one in self.equations]
            most = min(self._depth(nest, one) for one in readers)
            depth = min(most, _leading(nest.follows[member.op], nest.order))
            if self._is_apart(nest, member) or self._is_untiled(nest, member, depth):
                depth = 0
            nest.members[member] = depth

    def _is_apart(self, nest: AnchorNest, member: EquationFacts) -> bool:
        """Whether a member stays outside of the loops: a long product, or what feeds one."""
        if member.op in self._apart:
            return True
        terms = prod(map(extent_of, member.op.reduce_axis))
        if member.is_product and terms >= MANY_TERMS and not nest.is_epilogue_of(member):
            return True
        readers = (self.equations.get(one) for one in self.readers[member.op])
        return any(
            one in nest.members
            and one.is_product
            and nest.is_epilogue_of(one)
            and extent_of(one.op.axis[-1]) >= MANY_TERMS
            for one in readers
            if one is not None
        )

    @staticmethod
    def _is_untiled(nest: AnchorNest, member: EquationFacts, depth: int) -> bool:
        """Whether a long product would have no tiles: a nest has tiles of one product."""
        terms = prod(map(extent_of, member.op.reduce_axis))
        if not member.is_product or terms <= MOST_WINDOW or depth < len(member.op.axis):
            return False
        epilogues = (one for one in nest.members if one.is_product and nest.is_epilogue_of(one))
        return member is not next(epilogues, None)

    def _depth(self, nest: AnchorNest, reader: Operation) -> int:
        if reader in self.inlined:
            return min(self._depth(nest, one) for one in self.readers[reader])
        return nest.members.get(self.equations[reader], len(nest.order))


def _begins_as(reader: Operation, op: Operation) -> bool:
    """Whether an operation is an update that begins as another one, and reads it nowhere else."""
    return isinstance(reader, UpdateOp) and all(one.op is not op for one in reader.read_by_points)


def _multiplies_cases(reader: EquationFacts, reads: int) -> bool:
    """Whether inlining repeats the cases of a stage for each case of its reader, or each lane."""
    return reader.transposes or (reader.has_cases and reads > 1)


def _leading(follows: Follows, order: Sequence[int]) -> int:
    """How many of the first axes a tensor follows; along the last of them its window may slide."""
    by_axis = {one.axis: one for one in follows if one is not None}
    for depth, axis in enumerate(order):
        if axis not in by_axis:
            return depth
        if by_axis[axis].slides:
            return min(depth + 1, len(order) - 1)
    return len(order)


def _follow(reader: EquationFacts, around: Follows, subscript: Subscript) -> Follow | None:
    """The axis that a subscript of a reader follows, if it is one, with a short window."""
    if subscript.coefficients is None:
        return None
    data = [axis for axis in subscript.axes if axis in reader.op.axis]
    if len(data) != 1:
        return None
    follow = around[reader.op.axis.index(data[0])]
    if follow is None:
        return None
    low = high = subscript.constant
    for axis, coefficient in subscript.coefficients.items():
        if axis is not data[0]:
            reach = coefficient * (extent_of(axis) - 1)
            low, high = low + min(0, reach), high + max(0, reach)
    scale = subscript.coefficients[data[0]]
    ends = follow.low * scale, follow.high * scale
    found = Follow(follow.axis, follow.scale * scale, low + min(ends), high + max(ends))
    return found if found.high - found.low <= MOST_WINDOW else None


def _joined(one: Follow | None, other: Follow | None) -> Follow | None:
    if one is None or other is None or one[:2] != other[:2]:
        return None
    return Follow(*one[:2], min(one.low, other.low), max(one.high, other.high))
