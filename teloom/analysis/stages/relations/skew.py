"""The meaning of `skew`."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.sets.integer_sets import simplified
from teloom.analysis.stages.relations.meaning import (
    MOST_EMPTY,
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    Span,
    check_number,
)
from teloom.dialects import schedule
from teloom.errors import ScheduleError


class SkewMeaning(Meaning[schedule.SkewOp]):
    """skewed = parent + factor * along."""

    of = schedule.SkewOp

    def add_spans(
        self, relation: schedule.SkewOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        (start, extent), along = spans[relation.parent_], spans[relation.along]
        check_number("factor", relation.factor, MOST_EMPTY, relation)
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
