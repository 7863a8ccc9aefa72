"""The command that parts a stage of several results."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.relations import STAGE, CommandOp
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
@attributes_behind
class FissionResultsOp(CommandOp):
    """Computes results of a stage in stages of their own, one for each that is named.

    The new stages, named `T.v1` and `T.v2`, have the default schedule, and T has the other
    results, which count from 0 on again. Readers of a result read the stage that has it.

    ```mlir
    schedule.sequence @one_by_one on @f {
      %T = schedule.get "T"
      %T1, %T2 = schedule.fission_results %T result 1, 2
      %i = schedule.axes 1 of %T1
      schedule.vectorize %i
    }
    ```

    Shape: results of a stage by their numbers, but not all; a handle of each new stage.
    Refused: no result, the same one twice, a negative number; by `apply-schedule`, a number that
    no result has, all results, results that need each other, an extern, a scan.
    Like: `fission` of Exo, for a loop with several stores; loop distribution.
    """

    name = "schedule.fission_results"

    stage = operand_def(STAGE)
    numbers = prop_def(DenseArrayBase.constr(i64))
    parts = var_result_def(STAGE)

    def __init__(self, stage: SSAValue, numbers: Sequence[int]):
        super().__init__(
            operands=[stage],
            properties={"numbers": DenseArrayBase.from_list(i64, numbers)},
            result_types=[[STAGE] * len(numbers)],
        )

    @property
    def named(self) -> list[int]:
        """The numbers of the results that leave the stage."""
        return list(self.numbers.get_values())

    def verify_(self) -> None:
        super().verify_()
        if not self.named:
            raise VerifyException("fission_results needs at least one result")
        if len(self.named) != len(self.parts):
            raise VerifyException(
                f"fission_results makes {len(self.named)} stages, not {len(self.parts)}"
            )
        for position, number in enumerate(self.named):
            if number < 0:
                raise VerifyException(f"fission_results of result {number}: they count from 0")
            if number in self.named[:position]:
                raise VerifyException(f"fission_results names result {number} twice")

    @classmethod
    def parse(cls, parser: Parser) -> FissionResultsOp:
        stage = parser.parse_operand(STAGE)
        parser.parse_keyword("result")
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, lambda: parser.parse_integer(allow_boolean=False)
        )
        return FissionResultsOp(stage, numbers)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.stage)
        printer.print_string(f" result {', '.join(map(str, self.named))}")
