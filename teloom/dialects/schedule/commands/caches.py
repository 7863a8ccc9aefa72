"""The cache commands: they create a stage that holds a tensor in other memory."""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, NoneType, StringAttr
from xdsl.ir import Attribute, SSAValue, TypedAttribute
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    ParamAttrConstraint,
    eq,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, number
from teloom.dialects.schedule.relations import STAGE, CommandOp, verify_distinct
from teloom.dialects.syntax.names import unused_name
from teloom.dialects.syntax.scopes import verify_scope


def derived_name(tensor: str, suffix: str, taken: Container[str]) -> str:
    """A name made of a tensor's: `C.local`, or the first of `C.local_1`, ... that is free."""
    return unused_name(f"{tensor}.{suffix}", taken)


class TensorCommand(CommandOp):
    """Base of the commands that name one tensor: a result of a stage, or an argument by number."""

    argument = opt_prop_def(NUMBER)
    result = opt_prop_def(NUMBER)

    def verify_tensor(self, stage: SSAValue | None) -> None:
        """Raises VerifyException unless exactly one tensor is named."""
        word = self.name.removeprefix("schedule.")
        if (stage is None) == (self.argument is None):
            raise VerifyException(f"{word} wants one tensor: of a stage, as %B, or argument 0")
        if stage is None and self.result is not None:
            raise VerifyException(
                f"{word} of an argument, which has no result {self.result.value.data}: it is one "
                "tensor"
            )


class CacheCommand(CommandOp):
    """Base of the commands that create a stage in the memory of a scope."""

    scope = prop_def(StringAttr)
    cache = result_def(STAGE)

    def verify_(self) -> None:
        super().verify_()
        verify_scope(self.scope.data)


@irdl_op_definition
class CacheWriteOp(CacheCommand):
    """Computes a stage in the memory of a scope first; the stage becomes a copy of that.

    The new stage, named `C.local`, takes the equation. The readers of C still read C. Handles of
    C's data axes stay with C, the copy; those of reduce axes go to the new stage. If commands have
    changed the loops of C, they become those of the new stage, with a data axis for each that is
    no reduce axis, and C begins anew.

    ```mlir
    schedule.sequence @accumulate on @f {
      %C = schedule.get "C"
      %CL = schedule.cache_write %C "local"
      %i, %j, %k = schedule.axes 3 of %CL
      %y, %x = schedule.axes 2 of %C
      schedule.compute_at %CL, %C, %y
    }
    ```

    Shape: one stage, with all its results; a handle of the new one.
    Refused: an unknown scope; by `apply-schedule`, a stage at whose axes another is computed, and
    loops that no affine expression of its axes gives.
    Like: `Schedule.cache_write` of TVM.
    """

    name = "schedule.cache_write"

    stage = operand_def(STAGE)

    assembly_format = "$stage $scope attr-dict"

    def __init__(self, stage: SSAValue, scope: str):
        super().__init__(
            operands=[stage], properties={"scope": StringAttr(scope)}, result_types=[STAGE]
        )


@irdl_attr_definition
class ElementTypeAttr(TypedAttribute):
    """The type of the elements of a copy: `f32`, `i8`, or `ui8`."""

    name = "schedule.element_type"

    element: Attribute
    type: NoneType

    @classmethod
    def of(cls, element: Attribute) -> ElementTypeAttr:
        return cls(element, NoneType())

    @staticmethod
    def parse_with_type(parser: AttrParser, type: Attribute) -> TypedAttribute:
        start = parser.pos
        element = parser.parse_type()
        if not isinstance(element, AnyFloat | IntegerType):
            parser.raise_error(f"a copy has no elements of type {element}", start, parser.pos)
        return ElementTypeAttr.of(element)

    def print_without_type(self, printer: Printer) -> None:
        printer.print_attribute(self.element)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_with_type(parser, NoneType()).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_without_type(printer)


@irdl_op_definition
class CacheReadOp(CacheCommand, TensorCommand):
    """Copies a tensor to the memory of a scope; the named stages read the copy.

    The tensor is the result of a stage, `result 1` of a stage with several, or an argument of
    the function, by its number among the tensors. The new stage is named `B.shared`,
    `T.v1.shared` or `A.shared`.

    A copy `as` another type holds what the readers convert each element to; they read it there.
    So an element is converted once, and not each time that it is read.

    ```mlir
    schedule.sequence @staged on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %D = schedule.get "D"
      %BS = schedule.cache_read %B "shared" readers %C, %D
      %BL = schedule.cache_read %BS "local" readers %C
      %AL = schedule.cache_read argument 0 "local" readers %B
      %T = schedule.get "T"
      %TL = schedule.cache_read %T result 1 "local" readers %D
      %AF = schedule.cache_read argument 0 "global" as f32 readers %C
    }
    ```

    Shape: one tensor, at least one reader; a handle of the new stage.
    Refused: an unknown scope, no reader, the same reader twice, a stage together with
    an argument; by `apply-schedule`, a reader that does not read the tensor, a number that no
    argument or result has, and a type to which not all reads are converted, by one op of arith.
    Like: `Schedule.cache_read` of TVM.
    """

    name = "schedule.cache_read"

    stage = opt_operand_def(STAGE)
    readers = var_operand_def(STAGE)
    element = opt_prop_def(ParamAttrConstraint(ElementTypeAttr, (AnyAttr(), eq(NoneType()))))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "($stage^)? (`argument` $argument^)? (`result` $result^)? $scope "
        "(`as` $element^)? `readers` $readers attr-dict"
    )

    def __init__(
        self,
        stage: SSAValue | None,
        scope: str,
        readers: Sequence[SSAValue],
        *,
        argument: int | None = None,
        result: int | None = None,
        element: Attribute | None = None,
    ):
        super().__init__(
            operands=[stage, readers],
            properties={
                "argument": number(argument),
                "element": None if element is None else ElementTypeAttr.of(element),
                "result": number(result),
                "scope": StringAttr(scope),
            },
            result_types=[STAGE],
        )

    def verify_(self) -> None:
        super().verify_()
        self.verify_tensor(self.stage)
        if not self.readers:
            raise VerifyException("cache_read needs at least one reader")
        verify_distinct(self.readers, "cache_read", "reader")
