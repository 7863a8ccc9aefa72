"""Pass `outline-parallel`: the body of a parallel loop becomes a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.memory.storage import Allocation
from teloom.dialects.upstream.accesses import accesses_to
from teloom.dialects.upstream.arith import constant_index
from teloom.dialects.upstream.llvm import JOINED, LOOP_ANNOTATION, SHARED, STATIC
from teloom.errors import PassError
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.thread_numbers import NUMBER, is_call

INDEX = IndexType()

_SUNK = (arith.ConstantOp, memref.ViewOp, memref.CastOp, memref.MemorySpaceCastOp)
"""Ops that the body computes itself. Views of one buffer alias; the buffer alone does not."""


class _Body:
    """The function that a parallel loop becomes.

    Its arguments are a range of iterations, a thread's number and what is captured.
    """

    def __init__(self, op: scf.ParallelOp):
        self.op = op
        self.block = Block(arg_types=[INDEX, INDEX, INDEX])
        self.first, self.last, self.thread = self.block.args
        self.first.name_hint, self.last.name_hint = "first", "last"
        self.thread.name_hint = "thread"
        self.captured: list[SSAValue] = []
        self._inside: dict[SSAValue, SSAValue] = {}

    def function(self, name: str) -> func.FuncOp:
        """Moves the iterations of the loop into a function."""
        self._take_captured()
        self._number_threads()
        op, block = self.op, self.block
        (variable,) = op.body.block.args
        one = constant_index(1)
        block.add_op(one)
        yielding = op.body.block.last_op
        assert yielding is not None
        Rewriter.replace_op(yielding, scf.YieldOp())
        loop = scf.ForOp(self.first, self.last, one, [], op.detach_region(op.body))
        loop.body.block.args[0].name_hint = variable.name_hint
        loop.location = op.location
        if annotation := op.attributes.get(LOOP_ANNOTATION):
            loop.attributes[LOOP_ANNOTATION] = annotation
        block.add_ops((loop, func.ReturnOp()))
        types = [argument.type for argument in block.args]
        made = func.FuncOp(
            name, (types, []), Region(block), "private", arg_attrs=self._argument_attributes()
        )
        made.location = op.location
        return made

    def _take_captured(self) -> None:
        found: dict[SSAValue, None] = {}
        for inner in self.op.body.walk():
            for operand in inner.operands:
                if not self.op.body.is_ancestor(operand.owner):
                    found[operand] = None
        for value in found:
            inside = self._value(value)
            value.replace_uses_with_if(inside, lambda use: self.op.body.is_ancestor(use.operation))

    def _value(self, value: SSAValue) -> SSAValue:
        """The value in the function: computed there, or an argument."""
        if (there := self._inside.get(value)) is not None:
            return there
        if isinstance(value.owner, _SUNK):
            operands = {operand: self._value(operand) for operand in value.owner.operands}
            inner = value.owner.clone(operands)
            self.block.add_op(inner)
            there = inner.results[0]
        else:
            there = self.block.insert_arg(value.type, len(self.block.args))
            self.captured.append(value)
        there.name_hint = value.name_hint
        self._inside[value] = there
        return there

    def _number_threads(self) -> None:
        for call in [inner for inner in self.op.body.walk() if is_call(inner, NUMBER)]:
            Rewriter.replace_op(call, arith.IndexCastOp(self.thread, i32))

    def _argument_attributes(self) -> ArrayAttr[DictionaryAttr]:
        """What LLVM may know of each argument: buffers are apart, if they are whole ones."""
        buffers = [value for value in self.captured if isinstance(value.type, MemRefType)]
        are_apart = all(map(_is_whole, buffers))
        said: list[DictionaryAttr] = []
        for argument in self.block.args:
            known = {}
            if isinstance(argument.type, MemRefType) and are_apart:
                known["llvm.noalias"] = UnitAttr()
                if not any(access.writes for access in accesses_to(argument)):
                    known["llvm.readonly"] = UnitAttr()
            said.append(DictionaryAttr(known))
        return ArrayAttr(said)


def _is_whole(buffer: SSAValue) -> bool:
    """Whether no other value is the address of a byte of `buffer`, or is computed from one."""
    if isinstance(buffer.owner, Block):
        function = buffer.owner.parent_op()
        return isinstance(function, func.FuncOp) and function.sym_visibility is None
    return isinstance(buffer.owner, Allocation)


def _check(op: scf.ParallelOp) -> None:
    """Raises `PassError` for a loop with several axes, a step or a reduction."""
    steps = [step.owner for step in op.step]
    counts_by_one = len(steps) == 1 and (
        isinstance(steps[0], arith.ConstantOp) and steps[0].value == constant_index(1).value
    )
    if op.results or not counts_by_one:
        raise PassError(
            "cannot lower scf.parallel with several axes, a step other than 1 or a reduction", op
        )


def _make_serial(op: scf.ParallelOp) -> None:
    """Replaces a parallel loop by a serial one."""
    yielding = op.body.block.last_op
    assert yielding is not None
    Rewriter.replace_op(yielding, scf.YieldOp())
    bounds = (*op.lowerBound, *op.upperBound, *op.step)
    loop = scf.ForOp(*bounds, [], op.detach_region(op.body))
    loop.location = op.location
    if annotation := op.attributes.get(LOOP_ANNOTATION):
        loop.attributes[LOOP_ANNOTATION] = annotation
    Rewriter.replace_op(op, loop)


def _is_around(op: Operation) -> bool:
    """Whether a parallel loop is around `op`."""
    while (around := op.parent_op()) is not None:
        if isinstance(around, scf.ParallelOp):
            return True
        op = around
    return False


def _outline(function: func.FuncOp) -> Iterator[func.FuncOp]:
    """Replaces the parallel loops of `function` by calls, and gives the functions called."""
    loops = [op for op in function.walk() if isinstance(op, scf.ParallelOp)]
    for op in loops:
        _check(op)
    nested = [op for op in loops if function.function_type.outputs.data or _is_around(op)]
    for op in nested:
        _make_serial(op)
    outermost = [op for op in loops if op not in nested]
    for number, op in enumerate(outermost):
        name = f"{function.sym_name.data}.parallel{number}"
        body = _Body(op)
        made = body.function(name)
        zero = constant_index(0)
        operands = (*op.lowerBound, *op.upperBound, zero, *body.captured)
        call = func.CallOp(name, operands, [])
        call.attributes[SHARED] = op.attributes.get(SHARED, StringAttr(STATIC))
        call.location = op.location
        Rewriter.replace_op(op, [zero, call], [])
        yield made


def _join(block: Block) -> None:
    """Joins calls that share a loop among threads, if nothing between them needs its result.

    What only computes moves in front of them, what frees memory behind them.
    """
    team: list[Operation] = []
    between: list[Operation] = []
    for op in tuple(block.ops):
        if SHARED in op.attributes:
            if team:
                team[-1].attributes[JOINED] = UnitAttr()
                _clear_between(team[0], op, between)
            team.append(op)
            between = []
        elif only_computes(op) or isinstance(op, memref.DeallocOp):
            between.append(op)
        else:
            team, between = [], []


def _clear_between(first: Operation, last: Operation, between: Sequence[Operation]) -> None:
    for op in between:
        op.detach()
    frees = [op for op in between if isinstance(op, memref.DeallocOp)]
    Rewriter.insert_op([op for op in between if op not in frees], InsertPoint.before(first))
    Rewriter.insert_op(frees, InsertPoint.after(last))


@dataclass(frozen=True)
class OutlineParallelPass(ModulePass):
    """Make a private function of the body of each parallel loop, and call it.

    The function gets a range of iterations, the number of the thread that runs it, and what the
    body needs from outside. Its call is marked `teloom.shared`, with `static` or `dynamic`: any
    parts of the range may run at the same time. Calls one after another, with nothing between
    them that needs their results, are marked `teloom.joined` up to the last one: one team of
    threads runs them all.

    A parallel loop inside another one becomes serial, and so does one in a function that returns
    a value.

    Order: before `lower-scf`; after `lower-loops`, which makes `scf.parallel`.

    Example: `outline-parallel`
    ```mlir
    func.func @fill(%n: index, %x: f32, %A: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        memref.store %x, %A[%i] : memref<?xf32>
        scf.reduce
      }) : (index, index, index) -> ()
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%n: index, %x: f32, %A: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %thread = arith.constant 0 : index
      func.call @fill.parallel0(%c0, %n, %thread, %x, %A) {teloom.shared = "static"}
        : (index, index, index, f32, memref<?xf32>) -> ()
      func.return
    }
    func.func private @fill.parallel0(
      %first: index, %last: index, %thread: index, %x: f32, %A: memref<?xf32> {llvm.noalias}
    ) {
      %c1 = arith.constant 1 : index
      scf.for %i = %first to %last step %c1 {
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }
    ```
    Refused: `outline-parallel`
    ```mlir
    func.func @two(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
      ^bb0(%i: index, %j: index):
        scf.reduce
      }) : (index, index, index, index, index, index) -> ()
      func.return
    }
    ```
    with "cannot lower scf.parallel with several axes, a step other than 1 or a reduction"
    """

    name = "outline-parallel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outline_parallel(op)


def outline_parallel(module: ModuleOp) -> None:
    """Make functions of the parallel loops of `module`, and mark which calls are shared."""
    for function in [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]:
        made = [*_outline(function)]
        Rewriter.insert_op(made, InsertPoint.after(function))
        for block in {call.parent for call in _shared_calls(function)}:
            _join(block)


def _shared_calls(function: func.FuncOp) -> Iterator[Operation]:
    return (op for op in function.walk() if SHARED in op.attributes)
