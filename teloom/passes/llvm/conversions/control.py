"""Conversions of the `cf` and `func` dialects inside a function."""

from xdsl.dialects import cf, func
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import UnrealizedConversionCastOp, i1, i32
from xdsl.ir import Operation, SSAValue

from teloom.dialects.runtime import FIRST_ASSERTION
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, SHARED
from teloom.errors import PassError
from teloom.passes.code.thread_numbers import COUNT, NUMBER
from teloom.passes.llvm.builder import Builder, Conversion
from teloom.passes.llvm.instructions import EQ, NE
from teloom.passes.llvm.parallel import convert_shared_call, convert_thread_count
from teloom.passes.llvm.types import machine_type


def branch(kind: type[Operation]) -> Conversion:
    def convert(op: Operation, b: Builder) -> None:
        new = kind.create(operands=op.operands, successors=op.successors, properties=op.properties)
        if annotation := op.attributes.get(LOOP_ANNOTATION):
            new.attributes["loop_annotation"] = annotation
        b.block.add_op(new)

    return convert


def convert_return(op: Operation, b: Builder) -> None:
    if b.reports:
        b.block.add_op(upstream.ReturnOp(b.constant(0, i32)))
        return
    if len(op.operands) > 1:
        raise PassError(f"a function returns one value, not {len(op.operands)}", op)
    b.block.add_op(upstream.ReturnOp(op.operands[0] if op.operands else None))


def convert_call(op: func.CallOp, b: Builder) -> SSAValue | None:
    if SHARED in op.attributes:
        return convert_shared_call(op, b)
    name = op.callee.string_value()
    if name == COUNT:
        return convert_thread_count(b)
    if name == NUMBER:
        return b.constant(0, i32)  # outside of shared loops, the caller's thread runs
    if len(op.results) > 1:
        raise PassError(f"a function returns one value, not {len(op.results)}", op)
    operands = op.operands
    if name in b.program.allocating:
        operands = (*operands, b.workspace)
    if op.results:
        return b.call(name, operands, machine_type(op.results[0].type))
    if name not in b.program.reporting:
        return b.call(name, operands, None)
    status = b.call(name, operands, i32)
    assert status is not None
    b.fail_if(b.compare(NE, status, b.constant(0, i32)), status, op)
    return None


def convert_assert(op: cf.AssertOp, b: Builder) -> None:
    status = b.constant(FIRST_ASSERTION + len(b.program.assertions), i32)
    b.program.assertions.append(op.msg.data)
    b.fail_if(b.compare(EQ, op.arg, b.constant(0, i1)), status, op)


def convert_unrealized_cast(op: Operation, b: Builder) -> SSAValue:
    if len(op.operands) != 1 or len(op.results) != 1:
        raise PassError("a cast has one operand and one result here", op)
    type = machine_type(op.results[0].type)
    if op.operands[0].type != type:
        raise PassError(f"cannot turn {op.operands[0].type} into {type} by a cast", op)
    return op.operands[0]


CONVERSIONS: dict[type[Operation], Conversion] = {
    cf.BranchOp: branch(upstream.BrOp),
    cf.ConditionalBranchOp: branch(upstream.CondBrOp),
    cf.AssertOp: convert_assert,
    func.ReturnOp: convert_return,
    func.CallOp: convert_call,
    UnrealizedConversionCastOp: convert_unrealized_cast,
}
