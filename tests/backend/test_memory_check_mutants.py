"""A program that is broken on purpose is found exactly where something else is read then."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from analysis.loop_runner import WrongAccess
from analysis.memory_runner import run_memory
from standard_kernels import check_after
from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from teloom import te
from teloom.analysis.signature import signature_of
from teloom.dialects import loop
from teloom.dialects.upstream.arith import constant_index
from teloom.errors import WrongAccessError
from teloom.frontend.call.build import lower
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes.checks.check_accesses import CheckAccessesPass
from teloom.passes.checks.label_accesses import LabelAccessesPass, drop_labels
from teloom.passes.copies.double_buffer import DoubleBufferPass
from teloom.passes.memory.buffer_reuse import BufferReusePass
from teloom.passes.storage.linearize_memrefs import LinearizeMemrefsPass
from teloom.passes.storage.storage_flatten import StorageFlattenPass

MEMORY = StorageFlattenPass(stack_bytes=0), DoubleBufferPass(), BufferReusePass()
N = 6


def chained() -> ModuleOp:
    """Four stages, of other types, of which every second may lie in the same memory."""
    last = A = te.placeholder((N,), "int32", name="A")
    for number, dtype in enumerate(["int64", "int16", "int32", "int32"]):
        last = te.compute(
            (N,), lambda i, t=last, d=dtype: t[N - 1 - i].astype(d) + 1, name=f"S{number}"
        )
    return lower(te.create_schedule(last), [A, last], level="loop")


def blurred(schedule: Callable) -> ModuleOp:
    """Two stages, of which the first is computed in the loop of the second."""
    A = te.placeholder((N + 2,), "int32", name="A")
    B = te.compute((N + 2,), lambda i: A[i] * 2, name="B")
    C = te.compute((N,), lambda i: B[i] + B[i + 2], name="C")
    s = te.create_schedule(C)
    schedule(s, B, C)
    return lower(s, [A, C], level="loop")


def tiled(s: Schedule, B: Tensor, C: Tensor) -> None:
    outer, _ = s[C].split(C.op.axis[0], factor=2)
    s[B].compute_at(s[C], outer)


def doubled(s: Schedule, B: Tensor, C: Tensor) -> None:
    tiled(s, B, C)
    s[B].double_buffer()


def rolling(s: Schedule, B: Tensor, C: Tensor) -> None:
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].store_root()
    s[B].rolling_buffer()


def summed() -> ModuleOp:
    """Sums of rows, in an accumulator of their own."""
    A = te.placeholder((3, 4), "int32", name="A")
    k = te.reduce_axis((0, 4), "k")
    B = te.compute((3,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B)
    s.cache_write(B, "global")
    return lower(s, [A, B], level="loop")


PROGRAMS: dict[str, Callable[[], ModuleOp]] = {
    "chained": chained,
    "tiled": lambda: blurred(tiled),
    "doubled": lambda: blurred(doubled),
    "rolling": lambda: blurred(rolling),
    "summed": summed,
}


def function_of(module: ModuleOp) -> func.FuncOp:
    return next(op for op in module.ops if isinstance(op, func.FuncOp))


def planned(module: ModuleOp) -> ModuleOp:
    """The program of loops, labelled and in memory."""
    for step in (LabelAccessesPass(), *MEMORY):
        step.apply(Context(), module)
    return module


def copies(module: ModuleOp, kind: type[Operation]) -> Iterator[tuple[ModuleOp, Operation]]:
    """A copy for each op of this kind, and that op in it."""
    for number in range(sum(isinstance(op, kind) for op in module.walk())):
        copy = module.clone()
        yield copy, [op for op in copy.walk() if isinstance(op, kind)][number]


def shift_a_view(loops: ModuleOp) -> Iterator[ModuleOp]:
    for distance in (-64, -4, 4, 64):
        for copy, view in copies(planned(loops.clone()), memref.ViewOp):
            start = view.byte_shift.owner
            assert isinstance(start, arith.ConstantOp)
            assert isinstance(start.value, IntegerAttr)
            other = constant_index(start.value.value.data + distance)
            Rewriter.insert_op(other, InsertPoint.before(view))
            view.operands[1] = other.result
            yield copy


def halve_an_allocation(loops: ModuleOp) -> Iterator[ModuleOp]:
    for copy, old in copies(planned(loops.clone()), memref.AllocOp):
        (size,) = old.memref.type.get_shape()
        new = memref.AllocOp.get(old.memref.type.element_type, old.alignment, [size // 2])
        Rewriter.replace_op(old, new)
        yield copy


def swap_two_stages(loops: ModuleOp) -> Iterator[ModuleOp]:
    module = planned(loops.clone())
    count = len(_stages(module))
    for first, second in pairwise(range(count)):
        copy = module.clone()
        stages = _stages(copy)
        stages[first].detach()
        Rewriter.insert_op(stages[first], InsertPoint.after(stages[second]))
        yield copy


def _stages(module: ModuleOp) -> list[Operation]:
    """The loops of the function, or of the loop that is all of it."""
    block = function_of(module).body.block
    found: list[Operation] = []
    while len(found) < 2 and block is not None:
        found = [op for op in block.ops if isinstance(op, loop.ForOp)]
        block = found[0].body.block if found else None
    return found


def fold_closer(loops: ModuleOp) -> Iterator[ModuleOp]:
    for copy, realize in copies(loops, loop.RealizeOp):
        if factors := realize.storage.factors:
            closer = {axis: factor // 2 for axis, factor in factors.items() if factor > 1}
            realize.storage = realize.storage.folded_by(closer)
            yield planned(copy)


def drop_a_store(loops: ModuleOp) -> Iterator[ModuleOp]:
    for copy, store in copies(planned(loops.clone()), memref.StoreOp):
        if not isinstance(store.memref.owner, Block):
            Rewriter.erase_op(store)
            yield copy


def _accesses(loops: ModuleOp) -> Iterator[tuple[ModuleOp, Operation, MemRefType]]:
    """Copies, each with an access to memory of its own, and the type of that."""
    for kind in (memref.LoadOp, memref.StoreOp):
        for copy, access in copies(planned(loops.clone()), kind):
            if not isinstance(access.memref.owner, Block):
                yield copy, access, access.memref.type


def _move(access: Operation, expr: AffineExpr) -> None:
    index: SSAValue = access.operands[-1]
    other = affine.ApplyOp([index], AffineMapAttr(AffineMap(1, 0, (expr,))))
    Rewriter.insert_op(other, InsertPoint.before(access))
    access.operands[len(access.operands) - 1] = other.result


def access_the_next_element(loops: ModuleOp) -> Iterator[ModuleOp]:
    for copy, access, _ in _accesses(loops):
        _move(access, AffineExpr.dimension(0) + 1)
        yield copy


def access_the_other_half(loops: ModuleOp) -> Iterator[ModuleOp]:
    for copy, access, type in _accesses(loops):
        (size,) = type.get_shape()
        _move(access, (AffineExpr.dimension(0) + size // 2) % size)
        yield copy


CASES = [
    ("chained", shift_a_view),
    ("chained", swap_two_stages),
    ("chained", drop_a_store),
    ("chained", halve_an_allocation),
    ("tiled", halve_an_allocation),
    ("tiled", swap_two_stages),
    ("tiled", access_the_next_element),
    ("doubled", access_the_other_half),
    ("doubled", drop_a_store),
    ("doubled", halve_an_allocation),
    ("rolling", fold_closer),
    ("rolling", drop_a_store),
    ("rolling", access_the_next_element),
    ("summed", access_the_next_element),
]


@pytest.mark.parametrize(
    ("program", "mutants"), CASES, ids=[f"{program}-{m.__name__}" for program, m in CASES]
)
def test_what_reads_something_else_is_found(program: str, mutants: Callable):
    loops = PROGRAMS[program]()
    signature = signature_of(function_of(loops))
    a, c = (
        np.arange(np.prod([int(str(e)) for e in argument.shape]), dtype="int32")
        for argument in signature.arguments
    )

    def outputs(module: ModuleOp) -> object:
        plain = module.clone()
        drop_labels(plain)
        try:
            return run_memory(function_of(plain), {}, {signature.arguments[0].name: a}).outputs
        except WrongAccess:
            return None

    def is_found(module: ModuleOp) -> bool:
        check = check_after(module, signature, [LinearizeMemrefsPass(), CheckAccessesPass()])
        try:
            check([], [a, c], [a.ctypes.data, c.ctypes.data], [a.size, c.size])
        except WrongAccessError:
            return True
        return False

    right = planned(loops.clone())
    expected = outputs(right)
    assert not is_found(right)
    changed = 0
    for mutant in mutants(loops):
        changes = outputs(mutant) != expected
        text = str(mutant)
        assert is_found(mutant) == changes, text
        changed += changes
    assert changed
