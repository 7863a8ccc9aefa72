"""The arguments of a function over buffers: their types, and what they say of the caller's arrays.

`teloom.analysis.signature` reads the attributes that are written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DictionaryAttr,
    IndexType,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from teloom.analysis.sets.layouts import Region, physical_box
from teloom.analysis.stages.queries import name_of, shape_of
from teloom.dialects import schedule, te
from teloom.dialects.syntax.placements import Placement
from teloom.dialects.syntax.stage_header import scalar_type
from teloom.errors import PassError


class BufferArgument(NamedTuple):
    """An array that the caller passes; size k is dimension k of its expressions.

    The extents are those of the tensor; with a layout the array has the physical ones.
    """

    tensor: SSAValue
    name: str | None
    extents: tuple[AffineExpr, ...]
    is_output: bool
    placement: Placement

    def shape(self, sizes: int) -> list[AffineExpr]:
        """The extents of the array, in a function of so many sizes."""
        if self.placement.layout is None:
            return list(self.extents)
        box = physical_box(Region(self.extents, sizes), self.placement.layout)
        return [extent for _, extent in box]

    def type(self, sizes: int) -> MemRefType:
        elements = 1 if self.placement.is_usual else DYNAMIC_INDEX
        for extent in self.shape(sizes) if self.placement.is_usual else ():
            if not isinstance(extent, AffineConstantExpr):
                elements = DYNAMIC_INDEX
                break
            elements *= extent.value
        return MemRefType(scalar_type(self.tensor.type), [elements])

    def attributes(self, position: int, sizes: int) -> DictionaryAttr:
        symbols = [AffineExpr.symbol(k) for k in range(sizes)]
        shape = self.shape(sizes)
        exprs = tuple(extent.replace_dims_and_symbols(symbols, ()) for extent in shape)
        said: dict[str, Attribute] = {
            "te.name": _name(self.name, position),
            "te.shape": AffineMapAttr(AffineMap(0, sizes, exprs)),
            **self.placement.attributes(sizes),
        }
        assert isinstance(self.tensor.type, TensorType)
        element = self.tensor.type.get_element_type()
        if isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED:
            said["te.dtype"] = StringAttr(f"uint{element.width.data}")
        if self.is_output:
            said["te.output"] = UnitAttr()
        return DictionaryAttr(said)


def buffer_arguments(op: te.FuncOp) -> list[BufferArgument]:
    """The tensor arguments of a function of stages, then its results.

    Raises PassError for a result that no stage computes, and for strides beside a layout.
    """
    found = [
        BufferArgument(
            tensor,
            tensor.name_hint,
            op.shape_of(position),
            False,
            _checked(op.placement_of(position), tensor.name_hint or f"argument {position}", op),
        )
        for position, tensor in enumerate(op.tensors)
    ]
    sizes = list(op.sizes)
    for position, tensor in enumerate(op.return_op.values, start=len(op.tensors)):
        stage = tensor.owner
        if not isinstance(stage, schedule.StageOp):
            raise PassError("a result must be computed by a stage", op.return_op)
        extents, of_stage = shape_of(tensor)
        dims = [AffineExpr.dimension(sizes.index(size)) for size in of_stage]
        extents = tuple(extent.replace_dims_and_symbols(dims, ()) for extent in extents)
        name = tensor.name_hint or name_of(stage)
        placement = op.placement_of(position)._replace(layout=stage.storage.own_layout)
        placement = _checked(placement, name, stage)
        found.append(BufferArgument(tensor, name, extents, True, placement))
    return found


def _checked(placement: Placement, name: str, op: Operation) -> Placement:
    """How the caller's array lies: in memory of one dimension, by a layout or by strides."""
    if placement.layout is None:
        return placement
    if placement.strides is not None:
        raise PassError(
            f"{name} has a layout, which says how it lies, and strides of its own; declare it "
            "without strides",
            op,
        )
    return placement._replace(layout=placement.layout.without_separators)


def argument_types(sizes: int, buffers: Sequence[BufferArgument]) -> list[Attribute]:
    """Of the whole function: sizes, then buffers."""
    return [*[IndexType()] * sizes, *(buffer.type(sizes) for buffer in buffers)]


def argument_attributes(
    sizes: Sequence[SSAValue], buffers: Sequence[BufferArgument]
) -> list[DictionaryAttr]:
    """What each argument says: its name; an array its shape over the sizes, too."""
    of_sizes = [
        DictionaryAttr({"te.name": _name(size.name_hint, position)})
        for position, size in enumerate(sizes)
    ]
    of_buffers = [
        buffer.attributes(position, len(sizes))
        for position, buffer in enumerate(buffers, start=len(sizes))
    ]
    return of_sizes + of_buffers


def _name(name: str | None, position: int) -> StringAttr:
    return StringAttr(name or f"arg{position}")
