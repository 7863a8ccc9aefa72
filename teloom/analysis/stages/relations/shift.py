"""The meaning of `shift`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from teloom.analysis.index.limits import MANY
from teloom.analysis.stages.relations.meaning import (
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    Span,
    check_number,
)
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial


class ShiftMeaning(Meaning[schedule.ShiftOp]):
    """shifted = parent + offset."""

    of = schedule.ShiftOp

    def add_spans(
        self, relation: schedule.ShiftOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        start, extent = spans[relation.parent_]
        check_number("offset", relation.offset, MANY, relation)
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
