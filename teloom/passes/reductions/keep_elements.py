"""Pass `keep-elements`: what a loop changes in every iteration stays in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.kept_elements import Accessing, KeptElements, kept_elements
from teloom.analysis.index.extents import constant_extent, lower_bounds, upper_bounds
from teloom.dialects import loop, te
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of
from teloom.passes.code.code_motion import only_where
from teloom.passes.code.loop_code import put_where_it_runs
from teloom.passes.expected_level import refuse
from teloom.passes.reductions.partial_code import Names, exprs_of, move_to, open_loop

ONE = Polynomial.constant(1)


class _Kept:
    """Writes the region of the elements, and what is in front of the loop and behind it."""

    def __init__(self, found: KeptElements):
        self.found = found
        tensor = found.tensor
        assert isinstance(tensor.type, loop.TensorType)
        sizes = [constant_extent(op) or 0 for op in found.data]
        box = [(AffineExpr.constant(0), AffineExpr.constant(size)) for size in sizes]
        name = tensor.name_hint or "tensor"
        self.realize = loop.RealizeOp(f"{name}.kept", box, [], tensor.type.element_type)
        self.realize.location = found.accesses[0].location
        self.realize.tensor.name_hint = f"{name}_kept"
        self.places = [
            Polynomial.of(op.induction_variable) - lower_bounds(op)[0] for op in found.data
        ]

    def run(self) -> None:
        found, kept = self.found, self.realize.tensor
        before, behind = Block([self.realize]), Block()
        self._copy(before, (found.tensor, found.subscripts), (kept, self.places))
        self._copy(behind, (kept, self.places), (found.tensor, found.subscripts))
        for op in found.accesses:
            self._put_in_registers(op)
        if found.guard is not None:
            self._do_always(found.guard)
        put_where_it_runs(found.around)
        move_to(before, InsertPoint.before(found.around))
        move_to(behind, InsertPoint.after(found.around))

    def _copy(
        self,
        block: Block,
        source: tuple[SSAValue, Sequence[Polynomial]],
        target: tuple[SSAValue, Sequence[Polynomial]],
    ) -> None:
        """Writes loops over the elements, which copy them from a tensor to another one."""
        names: Names = {}
        for op in self.found.data:
            bounds = lower_bounds(op), upper_bounds(op)
            block = open_loop(block, bounds, op.kind.data, op, names)
            names[op.induction_variable] = block.args[0]
        tested = [op.clone(names) for op in self.found.tested]
        load = loop.LoadOp(source[0], *_at(source[1], names))
        store = loop.StoreOp(load.value, target[0], *_at(target[1], names))
        load.location = store.location = self.found.accesses[0].location
        block.add_ops([*tested, load, store])
        if (guard := self.found.guard) is not None:
            outside = load if source[0] is self.found.tensor else store
            only_where(outside, names.get(guard.cond, guard.cond))

    def _put_in_registers(self, op: Accessing) -> None:
        kept, at = self.realize.tensor, _at(self.places, {})
        new: Operation
        if isinstance(op, loop.LoadOp):
            new = loop.LoadOp(kept, *at)
        elif isinstance(op, loop.StoreOp):
            new = loop.StoreOp(op.value, kept, *at)
        else:
            combine = op.detach_region(op.combine)
            new = loop.ReduceOp(op.values, [kept], *at, combine, op.identity)
        new.location = op.location
        Rewriter.replace_op(op, new)

    def _do_always(self, guard: scf.IfOp) -> None:
        """Takes what is in a branch out of it: an element of no tensor is in registers as well."""
        first, *_ = guard.true_region.block.ops
        first.detach()
        Rewriter.replace_op(guard, first, [])


def _at(
    forms: Sequence[Polynomial], names: Names
) -> tuple[Sequence[AffineExpr], Sequence[SSAValue]]:
    operands = OperandList()
    return exprs_of(forms, operands, names), operands.values


@dataclass(frozen=True)
class KeepElementsPass(ModulePass):
    """Keep the elements that every iteration of a loop changes in registers.

    An update loads an element, and stores what becomes of it, at each of its points. In a loop
    whose iterations change the same element, or the same tile of elements in unrolled and
    vectorized loops, that is memory traffic, and each iteration waits for the store of the one
    before. LLVM keeps the elements in registers only if it sees that no other access of the
    loop touches one. Integer sets prove that here also of other elements of the same tensor, as
    in an elimination. Then the tile is copied in front of the loop, to a region of its own, whose
    elements LLVM keeps in registers, and copied back behind the loop.

    What a reduction folds into LLVM keeps by itself where it knows how far apart rows of the tile
    are. Where the call knows their stride, as that of `[0 : %n, 0 : %m]`, they are kept here. So
    are those of a last tile, which a branch of `scf` in the loops over the elements tells apart:
    all of the tile are summed up there, and only elements that are there are copied.

    The loop is the outermost one that changes the same elements again, where registers hold them.
    If it may have no iteration, a branch is around.

    Order: after `interleave-threads`, so that all loops are there; before `storage-flatten`,
    while elements have coordinates.

    Example: `keep-elements`
    ```mlir
    func.func @rows(%A: memref<64xf64>) {
      %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf64>
      loop.for %i = 1 to 8 {
        loop.for %k = 0 to %i {
          loop.for %j = 0 to 8 vectorized {
            %old = loop.load %a[%i, %j] : f64
            %row = loop.load %a[%k, %j] : f64
            %new = arith.subf %old, %row : f64
            loop.store %new, %a[%i, %j] : f64
          }
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @rows(%A: memref<64xf64>) {
      %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf64>
      loop.for %i = 1 to 8 {
        loop.if (%i - 1 >= 0) {
          %a_kept = loop.realize "a.kept" [0 : 8] : !loop.tensor<1, f64>
          loop.for %j = 0 to 8 vectorized {
            %start = loop.load %a[%i, %j] : f64
            loop.store %start, %a_kept[%j] : f64
          }
          loop.for %k = 0 to %i {
            loop.for %j = 0 to 8 vectorized {
              %old = loop.load %a_kept[%j] : f64
              %row = loop.load %a[%k, %j] : f64
              %new = arith.subf %old, %row : f64
              loop.store %new, %a_kept[%j] : f64
            }
          }
          loop.for %j = 0 to 8 vectorized {
            %end = loop.load %a_kept[%j] : f64
            loop.store %end, %a[%i, %j] : f64
          }
        }
      }
      func.return
    }
    ```
    Refused: `keep-elements`
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

    name = "keep-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        target = target_of(op)
        for one in ops_in(op, loop.StoreOp, loop.ReduceOp):
            # Several stores to an element go together.
            if one.parent is not None and (found := kept_elements(one, target)) is not None:
                _Kept(found).run()
