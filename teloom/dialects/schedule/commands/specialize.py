"""Fast paths: conditions on sizes for which the loops of a stage stand apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.constraints import ConditionOp, pack_condition, parse_condition
from teloom.dialects.schedule.relations import STAGE, CommandOp
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.schedule.stages.stage import StageOp
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
class SpecializeOp(CommandOp):
    """Gives the loops of a stage a version of their own for sizes that satisfy a condition.

    What the condition says is known in that version, with all that is computed in it: bounds,
    guards and partial tiles that follow from it are gone. The conditions of several such commands
    are asked one after the other; the general version is last.

    ```mlir
    schedule.sequence @fast on @f {
      %C = schedule.get "C"
      schedule.specialize %C affine_set<()[s0] : (s0 mod 32 == 0)>
    }
    ```

    Shape: symbol k is size k of the function.
    Refused: dimensions; by `apply-schedule`, more symbols than the function has sizes.
    Like: `specialize` of Halide.
    """

    name = "schedule.specialize"

    stage = operand_def(STAGE)
    condition = prop_def(AffineSetAttr)

    assembly_format = "$stage $condition attr-dict"

    def __init__(self, stage: SSAValue, condition: AffineSet):
        super().__init__(operands=[stage], properties={"condition": AffineSetAttr(condition)})

    def verify_(self) -> None:
        super().verify_()
        if self.condition.data.num_dims:
            raise VerifyException("specialize is by sizes, which are symbols, not dimensions")

    def conjunction(self) -> Conjunction:
        """The condition, over dimensions in the place of symbols."""
        dims = [*map(AffineExpr.dimension, range(self.condition.data.num_symbols))]
        found = Conjunction.of_set(self.condition.data)
        return found.map(lambda expr: expr.replace_dims_and_symbols((), dims))


@irdl_op_definition
@attributes_behind
class SpecializedOp(ConditionOp, OpInStage):
    """A condition on sizes for which a stage has loops of its own.

    ```mlir
    te.func @ones(%n: index) -> (tensor<?xf32>) {
      %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
        schedule.specialized (%n mod 32 == 0)
        %io, %ii = schedule.split %i factor 32
        schedule.order %io, %ii
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<?xf32>
    }
    ```

    Shape: one alternative, over sizes. Of several, the first that holds counts.
    Refused: no constraint.
    Like: `Specialization` of Halide.
    """

    name = "schedule.specialized"

    COMMAND: ClassVar = "specialize"

    def __init__(self, condition: Conjunction, sizes: Sequence[SSAValue]):
        """The condition is over `sizes`."""
        operands, constraints, counts = pack_condition([condition], sizes)
        super().__init__(
            operands=[operands], properties={"constraints": constraints, "counts": counts}
        )

    def verify_(self) -> None:
        super().verify_()
        if len(self.alternatives) != 1:
            raise VerifyException("specialized has one alternative; use an op for each")

    @classmethod
    def parse(cls, parser: Parser) -> SpecializedOp:
        operands = affine.OperandList()
        alternatives = parse_condition(parser, operands)
        made = SpecializedOp(alternatives[0], operands.values)
        if len(alternatives) > 1:
            parser.raise_error("specialized has one alternative; use an op for each")
        return made

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_condition(printer)


def versions_of(stage: StageOp) -> Iterator[SpecializedOp]:
    """The conditions for which a stage has loops of its own, in their order."""
    return (op for op in stage.body.block.ops if isinstance(op, SpecializedOp))
