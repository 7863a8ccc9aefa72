"""Commands for the iterations of a loop that run apart, and what they say in a stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import AXIS, CommandOp, verify_distinct
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.tails import verify_partition


@irdl_op_definition
class PartitionOp(CommandOp):
    """Sets whether the whole iterations of an axis run apart: `auto`, `never` or `always`.

    With `always` they do for every bound and condition inside, also of loops that are neither
    vectorized nor unrolled, wherever a limited number of iterations is left over.

    ```mlir
    schedule.sequence @apart on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.partition %i "always"
    }
    ```

    Shape: a leaf axis.
    Refused: another word; by `apply-schedule`, an axis that is no leaf.
    Like: `partition` of Halide.
    """

    name = "schedule.partition"

    var = operand_def(AXIS)
    policy = prop_def(StringAttr)

    assembly_format = "$var $policy attr-dict"

    def __init__(self, var: SSAValue, policy: str):
        super().__init__(operands=[var], properties={"policy": StringAttr(policy)})

    def verify_(self) -> None:
        super().verify_()
        verify_partition(self.policy)


@irdl_op_definition
class SeparateAtOp(CommandOp):
    """Runs an axis in two loops, one behind the other: up to a point, and from there on.

    Several commands separate an axis at several points. What holds in one of the loops, as a guard
    or a condition of the equation, is not asked there.

    ```mlir
    schedule.sequence @ends_apart on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.separate_at %i at 2
      schedule.separate_at %i at 62
    }
    ```

    Shape: a leaf axis.
    Refused: by `apply-schedule`, an axis that is no leaf; by `build-loops`, one that is split,
    fused or moved later.
    Like: `separate_at` of Tiramisu.
    """

    name = "schedule.separate_at"

    var = operand_def(AXIS)
    point = prop_def(NUMBER)

    assembly_format = "$var `at` $point attr-dict"

    def __init__(self, var: SSAValue, point: int):
        super().__init__(operands=[var], properties={"point": NumberAttr.of(point)})


class PartitionCommand(CommandOp):
    """Base of the commands that give axes one policy."""

    args = var_operand_def(AXIS)

    assembly_format = "$args attr-dict"

    def __init__(self, args: Sequence[SSAValue]):
        super().__init__(operands=[args])

    def verify_(self) -> None:
        super().verify_()
        word = self.name.removeprefix("schedule.")
        if not self.args:
            raise VerifyException(f"{word} needs at least one axis")
        verify_distinct(self.args, word)


@irdl_op_definition
class NeverPartitionOp(PartitionCommand):
    """Runs all iterations of axes in one loop: `schedule.partition` with `never`.

    ```mlir
    schedule.sequence @one_loop on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.never_partition %i, %j
    }
    ```

    Shape: leaf axes.
    Refused: no axis, the same axis twice; by `apply-schedule`, an axis that is no leaf.
    Like: `never_partition` of Halide.
    """

    name = "schedule.never_partition"


@irdl_op_definition
class AlwaysPartitionOp(PartitionCommand):
    """Runs the whole iterations of axes apart: `schedule.partition` with `always`.

    ```mlir
    schedule.sequence @apart on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.always_partition %i
    }
    ```

    Shape: leaf axes.
    Refused: no axis, the same axis twice; by `apply-schedule`, an axis that is no leaf.
    Like: `always_partition` of Halide.
    """

    name = "schedule.always_partition"


@irdl_op_definition
class PartitionedOp(OpInStage):
    """Whether the whole iterations of an axis run apart, in a stage.

    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
        schedule.partitioned %i "never"
        schedule.order %i
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```

    Shape: an axis of the stage; the last one counts.
    Refused: another word.
    Like: `Dim::partition_policy` of Halide.
    """

    name = "schedule.partitioned"

    COMMAND: ClassVar = "partition"

    axis = operand_def(AXIS)
    policy = prop_def(StringAttr)

    assembly_format = "$axis $policy attr-dict"

    def __init__(self, axis: SSAValue, policy: str):
        super().__init__(operands=[axis], properties={"policy": StringAttr(policy)})

    def verify_(self) -> None:
        verify_partition(self.policy)


@irdl_op_definition
class SeparatedOp(OpInStage):
    """An axis that runs in a loop up to a point and in another one from there on, in a stage.

    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
        schedule.separated %i at 1
        schedule.order %i
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```

    Shape: an axis of the stage.
    Like: `separate_at` of Tiramisu.
    """

    name = "schedule.separated"

    COMMAND: ClassVar = "separate_at"

    axis = operand_def(AXIS)
    point = prop_def(NUMBER)

    assembly_format = "$axis `at` $point attr-dict"

    def __init__(self, axis: SSAValue, point: NumberAttr):
        super().__init__(operands=[axis], properties={"point": point})
