"""The body of a stage that changes its elements in order, in the place of an equation."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator

from teloom.dialects.bodies.update import (
    Update,
    UpdateParts,
    parse_update,
    print_update,
    verify_update,
)
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
@attributes_behind
class UpdateOp(Update, OpInStage):
    """The definition of a stage by an update: the regions of its `te.update`.

    The data axes of the stage are those of its tensors, its reduce axes are the domain. First the
    loops of the data axes run, and set each element to what `init` yields. Then those of the
    domain run, and the body changes elements. So there are two nests, one after the other.

    ```mlir
    te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
      %S = schedule.stage "S" (%i = 9) reduce (%r = 1 to 9) : tensor<9xf32> {
        schedule.order %i, %r
        schedule.update (%k) state %s : tensor<9xf32> {
          %before = te.read %s[%k - 1] : f32
          %own = te.read %s[%k] : f32
          %sum = arith.addf %before, %own : f32
          te.write %sum, %s[%k] : f32
        } init (%p) {
          %a = te.read %A[%p] : f32
          te.yield %a : f32
        }
      }
      te.return %S : tensor<9xf32>
    }
    ```

    Shape: the body has an index argument per reduce axis of the stage, and a state per result;
    `init` has an index argument per data axis, and yields a scalar per result.
    Refused: what `te.update` refuses.
    Like: `schedule.equation`; a func of Halide with its update definitions.
    """

    name = "schedule.update"

    traits = traits_def(IsTerminator(), NoTerminator())

    def __init__(self, parts: UpdateParts):
        super().__init__(
            properties={"reorderable": UnitAttr() if parts.is_reorderable else None},
            regions=[parts.body, parts.until, parts.init],
        )

    def verify_(self) -> None:
        data = self.stage.data_axis_count
        types = [tensor.type for tensor in self.stage.tensors]
        verify_update(self, data, len(self.stage.root_axes) - data, types)

    @classmethod
    def parse(cls, parser: Parser) -> UpdateOp:
        parts, _ = parse_update(parser)
        return UpdateOp(parts)

    def print(self, printer: Printer) -> None:
        print_update(printer, self, with_axes=True)
