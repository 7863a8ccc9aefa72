"""Pass `outline-parallel`: the body of a parallel loop becomes a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count

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
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.memory.shared_bytes import bytes_of
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.captured import captured
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.upstream.arith import constant_index
from teloom.dialects.upstream.functions import NOALIAS
from teloom.dialects.upstream.llvm import JOINED, LOOP_ANNOTATION, SHARED, STATIC
from teloom.errors import PassError
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.outlining import (
    NO_INLINE,
    Distinct,
    Outlined,
    erase_left_over,
    views_apart,
)
from teloom.passes.code.thread_numbers import NUMBER, is_call
from teloom.passes.upstream.normalize_loops import counts_by_one

INDEX = IndexType()

_SUNK = (arith.ConstantOp, memref.ViewOp, memref.CastOp, memref.MemorySpaceCastOp)
"""Ops that the body computes itself, but for some views."""


def _argument_attributes(arguments: Sequence[SSAValue]) -> ArrayAttr[DictionaryAttr]:
    """What LLVM may know of each argument: that a buffer has no byte in common with others."""
    buffers = [value for value in arguments if isinstance(value.type, MemRefType)]
    parts = {buffer: bytes_of(buffer) for buffer in buffers}
    meeting: set[SSAValue] = set()
    for one, other in combinations(buffers, 2):
        if not parts[one].is_apart(parts[other]):
            meeting |= {one, other}
    apart, unknown = DictionaryAttr({NOALIAS: UnitAttr()}), DictionaryAttr({})
    return ArrayAttr(
        apart if value in parts and value not in meeting else unknown for value in arguments
    )


class _Body:
    """The function that a parallel loop becomes, and what it captures.

    Its first arguments are a range of iterations and the number of the thread that runs it.
    """

    def __init__(self, op: scf.ParallelOp, bounds: Sequence[SSAValue]):
        loop = _make_serial(op)
        # The bounds are arguments: meanwhile they are the step, a constant.
        loop.operands[0] = loop.operands[1] = loop.step
        values = captured(loop)
        views = views_apart(values)

        def is_computed_inside(value: SSAValue) -> bool:
            return isinstance(value.owner, _SUNK) and value not in views

        found = Outlined(loop, values, is_computed_inside, bounds)
        self.captured, self.copied = found.arguments, found.copied
        attributes = _argument_attributes(self.captured)
        first, last, thread = (found.block.insert_arg(INDEX, k) for k in range(3))
        for argument, hint in ((first, "first"), (last, "last"), (thread, "thread")):
            argument.name_hint = hint
        loop.operands[0], loop.operands[1] = first, last
        for call in ops_in(loop.body, func.CallOp):
            if is_call(call, NUMBER):
                Rewriter.replace_op(call, arith.IndexCastOp(thread, i32))
        self.function = found.function("parallel")
        nothing = DictionaryAttr({})
        self.function.arg_attrs = ArrayAttr([nothing, nothing, nothing, *attributes.data])
        self.function.attributes[NO_INLINE] = UnitAttr()
        self.function.location = loop.location


def _check(op: scf.ParallelOp) -> None:
    """Raises `PassError` for a loop with several axes, a step or a reduction."""
    if not counts_by_one(op):
        raise PassError(
            "cannot lower scf.parallel with several axes, a step other than 1 or a reduction", op
        )


def _make_serial(op: scf.ParallelOp) -> scf.ForOp:
    """Replaces a parallel loop by a serial one."""
    yielding = op.body.block.last_op
    assert yielding is not None
    Rewriter.replace_op(yielding, scf.YieldOp())
    (lower,), (upper,), (step,) = op.lowerBound, op.upperBound, op.step
    body = op.detach_region(op.body)
    loop = scf.ForOp.create(operands=[lower, upper, step], regions=[body])
    loop.location = op.location
    if annotation := op.attributes.get(LOOP_ANNOTATION):
        loop.attributes[LOOP_ANNOTATION] = annotation
    Rewriter.replace_op(op, loop)
    return loop


def _is_around(op: Operation) -> bool:
    """Whether a parallel loop is around `op`."""
    return any(isinstance(around, scf.ParallelOp) for around in ops_around(op))


def _outline(function: func.FuncOp, distinct: Distinct) -> Iterator[func.FuncOp]:
    """Replaces the parallel loops of `function` by calls, and gives the functions that are new."""
    loops = ops_in(function, scf.ParallelOp)
    for op in loops:
        _check(op)
    nested = [op for op in loops if function.function_type.outputs.data or _is_around(op)]
    for op in nested:
        _make_serial(op)
    outermost = [op for op in loops if op not in nested]
    numbers, copied = count(), list[Operation]()
    for op in outermost:
        following, shared = op.next_op, op.attributes.get(SHARED, StringAttr(STATIC))
        assert following is not None
        bounds, location = (*op.lowerBound, *op.upperBound), op.location
        body = _Body(op, bounds)
        copied += body.copied
        known = distinct.of(body.function)
        if known is body.function:
            distinct.name(known, f"{function.sym_name.data}.parallel{next(numbers)}")
            yield known
        zero = constant_index(0)
        operands = (*bounds, zero.result, *body.captured)
        call = func.CallOp(known.sym_name.data, operands, [])
        call.attributes[SHARED] = shared
        call.location = location
        Rewriter.insert_op([zero, call], InsertPoint.before(following))
    erase_left_over(copied)


def _join(block: Block) -> None:
    """Joins calls that share a loop among threads, if nothing between them needs its result.

    What only computes, or takes memory of the stack, moves in front of them, what frees memory
    behind them.
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
        elif only_computes(op) or isinstance(op, memref.AllocaOp | memref.DeallocOp):
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
    body needs from outside, but for constants, which it makes itself; bodies that do the same are
    one. Its call is marked `teloom.shared`, with `static` or `dynamic`: any parts of the range may
    run at the same time. Calls one after another, with nothing between them that needs their
    results, are marked `teloom.joined` up to the last one: one team of threads runs them all.

    A parallel loop inside another one becomes serial, and so does one in a function that returns
    a value.

    LLVM must not inline the function: it would optimize the body a second time, in its caller, and
    know less of its buffers there.

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
      %thread = arith.constant 0 : index
      func.call @fill.parallel0(%c0, %n, %thread, %x, %A) {teloom.shared = "static"}
        : (index, index, index, f32, memref<?xf32>) -> ()
      func.return
    }
    func.func private @fill.parallel0(
      %first: index, %last: index, %thread: index, %x: f32, %A: memref<?xf32> {llvm.noalias}
    ) attributes {no_inline} {
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
    distinct = Distinct(module)
    for function in [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]:
        made = [*_outline(function, distinct)]
        Rewriter.insert_op(made, InsertPoint.after(function))
        for block in {block for call in _shared_calls(function) if (block := call.parent)}:
            _join(block)


def _shared_calls(function: func.FuncOp) -> Iterator[Operation]:
    return (op for op in preorder(function) if SHARED in op.attributes)
