"""The body of a stage of the `schedule` dialect that is no equation."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, NoTerminator

from teloom.dialects.extern import Extern, ExternParts, parse_extern, print_extern, verify_extern
from teloom.dialects.schedule_stages import StageOp


@irdl_op_definition
class ExternOp(Extern):
    """The opaque body of a stage: the region of its `te.extern`, unchanged.

    The stage has no axes: its body runs once where it is computed, and fills all of its
    tensors.

    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" () : tensor<4xf32> {
        schedule.order none
        schedule.extern (%out: tensor<4xf32>) {
          %one = arith.constant 1.0 : f32
          %a = te.buffer %out[0 : 4] : memref<4xf32>
          loop.for %i = 0 to 4 {
            memref.store %one, %a[%i] : memref<4xf32>
          }
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```

    Shape: one argument per result of the stage, of its type, with its shape in brackets
    where that is dynamic.
    Refused: what `te.extern` refuses; a stage with axes.
    Like: `schedule.equation`.
    """

    name = "schedule.extern"

    traits = traits_def(IsTerminator(), NoTerminator(), HasParent(StageOp))

    def __init__(self, parts: ExternParts):
        super().__init__(
            operands=[parts.sizes], properties={"shapes": parts.shapes}, regions=[parts.body]
        )

    def verify_(self) -> None:
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        verify_extern(self, [tensor.type for tensor in stage.tensors])

    @classmethod
    def parse(cls, parser: Parser) -> ExternOp:
        parts, _ = parse_extern(parser)
        return ExternOp(parts)

    def print(self, printer: Printer) -> None:
        print_extern(printer, self)
