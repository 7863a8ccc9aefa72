"""Conversion of calls that threads share: each becomes a job, and a team runs several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import func
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolRefAttr, VectorType, i8, i32, i64
from xdsl.dialects.llvm import LinkageAttr, LLVMFunctionType
from xdsl.ir import Attribute, Block, Region, SSAValue

from teloom.analysis.memory.storage import byte_width
from teloom.dialects.runtime import PARALLEL, THREADS
from teloom.dialects.upstream.llvm import DYNAMIC, JOINED, SHARED, VECTORIZED
from teloom.passes.llvm.builder import Builder
from teloom.passes.llvm.instructions import NE
from teloom.passes.llvm.types import POINTER, element_type, memory_type

LINE = 64
"""In bytes: what a thread writes for itself begins at such a boundary, and so do contexts."""

_WORD = 8

_ENTRY = LLVMFunctionType([POINTER, i64, i64, i64, POINTER], i32)
"""Of a context, a range, the number of a thread and its workspace; returns a status."""


STARTER = (StringAttr("noinline"), StringAttr("optnone"))
"""What LLVM is told of a function that only calls others: to translate it as it stands.

It runs once a call, or once for each thread, and its share of LLVM's work can be a tenth."""


class Job(NamedTuple):
    """The words of one job, in their order."""

    code: SSAValue
    context: SSAValue
    first: SSAValue
    last: SSAValue
    dynamic: SSAValue


class _Context(NamedTuple):
    """The offsets in bytes at which values of these types stand in a context, and its size."""

    types: Sequence[Attribute]
    offsets: Sequence[int]
    size: int

    @staticmethod
    def of(types: Sequence[Attribute]) -> _Context:
        offsets: list[int] = []
        end = 0
        for type in types:
            size, boundary = _size(type)
            begin = -(-end // boundary) * boundary
            offsets.append(begin)
            end = begin + size
        return _Context(types, offsets, max(1, end))


def _size(type: Attribute) -> tuple[int, int]:
    """The bytes of a value in a context, and its boundary."""
    if isinstance(type, VectorType):
        return type.element_count() * byte_width(element_type(memory_type(type))), LINE
    return _WORD, _WORD


def convert_thread_count(b: Builder) -> SSAValue | None:
    """The number of threads that the call may use."""
    return b.call_runtime(THREADS, (b.workspace,), i32)


def convert_shared_call(op: func.CallOp, b: Builder) -> None:
    """Makes a job of the call; the last one of a team runs all of its jobs."""
    first, last, _, *captured = op.operands
    context = _Context.of([value.type for value in captured])
    memory = b.stack_slot(upstream.LLVMArrayType(context.size, i8), context.size, LINE)
    for value, offset in zip(captured, context.offsets, strict=True):
        b.store(value, b.part(memory, offset, i8), [], _WORD)
    name = op.callee.string_value()
    entry = b.program.entries.get(name) or _entry(name, context, b)
    code = b.emit(upstream.AddressOfOp, (), POINTER, {"global_name": SymbolRefAttr(entry.sym_name)})
    dynamic = b.constant(int(op.attributes[SHARED] == StringAttr(DYNAMIC)), i64)
    b.jobs.append(Job(code, memory, first, last, dynamic))
    if JOINED not in op.attributes:
        _run_team(op, b)


def _run_team(op: func.CallOp, b: Builder) -> None:
    words = [word for job in b.jobs for word in job]
    count = b.constant(len(b.jobs), i64)
    b.jobs.clear()
    type = upstream.LLVMArrayType(len(words), i64)
    jobs = b.stack_slot(type, len(words) * _WORD, LINE)
    for number, word in enumerate(words):
        b.store(word, b.part(jobs, number, i64), [], _WORD)
    status = b.call_runtime(PARALLEL, (b.workspace, jobs, count), i32)
    assert status is not None
    b.fail_if(b.compare(NE, status, b.constant(0, i32)), status, op)


def _entry(name: str, context: _Context, b: Builder) -> upstream.FuncOp:
    """A function that takes what is captured from a context, and calls the body of this name."""
    block = Block(arg_types=_ENTRY.inputs.data)
    memory, first, last, thread, workspace = block.args
    inner = Builder(b.program, True, workspace, b.target)
    inner.begin(block)
    captured = [
        inner.load(inner.part(memory, offset, i8), [], type, _WORD)
        for type, offset in zip(context.types, context.offsets, strict=True)
    ]
    operands = [first, last, thread, *captured]
    if name in b.program.allocating:
        operands.append(workspace)
    status = inner.call(name, operands, i32)
    assert status is not None
    inner.block.add_op(upstream.ReturnOp(status))
    entry = upstream.FuncOp(
        f"{name}.entry",
        _ENTRY,
        LinkageAttr("internal"),
        body=Region(inner.finish()),
        other_props={"passthrough": ArrayAttr([StringAttr(VECTORIZED), *STARTER])},
    )
    b.program.entries[name] = entry
    return entry
