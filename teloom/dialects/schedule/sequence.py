"""The sequence of commands of a `te.func`, and the handles that they are about."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, SymbolNameConstraint, SymbolRefAttr
from xdsl.ir import (
    Block,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.relations import (
    AXIS,
    STAGE,
    CommandOp,
    verify_distinct,
)
from teloom.dialects.syntax.attributes_behind import attributes_behind

MOST_AXES = 4096
"""The most axes of `schedule.axes`: the parser creates the results before any check."""


@irdl_op_definition
@attributes_behind
class SequenceOp(IRDLOperation):
    """The commands that schedule one `te.func`, in the order in which they apply.

    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.sequence @tiled on @copy {
      %B = schedule.get "B"
      %i = schedule.axes 1 of %B
      %io, %ii = schedule.split %i factor 8
      schedule.vectorize %ii
    }
    ```

    Shape: handles only; `on` names the function.
    Refused: a use of an axis that an earlier command consumed.
    Like: `transform.sequence`; the trace of TVM's `tir.Schedule`.
    """

    name = "schedule.sequence"

    sym_name = prop_def(SymbolNameConstraint())
    target = prop_def(SymbolRefAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, target: str, body: Region):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "target": SymbolRefAttr(target),
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> SequenceOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("on")
        target = parser.parse_symbol_name().data
        body = parser.parse_region(())
        if not body.blocks:
            body.add_block(Block())
        return SequenceOp(name, target, body)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" on ")
        printer.print_symbol_name(self.target.root_reference.data)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)


@irdl_op_definition
class GetOp(IRDLOperation):
    """A handle to the stage of this name.

    ```mlir
    schedule.sequence @empty on @f {
      %C = schedule.get "C"
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, a name that no stage of the function has.
    Like: `transform.structured.match`.
    """

    name = "schedule.get"

    stage_name = prop_def(StringAttr)
    stage = result_def(STAGE)

    assembly_format = "$stage_name attr-dict"

    def __init__(self, stage_name: str):
        super().__init__(properties={"stage_name": StringAttr(stage_name)}, result_types=[STAGE])


@irdl_op_definition
class GroupOp(CommandOp):
    """A handle to several stages, to place them together.

    `schedule.compute_at` and `schedule.compute_root` of a group place its stages, except those
    that an earlier command has placed alone or by a smaller group.

    ```mlir
    schedule.sequence @together on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %D = schedule.get "D"
      %i, %j = schedule.axes 2 of %D
      %g = schedule.group %B, %C
      schedule.compute_at %g, %D, %i
    }
    ```

    Shape: one handle for stages and groups.
    Refused: no member, the same one twice; by `apply-schedule`, a group that overlaps another
    one without nesting, and any other command on a group.
    Like: `Schedule.create_group` of TVM.
    """

    name = "schedule.group"

    members = var_operand_def(STAGE)
    group = result_def(STAGE)

    assembly_format = "$members attr-dict"

    def __init__(self, members: Sequence[SSAValue]):
        super().__init__(operands=[members], result_types=[STAGE])

    def verify_(self) -> None:
        super().verify_()
        if not self.members:
            raise VerifyException("group needs at least one stage")
        verify_distinct(self.members, "group", "stage")


@irdl_op_definition
@attributes_behind
class AxesOp(IRDLOperation):
    """The root axes of a stage: data axes, then reduce axes.

    ```mlir
    schedule.sequence @handles on @f {
      %C = schedule.get "C"
      %i, %j, %k = schedule.axes 3 of %C
    }
    ```

    Shape: one axis per root axis.
    Refused: by `apply-schedule`, another number of results.
    Like: `op.axis` and `op.reduce_axis` of TE.
    """

    name = "schedule.axes"

    stage = operand_def(STAGE)
    axes = var_result_def(AXIS)

    def __init__(self, stage: SSAValue, count: int):
        super().__init__(operands=[stage], result_types=[[AXIS] * count])

    @classmethod
    def parse(cls, parser: Parser) -> AxesOp:
        start = parser.pos
        count = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if count > MOST_AXES:  # before the results are created
            parser.raise_error(f"no stage has {count} axes", start, parser.pos)
        parser.parse_keyword("of")
        return AxesOp(parser.parse_operand(STAGE), count)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {len(self.axes)} of ")
        printer.print_operand(self.stage)
