"""A region of an extern, at one point of the axes of its stage."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.builder import Builder
from xdsl.ir import Block, SSAValue

from teloom.analysis.stages.queries import result_behind
from teloom.dialects import loop, te
from teloom.dialects.syntax.boxes import pack_box
from teloom.passes.loops.equation_body import EquationBody


def build_extern(
    block: Block, tensors: Mapping[SSAValue, SSAValue], body: EquationBody, builder: Builder
) -> None:
    """Copies the ops of an opaque body; its buffers are those of the regions `tensors`."""
    body.materialize_axes(block, builder)
    for op in block.ops:
        if isinstance(op, te.BufferOp):
            body.values[op.buffer] = builder.insert(_buffer(op, tensors, body, builder)).buffer
        else:
            body.copy_op(op, builder)


def _buffer(
    op: te.BufferOp, tensors: Mapping[SSAValue, SSAValue], body: EquationBody, builder: Builder
) -> loop.BufferOp:
    exprs = (*op.offsets.data.results, *op.extents.data.results)
    both, values = body.substituted(exprs, op.operands_, builder)
    rank = len(exprs) // 2
    offsets, extents = both.data.results[:rank], both.data.results[rank:]
    operands, *maps = pack_box(list(zip(offsets, extents, strict=True)), values)
    buffer = loop.BufferOp.create(
        operands=[tensors[result_behind(op.tensor)], *operands],
        properties=op.properties | dict(zip(("offsets", "extents"), maps, strict=True)),
        attributes=op.attributes,
        result_types=[op.buffer.type],
    )
    buffer.location = op.location
    buffer.buffer.name_hint = op.buffer.name_hint
    return buffer
