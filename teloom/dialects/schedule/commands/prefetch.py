"""Prefetches in the loops of a stage: the command, and the op that it leaves in the stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def

from teloom.dialects import loop
from teloom.dialects.schedule.commands.ahead import AheadOp, verify_offset
from teloom.dialects.schedule.commands.caches import TensorCommand
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr, number
from teloom.dialects.schedule.relations import AXIS, STAGE
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
class PrefetchOp(TensorCommand):
    """Prefetches, in a loop of a stage, the elements of a tensor that a later iteration reads.

    Iteration `var` prefetches what iteration `var + offset` reads, in the stage and in those
    that are computed in that loop. The tensor is the result of a stage, `result 1` of a stage
    with several, or an argument of the function, by its number among the tensors.

    ```mlir
    schedule.sequence @ahead on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %k = schedule.axes 2 of %C
      schedule.prefetch %C, %B at %k offset 4
      schedule.prefetch %C, argument 0 at %i offset 1
    }
    ```

    Shape: the offset is in iterations of `var`.
    Refused: an offset below 0 or above 1048576, no tensor or two; by `apply-schedule`, an axis
    that is no leaf, or whose iterations do not run one after another, and a tensor that
    nothing in that loop reads, or that is stored inside of it.
    Like: `Stage.prefetch` of TVM, `prefetch` of Halide.
    """

    name = "schedule.prefetch"

    stage = operand_def(STAGE)
    tensor = opt_operand_def(STAGE)
    var = operand_def(AXIS)
    offset = prop_def(NUMBER)

    assembly_format = (
        "$stage `,` ($tensor^)? (`argument` $argument^)? (`result` $result^)? "
        "`at` $var `offset` $offset attr-dict"
    )

    def __init__(
        self,
        stage: SSAValue,
        tensor: SSAValue | None,
        var: SSAValue,
        offset: int,
        argument: int | None = None,
        result: int | None = None,
    ):
        super().__init__(
            operands=[stage, tensor, var],
            properties={
                "offset": NumberAttr.of(offset),
                "argument": number(argument),
                "result": number(result),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        self.verify_tensor(self.tensor)
        verify_offset("prefetch", self.offset, self.var)


@irdl_op_definition
@attributes_behind
class PrefetchedOp(AheadOp):
    """In a stage: the loop of an axis prefetches elements of a tensor; their bounds, once inferred.

    ```mlir
    te.func @double(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.prefetched %A at %io offset 1 [%io * 4 + 4 to min(20, %io * 4 + 8)]
        schedule.order %io, %ii
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          te.yield %a : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```

    Shape: per axis of the tensor from the maximum of the lower bounds to the minimum of the
    upper bounds, the end excluded, over sizes and the axes of the loops around.
    Refused: an axis that is no leaf, an offset below 0 or above 1048576, bounds of another
    number of axes.
    Like: the prefetch of TVM's loop nests.
    """

    name = "schedule.prefetched"

    COMMAND: ClassVar = "prefetch"

    WORD: ClassVar[str] = "prefetches"

    def access(
        self, tensor: SSAValue, subscripts: Sequence[AffineExpr], values: Sequence[SSAValue]
    ) -> loop.PrefetchOp:
        return loop.PrefetchOp(tensor, subscripts, values)
