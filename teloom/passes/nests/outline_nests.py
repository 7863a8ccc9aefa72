"""Pass `outline-nests`: the loop nests of a long function become functions, equal ones once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    UnitAttr,
    i1,
)
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from teloom.analysis.accesses.alignment import buffer_alignment
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import Allocation, byte_width
from teloom.dialects import loop, te
from teloom.dialects.bodies.captured import Captured, captured
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream.arith import i64_attribute
from teloom.dialects.upstream.functions import ALIGN
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.outlining import (
    NO_INLINE,
    Distinct,
    Outlined,
    erase_left_over,
    views_apart,
)
from teloom.passes.expected_level import refuse

FEW = 8
"""A function of at most so many nests stays whole: LLVM is soon done with it."""


def _is_nest(op: Operation) -> bool:
    return isinstance(op, loop.ForOp | scf.IfOp) and not op.results


def _can_be_function(nest: Operation, values: Captured) -> bool:
    """Whether a nest does the same, and as fast, in a function of its own.

    One that shares iterations among threads is joined with others to a team, and `reserve-memory`
    takes what one allocates when the function around begins.
    """
    loops = ops_in(nest, loop.ForOp)
    if any(inner.kind.data.is_parallel for inner in loops) or ops_in(nest, memref.AllocOp):
        return False
    used = postorder(values, _computed_from)
    return all(map(_is_known_inside, used))


def _is_computed(value: SSAValue) -> bool:
    """Whether a nest computes a value again: an index value, or a condition over some."""
    is_number = isinstance(value.type, IndexType) or value.type == i1
    return is_number and isinstance(value.owner, Operation) and only_computes(value.owner)


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    return operands_of(value) if _is_computed(value) else ()


def _is_known_inside(value: SSAValue) -> bool:
    """Whether passes know of a value what they know outside.

    That is of arguments that they are sizes, and of buffers which bytes of what memory they have.
    """
    if isinstance(value.type, MemRefType):
        memory = value.owner.source if isinstance(value.owner, memref.ViewOp) else value
        return isinstance(memory, BlockArgument) or isinstance(memory.owner, Allocation)
    is_index = isinstance(value.type, IndexType)
    return not is_index or isinstance(value, BlockArgument) or _is_computed(value)


def _is_used_only_in(buffer: SSAValue, nest: Operation) -> bool:
    """Whether all uses of a buffer, and of views of it, are in the nest."""
    users = (use.operation for use in buffer.uses)
    return all(
        _is_used_only_in(user.result, nest)
        if isinstance(user, memref.ViewOp) and not nest.is_ancestor(user)
        else nest.is_ancestor(user)
        for user in users
    )


def _outlined(nest: Operation, values: Captured) -> Outlined:
    """The nest as a function, with the numbers it uses and the stack buffers that it alone has."""
    views = views_apart(values)

    def is_computed_inside(value: SSAValue) -> bool:
        op = value.owner
        if isinstance(op, memref.ViewOp):
            return value not in views or is_computed_inside(op.source)
        if isinstance(op, memref.AllocaOp):
            return _is_used_only_in(value, nest)
        return isinstance(op, arith.ConstantOp) or _is_computed(value)

    return Outlined(nest, values, is_computed_inside)


def _known_of(arguments: Sequence[SSAValue]) -> ArrayAttr[DictionaryAttr]:
    """The alignment of each buffer, where it is more than that of an element."""
    forms, found = IndexForms(), list[DictionaryAttr]()
    for value in arguments:
        known = DictionaryAttr({})
        if isinstance(value.type, MemRefType):
            alignment = buffer_alignment(value, forms)
            if alignment > byte_width(value.type.element_type):
                known = DictionaryAttr({ALIGN: i64_attribute(alignment)})
        found.append(known)
    return ArrayAttr(found)


def _outline(
    function: func.FuncOp, nests: Sequence[Operation], distinct: Distinct
) -> Iterator[func.FuncOp]:
    """Replaces the nests that can be functions by calls, and gives those that are new."""
    numbers, copied = count(), list[Operation]()
    for nest in nests:
        values, following = captured(nest), nest.next_op
        if not _can_be_function(nest, values):
            continue
        assert following is not None
        body = _outlined(nest, values)
        copied += body.copied
        made = body.function("nest")
        made.arg_attrs = _known_of(body.arguments)
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
    erase_left_over(copied)


@dataclass(frozen=True)
class OutlineNestsPass(ModulePass):
    """Make a private function of each loop nest of a function that has many of them.

    LLVM's work on one function grows with the square of its nests. Nests that do the same with
    other buffers, as the layers of a network, are one function. LLVM must not inline it again.

    A nest is a loop or a branch at a function's own level. Its function computes index values and
    conditions from the sizes, so that all is known of them that was, and has the stack buffers that
    no other nest uses. All else is passed to it, a buffer with its alignment. Of views that may
    have a byte in common, the memory is passed, for all that a function gets is apart.

    Where they are stay loops that threads share, which are joined to teams, what allocates, and
    nests over index values that are read from memory; so does a function with results, which has
    no status that says that a call in it failed.

    Order: after `linearize-memrefs`, which gives buffers one dimension; before `vectorize-loops`
    and all others that go through nests, which then see each only once.

    Options:
        few: functions of at most so many nests stay whole.

    Example: `outline-nests{few=1}`
    ```mlir
    func.func @twice(%A: memref<8xf32>, %B: memref<8xf32>) {
      loop.for %i = 0 to 8 {
        %a = memref.load %A[%i] : memref<8xf32>
        memref.store %a, %B[%i] : memref<8xf32>
      }
      loop.for %i = 0 to 8 {
        %b = memref.load %B[%i] : memref<8xf32>
        memref.store %b, %A[%i] : memref<8xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func private @twice.nest0(%from: memref<8xf32>, %to: memref<8xf32>)
        attributes {no_inline} {
      loop.for %i = 0 to 8 {
        %a = memref.load %from[%i] : memref<8xf32>
        memref.store %a, %to[%i] : memref<8xf32>
      }
      func.return
    }
    func.func @twice(%A: memref<8xf32>, %B: memref<8xf32>) {
      func.call @twice.nest0(%A, %B) : (memref<8xf32>, memref<8xf32>) -> ()
      func.call @twice.nest0(%B, %A) : (memref<8xf32>, memref<8xf32>) -> ()
      func.return
    }
    ```
    """

    name = "outline-nests"

    few: int = FEW

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        distinct = Distinct(op)
        for function in [inner for inner in op.ops if isinstance(inner, func.FuncOp)]:
            if len(function.body.blocks) != 1 or function.function_type.outputs.data:
                continue
            found = [inner for inner in function.body.block.ops if _is_nest(inner)]
            if len(found) <= self.few:
                continue
            for made in _outline(function, found, distinct):
                op.body.block.insert_op_before(made, function)
