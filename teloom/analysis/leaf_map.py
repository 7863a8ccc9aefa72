"""From leaf axes back to root axes: what splits and fusions mean, as expressions.

A root axis that a relation consumed starts at the offset of its stage's region: its
value is that offset plus what its leaves make. Any other root axis is its own leaf.

Where an extent that a relation divides or multiplies by is symbolic, the value is no
affine expression. Such an axis is opaque: it stands as a dimension of its own, of
which only the range is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.integer_sets import Constraint, between
from teloom.dialects import schedule

# Gives the product of symbolic extents, as a size of its own.
Product = Callable[[schedule.FuseOp, Sequence[AffineExpr]], AffineExpr]


@dataclass
class LeafMap:
    """Root axes as functions of leaf axes.

    values: an expression for every axis of the stage; for a consumed root axis it is
    absolute, for an axis made by a relation it counts from 0.
    starts: of the consumed root axes.
    constraints: what must hold between leaf axes beyond the bounds of the root axes.
    facts: what holds by itself of the opaque axes.
    opaque: axes that are dimensions of their own, numbered after all others; such a
    dimension is absolute for a root axis too.
    """

    values: dict[SSAValue, AffineExpr]
    starts: Mapping[SSAValue, AffineExpr]
    first_opaque: int
    constraints: list[Constraint] = field(default_factory=list)
    facts: list[Constraint] = field(default_factory=list)
    opaque: list[SSAValue] = field(default_factory=list)

    def roots(self, stage: schedule.StageOp) -> list[AffineExpr]:
        return [self.values[axis] for axis in stage.root_axes]

    def add_opaque(self, axis: SSAValue) -> AffineExpr:
        """Gives `axis` a dimension of its own; returns its value, counted from 0."""
        dimension = AffineExpr.dimension(self.first_opaque + len(self.opaque))
        start = self.starts.get(axis, AffineExpr.constant(0))
        self.values[axis] = dimension + start * -1
        self.opaque.append(axis)
        return self.values[axis]


def leaf_map(
    stage: schedule.StageOp,
    dims: Mapping[SSAValue, int],
    starts: Sequence[AffineExpr],
    extents: Mapping[SSAValue, AffineExpr],
    first_opaque: int,
) -> LeafMap:
    """The leaf map of a stage whose leaf axes are the dimensions `dims`.

    starts: of the root axes; extents: of all axes, in elements; both over the leading
    dimensions. Opaque axes are numbered from `first_opaque`.
    """
    consumed = {
        axis: start
        for axis, start in zip(stage.root_axes, starts, strict=True)
        if axis not in stage.order.axes
    }
    map = LeafMap(
        {axis: AffineExpr.dimension(dims[axis]) for axis in stage.order.axes},
        consumed,
        first_opaque,
    )
    for relation in reversed(stage.relations):
        if isinstance(relation, schedule.SplitOp):
            _unsplit(relation, map, extents)
        else:
            _unfuse(relation, map, extents)
    for axis, start in consumed.items():
        map.constraints += between(map.values[axis], extents[axis])
        map.values[axis] = start + map.values[axis]
    return map


def _unsplit(
    relation: schedule.SplitOp, map: LeafMap, extents: Mapping[SSAValue, AffineExpr]
) -> None:
    factor = split_factor(relation, extents[relation.parent_])
    inner, outer = map.values[relation.inner], map.values[relation.outer]
    map.constraints += between(inner, factor)
    if isinstance(factor, AffineConstantExpr):
        map.values[relation.parent_] = outer * factor.value + inner
        return
    parent = map.add_opaque(relation.parent_)
    map.facts.append(Constraint(parent, False))
    map.constraints += between(parent, extents[relation.parent_])
    map.constraints += between(outer, extents[relation.outer])


def _unfuse(
    relation: schedule.FuseOp, map: LeafMap, extents: Mapping[SSAValue, AffineExpr]
) -> None:
    inner = [extents[axis] for axis in relation.args[1:]]
    rest = map.values[relation.fused]
    if not all(isinstance(extent, AffineConstantExpr) for extent in inner):
        map.constraints += between(rest, extents[relation.fused])
        for axis in relation.args:
            map.facts += between(map.add_opaque(axis), extents[axis])
        return
    for axis in reversed(relation.args[1:]):
        extent = extents[axis]
        assert isinstance(extent, AffineConstantExpr)
        # An extent of 0 leaves nothing to run; dividing by 1 then is as good.
        map.values[axis] = rest % max(1, extent.value)
        rest = rest // max(1, extent.value)
    map.values[relation.args[0]] = rest


def axis_extents(
    stage: schedule.StageOp, extents: Sequence[AffineExpr], product: Product
) -> dict[SSAValue, AffineExpr]:
    """The extent of every axis of a stage, given those of its root axes.

    `product` is asked for products of several symbolic extents.
    """
    found = dict(zip(stage.root_axes, extents, strict=True))
    for relation in stage.relations:
        if isinstance(relation, schedule.SplitOp):
            parent = found[relation.parent_]
            factor = split_factor(relation, parent)
            found[relation.outer] = _outer_extent(relation, parent, factor)
            found[relation.inner] = _smaller(factor, parent)
        else:
            found[relation.fused] = _fused_extent(
                relation, [found[axis] for axis in relation.args], product
            )
    return found


def _outer_extent(relation: schedule.SplitOp, parent: AffineExpr, factor: AffineExpr) -> AffineExpr:
    if isinstance(factor, AffineConstantExpr):
        return parent.ceil_div(factor.value)
    assert relation.nparts is not None
    return AffineExpr.constant(relation.nparts.value.data)


def _smaller(factor: AffineExpr, parent: AffineExpr) -> AffineExpr:
    if isinstance(factor, AffineConstantExpr) and isinstance(parent, AffineConstantExpr):
        return AffineExpr.constant(min(factor.value, parent.value))
    return factor


def _fused_extent(
    relation: schedule.FuseOp, extents: Sequence[AffineExpr], product: Product
) -> AffineExpr:
    symbolic = [extent for extent in extents if not isinstance(extent, AffineConstantExpr)]
    if len(symbolic) > 1:
        return product(relation, extents)
    result = symbolic[0] if symbolic else AffineExpr.constant(1)
    for extent in extents:
        if isinstance(extent, AffineConstantExpr):
            result = result * extent.value
    return result


def split_factor(relation: schedule.SplitOp, parent: AffineExpr) -> AffineExpr:
    """The factor of a split whose parent has this extent; at least 1 where constant."""
    if relation.factor is not None:
        return AffineExpr.constant(relation.factor.value.data)
    assert relation.nparts is not None
    factor = parent.ceil_div(relation.nparts.value.data)
    if isinstance(factor, AffineConstantExpr):
        return AffineExpr.constant(max(1, factor.value))
    return factor
