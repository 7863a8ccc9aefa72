"""Pass `outline-nests`: the loop nests of a long function become functions, equal ones once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from teloom.analysis.memory.shared_bytes import bytes_of
from teloom.dialects.bodies.captured import captured
from teloom.dialects.upstream.functions import NOALIAS
from teloom.passes.code.outlining import Distinct, Outlined, erase_left_over

FEW = 8
"""A function of at most so many nests stays whole: LLVM is soon done with it."""

NO_INLINE = "no_inline"


def argument_attributes(arguments: Sequence[SSAValue]) -> ArrayAttr[DictionaryAttr]:
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


def _is_nest(op: Operation) -> bool:
    return isinstance(op, scf.ForOp | scf.IfOp) and not op.results


def _is_used_only_in(buffer: SSAValue, nest: Operation) -> bool:
    """Whether all uses of a buffer, and of views of it, are in the nest."""
    users = (use.operation for use in buffer.uses)
    return all(
        _is_used_only_in(user.result, nest)
        if isinstance(user, memref.ViewOp) and not nest.is_ancestor(user)
        else nest.is_ancestor(user)
        for user in users
    )


def _outlined(nest: Operation) -> Outlined:
    """The nest as a function, with constants and the stack buffers that it alone uses."""

    def is_computed_inside(value: SSAValue) -> bool:
        op = value.owner
        if isinstance(op, memref.ViewOp):
            return is_computed_inside(op.source)
        if isinstance(op, memref.AllocaOp):
            return _is_used_only_in(value, nest)
        return isinstance(op, arith.ConstantOp)

    return Outlined(nest, captured(nest), is_computed_inside)


def _outline(
    function: func.FuncOp, nests: Sequence[Operation], distinct: Distinct
) -> Iterator[func.FuncOp]:
    """Replaces the nests by calls, and gives the functions that are new."""
    numbers = count()
    for nest in nests:
        following = nest.next_op
        assert following is not None
        body = _outlined(nest)
        made = body.function("nest")
        made.arg_attrs = argument_attributes(body.arguments)
        made.attributes[NO_INLINE] = UnitAttr()
        made.location = nest.location
        known = distinct.of(made)
        if known is made:
            distinct.name(made, f"{function.sym_name.data}.nest{next(numbers)}")
            yield made
        call = func.CallOp(known.sym_name.data, body.arguments, [])
        call.location = nest.location
        assert following.parent is not None
        following.parent.insert_op_before(call, following)


@dataclass(frozen=True)
class OutlineNestsPass(ModulePass):
    """Make a private function of each loop nest of a function that has many of them.

    LLVM's work on one function grows with the square of its nests. Nests that do the same with
    other buffers, as the layers of a network, are one function. LLVM must not inline it again.

    A nest is a loop or a branch at a function's own level. Its function computes constants, and
    has the stack buffers that no other nest uses. All else is passed to it; a buffer that has no
    byte in common with the others is `llvm.noalias`. Functions with results stay whole: they
    have no status, which says that a call in them failed.

    Order: after `reserve-memory`, which leaves functions alone that call others; before
    `lower-scf`, while a nest is one op.

    Options:
        few: functions of at most so many nests stay whole.

    Example: `outline-nests{few=1}`
    ```mlir
    func.func @twice(%A: memref<8xf32> {llvm.noalias}, %B: memref<8xf32> {llvm.noalias}) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %i = %zero to %eight step %one {
        %a = memref.load %A[%i] : memref<8xf32>
        memref.store %a, %B[%i] : memref<8xf32>
      }
      scf.for %i = %zero to %eight step %one {
        %b = memref.load %B[%i] : memref<8xf32>
        memref.store %b, %A[%i] : memref<8xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func private @twice.nest0(
        %from: memref<8xf32> {llvm.noalias}, %to: memref<8xf32> {llvm.noalias}
    ) attributes {no_inline} {
      %zero = arith.constant 0 : index
      %eight = arith.constant 8 : index
      %one = arith.constant 1 : index
      scf.for %i = %zero to %eight step %one {
        %a = memref.load %from[%i] : memref<8xf32>
        memref.store %a, %to[%i] : memref<8xf32>
      }
      func.return
    }
    func.func @twice(%A: memref<8xf32> {llvm.noalias}, %B: memref<8xf32> {llvm.noalias}) {
      func.call @twice.nest0(%A, %B) : (memref<8xf32>, memref<8xf32>) -> ()
      func.call @twice.nest0(%B, %A) : (memref<8xf32>, memref<8xf32>) -> ()
      func.return
    }
    ```
    """

    name = "outline-nests"

    few: int = FEW

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        distinct = Distinct(op)
        for function in [inner for inner in op.ops if isinstance(inner, func.FuncOp)]:
            if len(function.body.blocks) != 1 or function.function_type.outputs.data:
                continue
            found = [inner for inner in function.body.block.ops if _is_nest(inner)]
            if len(found) <= self.few:
                continue
            for made in _outline(function, found, distinct):
                op.body.block.insert_op_before(made, function)
            erase_left_over(function, (arith.ConstantOp, memref.ViewOp, memref.AllocaOp))
