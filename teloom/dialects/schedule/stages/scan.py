"""Recurrences: stages whose steps read what earlier steps have computed."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.stages.parent_stage import OpInStage


@irdl_op_definition
class StateOp(OpInStage):
    """A result of the enclosing stage, as its steps read it: the elements of earlier times.

    The first root axis of the stage is time. Its equation, and the stages that are computed
    inside its loops, read the state; all others read the result.

    ```mlir
    te.func @counted() -> (tensor<9xf32>) {
      %S = schedule.stage "S" (%t = 9) : tensor<9xf32> {
        schedule.order %t
        %s = schedule.state 0 : tensor<9xf32>
        schedule.equation (%u) {
          %zero = arith.constant 0 : index
          %first = arith.cmpi eq, %u, %zero : index
          %next = scf.if %first -> (f32) {
            %start = arith.constant 1.0 : f32
            scf.yield %start : f32
          } else {
            %before = te.read %s[%u - 1] : f32
            %new = arith.addf %before, %before : f32
            scf.yield %new : f32
          }
          te.yield %next : f32
        }
      }
      te.return %S : tensor<9xf32>
    }
    ```

    Shape: of the result of that number, and of its type.
    Refused: by `infer-bounds`, a step that reads its own time or a later one; by `check-schedule`,
    an order of loops in which a step runs before what it reads.
    Like: the state placeholder of TVM's te.scan.
    """

    name = "schedule.state"

    number = prop_def(NUMBER)
    tensor = result_def(TensorType)

    assembly_format = "$number attr-dict `:` type($tensor)"

    def __init__(self, number: int, type: Attribute):
        super().__init__(properties={"number": NumberAttr.of(number)}, result_types=[type])

    def verify_(self) -> None:
        number, tensors = self.number.value.data, self.stage.tensors
        if number not in range(len(tensors)) or tensors[number].type != self.tensor.type:
            raise VerifyException(f"the stage has no result {number} of type {self.tensor.type}")
        if not self.stage.data_axis_count:
            raise VerifyException("a stage without axes has no time, and no state")
