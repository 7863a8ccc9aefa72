"""Pass `forward-inits`: a point that reads an element first takes what the element begins as."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import islpy as isl
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.stages.first_accesses import first_reads
from teloom.analysis.stages.queries import all_stages, result_behind
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.passes.code.code_motion import erase_unused
from teloom.passes.nests.equation_body import AffineValue, EquationBody, read_again

MOST_OPERATIONS = 100_000
"""The budget for one update, in isl operations: about 20 ms."""

MOST_OPS = 16
"""The ops of an init that is computed again, where an element is read first."""


@dataclass(frozen=True)
class ForwardInitsPass(ModulePass):
    """Compute what an element of an update begins as where it is read for the first time.

    That is done for reads that find elements as they begin at all points of the domain, by integer
    sets, if the init is short and calls no function. `infer-bounds` then lets those elements not
    begin at all that are written before they are read. So a running sum goes through its input
    once.

    Order: after `apply-schedule`, which may have put an equation into the init; before
    `infer-bounds`, which asks which elements have to begin.

    Example: `forward-inits`
    ```mlir
    te.func @running_sums(%A: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
      %S = schedule.stage "S" (%a = 4, %b = 8) reduce (%i = 4, %k = 1 to 8) : tensor<4x8xf32> {
        schedule.order %a, %b, %i, %k
        schedule.update (%y, %x) state %state : tensor<4x8xf32> {
          %before = te.read %state[%y, %x - 1] : f32
          %here = te.read %state[%y, %x] : f32
          %sum = arith.addf %before, %here : f32
          te.write %sum, %state[%y, %x] : f32
        } init (%y, %x) {
          %0 = te.read %A[%y, %x] : f32
          te.yield %0 : f32
        }
      }
      te.return %S : tensor<4x8xf32>
    }
    ```
    becomes
    ```mlir
    te.func @running_sums(%A: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
      %S = schedule.stage "S" (%a = 4, %b = 8) reduce (%i = 4, %k = 1 to 8) : tensor<4x8xf32> {
        schedule.order %a, %b, %i, %k
        schedule.update (%y, %x) state %state : tensor<4x8xf32> {
          %before = te.read %state[%y, %x - 1] : f32
          %here = te.read %A[%y, %x] : f32
          %sum = arith.addf %before, %here : f32
          te.write %sum, %state[%y, %x] : f32
        } init (%y, %x) {
          %0 = te.read %A[%y, %x] : f32
          te.yield %0 : f32
        }
      }
      te.return %S : tensor<4x8xf32>
    }
    ```
    """

    name = "forward-inits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in (one for one in op.ops if isinstance(one, te.FuncOp)):
            for stage in all_stages(func):
                if stage.update is not None and _is_short(stage) and not _is_in_place(stage):
                    forward(stage, ReadMaps(func, list(func.sizes), isl.Context()))


def forward(stage: schedule.StageOp, accesses: ReadMaps) -> None:
    """Puts the init of an update in the place of the reads that find elements as they begin."""
    find = partial(first_reads, stage, accesses)
    for read in found_in_time(accesses.context, MOST_OPERATIONS, find, []):
        Rewriter.replace_op(read, [], [_init_at(stage, read)])


def _init_at(stage: schedule.StageOp, read: te.ReadOp) -> SSAValue:
    """What the element begins as that a read reads, computed in front of the read."""
    assert stage.update is not None
    block = stage.update.init.block
    axes: dict[SSAValue, AffineValue] = {
        axis: (subscript, read.operands_)
        for axis, subscript in zip(block.args, read.map.data.results, strict=True)
    }
    values = EquationBody(axes, read_again).copy(block, Builder(InsertPoint.before(read)))
    results: list[SSAValue] = [*stage.results]
    value = values.pop(results.index(result_behind(read.tensor)))
    for other in values:
        if other is not value:
            erase_unused(other)
    return value


def _is_short(stage: schedule.StageOp) -> bool:
    """Whether the init of an update may be computed again."""
    assert stage.update is not None
    ops = [*preorder(stage.update.init)]
    return len(ops) <= MOST_OPS and not any(op.name.startswith(("math.", "func.")) for op in ops)


def _is_in_place(stage: schedule.StageOp) -> bool:
    """Whether the init copies what no other stage reads: then the update changes it in place."""
    assert stage.update is not None
    read = {op.tensor for op in ops_in(stage.update.init, te.ReadOp)}
    return any(
        isinstance(tensor.owner, schedule.StageOp)
        and all(stage.is_ancestor(use.operation) for use in tensor.uses)
        for tensor in read
    )
