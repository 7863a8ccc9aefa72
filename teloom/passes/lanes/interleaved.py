"""Interleaved accesses: lanes that are a few elements apart become shuffles of whole vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from teloom.analysis.accesses.interleaved import Interleaved, Member
from teloom.analysis.memory.shared_bytes import may_share
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of
from teloom.passes.lanes.shuffles import pick, shuffle
from teloom.passes.lanes.values import DIM, LaneValues, constant


class InterleavedAccesses:
    """Writes the accesses of one block that belong to `groups`."""

    def __init__(self, groups: Mapping[Member, Interleaved]):
        self.groups = groups
        loads = {group: op.memref for op, group in groups.items() if isinstance(op, memref.LoadOp)}
        self._groups_of = Counter(loads.values())
        self._loaded: dict[Interleaved, tuple[SSAValue, Sequence[SSAValue]]] = {}
        """By buffer, the vectors that its groups have loaded, until something writes to it."""

    def __contains__(self, op: Member) -> bool:
        return op in self.groups

    def load(self, op: memref.LoadOp, values: LaneValues, mask: SSAValue | None) -> SSAValue:
        """The lanes of an access, picked from the vectors of its whole group.

        All accesses of a group have one mask, or none.
        """
        group = self.groups[op]
        if group not in self._loaded:
            self._loaded[group] = op.memref, self._vectors(op, group, values, mask)
        vectors, places = self._loaded[group][1], group.places(op)
        if len(vectors) == 1:
            return shuffle(vectors[0], vectors[0], places, values.emit)
        return pick(vectors, [group.lane_at(place) for place in places], values.emit)

    def _vectors(
        self, op: memref.LoadOp, group: Interleaved, values: LaneValues, mask: SSAValue | None
    ) -> list[SSAValue]:
        """The vectors of a group; as one long vector if LLVM makes good code of its shuffles.

        It stays several vectors if another group may load parts of it, which LLVM would extract
        lane by lane.
        """
        if mask is None and group.is_whole and self._groups_of[op.memref] == 1:
            (at,) = _indices(op, group, group.begins[:1], values)
            return [values.load(op.memref, at, group.span)]
        begins = _indices(op, group, group.begins, values)
        if mask is None:
            return [values.load(op.memref, at) for at in begins]
        masks = zip(begins, _masks(mask, group, values), strict=True)
        return [values.masked_load(op.memref, at, there) for at, there in masks]

    def store(self, op: memref.StoreOp, values: LaneValues) -> None:
        """At the last store of a group, stores the vectors that all its stores write together."""
        group = self.groups[op]
        stores = [*group.members]
        if op is not stores[-1]:
            return
        # The value that is stored is the first operand.
        vectors = [values.vector(store.operands[0]) for store in stores]
        lane_at = {
            place: (number, lane)
            for number, store in enumerate(stores)
            for lane, place in enumerate(group.places(store))
        }
        indices = _indices(op, group, group.begins, values)
        for begin, index in zip(group.begins, indices, strict=True):
            lanes = [lane_at[begin + lane] for lane in range(group.lanes)]
            values.store(op, pick(vectors, lanes, values.emit), index)

    def forget_what_changes(self, op: Operation) -> None:
        """Forgets the loaded vectors of the buffers that `op` writes."""
        if not self._loaded:
            return
        written = {one.buffer for inner in preorder(op) for one in accesses_of(inner) if one.writes}
        self._loaded = {
            group: loaded
            for group, loaded in self._loaded.items()
            if not any(may_share(loaded[0], one) for one in written)
        }


def _masks(mask: SSAValue, group: Interleaved, values: LaneValues) -> list[SSAValue]:
    """The masks of the vectors of a group; elements between lanes may be outside of the buffer."""
    lane_of = {place: lane for op in group.members for lane, place in enumerate(group.places(op))}
    never = values.emit(constant(mask.type, [0]))
    return [
        shuffle(
            mask,
            never,
            [lane_of.get(begin + k, group.lanes) for k in range(group.lanes)],
            values.emit,
        )
        for begin in group.begins
    ]


def _indices(
    op: Member, group: Interleaved, begins: Sequence[int], values: LaneValues
) -> list[SSAValue]:
    """The indices at which vectors of a group begin, as `begins` counts from its first element."""
    first, index = group.begin - group.members[op], values.scalar(op.indices[0])
    return [values.apply(DIM + (first + begin), [index]) for begin in begins]
