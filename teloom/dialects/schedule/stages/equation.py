"""`schedule.equation`: what a stage computes of each of its elements."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from teloom.dialects.bodies.equation import Equation, parse_parts, print_parts, verify_equation
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.stage_header import scalar_type

INDEX = IndexType()


@irdl_op_definition
@attributes_behind
class EquationOp(Equation, OpInStage):
    """The equation of a stage: the regions of its `te.compute`, unchanged.

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

    Shape: one index argument per root axis, one yielded scalar per result of the stage.
    Refused: what `te.compute` refuses.
    Like: the body of `linalg.generic`.
    """

    name = "schedule.equation"

    traits = traits_def(IsTerminator())

    def verify_(self) -> None:
        stage = self.stage
        types = [scalar_type(tensor.type) for tensor in stage.tensors]
        verify_equation(self, len(stage.root_axes), stage.data_axis_count, types)

    @classmethod
    def parse(cls, parser: Parser) -> EquationOp:
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: parser.parse_argument(expect_type=False).resolve(INDEX),
        )
        return EquationOp(parse_parts(parser, arguments))

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_operand)
        printer.print_string(")")
        print_parts(printer, self)
