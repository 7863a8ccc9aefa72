"""Pass `check-schedule`: a scheduled program computes what its equations say."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from teloom.analysis.dependences.legality import Legality
from teloom.dialects import te
from teloom.passes.expected_level import refuse


@dataclass(frozen=True)
class CheckSchedulePass(ModulePass):
    """Refuse a scheduled program in which a read does not find the value of its writer.

    It looks at what will run: the order, ranges, values, guards and regions of stages, whether
    `infer-bounds` wrote them or a hand. Checked are:

    - each read of a stage: the element was computed before, in this order of iterations, and no
      other element that is stored at its place was written since;
    - each element of an output is computed, and each point of a reduction is folded once;
    - what is computed has a place in the region, and reads of arguments are inside of them.

    Iterations of a loop that is parallel, vectorized or bound have no order. A refusal names two
    instances and when each runs, at the command that changed their order. If isl cannot decide in
    time, an extent of a fusion is symbolic, or bounds of loops come from data, a remark says what
    is not proved; of a scan whose loops do not run from step to step it is refused.

    Order: after `infer-bounds`; before `build-loops`, which runs what the text says.

    Options:
        strict: also refuse another order of floating-point sums than that of the equation.

    Example: `check-schedule`
    ```mlir
    te.func @ones() -> (tensor<8xf32>) {
      %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
        schedule.order %i
        schedule.region [0 : 8]
        schedule.range %i = 0 to 8
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %C : tensor<8xf32>
    }
    ```
    becomes
    ```mlir
    te.func @ones() -> (tensor<8xf32>) {
      %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
        schedule.order %i
        schedule.region [0 : 8]
        schedule.range %i = 0 to 8
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %C : tensor<8xf32>
    }
    ```
    Refused: `check-schedule`
    ```mlir
    te.func @shift(%A: tensor<20xf32>) -> (tensor<16xf32>) {
      %C = schedule.stage "C" (%i = 16) : tensor<16xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %io, %ii
        schedule.region [0 : 16]
        schedule.range %io = 0 to 4
        schedule.range %ii = 0 to 4
        schedule.range %i = 0 to 16
        schedule.value %i = %io * 4 + %ii
        %B = schedule.stage "B" at %io (%j = 20) : tensor<20xf32> {
          schedule.order %j
          schedule.region [%io * 4 : 4]
          schedule.range %j = %io * 4 to %io * 4 + 4
          schedule.equation (%p) {
            %a = te.read %A[%p] : f32
            te.yield %a : f32
          }
        }
        schedule.equation (%q) {
          %b = te.read %B[%q + 1] : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<16xf32>
    }
    ```
    with "stage "C" at [3] reads B[4]; nothing computes it in the loops around, at (io = 0)"
    """

    name = "check-schedule"

    strict: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.ComputeOp, te.ExternOp, te.ScanOp), "apply-schedule")
        for func in op.ops:
            if isinstance(func, te.FuncOp):
                Legality(func, self.strict).check()
