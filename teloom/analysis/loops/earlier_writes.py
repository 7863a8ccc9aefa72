"""Whether the elements that extra iterations of longer loops read have been written by then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from teloom.analysis.loops.longer_loops import (
    USUAL,
    Longer,
    Touched,
    is_inside_of_storage,
    touches_all,
)
from teloom.analysis.sets.integer_sets import Constraint, more_than
from teloom.analysis.sets.points import Points
from teloom.analysis.signature import argument_of
from teloom.dialects import loop
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.upstream.accesses import accesses_of, accesses_to

_KNOWN = loop.BufferOp, loop.WriteOp, loop.ReduceOp
"""The ops that surely write what they name; code of others fills the box that it takes."""


Writes = Mapping[SSAValue, Sequence[tuple[Operation, Longer]]]
"""By tensor, the accesses that write it in extra iterations, and these iterations."""


def by_written(kept: Iterable[tuple[Operation, Longer]]) -> Writes:
    """What accesses that happen in extra iterations write."""
    found: defaultdict[SSAValue, list[tuple[Operation, Longer]]] = defaultdict(list)
    for op, longer in kept:
        for one in accesses_of(op):
            if one.writes:
                found[one.buffer].append((op, longer))
    return found


def reads_nothing(access: Operation, longer: Longer, kept: Writes, touched: Touched) -> bool:
    """Whether extra iterations read an element of the function that nobody has written by then.

    An element that was read before has been written. `kept` are the writes that extra iterations
    carry out, too.
    """
    for one in accesses_of(access):
        tensor = one.buffer
        if not one.reads or not _is_empty_at_first(tensor):
            continue
        writes = [(each.op, USUAL) for each in accesses_to(tensor) if each.writes]
        writes += [each for each in kept.get(tensor, ()) if each[0] is not access]
        if not all(isinstance(op, _KNOWN) for op, _ in writes):
            return False
        earlier = [_Earlier(access, tensor, op, when, touched) for op, when in writes]
        if _is_missing(access, longer, tensor, earlier, touched):
            return True
    return False


def _is_empty_at_first(tensor: SSAValue) -> bool:
    """Whether a tensor holds nothing but what the function writes."""
    if isinstance(tensor.owner, loop.BindOp):
        argument = argument_of(tensor.owner.buffer)
        return argument is not None and argument.is_empty_at_first
    return isinstance(tensor.owner, loop.RealizeOp)


def _is_missing(
    access: Operation, longer: Longer, tensor: SSAValue, writes: list[_Earlier], touched: Touched
) -> bool:
    known = [one for one in writes if one.can_be]
    elements = touched.of(access, tensor, longer)
    elements = elements.without_those_of(touched.of(access, tensor))
    for one in known:
        elements = elements.without_those_of(one.elements)
    if not elements.set.is_empty():
        return True
    if not any(one.loops for one in writes):
        return False
    reads = touched.instances(access, tensor, longer)
    for one in (*known, _Earlier(access, tensor, access, USUAL, touched)):
        reads = one.missing_of(reads)
    return not reads.set.is_empty()


class _Then(NamedTuple):
    """The name of a coordinate of the earlier iteration, in which an element was touched before."""

    value: SSAValue


class _Earlier:
    """The elements that an op, `before`, has touched when an access runs.

    `loops` are around both ops and inside of the storage, outermost first.
    """

    def __init__(
        self, access: Operation, tensor: SSAValue, before: Operation, when: Longer, touched: Touched
    ):
        self.tensor, self.before, self.when, self.touched = tensor, before, when, touched
        self.loops = _loops_of_both(access, before, tensor)
        self.stands_before = _stands_before(before, access)

    @property
    def can_be(self) -> bool:
        """Whether some iteration of `before` is known to run earlier."""
        is_known = touches_all(self.before, self.tensor)
        return is_known and (self.stands_before or bool(self.loops))

    @cached_property
    def elements(self) -> Points:
        """The elements that all its iterations touch."""
        if isinstance(self.before, loop.BufferOp):
            return self.touched.box(self.before, self.tensor)
        return self.touched.of(self.before, self.tensor, self.when)

    def missing_of(self, reads: Points) -> Points:
        """The iterations of the access whose element `before` has not touched."""
        if not self.loops or isinstance(self.before, loop.BufferOp):
            return reads.without_those_of(self.elements)
        before = self.touched.instances(self.before, self.tensor, self.when)
        names = before.names_of(SSAValue)
        inside = [value for value in names if is_inside_of_storage(value, self.tensor)]
        pairs = reads.intersect(before.renamed(inside, [_Then(value) for value in inside]))
        for op in self.loops:
            now, then = pairs.dim(op.induction_variable), pairs.dim(_Then(op.induction_variable))
            if not op.kind.data.at_the_same_time:
                reads = reads.subtract(pairs.where(more_than(now, then)))
            pairs = pairs.where(Constraint(now, True, then))
        return reads.subtract(pairs) if self.stands_before else reads


def _loops_of_both(access: Operation, other: Operation, tensor: SSAValue) -> list[loop.ForOp]:
    inside = takewhile(lambda around: not around.is_ancestor(tensor.owner), ops_around(access))
    loops = [around for around in inside if isinstance(around, loop.ForOp)]
    return [around for around in reversed(loops) if around.is_ancestor(other)]


def _stands_before(op: Operation, other: Operation) -> bool:
    while (beside := op.parent and op.parent.find_ancestor_op_in_block(other)) is None:
        around = op.parent_op()
        assert around is not None
        op = around
    return op.is_before_in_block(beside)
