"""What leaf axes run through where their stage is computed as a whole, and roots in terms of them.

A command that makes an equation over leaf axes needs these: sizes are the only values around.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.sets.guards import conditions_of, guard
from teloom.analysis.sets.integer_sets import (
    Constraint,
    at_least,
    inside,
    set_of,
)
from teloom.analysis.sets.inverses import NoInverseError, inverse_of
from teloom.analysis.stages.domains import declared_box, root_bounds
from teloom.analysis.stages.leaf_map import axis_spans, leaf_map, own_axes
from teloom.analysis.stages.queries import function_around, name_of
from teloom.analysis.stages.relations.meaning import (
    CeilQuotient,
    LeafMap,
    Product,
    SizeExpr,
    divided_dims,
)
from teloom.dialects import schedule
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import ScheduleError


class LeafDomain(NamedTuple):
    """Axes that relations join with one another, from roots to leaves, over the function's sizes.

    Expressions are over `values`: sizes, axes that no expression gives, and leaves.
    """

    values: Sequence[SSAValue]
    """What the dimensions stand for."""
    sizes: int
    """The number of sizes."""
    leaves: list[SSAValue]
    """The leaves, from the outermost loop to the innermost."""
    starts: Mapping[SSAValue, AffineExpr]
    """The first coordinate of each axis, over the sizes."""
    extents: Mapping[SSAValue, AffineExpr]
    """The number of coordinates of each axis, over the sizes."""
    exprs: Mapping[SSAValue, AffineExpr]
    """The coordinate of each axis."""
    opaque: list[tuple[SSAValue, schedule.RelationOp]]
    """Axes that no expression gives, each with the relation that does; what they follow from comes
    before them."""
    conditions: list[list[Conjunction]]
    """What must hold of leaves for a point to be one of the roots: of each, one alternative."""

    @property
    def around(self) -> list[SSAValue]:
        """The sizes of the function."""
        return [*self.values[: self.sizes]]


def joined_axes(stage: schedule.StageOp, axes: Collection[SSAValue]) -> list[SSAValue]:
    """The axes that relations of a stage join with some of its axes, and these: roots first.

    Reduce axes are also joined by bounds of one over another.
    """
    found = set(axes)
    groups = [{*relation.operands, *relation.results} for relation in stage.relations]
    reduce = stage.root_axes[stage.data_axis_count :]
    first = len(stage.sizes) + stage.data_axis_count
    for axis, bounds in zip(stage.root_axes, stage.bounds.pairs(), strict=True):
        over = {dim - first for bound in bounds for dim in bound.used_dims() if dim >= first}
        groups.append({axis, *(reduce[position] for position in over)})
    while more := [one for one in groups if found & one and not one <= found]:
        found = found.union(*more)
    made = (axis for relation in stage.relations for axis in relation.results)
    return [axis for axis in (*stage.root_axes, *made) if axis in found]


def leaf_domain(
    stage: schedule.StageOp, axes: Sequence[SSAValue], command: Operation
) -> LeafDomain:
    """The domain of `axes`, which are all that relations join with one another.

    Raises ScheduleError if the extent of one is a product of sizes.
    """

    def make(axis: SSAValue, found: Product | CeilQuotient | SizeExpr) -> AffineExpr:
        if axis not in axes:
            return ZERO  # no expression of `axes` has it
        if not isinstance(found, Product):
            raise ScheduleError(
                f'the extent of axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" is '
                "known at the call, so no equation can have it; split by a constant",
                command,
            )
        raise ScheduleError(
            f'the extent of axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" is a '
            "product of sizes, which no equation can have; fuse axes of which at most one has a "
            "symbolic extent",
            command,
        )

    given = list(function_around(stage).sizes)
    box = declared_box(stage, given, isl.DEFAULT_CONTEXT)
    spans = axis_spans(stage, [extent for _, extent in box], make)
    sizes, made = len(given), [*own_axes(stage, spans), *stage.order.axes]
    dims = {axis: dim for dim, axis in enumerate(made, sizes)}
    # Bounds may be over roots that are none of `axes`: each is a dimension of its own.
    values = [*given, *made, *stage.root_axes]
    map = leaf_map(stage, dims, [start for start, _ in box], spans, _dimensions(len(values)))
    leaves = [axis for axis in stage.order.axes if axis in axes]
    opaque = {*map.own} - {values[dim] for dim in divided_dims(map.exprs)}
    return LeafDomain(
        values,
        sizes,
        leaves,
        {axis: map.starts.get(axis, spans[axis].start) for axis in axes},
        {axis: _not_negative(spans[axis].extent) for axis in axes},
        {axis: map.in_loops(map.values[axis]) for axis in axes},
        [
            (axis, relation)
            for relation in reversed(stage.relations)
            for axis in relation.consumed
            if axis in axes and axis in opaque
        ],
        _conditions(stage, given, map, dims, axes),
    )


def leaf_coordinates(domain: LeafDomain, roots: Sequence[SSAValue]) -> list[AffineExpr] | None:
    """The coordinate of each leaf at a point of the root axes, over the sizes and then `roots`.

    `roots` are all root axes of the domain. None if there is no such expression.
    """
    dims = {domain.values.index(leaf): k for k, leaf in enumerate(domain.leaves)}
    dims |= {size: len(domain.leaves) + size for size in range(domain.sizes)}
    exprs = [domain.exprs[root] for root in roots]
    if not all(dims.keys() >= expr.used_dims() for expr in exprs):
        return None
    over = tuple(replace_dims(expr, lambda k: AffineExpr.dimension(dims[k])) for expr in exprs)
    box = tuple((domain.starts[leaf], domain.extents[leaf]) for leaf in domain.leaves)
    try:
        inverse = inverse_of(over, box)
    except NoInverseError:
        return None
    places = [*inverse.around, *range(domain.sizes, domain.sizes + len(roots))]
    return [replace_dims(expr, lambda k: AffineExpr.dimension(places[k])) for expr in inverse.exprs]


def _not_negative(extent: AffineExpr) -> AffineExpr:
    """The extent of an axis that never runs, as one skewed along an empty one, is 0."""
    is_negative = isinstance(extent, AffineConstantExpr) and extent.value < 0
    return ZERO if is_negative else extent


def _dimensions(count: int) -> list[AffineExpr]:
    return [AffineExpr.dimension(dim) for dim in range(count)]


def _conditions(
    stage: schedule.StageOp,
    sizes: Sequence[SSAValue],
    map: LeafMap,
    dims: Mapping[SSAValue, int],
    axes: Sequence[SSAValue],
) -> list[list[Conjunction]]:
    """The constraints on leaves inside of their spans, beside the facts about opaque axes."""
    leaves = [axis for axis in stage.order.axes if axis in axes]
    positions = [AffineExpr.dimension(dims[leaf]) for leaf in leaves]
    spans = [
        (map.starts.get(leaf, map.spans[leaf].start), map.spans[leaf].extent) for leaf in leaves
    ]
    known = [at_least(size) for size in _dimensions(len(sizes))] + inside(positions, spans)
    for fact in map.facts:
        known += fact.then if fact.axes[0] in axes else []
    needed = [one for axis in axes for one in map.constraints.get(axis, [])]
    others = _dimensions(len(map.exprs))[len(map.exprs) - len(stage.root_axes) :]
    roots = [
        map.values[root] if root in axes else other
        for root, other in zip(stage.root_axes, others, strict=True)
    ]
    bounds = root_bounds(stage, sizes, roots)
    for position in stage.bounds.over_axes():
        if stage.root_axes[position] in axes:
            needed += inside([roots[position]], [_side(*bounds[position])])
    cover, domain = (_points(map, constraints) for constraints in (known, known + needed))
    if domain.is_empty():
        return [] if cover.is_empty() else [[Conjunction([], [AffineExpr.constant(-1)])]]
    return conditions_of(guard(domain.to_set(), cover))


def _side(lower: AffineExpr, upper: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
    return lower, difference(upper, lower)


def _points(map: LeafMap, constraints: Sequence[Constraint]) -> isl.BasicSet:
    """The points that satisfy constraints, with divisions of leaves in place of divided axes."""
    in_loops = [
        one._replace(above=map.in_loops(one.above), below=map.in_loops(one.below))
        for one in constraints
    ]
    return set_of(isl.DEFAULT_CONTEXT, len(map.exprs), in_loops)
