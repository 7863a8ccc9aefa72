"""The elements of a stage over the leaves of its data axes: how a cache of it is laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.leaf_domains import (
    LeafDomain,
    joined_axes,
    leaf_coordinates,
    leaf_domain,
)
from teloom.analysis.stages.queries import is_reduce, name_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds, shape_in_type
from teloom.errors import ScheduleError
from teloom.passes.nests.equation_body import AffineValue, EquationBody, read_again
from teloom.passes.schedule.ordering import require_no_tail, set_order
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage


class Relayout(NamedTuple):
    """An axis for each leaf of data axes, in the order of the loops; it counts from 0."""

    domain: LeafDomain
    """That of all data axes."""
    extents: list[AffineExpr]
    """Those of the new axes, over the sizes."""
    roots: list[AffineExpr]
    """The data axes, over the sizes and then the new axes."""
    coordinates: list[AffineExpr]
    """The new axes, over the sizes and then the data axes."""

    @staticmethod
    def of(stage: schedule.StageOp, command: Operation) -> Relayout:
        """The layout by the loops of a stage; raises ScheduleError if there is none."""
        data = stage.root_axes[: stage.data_axis_count]
        axes = joined_axes(stage, data)
        if any(map(is_reduce, axes)):
            raise _refusal(stage, "its loops join data axes and reduce axes", command)
        domain = leaf_domain(stage, axes, command)
        require_no_tail(stage, domain.leaves, command)
        coordinates = leaf_coordinates(domain, data)
        if coordinates is None:
            raise _refusal(
                stage, "no affine expression of its data axes gives the axes of its loops", command
            )
        sizes = domain.sizes
        dims: dict[int, AffineExpr] = {dim: AffineExpr.dimension(dim) for dim in range(sizes)}
        for position, leaf in enumerate(domain.leaves):
            start = domain.starts[leaf]
            dims[domain.values.index(leaf)] = start + AffineExpr.dimension(sizes + position)
        return Relayout(
            domain,
            [domain.extents[leaf] for leaf in domain.leaves],
            [replace_dims(domain.exprs[root], dims.__getitem__) for root in data],
            [
                difference(at, domain.starts[leaf])
                for leaf, at in zip(domain.leaves, coordinates, strict=True)
            ],
        )

    def bounds(self, stage: schedule.StageOp) -> AxisBounds:
        """The bounds of the new axes and of the reduce axes."""
        sizes, count = self.domain.sizes, len(self.extents)
        reduces = range(sizes + count, sizes + count + len(stage.root_axes) - len(self.roots))
        before = [AffineExpr.dimension(dim) for dim in range(sizes)]
        dims = [*before, *self.roots, *map(AffineExpr.dimension, reduces)]
        old = stage.bounds.over(self.domain.around)
        kept = old.pairs()[len(self.roots) :]
        bounds = [(ZERO, extent) for extent in self.extents] + [
            (replace_dims(lower, dims.__getitem__), replace_dims(upper, dims.__getitem__))
            for lower, upper in kept
        ]
        where = old.where().map(lambda expr: replace_dims(expr, dims.__getitem__))
        return AxisBounds.of(bounds, old.operands, where)

    def made(self, axis: SSAValue) -> bool:
        """Whether an axis is one of the data axes, or made of them."""
        return axis in self.domain.exprs


def _refusal(stage: schedule.StageOp, reason: str, command: Operation) -> ScheduleError:
    return ScheduleError(f'cannot lay out a cache of "{name_of(stage)}": {reason}', command)


def laid_out_stage(name: str, stage: schedule.StageOp, layout: Relayout) -> schedule.StageOp:
    """A new stage that computes the elements of `stage` in a layout; that keeps its equation."""
    count = stage.data_axis_count
    names = [leaf.name_hint and f"{leaf.name_hint}.c" for leaf in layout.domain.leaves]
    names += [axis.name_hint for axis in stage.root_axes[count:]]
    equation, data = stage.equation, len(layout.extents)

    def copied(region: Region, names: Sequence[str | None]) -> Region:
        return Region([_copied(block, names, layout) for block in region.blocks])

    parts = EquationParts(
        copied(equation.body, names),
        equation.combine.clone(),
        equation.identity,
        copied(equation.init, names[:data]),
        copied(equation.bounds_from_data, names[:data]),
        [axis - count + data for axis in equation.data_bounded],
    )
    types = [_shaped(tensor.type, layout.extents) for tensor in stage.tensors]
    return unscheduled_stage(name, names, layout.bounds(stage), data, parts, types)


def _copied(block: Block, names: Sequence[str | None], layout: Relayout) -> Block:
    """A region of the equation over the new axes, and reduce axes behind them."""
    new = Block(arg_types=[IndexType()] * len(names))
    for argument, name in zip(new.args, names, strict=True):
        argument.name_hint = name
    values, data = [*layout.domain.around, *new.args], len(layout.extents)
    places: list[AffineValue] = [(expr, values) for expr in layout.roots]
    places += [(AffineExpr.dimension(0), [argument]) for argument in new.args[data:]]
    axes = dict(zip(block.args, places, strict=True))
    builder = Builder(InsertPoint.at_end(new))
    builder.insert(te.YieldOp(EquationBody(axes, read_again).copy(block, builder)))
    return new


def _shaped(type: Attribute, extents: Sequence[AffineExpr]) -> TensorType:
    assert isinstance(type, TensorType)
    return TensorType(type.element_type, shape_in_type(extents))


def move_loops(stage: schedule.StageOp, cache: schedule.StageOp, layout: Relayout) -> None:
    """Makes the loops of a stage those of its cache, and leaves it none but its data axes."""
    new = dict(zip(layout.domain.leaves, cache.root_axes, strict=False))
    set_order(cache, [(new.get(axis, axis), kind) for axis, kind in stage.order.leaves])
    data = [relation for relation in stage.relations if layout.made(relation.results[0])]
    set_order(stage, [])
    for relation in stage.relations:
        if relation not in data:
            relation.detach()
            Rewriter.insert_op(relation, InsertPoint.before(cache.order))
    roots = stage.root_axes[: stage.data_axis_count]
    for axis in layout.domain.exprs:
        if axis not in roots:
            # Commands that are carried out may still name an axis that is no leaf.
            axis.replace_all_uses_with(new.get(axis, cache.order.axes[0]))
    for relation in reversed(data):
        Rewriter.erase_op(relation)
    for region in stage.equation.regions_with_values():
        region.drop_all_references()
