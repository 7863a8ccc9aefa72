"""Pass `double-buffer`: stages are computed some iterations ahead, into further copies.

This is software pipelining with two stages. The body of a loop splits into `ahead`, which
computes the buffers, and `rest`, which uses them. The new loop is

    ahead(0)                          prologue
    for d in 0 .. extent - 2:
        ahead(d + 1); rest(d)         steady state
    rest(extent - 1)                  epilogue

where d is the *distance* of an iteration from the first one. With c copies it is
`ahead(d + c - 1)`, and the prologue and the epilogue are loops over c - 1 iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    MemRefType,
    ModuleOp,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import constant_extent, lower_bounds, upper_bounds
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import Allocation
from teloom.dialects import loop, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.interfaces import Access
from teloom.dialects.upstream.accesses import accesses_of
from teloom.errors import ScheduleError
from teloom.passes.checks.iteration_labels import IterationLabels
from teloom.passes.code.code_motion import can_compute_before, compute_before, erase_unused
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import empty_body, loop_between
from teloom.passes.copies.iteration_parts import buffering, parts_of
from teloom.passes.expected_level import refuse
from teloom.passes.storage.storage_flatten import DOUBLE_BUFFERED
from teloom.remarks import remark

ONE = Polynomial.constant(1)


class Doubling:
    """Rewrites one loop, in which `buffers` are allocated and computed.

    The iteration at distance d uses copy d mod c of each buffer, of c copies. So `ahead(d + c - 1)`
    and `rest(d)` never use the same copy. The former overwrites what `rest(d - 1)` used, which is
    over.
    """

    def __init__(self, op: loop.ForOp, buffers: Sequence[Allocation], number: int):
        self.op, self.number = op, number
        self.forms = AffineIndexForms()
        self.outside = Builder(InsertPoint.before(op))
        self.copies: dict[SSAValue, SSAValue] = {
            buffer.memref: self._allocate_copies(buffer) for buffer in buffers
        }
        code = IndexCode.before(op)
        self.first = code.one_of(arith.MaxSIOp, lower_bounds(op))
        self.extent = code.one_of(arith.MinSIOp, upper_bounds(op)) - self.first
        labels = IterationLabels(op, self.first, self.extent, self.outside)
        for buffer in buffers:
            labels.relabel(buffer)
        self.parts = parts_of(op, buffers, number - 1)

    def write(self, in_pairs: bool) -> None:
        """Replaces the loop.

        Without iterations not even the prologue may run: a guard is around it unless the extent is
        constant.
        """
        builder = self.outside
        if constant_extent(self.op) is None:
            exprs, values = exprs_of_forms([self.extent - ONE])
            builder = self._if(Conjunction([], exprs), values, builder)
        if self.number > 2:
            self._ring(builder)
        else:
            self._copy(self.parts.ahead, Polynomial({}), builder)
            if in_pairs:
                self._pairs(builder)
            else:
                self._loop(self.first, self.extent - ONE, builder)
            self._copy(self.parts.rest, self.extent - ONE, builder)
        for copies in self.copies.values():
            if isinstance(copies.owner, memref.AllocOp):
                self.outside.insert(memref.DeallocOp.get(copies))
        self._erase()

    def _pairs(self, builder: Builder) -> None:
        """Writes a loop over pairs of iterations, so that the copy is a constant in each half.

        An odd iteration is left over behind the loop.
        """
        count = self.extent - ONE
        halves = count.floordiv(2)
        number, inside = self._open([Polynomial({})], [halves], builder)
        even = number.times(2)
        self._iteration(even, inside)
        self._iteration(even + ONE, inside)
        left = count.mod(2)
        if left.as_constant() is None:
            exprs, values = exprs_of_forms([left - ONE])
            builder = self._if(Conjunction(exprs, []), values, builder)
        if left.as_constant() != 0:
            self._iteration(halves.times(2), builder)

    def _ring(self, builder: Builder) -> None:
        """Writes three loops: what is ahead of all, the steady state, and the last iterations.

        A loop of fewer iterations than are computed ahead has no steady state.
        """
        zero, ahead = Polynomial({}), Polynomial.constant(self.number - 1)
        steady = self.extent - ahead
        self._copy(self.parts.ahead, *self._open([zero], [ahead, self.extent], builder))
        self._iteration(*self._open([zero], [steady], builder))
        self._copy(self.parts.rest, *self._open([zero, steady], [self.extent], builder))

    def _loop(self, first: Polynomial, extent: Polynomial, builder: Builder) -> None:
        counter, inside = self._open([first], [first + extent], builder)
        self._iteration(counter - self.first, inside)

    def _iteration(self, distance: Polynomial, builder: Builder) -> None:
        """One iteration of the steady state: `ahead` for a later one, then `rest` for this one."""
        self._copy(self.parts.ahead, distance + Polynomial.constant(self.number - 1), builder)
        self._copy(self.parts.rest, distance, builder)

    def _copy(self, ops: Sequence[Operation], distance: Polynomial, builder: Builder) -> None:
        variable = IndexCode(builder.insert).of(self.first + distance)
        mapping: dict[SSAValue, SSAValue] = {self.op.induction_variable: variable}
        copies = [inner for op in ops for inner in preorder(builder.insert(op.clone(mapping)))]
        accesses = [access for op in copies for access in accesses_of(op) if access.is_known]
        indices = [index for access in accesses for index in access.indices]
        for access in accesses:
            self._use_copy(access, distance.mod(self.number))
            if access.buffer.owner.parent is self.op.body.block:
                assert not access.is_needed
                Rewriter.erase_op(access.op)  # a prefetch; its buffer is in the other part
        for index in dict.fromkeys([*indices, variable]):
            erase_unused(index)

    def _use_copy(self, access: Access, copy: Polynomial) -> None:
        """Moves an access of a buffer to a copy of it, by the number of that."""
        copies = self.copies.get(access.buffer)
        if copies is None:
            return
        code, size = IndexCode.before(access.op), self._size_of(access.buffer)
        old, *others = access.indices
        if isinstance(size, int):
            shifted = self.forms.of(old) + copy.times(size)
            index = code.of(shifted)
        elif copy.as_constant() == 0:
            index = old
        else:
            index = code.add(code.multiply(code.of(copy), size), old)
        access.move(copies, [index, *others])

    def _allocate_copies(self, buffer: Allocation) -> SSAValue:
        name = buffer.memref.name_hint or "a buffer"
        for size in buffer.dynamic_sizes:
            if not can_compute_before(size, self.op):
                raise ScheduleError(
                    f"cannot {buffering(self.number)} {name}: its size is another in each "
                    "iteration",
                    buffer,
                )
            compute_before(size, self.op)
        old = buffer.memref.type
        size, sizes = self._size_of(buffer.memref), list(buffer.dynamic_sizes)
        if isinstance(size, int):
            first = self.number * size
        else:
            code = IndexCode(self.outside.insert)
            first, sizes[0] = DYNAMIC_INDEX, code.multiply(size, code.constant(self.number))
        shape = [first, *old.get_shape()[1:]]
        new = type(buffer).build(
            operands=[sizes, []],
            result_types=[MemRefType(old.element_type, shape, old.layout, old.memory_space)],
            properties={"alignment": buffer.alignment},
        )
        new.location = buffer.location
        new.memref.name_hint = buffer.memref.name_hint
        return self.outside.insert(new).memref

    def _size_of(self, buffer: SSAValue) -> SSAValue | int:
        """The size of the first dimension of a buffer, which is multiplied."""
        assert isinstance(buffer.owner, Allocation)
        size = buffer.owner.memref.type.get_shape()[0]
        return buffer.owner.dynamic_sizes[0] if size == DYNAMIC_INDEX else size

    def _if(self, condition: Conjunction, values: list[SSAValue], builder: Builder) -> Builder:
        block = Block()
        builder.insert(loop.IfOp([condition], values, Region(block)))
        return Builder(InsertPoint.at_end(block))

    def _open(
        self, lowers: Sequence[Polynomial], uppers: Sequence[Polynomial], builder: Builder
    ) -> tuple[Polynomial, Builder]:
        """Writes a loop; returns its counter, and a builder in its body."""
        body = empty_body(self.op.induction_variable.name_hint)
        new = loop_between(lowers, uppers, Region(body))
        new.attributes.update(self.op.attributes)
        new.location = self.op.location
        builder.insert(new)
        return Polynomial.of(body.args[0]), Builder(InsertPoint.at_end(body))

    def _erase(self) -> None:
        for op in reversed(list(self.op.body.block.ops)):
            op.detach()
            op.erase(safe_erase=False)
        Rewriter.erase_op(self.op)


@dataclass(frozen=True)
class DoubleBufferPass(ModulePass):
    """Let a loop compute what its next iteration reads, while this iteration reads its own copy.

    A double-buffered allocation in a serial loop moves in front of the loop, twice as large.
    The ops that compute the buffer run in front of the loop for the first iteration, and in each
    iteration for the next one, into the copy that this iteration does not read. The rest of the
    last iteration stands behind the loop. With `loop.double_buffered = 3 : i64` there are three
    copies, one of which is computed two iterations ahead. Buffers of the iteration from which the
    buffer is computed are computed with it, unless other ops use them, too.

    A dependence from the rest of an iteration to the part that would run ahead of it is refused.
    An allocation keeps one copy if no serial loop is around it, or that loop runs at most once.

    Order: after `storage-flatten`, which makes the buffers; before `buffer-reuse`, which must
    see the live ranges of both copies.

    Options:
        split_loop: two iterations at a time, so that no index has a remainder.

    Example: `double-buffer`
    ```mlir
    func.func @rows(%n: index, %A: memref<?xf32>, %C: memref<?xf32>) {
      loop.for %i = 0 to %n {
        %b = memref.alloca() {loop.double_buffered} : memref<8xf32>
        loop.for %j = 0 to 8 {
          %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
          %a = memref.load %A[%from] : memref<?xf32>
          memref.store %a, %b[%j] : memref<8xf32>
        }
        loop.for %k = 0 to 8 {
          %v = memref.load %b[%k] : memref<8xf32>
          %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %k)
          memref.store %v, %C[%to] : memref<?xf32>
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @rows(%n: index, %A: memref<?xf32>, %C: memref<?xf32>) {
      %b = memref.alloca() : memref<16xf32>
      loop.if (%n - 1 >= 0) {
        %zero = arith.constant 0 : index
        loop.for %j = 0 to 8 {
          %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%zero, %j)
          %a = memref.load %A[%from] : memref<?xf32>
          memref.store %a, %b[%j] : memref<16xf32>
        }
        loop.for %i = 0 to %n - 1 {
          %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
          loop.for %j = 0 to 8 {
            %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%next, %j)
            %a = memref.load %A[%from] : memref<?xf32>
            %at = affine.apply affine_map<(d0, d1) -> (d0 + (d1 + 1) mod 2 * 8)> (%j, %i)
            memref.store %a, %b[%at] : memref<16xf32>
          }
          loop.for %k = 0 to 8 {
            %at = affine.apply affine_map<(d0, d1) -> (d0 + d1 mod 2 * 8)> (%k, %i)
            %v = memref.load %b[%at] : memref<16xf32>
            %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %k)
            memref.store %v, %C[%to] : memref<?xf32>
          }
        }
        %last = affine.apply affine_map<(d0) -> (d0 - 1)> (%n)
        loop.for %k = 0 to 8 {
          %at = affine.apply affine_map<(d0, d1) -> (d0 + (d1 + 1) mod 2 * 8)> (%k, %n)
          %v = memref.load %b[%at] : memref<16xf32>
          %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%last, %k)
          memref.store %v, %C[%to] : memref<?xf32>
        }
      }
      func.return
    }
    ```
    Refused: `double-buffer`
    ```mlir
    func.func @needs_the_last(%A: memref<32xf32>) {
      loop.for %i = 0 to 4 {
        %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
        %zero = arith.constant 0 : index
        %a = memref.load %A[%i] : memref<32xf32>
        memref.store %a, %b[%zero] : memref<1xf32>
        %v = memref.load %b[%zero] : memref<1xf32>
        %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
        memref.store %v, %A[%next] : memref<32xf32>
      }
      func.return
    }
    ```
    with "both use A, and one of them writes it"
    """

    name = "double-buffer"

    split_loop: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        wanted: dict[Operation, list[Allocation]] = {}
        numbers: dict[Operation, int] = {}
        for one in ops_in(op, memref.AllocOp, memref.AllocaOp):
            if said := one.attributes.pop(DOUBLE_BUFFERED, None):
                around = one.parent_op()
                assert around is not None
                wanted.setdefault(around, []).append(one)
                number = said.value.data if isinstance(said, IntegerAttr) else 2
                numbers[around] = max(numbers.get(around, 2), number)
        # From the innermost loop out: an outer loop copies its body, doubled buffers and all.
        for around in [one for one in preorder(op) if one in wanted][::-1]:
            buffers = wanted[around]
            if isinstance(around, loop.ForOp) and around.kind.data is loop.LoopKind.SERIAL:
                extent = constant_extent(around)
                if extent is None or extent > 1:
                    Doubling(around, buffers, numbers[around]).write(self.split_loop)
                continue
            for buffer in buffers:
                name = buffer.memref.name_hint or "a buffer"
                remark(f"{name} has one copy: no serial loop is left around it", buffer)
