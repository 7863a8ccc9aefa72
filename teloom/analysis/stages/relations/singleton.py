"""The meaning of `singleton`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from teloom.analysis.sets.integer_sets import between
from teloom.analysis.stages.relations.meaning import (
    ONE,
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    Span,
)
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.syntax.stage_header import ZERO


class SingletonMeaning(Meaning[schedule.SingletonOp]):
    """singleton = 0."""

    of = schedule.SingletonOp

    def add_spans(
        self, relation: schedule.SingletonOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        spans[relation.singleton] = Span(ZERO, ONE)

    def add_values(self, relation: schedule.SingletonOp, map: LeafMap) -> None:
        map.require(relation.singleton, between(map.values[relation.singleton], ONE))

    def follow(self, relation: schedule.SingletonOp, at: Iteration) -> bool:
        at.positions[relation.singleton] = Polynomial.constant(0)
        return True
