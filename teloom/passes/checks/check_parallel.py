"""Pass `check-parallel`: iterations of a parallel loop depend on no other one."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from teloom.analysis.accesses.dependence import Conflict
from teloom.analysis.accesses.instance_pairs import Witness
from teloom.analysis.loops.independence import conflict_between_iterations
from teloom.analysis.memory.held import name_of_buffer
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.errors import ScheduleError


def _reason(op: loop.ForOp, conflict: Conflict) -> str:
    """Why the loop cannot be parallel, in words."""
    if conflict.witness is None:
        both = dict.fromkeys(name_of_buffer(one.access.buffer) for one in conflict[:2])
        return (
            "it is not known whether two of its iterations touch the same element of "
            f"{' and '.join(both)}, which one of them writes"
        )
    return _met(op, conflict.witness)


def _met(op: loop.ForOp, witness: Witness) -> str:
    first, second = witness.first, witness.second
    if not second.reference.access.writes:
        first, second = second, first
    element = f"{name_of_buffer(first.reference.access.buffer)}[{witness.at}]"
    name = name_of_buffer(op.induction_variable)
    times = [f"{name} = {one.iterations[op]}" for one in (first, second)]
    others = witness.for_values
    if first.reference.access.writes:
        return f"{times[0]} and {times[1]} both write {element}{others}"
    return f"{times[0]} reads {element}, which {times[1]} writes{others}"


@dataclass(frozen=True)
class CheckParallelPass(ModulePass):
    """Refuse parallel loops of which two iterations touch the same element, and one writes it.

    Reductions that all iterations do into the same elements, with an identity, are none:
    `chunk-reductions` gives them partial results.

    The answer is exact where subscripts, bounds and conditions are affine; then the two
    iterations are named. Of products of sizes, and of quotients and remainders by them, as much is
    known as the loops of fused axes and of rows in memory need. Where it is not known whether
    iterations meet, the loop is refused as well: accesses to different views of one memory may.
    What an external function does with a buffer is not looked at.

    Order: before `build-loops`: it looks at loops that users have written, in externs or as IR.
    Loops of a stage's data axes need no check: each instance computes an element of its own, and
    `apply-schedule` refuses to store outside of a parallel loop what is computed in it.

    Example: `check-parallel`
    ```mlir
    func.func @rows(%x: f32, %data: memref<64xf32>) {
      %A = loop.bind %data [0 : 8, 0 : 8] : memref<64xf32>
      loop.for %i = 0 to 8 parallel {
        loop.for %j = 0 to 8 {
          loop.store %x, %A[%i, %j] : f32
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @rows(%x: f32, %data: memref<64xf32>) {
      %A = loop.bind %data [0 : 8, 0 : 8] : memref<64xf32>
      loop.for %i = 0 to 8 parallel {
        loop.for %j = 0 to 8 {
          loop.store %x, %A[%i, %j] : f32
        }
      }
      func.return
    }
    ```
    Refused: `check-parallel`
    ```mlir
    func.func @sum(%data: memref<8xf32>) {
      %A = loop.bind %data [0 : 8] : memref<8xf32>
      loop.for %i = 0 to 7 parallel {
        %x = loop.load %A[%i] : f32
        loop.store %x, %A[%i + 1] : f32
      }
      func.return
    }
    ```
    with "axis i cannot be parallel: i = 1 reads A[1], which i = 0 writes"
    """

    name = "check-parallel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in ops_in(op, loop.ForOp):
            if not inner.kind.data.is_parallel:
                continue
            if (conflict := conflict_between_iterations(inner)) is not None:
                name = name_of_buffer(inner.induction_variable)
                raise ScheduleError(
                    f"axis {name} cannot be parallel: {_reason(inner, conflict)}", inner
                )
