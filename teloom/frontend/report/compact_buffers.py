"""Whether a program needs arrays without gaps."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr

from teloom.dialects import loop, te
from teloom.dialects.bodies.preorder import preorder
from teloom.frontend.kinds import checked_kind
from teloom.frontend.schedule.schedules import Schedule


def needs_compact_buffers(program: Schedule | ModuleOp) -> bool:
    """Whether an extern takes a buffer that must be compact: its rows lie without gaps.

    `program` is a schedule or what `teloom.lower` gives for it on level te, schedule or loop.
    Source: TVM's te.schedule.VerifyCompactBuffer.

    >>> from teloom import te
    >>> A = te.placeholder((8, 4), name="A")
    >>> B = te.compute((8, 4), lambda i, j: A[i, j] * 2, name="B")
    >>> te.schedule.VerifyCompactBuffer(te.create_schedule(B))
    False
    """
    checked_kind(program, Schedule | ModuleOp, "the program", "a schedule or a module of IR")
    module = program.module if isinstance(program, Schedule) else program
    return any(
        isinstance(op, te.BufferOp | loop.BufferOp)
        and isinstance(type := op.results[0].type, MemRefType)
        and isinstance(type.layout, NoneAttr)
        for op in preorder(module)
    )
