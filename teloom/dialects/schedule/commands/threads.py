"""Thread axes: the command that binds an axis to one, and the extent that it then has."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, prop_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.loop import LoopKind
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr, check_width
from teloom.dialects.schedule.relations import AXIS, CommandOp, axis_name
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.errors import did_you_mean

THREAD_TAGS = [kind.value for kind in LoopKind if kind.thread_rank is not None]


def unknown_thread(tag: str) -> str:
    """The message for a tag that names no thread axis."""
    tags = ", ".join(THREAD_TAGS)
    return f'no thread axis "{tag}"; thread axes: {tags}{did_you_mean(tag, THREAD_TAGS)}'


@irdl_attr_definition
class ThreadAxisAttr(ParametrizedAttribute, SpacedOpaqueSyntaxAttribute):
    """A thread axis, `"threadIdx.x"`, and its extent, if given."""

    name = "schedule.thread"

    tag: StringAttr
    extent: IntAttr | NoneAttr

    def verify(self) -> None:
        if isinstance(self.extent, IntAttr):
            check_width(self.extent.data)

    @classmethod
    def of(cls, tag: str, extent: int | None = None) -> ThreadAxisAttr:
        return ThreadAxisAttr(StringAttr(tag), NoneAttr() if extent is None else IntAttr(extent))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        tag = StringAttr(parser.parse_str_literal(" as thread axis"))
        if not parser.parse_optional_keyword("extent"):
            return [tag, NoneAttr()]
        return [tag, IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string_literal(self.tag.data)
        if isinstance(self.extent, IntAttr):
            printer.print_string(f" extent {self.extent.data}")


@irdl_op_definition
class BindOp(CommandOp):
    """Runs the iterations of an axis in the threads, or blocks of threads, of a thread axis.

    ```mlir
    schedule.sequence @threads on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.bind %i "blockIdx.x"
      schedule.bind %j "threadIdx.x" extent 32
    }
    ```

    Shape: a leaf axis; with `extent`, of this extent.
    Refused: an unknown thread axis, an extent below 1; by `apply-schedule`, an axis
    that has a kind, a reduce axis, a second axis of a stage on the same thread axis; by
    `infer-bounds`, an axis of another extent.
    Like: `Stage.bind` of TVM.
    """

    name = "schedule.bind"

    ivar = operand_def(AXIS)
    thread_ivar = prop_def(ThreadAxisAttr)

    assembly_format = "$ivar $thread_ivar attr-dict"

    def __init__(self, ivar: SSAValue, thread_ivar: ThreadAxisAttr):
        super().__init__(operands=[ivar], properties={"thread_ivar": thread_ivar})

    @property
    def kind(self) -> LoopKind:
        """The kind that the axis gets."""
        return LoopKind(self.thread_ivar.tag.data)

    @property
    def extent(self) -> int | None:
        """The extent that the axis must have."""
        extent = self.thread_ivar.extent
        return extent.data if isinstance(extent, IntAttr) else None

    def verify_(self) -> None:
        super().verify_()
        tag = self.thread_ivar.tag.data
        if tag not in THREAD_TAGS:
            raise VerifyException(f"bind of axis {axis_name(self.ivar)}: {unknown_thread(tag)}")
        if self.extent is not None and self.extent < 1:
            raise VerifyException(
                f"bind of axis {axis_name(self.ivar)} to {tag} of extent {self.extent}: an "
                "extent must be at least 1"
            )


@irdl_op_definition
class ExtentOp(OpInStage):
    """The extent that a leaf axis must have, as it is bound to a thread axis of that extent.

    ```mlir
    te.func @ones() -> (tensor<4x8xf32>) {
      %A = schedule.stage "A" (%i = 4, %j = 8) : tensor<4x8xf32> {
        schedule.extent %j = 8
        schedule.order %i blockIdx.x, %j threadIdx.x
        schedule.equation (%p, %q) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4x8xf32>
    }
    ```

    Shape: in iterations.
    Refused: an axis that is no leaf; by `infer-bounds`, an axis of another extent, if the schedule
    asks for no idle iterations.
    Like: the domain of a `thread_axis` of TVM.
    """

    name = "schedule.extent"

    COMMAND: ClassVar = "bind"

    axis = operand_def(AXIS)
    extent = prop_def(NUMBER)

    assembly_format = "$axis `=` $extent attr-dict"

    def __init__(self, axis: SSAValue, extent: int):
        super().__init__(operands=[axis], properties={"extent": NumberAttr.of(extent)})

    def verify_(self) -> None:
        if self.axis not in self.stage.order.axes:
            raise VerifyException(f"{axis_name(self.axis)} is no leaf axis")
