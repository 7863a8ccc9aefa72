"""Loads of lanes whose indices are computed from data, as gathers."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from teloom.analysis.index.strides import LaneStrides
from teloom.analysis.memory.storage import byte_width
from teloom.dialects.target import target_of
from teloom.dialects.upstream.vector import GatherOp, vector_type
from teloom.passes.lanes.values import LaneValues, constant

_WIDTHS = (4, 8)


def has_masked_loads(op: memref.LoadOp) -> bool:
    """Whether the usual machines have masked loads of this type, or the target has."""
    width = byte_width(op.res.type)
    return width in _WIDTHS or target_of(op).has_masks(width)


def is_gathered(op: memref.LoadOp, strides: LaneStrides, is_masked: bool) -> bool:
    """Whether each lane loads an element that data chooses, and a gather of the target is faster.

    Without a gather, each lane loads by itself, and under a mask in a branch. If the index follows
    from the number of the lane alone, a scalar address per lane is cheaper.
    """
    target = target_of(op)
    values = strides.forms.of(op.indices[0]).values()
    return (
        any(value is not strides.variable and strides.varies(value) for value in values)
        and byte_width(op.res.type) in _WIDTHS
        and (target.has_gathers if is_masked else target.has_fast_gathers)
    )


def gather(op: memref.LoadOp, values: LaneValues, mask: SSAValue | None) -> SSAValue:
    """Gathers the elements of all lanes, or of those that a mask selects."""
    ones = vector_type(i1, values.lanes)
    mask = values.emit(constant(ones, [1])) if mask is None else mask
    zeros = values.emit(constant(vector_type(op.res.type, values.lanes), [0]))
    at = values.vector(op.indices[0])
    return values.emit(GatherOp(op.memref, [values.constant(0)], at, mask, zeros))
