"""Pass `narrow-loops`: a loop whose body runs in a range of its counter runs through that range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.memory.shared_bytes import may_share
from teloom.dialects import loop, te
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.upstream.accesses import accesses_of
from teloom.passes.code.code_motion import become, erase_unused, only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.code.loop_code import put_in, put_where_it_runs
from teloom.passes.expected_level import refuse

_SIDES = {"sge": (True, 0), "sgt": (True, 1), "slt": (False, 0), "sle": (False, 1)}
"""By how a counter is compared with a value: whether that is a lower bound, and what is added."""

_TURNED = {"sge": "sle", "sgt": "slt", "slt": "sgt", "sle": "sge"}


class _Bound(NamedTuple):
    """A bound of a counter: not below `value + more`, or below it."""

    value: SSAValue
    is_lower: bool
    more: int


def _conjuncts(condition: SSAValue) -> list[SSAValue]:
    """The conditions that all have to hold."""
    parts = postorder([condition], _joined)
    return [one for one in parts if not isinstance(one.owner, arith.AndIOp)]


def _joined(condition: SSAValue) -> Sequence[SSAValue]:
    return condition.owner.operands if isinstance(condition.owner, arith.AndIOp) else ()


def _only_branch(op: loop.ForOp) -> scf.IfOp | None:
    """The branch that is all that a loop does, behind what is read and computed for it."""
    branch = op.body.block.last_op
    if not isinstance(branch, scf.IfOp) or branch.results:
        return None
    otherwise = (one for block in branch.false_region.blocks for one in block.ops)
    if not all(isinstance(one, scf.YieldOp) for one in otherwise):
        return None
    before = (one for one in op.body.block.ops if one is not branch)
    is_for_it = all(isinstance(one, loop.LoadOp) or only_computes(one) for one in before)
    return branch if is_for_it else None


class _Loop:
    """A serial loop that is one branch, and which values are the same in all its iterations."""

    def __init__(self, op: loop.ForOp, branch: scf.IfOp):
        self.op, self.branch = op, branch
        accesses = (one for inner in preorder(branch) for one in accesses_of(inner))
        self._written = {one.buffer for one in accesses if one.writes}
        self._fixed: dict[SSAValue, bool] = {}

    def narrow(self) -> None:
        """Makes what decides over the branch bounds of the loop, and a branch around it."""
        parts = _conjuncts(self.branch.cond)
        fixed = [part for part in parts if self._is_fixed(part)]
        bounds = {part: bound for part in parts if (bound := self._bound(part)) is not None}
        if not fixed and not bounds:
            return
        self._compute([*fixed, *(bound.value for bound in bounds.values())])
        self._set_bounds([*bounds.values()])
        if fixed:
            self._put_where(fixed)
        self._keep_branch([part for part in parts if part not in fixed and part not in bounds])

    def _is_fixed(self, value: SSAValue) -> bool:
        for one in postorder([value], self._asked):
            self._fixed[one] = self._is_same(one)
        return self._fixed[value]

    def _asked(self, value: SSAValue) -> Sequence[SSAValue]:
        return () if value in self._fixed else self._made_of(value)

    def _made_of(self, value: SSAValue) -> Sequence[SSAValue]:
        return operands_of(value) if self._is_own(value) else ()

    def _is_own(self, value: SSAValue) -> bool:
        """Whether the body of the loop computes a value."""
        return isinstance(value.owner, Operation) and value.owner.parent is self.op.body.block

    def _is_same(self, value: SSAValue) -> bool:
        owner = value.owner
        if not self._is_own(value):
            return not self.op.is_ancestor(owner)
        if isinstance(owner, loop.LoadOp):
            if any(may_share(owner.tensor, one) for one in self._written):
                return False
        return all(self._fixed[operand] for operand in operands_of(value))

    def _bound(self, condition: SSAValue) -> _Bound | None:
        """The bound of the counter that a condition is."""
        op = condition.owner
        if not isinstance(op, arith.CmpiOp):
            return None
        word = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        for one, other, said in (op.lhs, op.rhs, word), (op.rhs, op.lhs, _TURNED.get(word, "")):
            if said in _SIDES and self._is_counter(one) and self._is_fixed(other):
                is_lower, more = _SIDES[said]
                # The largest number of 64 bits has none behind it.
                is_narrow = isinstance(other.type, IntegerType) and other.type.width.data < 64
                return _Bound(other, is_lower, more) if is_narrow or not more else None
        return None

    def _is_counter(self, value: SSAValue) -> bool:
        """Whether a value is the counter, of a type that has all its numbers."""
        owner, counter = value.owner, self.op.induction_variable
        if isinstance(owner, arith.IndexCastOp) and isinstance(value.type, IntegerType):
            return owner.input is counter and self._has_numbers(value.type.width.data)
        return value is counter

    def _has_numbers(self, width: int) -> bool:
        """Whether all numbers between the bounds of the loop are of so many bits."""
        half = 2 ** (width - 1)
        lower, upper = self.op.lower.data.results, self.op.upper.data.results
        return width >= 64 or (
            any(isinstance(one, AffineConstantExpr) and one.value >= -half for one in lower)
            and any(isinstance(one, AffineConstantExpr) and one.value <= half for one in upper)
        )

    def _compute(self, values: Iterable[SSAValue]) -> None:
        """Moves what computes values in front of the loop; what is read, to where it runs."""
        moved = [one.owner for one in postorder(values, self._made_of) if self._is_own(one)]
        if any(isinstance(one, loop.LoadOp) for one in moved):
            put_where_it_runs(self.op)
        for one in moved:
            assert isinstance(one, Operation)
            one.detach()
            Rewriter.insert_op(one, InsertPoint.before(self.op))

    def _put_where(self, conditions: Sequence[SSAValue]) -> None:
        """Puts the loop in a branch, where these conditions hold."""
        holds = IndexCode.before(self.op).joined(arith.AndIOp, conditions)
        body = Block()
        put_in(self.op, scf.IfOp(holds, [], Region(body)), body)
        body.add_op(scf.YieldOp())

    def _set_bounds(self, bounds: Sequence[_Bound]) -> None:
        values = [*self.op.operands_]
        lower, upper = [*self.op.lower.data.results], [*self.op.upper.data.results]
        for bound in bounds:
            side, end = lower if bound.is_lower else upper, self._end(bound.value, values)
            side.append(end + bound.more)
        set_bounds(self.op, [*dict.fromkeys(lower)], [*dict.fromkeys(upper)], values)

    def _end(self, value: SSAValue, values: list[SSAValue]) -> AffineExpr:
        """A value as a bound, over `values`, to which it is added unless it is a number."""
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return AffineExpr.constant(owner.value.value.data)
        if not isinstance(value.type, IndexType):
            value = IndexCode.before(self.op).emit(arith.IndexCastOp(value, IndexType()))
        values.append(value)
        return AffineExpr.dimension(len(values) - 1)

    def _keep_branch(self, conditions: Sequence[SSAValue]) -> None:
        """Leaves these conditions to the branch; without any, the loop does what is in it."""
        said = self.branch.cond
        if conditions:
            holds = IndexCode.before(self.branch).joined(arith.AndIOp, conditions)
            self.branch.operands[0] = holds
        else:
            become(self.branch, self.branch.true_region.block)
        erase_unused(said)


@dataclass(frozen=True)
class NarrowLoopsPass(ModulePass):
    """Let a loop that only runs in a range of its counter run through that range.

    The body of such a loop is a branch. Where it compares the counter with a value that is the
    same in all iterations, as one that is read from memory that the branch does not write, the
    value is a bound of the loop; a condition that is the same in all iterations is asked in front
    of it. So what goes through the stored elements of each row of a sparse matrix takes as long
    as there are elements, and not as many times as there are rows.

    Order: after `build-loops`, which makes the loops; before `chunk-reductions` and
    `partition-loops`, which look at bounds.

    Example: `narrow-loops`
    ```mlir
    func.func @row(%n: index, %x: f32, %begins: memref<2xi64>, %A: memref<?xf32>) {
      %b = loop.bind %begins [0 : 2] : memref<2xi64>
      %a = loop.bind %A [0 : %n] : memref<?xf32>
      loop.for %i = 0 to %n {
        %at = arith.index_cast %i : index to i64
        %first = loop.load %b[0] : i64
        %is_behind = arith.cmpi sge, %at, %first : i64
        %end = loop.load %b[1] : i64
        %is_before = arith.cmpi slt, %at, %end : i64
        %is_inside = arith.andi %is_behind, %is_before : i1
        scf.if %is_inside {
          loop.store %x, %a[%i] : f32
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @row(%n: index, %x: f32, %begins: memref<2xi64>, %A: memref<?xf32>) {
      %b = loop.bind %begins [0 : 2] : memref<2xi64>
      %a = loop.bind %A [0 : %n] : memref<?xf32>
      loop.if (%n - 1 >= 0) {
        %first = loop.load %b[0] : i64
        %end = loop.load %b[1] : i64
        %0 = arith.index_cast %first : i64 to index
        %1 = arith.index_cast %end : i64 to index
        loop.for %i = max(0, %0) to min(%n, %1) {
          loop.store %x, %a[%i] : f32
        }
      }
      func.return
    }
    ```
    """

    name = "narrow-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "build-loops")
        for inner in reversed(ops_in(op, loop.ForOp)):
            if inner.kind.data is not LoopKind.SERIAL:
                continue
            if (branch := _only_branch(inner)) is not None:
                _Loop(inner, branch).narrow()
