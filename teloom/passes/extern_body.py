"""The body of an extern, where its stage is computed."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from teloom.analysis.stages import result_behind
from teloom.dialects import loop, schedule, te
from teloom.passes.equation_body import EquationBody


def build_extern(
    stage: schedule.StageOp,
    tensors: Mapping[SSAValue, SSAValue],
    body: EquationBody,
    builder: Builder,
) -> None:
    """Copies the opaque body of a stage; its buffers are those of the regions `tensors`."""
    assert stage.extern is not None
    for op in stage.extern.body.block.ops:
        if isinstance(op, te.BufferOp):
            buffer = loop.BufferOp.create(
                operands=[
                    tensors[result_behind(op.tensor)],
                    *(body.values[size] for size in op.operands_),
                ],
                properties=op.properties,
                attributes=op.attributes,
                result_types=[op.buffer.type],
            )
            buffer.location = op.location
            buffer.buffer.name_hint = op.buffer.name_hint
            body.values[op.buffer] = builder.insert(buffer).buffer
        else:
            body.copy_op(op, builder)
