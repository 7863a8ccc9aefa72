"""How much memory a call takes, before it is made.

A function takes its memory when it begins. The part of its code that does so, without all else, is
a function of the sizes: where the code takes a block, this one adds up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, SymbolRefAttr, i64
from xdsl.dialects.llvm import LinkageAttr, LLVMFunctionType, LLVMVoidType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import is_side_effect_free

from teloom.dialects.runtime import TAKE, THREADS
from teloom.passes.llvm.types import POINTER

MEASURE = "teloom_measure"
"""The function that stands for `TAKE`."""

_OF_A_BLOCK = LLVMFunctionType([POINTER, i64, i64], POINTER)


def measuring(name: str) -> str:
    """The name of what measures a function."""
    return f"{name}.measure"


def add_measuring(module: ModuleOp, name: str, sizes: int) -> int | None:
    """Adds a function that measures another one, which has so many sizes.

    Returns of how many bytes the beginning of all its memory is a multiple; None, and adds none,
    where memory is taken after the function has begun to work, or depends on data.
    """
    functions = [op for op in module.ops if isinstance(op, llvm.FuncOp) and op.body.blocks]
    entry = next(op for op in functions if op.sym_name.data == name)
    taken = [op for one in functions for op in one.walk() if _calls(op, TAKE)]
    at_begin = list(_begin(entry))
    known = {*_given(entry, sizes)}
    needed = _needed(taken, known)
    if needed is None or not needed <= {*at_begin}:
        return None
    module.body.block.add_op(llvm.FuncOp(MEASURE, _OF_A_BLOCK, LinkageAttr("external")))
    module.body.block.add_op(_function(entry, sizes, [op for op in at_begin if op in needed]))
    return max(map(_alignment, taken), default=1)


def _alignment(taken: Operation) -> int:
    """The alignment of a block, which code says as a constant."""
    said = taken.operands[1].owner
    assert isinstance(said, llvm.ConstantOp)
    assert isinstance(said.value, IntegerAttr)
    return said.value.value.data


def _calls(op: Operation, name: str) -> bool:
    return (
        isinstance(op, llvm.CallOp) and op.callee is not None and op.callee.string_value() == name
    )


def _begin(entry: llvm.FuncOp) -> Iterator[Operation]:
    """The ops that every call runs once, in order, unless it fails."""
    reached: set[Block] = set()
    block: Block | None = entry.body.blocks[0]
    while block is not None and block not in reached:
        reached.add(block)
        yield from block.ops
        last = block.last_op
        assert last is not None
        following = [one for one in last.successors if not isinstance(one.first_op, llvm.ReturnOp)]
        block = following[0] if len(following) == 1 else None
        if block is not None and len(list(block.predecessors())) > 1:
            block = None


def _given(entry: llvm.FuncOp, sizes: int) -> list[BlockArgument]:
    """The arguments of the measuring function: the sizes, and the workspace as the last one."""
    arguments = entry.body.blocks[0].args
    return [*arguments[:sizes], arguments[-1]]


def _needed(taken: Sequence[Operation], known: set[SSAValue]) -> set[Operation] | None:
    """These calls, and the ops that their operands follow from; None if other facts are needed."""
    needed: set[Operation] = set()
    pending = [*taken]
    while pending:
        op = pending.pop()
        if op in needed:
            continue
        if not (_calls(op, TAKE) or _calls(op, THREADS) or _is_arithmetic(op)):
            return None
        needed.add(op)
        for operand in op.operands:
            if isinstance(operand, BlockArgument):
                if operand not in known:
                    return None
            else:
                assert isinstance(operand, OpResult)
                pending.append(operand.op)
    return needed


def _is_arithmetic(op: Operation) -> bool:
    """Whether results follow from operands alone; of intrinsics, those of integers."""
    if isinstance(op, llvm.CallIntrinsicOp):
        return all(isinstance(one.type, IntegerType) for one in (*op.operands, *op.results))
    return is_side_effect_free(op)


def _function(entry: llvm.FuncOp, sizes: int, ops: Sequence[Operation]) -> llvm.FuncOp:
    """The function of these ops, which takes the sizes and a workspace."""
    given = _given(entry, sizes)
    block = Block(arg_types=[one.type for one in given])
    values: dict[SSAValue, SSAValue] = dict(zip(given, block.args, strict=True))
    for op in ops:
        copy = op.clone(values)
        if isinstance(copy, llvm.CallOp) and _calls(copy, TAKE):
            copy.callee = SymbolRefAttr(MEASURE)
        block.add_op(copy)
    block.add_op(llvm.ReturnOp())
    type = LLVMFunctionType([one.type for one in given], LLVMVoidType())
    name = measuring(entry.sym_name.data)
    return llvm.FuncOp(name, type, LinkageAttr("external"), body=Region(block))
