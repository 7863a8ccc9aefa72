"""The spans of axes, from roots to leaves, and their values, from leaves back to roots.

A root axis that a relation consumed starts at the offset of its stage's region: its value is
this offset plus a function of its leaves. Any other root axis is its own leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import between
from teloom.analysis.stages.relations.meaning import LeafMap, MakeSize, Span, Spans
from teloom.analysis.stages.relations.meanings import check_sizes, meaning_of
from teloom.dialects import schedule
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import placed


def axis_spans(
    stage: schedule.StageOp, extents: Sequence[AffineExpr], make: MakeSize
) -> dict[SSAValue, Span]:
    """The span of every axis of a stage, for the extents of its root axes, which count from 0.

    `make` is asked for extents that are no affine expressions of sizes.
    """
    spans = {
        axis: Span(ZERO, extent) for axis, extent in zip(stage.root_axes, extents, strict=True)
    }
    for relation in stage.relations:
        with placed(relation, f'axes of stage "{stage.stage_name.data}"'):
            check_sizes(relation, stage)
            meaning_of(relation).add_spans(relation, spans, make)
    return spans


def own_axes(stage: schedule.StageOp, spans: Spans) -> list[SSAValue]:
    """The axes of a stage that are dimensions of their own, in the order of its relations.

    isl solves an equation for its last dimension. In this order that is a fused axis, in terms of
    the axes that it fuses.
    """
    return [axis for one in stage.relations for axis in meaning_of(one).own_axes(one, spans)]


def leaf_map(
    stage: schedule.StageOp,
    dims: Mapping[SSAValue, int],
    starts: Sequence[AffineExpr],
    spans: Mapping[SSAValue, Span],
    exprs: Sequence[AffineExpr],
) -> LeafMap:
    """The leaf map of a stage whose leaf axes, and own axes, are the dimensions `dims`.

    `starts` are those of root axes and `spans` those of all axes, both over the leading dimensions.
    `exprs` give the leading dimensions in terms of loops; own axes follow. Values of root axes are
    absolute.
    """
    root_starts = dict(zip(stage.root_axes, starts, strict=True))
    leaves = stage.order.axes
    values = {
        axis: difference(AffineExpr.dimension(dims[axis]), root_starts.get(axis, ZERO))
        for axis in leaves
    }
    own = {axis: dim for axis, dim in dims.items() if axis not in leaves}
    map = LeafMap(values, root_starts, spans, own, [*exprs])
    for relation in reversed(stage.relations):
        meaning_of(relation).add_values(relation, map)
    for axis, start in root_starts.items():
        if axis not in leaves:
            map.require(axis, between(map.values[axis], spans[axis].extent))
        map.values[axis] = start + map.values[axis]
    return map
