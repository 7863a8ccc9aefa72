"""The meaning of `reverse`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from teloom.analysis.stages.relations.meaning import (
    ONE_MORE,
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    Span,
)
from teloom.dialects import schedule


class ReverseMeaning(Meaning[schedule.ReverseOp]):
    """reversed = first + last - parent."""

    of = schedule.ReverseOp

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
