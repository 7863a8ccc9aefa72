"""Accesses whose lanes are not one element apart: a few vectors hold what all of them are to."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.strides import LaneStrides
from teloom.analysis.memory.shared_bytes import may_share
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of

MOST_STRIDE = 4
"""So far apart lanes may be that are shuffled out of whole vectors, or into them."""

_MANY_BYTES = 64
"""A vector of so many has none of its lanes picked from others."""

Member = memref.LoadOp | memref.StoreOp


@dataclass(frozen=True, eq=False)
class Interleaved:
    """Loads in the same lanes, or stores of one block, whose lanes are `stride` elements apart.

    `members`, in program order, are said how far they are behind the one of the lowest index: less
    than the stride. So the elements of all lie between the same two.
    """

    stride: int
    lanes: int
    members: Mapping[Member, int]

    @property
    def begin(self) -> int:
        """The distance from lane 0 of the first member to the first element of the group."""
        return min(0, self.stride * (self.lanes - 1))

    @property
    def span(self) -> int:
        """How many elements there are from the first to the last."""
        return abs(self.stride) * (self.lanes - 1) + max(self.members.values()) + 1

    @property
    def is_whole(self) -> bool:
        """Whether they are as many vectors as the stride is."""
        return self.span == abs(self.stride) * self.lanes

    @property
    def begins(self) -> list[int]:
        """The distances from the first element to the vectors that hold all elements.

        The last one ends with the last element: behind that may be the end of the buffer.
        """
        whole = -(-self.span // self.lanes) - 1
        return [*(self.lanes * k for k in range(whole)), self.span - self.lanes]

    def lane_at(self, place: int) -> tuple[int, int]:
        """The vector, by its number, and the lane of it that hold an element."""
        number = bisect_right(self.begins, place) - 1
        return number, place - self.begins[number]

    def places(self, member: Member) -> list[int]:
        """The distance of each lane's element from the first element of the group."""
        first = self.members[member] - self.begin
        return [first + self.stride * lane for lane in range(self.lanes)]


class _Place(NamedTuple):
    """The key of a group: accesses with equal keys may belong to one."""

    kind: type[Member]
    where: object
    buffer: SSAValue
    stride: int
    varying: object
    """The index but for its constant."""


def interleaved_in(op: loop.ForOp, strides: LaneStrides) -> dict[Member, Interleaved]:
    """The group of each access in the body of `op` that has one.

    Stores have one where all elements of a vector are written, and nothing else accesses the
    buffer from the first of them to the last.
    """
    accesses = defaultdict[_Place, list[tuple[int, Member]]](list)
    for inner in preorder(op.body):
        if isinstance(inner, Member) and (place := _place(inner, strides)) is not None:
            offset = strides.forms.of(inner.indices[0]).offset
            accesses[place].append((offset, inner))
    groups = [
        Interleaved(place.stride, strides.lanes, members)
        for place, found in accesses.items()
        for members in _near(found, abs(place.stride))
    ]
    return {
        member: group for group in groups if _is_read_or_whole(group) for member in group.members
    }


def stored_neighbours(outer: loop.ForOp, op: loop.ForOp, strides: LaneStrides) -> int | None:
    """The iterations of `outer`, around the lanes of `op`, if they store neighbours of each lane.

    Then the stores of all iterations fill vectors together.
    """
    count = constant_extent(outer)
    if count is None or not 1 < count <= MOST_STRIDE or len(outer.lower.data.results) != 1:
        return None
    stores = (one for one in op.body.block.ops if isinstance(one, memref.StoreOp))
    for store in stores:
        if len(store.indices) == 1 and strides.of(store.indices[0]) == count:
            form = strides.forms.of(store.indices[0])
            if form.factor_of(outer.induction_variable) == 1:
                return count
    return None


def _place(op: Member, strides: LaneStrides) -> _Place | None:
    if len(op.indices) != 1 or not isinstance(op.memref.type, MemRefType):
        return None
    stride = strides.of(op.indices[0])
    if stride in (None, 0, 1) or abs(stride) > MOST_STRIDE:
        return None
    form = strides.forms.of(op.indices[0])
    varying = (form - Polynomial.constant(form.offset)).key
    return _Place(type(op), _where(op, strides), op.memref, stride, varying)


def _where(op: Member, strides: LaneStrides) -> object:
    """The block of an access; of a load, what lanes it runs in, and the block around all of these.

    So loads have a place in common that stand in branches of one condition.
    """
    block, conditions = op.parent, []
    while block is not None and isinstance(op, memref.LoadOp):
        around = block.parent_op()
        if not isinstance(around, scf.IfOp) or not strides.varies(around.cond):
            break
        conditions.append((around.cond, around.true_region.block is block))
        block = around.parent
    return block, tuple(conditions)


def _near(found: Sequence[tuple[int, Member]], stride: int) -> Iterator[dict[Member, int]]:
    """The accesses by windows of so many offsets; each with its distance from the lowest."""
    left = list(found)
    while left:
        lowest = min(offset for offset, _ in left)
        yield {op: offset - lowest for offset, op in left if offset - lowest < stride}
        left = [(offset, op) for offset, op in left if offset - lowest >= stride]


def _is_read_or_whole(group: Interleaved) -> bool:
    members = [*group.members]
    if isinstance(members[0], memref.LoadOp):
        return True
    if sorted(group.members.values()) != [*range(abs(group.stride))]:
        return False
    op = members[0]
    while op is not members[-1]:
        op = op.next_op
        assert op is not None
        accessed = (one.buffer for inner in preorder(op) for one in accesses_of(inner))
        if op not in group.members and any(may_share(members[0].memref, one) for one in accessed):
            return False
    return True


@dataclass(frozen=True)
class LaneVectors:
    """Vectors of `width` elements, at distances `begins` from the element of lane 0, in order.

    They hold no element before the first or behind the last one of their neighbours in memory:
    there may be the end of the buffer.
    """

    distances: Sequence[int]
    begins: Sequence[int]
    width: int

    @property
    def lanes(self) -> list[tuple[int, int]]:
        """The vector, by its number, and the lane of it that hold the element of each lane."""
        numbers = [bisect_right(self.begins, distance) - 1 for distance in self.distances]
        return [
            (number, distance - self.begins[number])
            for number, distance in zip(numbers, self.distances, strict=True)
        ]


def lane_vectors(op: memref.LoadOp, strides: LaneStrides) -> LaneVectors | None:
    """The vectors of a load; None where there are too many, or where distances vary.

    64 bytes have none: LLVM 22 does not end with AVX-512 where a shuffle gives lanes of a vector of
    so many and single elements the others, as it writes loads of the same elements lane by lane.
    """
    if len(op.indices) != 1 or _are_too_many(op, strides):
        return None
    distances = strides.distances(op.indices[0])
    if distances is None:
        return None
    runs = [*_runs(sorted({*distances}))]
    shortest = min(run.stop - run.start for run in runs)
    width = min(1 << (shortest.bit_length() - 1), strides.lanes)
    begins = [begin for run in runs for begin in _begins(run, width)]
    if width < 2 or len(begins) > strides.lanes // 2:
        return None
    return LaneVectors(distances, begins, width)


def want_fewer_lanes(op: loop.ForOp, strides: LaneStrides) -> bool:
    """Whether loads of bytes have vectors in fewer lanes, where they have none in these."""
    if strides.lanes < _MANY_BYTES:
        return False
    loads = (one for one in preorder(op.body) if isinstance(one, memref.LoadOp))
    return any(
        strides.of(load.indices[0]) is None and strides.distances(load.indices[0]) is not None
        for load in loads
        if len(load.indices) == 1 and _are_too_many(load, strides)
    )


def _are_too_many(op: memref.LoadOp, strides: LaneStrides) -> bool:
    return strides.lanes >= _MANY_BYTES and byte_width(op.res.type) == 1


def _runs(places: Sequence[int]) -> Iterator[range]:
    """From the first to the last of neighbours, which are at most `MOST_STRIDE` apart."""
    first = last = places[0]
    for place in places[1:]:
        if place - last > MOST_STRIDE:
            yield range(first, last + 1)
            first = place
        last = place
    yield range(first, last + 1)


def _begins(run: range, width: int) -> Iterator[int]:
    """Where vectors begin that hold a run; the last one ends with it."""
    yield from range(run.start, run.stop - width, width)
    yield run.stop - width
