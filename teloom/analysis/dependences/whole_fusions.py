"""Fused loops of symbolic extents that run through all points of the fused axes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import mul

from teloom.analysis.dependences.instances import Fusions
from teloom.analysis.dependences.text_forms import TextForms
from teloom.analysis.stages.queries import stages_around
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial


def whole_fusions(stage: schedule.StageOp, forms: TextForms) -> Fusions:
    """The fused loops around a stage for whose axes the text has no value.

    The iterations of such a loop visit each point of its axes exactly once.
    """
    return {
        relation.results[0]: relation.consumed
        for around in stages_around(stage)
        for relation in _fusions_of(around)
        if _runs_whole(relation, forms)
    }


def _fusions_of(stage: schedule.StageOp) -> Iterator[schedule.RelationOp]:
    """The relations that fuse adjacent root axes to a loop."""
    values, leaves, roots = stage.values, {*stage.order.axes}, {*stage.root_axes}
    for relation in stage.relations:
        joined, joins = relation.consumed, relation.KEEPS_ORDER and len(relation.consumed) > 1
        is_loop = leaves.issuperset(relation.results) and roots.issuperset(joined)
        if joins and is_loop and values.keys().isdisjoint(joined):
            yield relation


def _runs_whole(relation: schedule.RelationOp, forms: TextForms) -> bool:
    """Whether the extent of a fused axis is the product of the extents of its axes."""
    sides = [forms.range(axis) for axis in relation.consumed]
    if any(len(side.lower) != 1 or len(side.upper) != 1 for side in sides):
        return False
    extents = [side.upper[0] - side.lower[0] for side in sides]
    loop = forms.range(relation.results[0])
    return loop.lower == [Polynomial({})] and loop.upper == [reduce(mul, extents)]
