"""The results of stages inside others, as the function returns them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException

from teloom.dialects import te
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.stages.stage import StageOp


@irdl_op_definition
class ResultOp(IRDLOperation):
    """A result of a stage that is computed in a loop of another one, outside of that loop.

    So the function returns what is computed further in. The stage stores it at the root.

    ```mlir
    te.func @twice(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
        schedule.order %i
        %B = schedule.stage "B" at %i stored at root (%j = 8) : tensor<8xf32> {
          schedule.order %j
          schedule.equation (%p) {
            %a = te.read %A[%p] : f32
            te.yield %a : f32
          }
        }
        schedule.equation (%q) {
          %b = te.read %B[%q] : f32
          %c = arith.addf %b, %b : f32
          te.yield %c : f32
        }
      }
      %B = schedule.result "B" 0 : tensor<8xf32>
      te.return %B, %C : tensor<8xf32>, tensor<8xf32>
    }
    ```

    Shape: that of the result of that number.
    Refused: a stage that is not there, or has no such result of this type.
    Like: `memref.get_global`, which names what an operand cannot reach.
    """

    name = "schedule.result"

    of = prop_def(StringAttr)
    number = prop_def(NUMBER)
    tensor = result_def(TensorType)

    traits = traits_def(HasParent(te.FuncOp))

    assembly_format = "$of $number attr-dict `:` type($tensor)"

    def __init__(self, of: str, number: int, type: Attribute):
        super().__init__(
            properties={"of": StringAttr(of), "number": NumberAttr.of(number)},
            result_types=[type],
        )

    @property
    def behind(self) -> SSAValue | None:
        """The result of the stage; None if there is none."""
        func, number = self.parent_op(), self.number.get()
        assert isinstance(func, te.FuncOp)
        for op in preorder(func.body):
            if isinstance(op, StageOp) and op.stage_name == self.of:
                return op.tensors[number] if number in range(len(op.tensors)) else None
        return None

    def verify_(self) -> None:
        behind, name = self.behind, self.of.data
        if behind is None or behind.type != self.tensor.type:
            raise VerifyException(
                f'no stage "{name}" has a result {self.number.get()} of type {self.tensor.type}'
            )
