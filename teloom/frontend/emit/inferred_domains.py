"""The domains of equations that have no shape: boxes around what their readers read."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.rewriter import Rewriter

from teloom.analysis.regions.inference import infer_regions
from teloom.analysis.sets.boxes import Box
from teloom.dialects import te
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.syntax.stage_header import FAR, AxisBounds, shape_in_type
from teloom.errors import Error
from teloom.passes.schedule.apply_schedule import ApplySchedulePass


def infer_domains(func: te.FuncOp, names: Sequence[str]) -> list[te.ComputeOp]:
    """Gives these equations, which run `ANYWHERE`, the domains of what is read of them.

    Each stage is computed at the root, by itself: the regions are those that `infer-bounds` finds.
    Returns the equations. Raises `teloom.Error` where nothing bounds what is read.
    """
    module = ModuleOp([func.clone()])
    ApplySchedulePass().apply(Context(), module)
    (copy,) = (op for op in module.ops if isinstance(op, te.FuncOp))
    regions = infer_regions(copy, _no_size)
    boxes = {stage.stage_name.data: region.stored.box for stage, region in regions.items()}
    equations = {op.stage_name.data: op for op in func.walk() if isinstance(op, te.ComputeOp)}
    return [_with_domain(equations[name], boxes[name], list(func.sizes)) for name in names]


def _no_size(found: object, sizes: Sequence[SSAValue]) -> SSAValue:
    raise AssertionError("there is no relation in a default schedule")


def _with_domain(op: te.ComputeOp, box: Box, sizes: Sequence[SSAValue]) -> te.ComputeOp:
    """The equation with the box, over the sizes, as the domain of its data axes."""
    name, count = op.stage_name.data, op.data_axes.value.data
    for expr in (expr for side in box for part in side for expr in part.dfs()):
        if isinstance(expr, AffineConstantExpr) and abs(expr.value) >= FAR // 2:
            raise Error(
                f"what is read of {name!r} has no bounds, so it has no shape; give it one, or say "
                "by te.bounded where its readers read"
            )
    domain = [(start, canonical(start + extent)) for start, extent in box]
    dims = [AffineExpr.dimension(sizes.index(size)) for size in op.sizes]
    dims += [AffineExpr.dimension(len(sizes) + k) for k in range(len(op.bounds.pairs()))]
    domain += [
        (replace_dims(lower, dims.__getitem__), replace_dims(upper, dims.__getitem__))
        for lower, upper in op.bounds.pairs()[count:]
    ]
    shape = shape_in_type([canonical(extent) for _, extent in box])
    types: list[TensorType] = []
    for tensor in op.tensors:
        assert isinstance(tensor.type, TensorType)
        types.append(TensorType(tensor.type.element_type, shape))
    new = te.ComputeOp(name, AxisBounds.of(domain, sizes), count, op.detach_parts(), types)
    new.location = op.location
    for old, tensor in zip(op.tensors, new.tensors, strict=True):
        tensor.name_hint = old.name_hint
    Rewriter.replace_op(op, new)
    return new
