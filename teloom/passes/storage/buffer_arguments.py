"""The calling convention of a function over buffers: its array arguments and their types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.sets.layouts import Region, physical_box
from teloom.analysis.signature import Argument, Signature, signature_of
from teloom.analysis.stages.queries import box_of, outputs_of
from teloom.dialects import schedule, te
from teloom.dialects.syntax.placements import Placement
from teloom.dialects.syntax.stage_header import ZERO, scalar_type
from teloom.errors import PassError


class BufferArgument(NamedTuple):
    """An array that the caller passes, and its description in the signature.

    In its expressions, dimension k is size k. `box` has the (start, extent) of the tensor's axes;
    the shape in the signature is physical, which differs if there is a layout.
    """

    tensor: SSAValue
    box: list[tuple[AffineExpr, AffineExpr]]
    placement: Placement
    described: Argument

    @property
    def type(self) -> MemRefType:
        extents = self.described.shape or ()
        is_constant = all(isinstance(extent, AffineConstantExpr) for extent in extents)
        is_known = is_constant and self.placement.is_usual
        elements = prod(self.described.shape_at(())) if is_known else DYNAMIC_INDEX
        return MemRefType(scalar_type(self.tensor.type), [elements])


class BufferArguments(NamedTuple):
    """The arrays of a function of stages: its tensors, then its results."""

    signature: Signature
    arrays: list[BufferArgument]

    def types(self) -> list[Attribute]:
        """The argument types of the whole function: sizes, then buffers."""
        return [*[IndexType()] * len(self.signature.sizes), *(array.type for array in self.arrays)]


def buffer_arguments(op: te.FuncOp) -> BufferArguments:
    """The arguments of the function over buffers that a function of stages becomes.

    Raises PassError for a result that no stage computes, and for strides beside a layout.
    """
    signature, count = signature_of(op), len(op.sizes)
    to_dims, to_symbols = _over(AffineExpr.dimension, count), _over(AffineExpr.symbol, count)
    arrays: list[BufferArgument] = []
    values = [*op.tensors, *outputs_of(op)]
    for tensor, argument in zip(values, signature.arguments, strict=True):
        stage = tensor.owner
        place = stage if argument.output and isinstance(stage, Operation) else op
        placement = argument.placement.over(to_dims)
        if isinstance(stage, schedule.StageOp):
            placement = placement._replace(layout=stage.storage.own_layout)
        placement = _checked(placement, argument.name, place)
        assert argument.shape is not None
        extents = tuple(map(to_dims, argument.shape))
        shape = argument.shape
        if placement.layout is not None:
            box = physical_box(Region(extents, count), placement.layout)
            shape = tuple(to_symbols(extent) for _, extent in box)
            if placement.layout.triangle:
                shape = (*shape[:-2], placement.layout.edge_of(shape))
        described = replace(argument, shape=shape, placement=placement.over(to_symbols))
        starts = _starts(tensor, op.sizes) or [ZERO] * len(extents)
        tensor_box = list(zip(starts, extents, strict=True))
        arrays.append(BufferArgument(tensor, tensor_box, placement, described))
    signature = replace(signature, arguments=tuple(array.described for array in arrays))
    return BufferArguments(signature, arrays)


def _starts(tensor: SSAValue, sizes: Sequence[SSAValue]) -> list[AffineExpr]:
    """Where the axes of a stage's result start; nothing for another tensor."""
    if not isinstance(tensor.owner, schedule.StageOp):
        return []
    box, own = box_of(tensor)
    dims = [AffineExpr.dimension(sizes.index(size)) for size in own]
    return [start.replace_dims_and_symbols(dims, ()) for start, _ in box]


def _over(kind: Callable[[int], AffineExpr], sizes: int) -> Callable[[AffineExpr], AffineExpr]:
    """A function that rewrites expressions of sizes: size k becomes dimension or symbol k."""
    values: Sequence[AffineExpr] = [kind(size) for size in range(sizes)]
    return lambda expr: expr.replace_dims_and_symbols(values, values)


def _checked(placement: Placement, name: str, op: Operation) -> Placement:
    """`placement`, without separators, as the caller's memory has one dimension.

    Raises PassError for a layout with strides beside it.
    """
    if placement.layout is None:
        return placement
    if placement.strides is not None:
        raise PassError(
            f"{name} has a layout, which says how it lies, and strides of its own; declare it "
            "without strides",
            op,
        )
    return placement._replace(layout=placement.layout.without_separators)
