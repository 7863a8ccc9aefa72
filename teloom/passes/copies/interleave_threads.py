"""Pass `interleave-threads`: the virtual threads of a loop become interleaved copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import constant_extent
from teloom.dialects import loop, te
from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.storage import USUAL_STORAGE
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.loop_code import empty_body
from teloom.passes.expected_level import refuse
from teloom.remarks import remark

_COPIED = (LoopKind.VECTORIZED, LoopKind.UNROLLED)
"""Loops that stay whole: their iterations are copies, or lanes, which come one after the other."""

_UNROLLED = loop.LoopKindAttr(LoopKind.UNROLLED)


class ThreadInterleaver:
    """Moves a loop over virtual threads inwards, around the statements that they run in turn.

    Loops and branches that do not depend on the thread are around all of the threads then. What a
    thread stores in the loop has a coordinate more, that of the thread.
    """

    def __init__(self, op: loop.ForOp):
        self.op, self.counter = op, op.induction_variable
        self._dependent: set[SSAValue] = {self.counter}
        self._late = list[Operation]()
        """What computes values that depend on the thread: copied to where they are used."""
        self._new: set[Operation] = set()
        """The storage that was made."""
        self._runs: dict[Operation, int] = {}
        self._read(op.body.block.ops)

    def why_not(self) -> str | None:
        """Why the threads must stay copies of the whole body; None if they need not."""
        if constant_extent(self.op) is None or len(self.op.lower.data.results) != 1:
            return "their number is not constant"
        for realize in self._realized():
            name = realize.tensor.name_hint or "a tensor"
            plain = USUAL_STORAGE, USUAL_STORAGE.in_scope(realize.scope)
            if realize.storage not in plain:
                return f"{name} has a layout, or copies, of its own"
            used = {dim for expr in realize.extents.data.results for dim in expr.used_dims()}
            if any(realize.operands_[dim] in self._dependent for dim in used):
                return f"the size of {name} depends on the thread"
            users = (use.operation for use in realize.tensor.uses)
            if not all(isinstance(user, loop.AccessOp | loop.ReduceOp) for user in users):
                return f"code of others uses {name}"
        for leaf, run in self._runs.items():
            for result in leaf.results:
                if any(self._run_of(use.operation) != run for use in result.uses):
                    return "a value that one statement reads is used in another"
        return None

    def write(self) -> None:
        """Replaces the loop."""
        for realize in [*self._realized()]:
            self._expand(realize)
        ops = [*self.op.body.block.ops]
        for op in ops:
            op.detach()
        self._spread(ops, Builder(InsertPoint.before(self.op)))
        for op in (*self._runs, *self._late):
            op.drop_all_references()  # copies are in their place
        Rewriter.erase_op(self.op)

    def _realized(self) -> Iterator[loop.RealizeOp]:
        return iter(ops_in(self.op.body.block, loop.RealizeOp))

    def _read(self, ops: Sequence[Operation]) -> None:
        """Finds what depends on the thread, and the runs of statements that stay together."""
        run = len(self._runs)
        for op in ops:
            if self._is_around_all(op):
                for region in op.regions:
                    self._read(region.block.ops)
                run = len(self._runs) + 1
            elif isinstance(op, loop.RealizeOp):
                run = len(self._runs) + 1
            elif not only_computes(op) or any(
                isinstance(one.owner, Operation) and one.owner in self._runs for one in op.operands
            ):
                self._runs[op] = run
                self._dependent.update(op.results)
            elif any(operand in self._dependent for operand in op.operands):
                self._dependent.update(op.results)

    def _is_around_all(self, op: Operation) -> bool:
        """Whether a loop or branch does not depend on the thread, and can be around all."""
        is_loop = isinstance(op, loop.ForOp) and op.kind.data not in _COPIED
        depends = any(operand in self._dependent for operand in op.operands)
        return (is_loop or isinstance(op, loop.IfOp)) and not depends

    def _run_of(self, op: Operation | None) -> int | None:
        while op is not None and op not in self._runs:
            op = op.parent_op() if op is not self.op else None
        return None if op is None else self._runs[op]

    def _expand(self, realize: loop.RealizeOp) -> None:
        """Gives a tensor a coordinate for the thread; others count from where its region began."""
        extents, zero = realize.extents.data.results, AffineExpr.constant(0)
        number = constant_extent(self.op)
        assert number is not None
        box = [(zero, AffineExpr.constant(number)), *((zero, extent) for extent in extents)]
        element = realize.tensor.type.element_type  # pyright: ignore
        name = realize.stage_name.data
        new = loop.RealizeOp(name, box, realize.operands_, element, realize.storage)
        new.location, new.tensor.name_hint = realize.location, realize.tensor.name_hint
        Rewriter.insert_op(new, InsertPoint.before(realize))
        for user in dict.fromkeys(use.operation for use in realize.tensor.uses):
            assert isinstance(user, loop.AccessOp | loop.ReduceOp)
            if not any(one.owner in self._new for one in user.operands):
                self._rebase(user, realize)
        realize.tensor.replace_all_uses_with(new.tensor)
        self._new.add(new)
        Rewriter.erase_op(realize)

    def _rebase(self, access: loop.AccessOp | loop.ReduceOp, realize: loop.RealizeOp) -> None:
        """Writes the thread, and the distances from the start of a region, as subscripts."""
        operands = OperandList([*access.operands_])
        there = [operands.dim(value) for value in realize.operands_]
        first = [operands.dim(value) for value in self.op.operands_]
        (lower,) = self.op.lower.data.results
        thread = difference(operands.dim(self.counter), lower.replace_dims_and_symbols(first, ()))
        map = access.map.data
        own = [operands.dim(value) for value in access.operands_]
        subscripts = [one.replace_dims_and_symbols(own, ()) for one in map.results]
        starts = [one.replace_dims_and_symbols(there, ()) for one in realize.offsets.data.results]
        pairs = zip(subscripts, starts, strict=True)
        exprs = [thread, *(difference(one, start) for one, start in pairs)]
        packed, used = affine.pack(exprs, operands.values)
        count = len(access.operands) - len(access.operands_)
        access.operands = [*access.operands[:count], *used]
        access.properties["map"] = packed
        if (sizes := access.properties.get("operandSegmentSizes")) is not None:
            *others, _ = sizes.get_values()  # pyright: ignore
            access.properties["operandSegmentSizes"] = DenseArrayBase.from_list(
                i32, [*others, len(used)]
            )

    def _spread(self, ops: Sequence[Operation], builder: Builder) -> None:
        """Writes ops for all threads: statements in a row are run by one thread after the other."""
        run = list[Operation]()
        for op in ops:
            if op in self._runs:
                run.append(op)
            elif only_computes(op):
                if self._dependent.isdisjoint(op.results):
                    builder.insert(op)
                else:
                    self._late.append(op)
            else:
                self._in_turn(run, builder)
                run = []
                inner = [[*region.block.ops] for region in op.regions]
                builder.insert(op)
                for region, found in zip(op.regions, inner, strict=True):
                    if isinstance(op, loop.RealizeOp):
                        continue
                    for one in found:
                        one.detach()
                    self._spread(found, Builder(InsertPoint.at_end(region.block)))
        self._in_turn(run, builder)

    def _in_turn(self, run: Sequence[Operation], builder: Builder) -> None:
        """Writes a loop over the threads around statements."""
        if not run:
            return
        body = empty_body(self.counter.name_hint)
        mapping: dict[SSAValue, SSAValue] = {self.counter: body.args[0]}
        for op in [*self._needed(run), *run]:
            body.add_op(op.clone(mapping))
        lowers, uppers = self.op.lower.data.results, self.op.upper.data.results
        new = loop.ForOp(lowers, uppers, self.op.operands_, Region(body), LoopKind.UNROLLED)
        new.location = self.op.location
        new.attributes.update(self.op.attributes)
        builder.insert(new)

    def _needed(self, run: Sequence[Operation]) -> list[Operation]:
        """The ops that compute values of statements, and depend on the thread."""
        late = set(self._late)
        needed, pending = set[Operation](), [*run]
        while pending:
            for inner in preorder(pending.pop()):
                for operand in inner.operands:
                    owner = operand.owner
                    if isinstance(owner, Operation) and owner in late - needed:
                        needed.add(owner)
                        pending.append(owner)
        return [op for op in self._late if op in needed]


@dataclass(frozen=True)
class InterleaveThreadsPass(ModulePass):
    """Turn loops over virtual threads into copies that run in turn, statement by statement.

    A loop of kind `vthread` moves inwards: through loops and branches that do not depend on it, to
    the statements, which all threads run one after the other. What is stored in the loop is stored
    for each thread. Where that cannot be, as where the number of threads is not constant, the
    threads are copies of the whole body, and a remark says why.

    Order: after `privatize-reductions`, the last pass that makes loops of axes; before
    `storage-flatten`: tensors still have coordinates.

    Example: `interleave-threads`
    ```mlir
    func.func @sums(%A: memref<64xf32>, %C: memref<2xf32>, %zero: f32) {
      %a = loop.bind %A [0 : 2, 0 : 32] : memref<64xf32>
      %c = loop.bind %C [0 : 2] : memref<2xf32>
      loop.for %v = 0 to 2 vthread {
        loop.init %zero, %c[%v] : f32
        loop.for %k = 0 to 32 {
          %x = loop.load %a[%v, %k] : f32
          loop.reduce %x into %c[%v] : f32 combine (%p, %q) {
            %s = arith.addf %p, %q : f32
            loop.yield %s : f32
          }
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @sums(%A: memref<64xf32>, %C: memref<2xf32>, %zero: f32) {
      %a = loop.bind %A [0 : 2, 0 : 32] : memref<64xf32>
      %c = loop.bind %C [0 : 2] : memref<2xf32>
      loop.for %v = 0 to 2 unrolled {
        loop.init %zero, %c[%v] : f32
      }
      loop.for %k = 0 to 32 {
        loop.for %v = 0 to 2 unrolled {
          %x = loop.load %a[%v, %k] : f32
          loop.reduce %x into %c[%v] : f32 combine (%p, %q) {
            %s = arith.addf %p, %q : f32
            loop.yield %s : f32
          }
        }
      }
      func.return
    }
    ```
    Refused: `interleave-threads`
    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = te.compute "A" (%i = 4) : tensor<4xf32> {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
      te.return %A : tensor<4xf32>
    }
    ```
    with "te.func is left here; run te-to-loops first"
    """

    name = "interleave-threads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "build-loops")
        for inner in reversed(ops_in(op, loop.ForOp)):  # threads of threads first
            if inner.kind.data is LoopKind.VIRTUAL:
                threads = ThreadInterleaver(inner)
                reason = threads.why_not()
                if reason is None:
                    threads.write()
                    continue
                inner.kind = _UNROLLED
                remark(
                    f"axis {inner.axis_name}: its virtual threads are not interleaved: {reason}",
                    inner,
                )
