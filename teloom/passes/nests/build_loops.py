"""Pass `build-loops`: scheduled stages with ranges become loop nests."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import BoolAttr, FunctionType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.rewriter import InsertPoint

from teloom.analysis.signature import SIGNATURE
from teloom.analysis.stages.partitions import check_separated
from teloom.analysis.stages.queries import name_of, run_of
from teloom.dialects import loop, schedule, te
from teloom.dialects.bodies.preorder import preorder
from teloom.passes.code.rewriting import of_kind, rewrite
from teloom.passes.expected_level import refuse
from teloom.passes.nests.loop_nest import FunctionValues
from teloom.passes.nests.shared_loops import build_run
from teloom.passes.storage.buffer_arguments import BufferArgument, buffer_arguments
from teloom.progress import reached


@dataclass
class BuildFunction(RewritePattern):
    """A `te.func` of stages becomes a function over buffers."""

    keep_trivial_loops: bool

    @of_kind
    def match_and_rewrite(self, op: te.FuncOp, rewriter: PatternRewriter):
        signature, buffers = arguments = buffer_arguments(op)
        types = arguments.types()
        block = Block(arg_types=types)
        names = [*signature.sizes, *(argument.name for argument in signature.arguments)]
        for argument, name in zip(block.args, names, strict=True):
            argument.name_hint = name
        self._build_body(op, buffers, block)
        new = func.FuncOp(
            op.sym_name.data,
            FunctionType.from_lists(types, ()),
            Region(block),
        )
        new.attributes[SIGNATURE] = signature.attribute()
        new.location = op.location
        rewriter.replace(op, new, [])

    def _build_body(self, op: te.FuncOp, buffers: list[BufferArgument], block: Block) -> None:
        mapped = FunctionValues(self.keep_trivial_loops)
        builder = Builder(InsertPoint.at_end(block))
        count = len(op.sizes)
        sizes = block.args[:count]
        for old, new in zip(op.sizes, sizes, strict=True):
            mapped.add_size(old, new)
        for storage, buffer in zip(block.args[count:], buffers, strict=True):
            box, placement = buffer.box, buffer.placement
            bind = loop.BindOp(storage, box, sizes, placement.layout, placement)
            bind.tensor.name_hint = storage.name_hint
            made_by = buffer.tensor.owner
            bind.location = (made_by if isinstance(made_by, Operation) else op).location
            mapped.tensors[buffer.tensor] = builder.insert(bind).tensor
        for inner in preorder(op):
            if isinstance(inner, schedule.PromisedOp):
                _check_promise(inner, mapped, builder)
            elif isinstance(inner, schedule.SeparatedOp):
                check_separated(inner)
        stages = len(op.body.block.ops)
        for number, inner in enumerate(op.body.block.ops):
            reached("build-loops", number, stages)
            if isinstance(inner, schedule.StageOp):
                if not inner.shared:
                    build_run(run_of(inner), mapped, builder)
            elif not isinstance(inner, te.ReturnOp | schedule.ResultOp):
                copied = mapped.body({})
                copied.copy_op(inner, builder)
                for result in inner.results:
                    mapped.add_size(result, copied.values[result])
        builder.insert(func.ReturnOp())


def _check_promise(promise: schedule.PromisedOp, mapped: FunctionValues, builder: Builder) -> None:
    """Emits the check of what a schedule promises of sizes, before anything is computed."""
    stage, otherwise = promise.parent_op(), Block()
    assert isinstance(stage, schedule.StageOp)
    fails = Builder(InsertPoint.at_end(otherwise))
    never = fails.insert(arith.ConstantOp(BoolAttr.from_bool(False))).result
    text = f"{name_of(stage)} is not within the bounds that its schedule promises"
    if promise.words is not None:
        text = promise.words.data
    fails.insert(cf.AssertOp(never, StringAttr(text)))
    sizes = [mapped.sizes[size] for size in promise.operands_]
    builder.insert(loop.IfOp(promise.alternatives, sizes, Region(Block()), Region(otherwise)))


@dataclass(frozen=True)
class BuildLoopsPass(ModulePass):
    """Build the loop nests of scheduled stages: loops, guards and realized regions.

    A reduction becomes an init nest and an update nest, side by side in the loops that
    they share. A loop with trip count 1 is left out. The calling convention and the arrays
    stay with the function as `te.signature`.

    Order: after `infer-bounds`, which gives the ranges of the loops; before
    `storage-flatten`, which gives addresses to the regions realized here.

    Options:
        keep_trivial_loops: keep the loops with trip count 1.

    Example: `build-loops`
    ```mlir
    te.func @row_sum(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?xf32>) {
      %S = schedule.stage "S" (%i = %n) reduce (%k = 8) : tensor<?xf32> {
        schedule.order %i, %k
        schedule.region [0 : %n]
        schedule.range %i = 0 to %n
        schedule.range %k = 0 to 8
        schedule.equation (%p, %r) {
          %a = te.read %A[%p, %r] : f32
          te.yield %a : f32
        } combine (%x: f32, %y: f32) identity [0.0 : f32] {
          %s = arith.addf %x, %y : f32
          te.yield %s : f32
        }
      }
      te.return %S : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @row_sum(%n: index, %A: memref<?xf32>, %S: memref<?xf32>) attributes {
        te.signature = {sizes = ["n"], arrays = [
          {name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0, 8)>},
          {name = "S", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
      %a = loop.bind %A [0 : %n, 0 : 8] : memref<?xf32>
      %s = loop.bind %S [0 : %n] : memref<?xf32>
      loop.for %i = 0 to %n {
        %zero = arith.constant 0.0 : f32
        loop.init %zero, %s[%i] : f32
        loop.for %k = 0 to 8 {
          %0 = loop.load %a[%i, %k] : f32
          loop.reduce %0 into %s[%i] : f32 combine (%x, %y) identity [0.0 : f32] {
            %sum = arith.addf %x, %y : f32
            loop.yield %sum : f32
          }
        }
      }
      func.return
    }
    ```
    Refused: `build-loops`
    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
        schedule.order %i
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```
    with "axis i has no range; run infer-bounds first"
    """

    name = "build-loops"

    keep_trivial_loops: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(
            op, (te.ComputeOp, te.UpdateOp, te.ExternOp, te.ScanOp), "apply-schedule,infer-bounds"
        )
        rewrite(op, [BuildFunction(self.keep_trivial_loops)])
