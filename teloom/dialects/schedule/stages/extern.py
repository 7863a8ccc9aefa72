"""The opaque body of a stage, in the place of an equation."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator

from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.extern import (
    Extern,
    ExternParts,
    parse_extern,
    print_extern,
    verify_extern,
)
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
@attributes_behind
class ExternOp(Extern, OpInStage):
    """The opaque body of a stage: the regions of its `te.extern`, unchanged.

    The body runs at each point of the stage's axes, which are the first arguments of the region.
    Without axes it runs once, at the place of computation, and fills all of its tensors.

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
    te.func @ones_in_blocks() -> (tensor<32xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<32xf32> {
        %io, %ii = schedule.split %i factor 2
        schedule.order %io, %ii
        schedule.extern (%p) (%out: tensor<32xf32>) {
          %one = arith.constant 1.0 : f32
          %a = te.buffer %out[%p * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
          loop.for %j = 0 to 8 {
            memref.store %one, %a[%j] : memref<8xf32, strided<[1], offset: ?>>
          }
        }
      }
      te.return %A : tensor<32xf32>
    }
    ```

    Shape: one index argument per root axis, and one argument per result of the stage, of its
    type, with its shape in brackets where that is dynamic.
    Refused: what `te.extern` refuses.
    Like: `schedule.equation`.
    """

    name = "schedule.extern"

    traits = traits_def(IsTerminator(), NoTerminator())

    def __init__(self, parts: ExternParts):
        super().__init__(
            operands=[parts.sizes],
            properties={"shapes": parts.shapes},
            regions=[parts.body, parts.init],
        )

    def verify_(self) -> None:
        stage = self.stage
        types = [tensor.type for tensor in stage.tensors]
        verify_extern(self, len(stage.root_axes), stage.data_axis_count, types)

    @classmethod
    def parse(cls, parser: Parser) -> ExternOp:
        parts, _, _ = parse_extern(parser, OperandList())
        return ExternOp(parts)

    def print(self, printer: Printer) -> None:
        if self.axes:
            printer.print_string(" (")
            printer.print_list(self.axes, printer.print_operand)
            printer.print_string(")")
        print_extern(printer, self)
