"""Numbers of commands: as they stand, or parameters of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IntAttr, IntegerType, NoneAttr, StringAttr, i64
from xdsl.ir import Attribute, TypedAttribute
from xdsl.irdl import AnyAttr, ParamAttrConstraint, eq, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


class Parameter(int):
    """A number with a name, by which a replay of the commands may bind another one.

    It counts as its default.
    """

    name: str

    def __new__(cls, name: str, default: int) -> Self:
        made = super().__new__(cls, default)
        made.name = name
        return made


@irdl_attr_definition
class NumberAttr(TypedAttribute):
    """A number of 64 bits: `8`, or `tile = 8` for the parameter `tile` with the default 8."""

    name = "schedule.number"

    value: IntAttr
    type: IntegerType
    parameter: StringAttr | NoneAttr

    @classmethod
    def of(cls, value: int) -> NumberAttr:
        """The number `value`, which may be a `Parameter`."""
        name = StringAttr(value.name) if isinstance(value, Parameter) else NoneAttr()
        return cls(IntAttr(int(value)), i64, name)

    def verify(self) -> None:
        if not -(2**63) <= self.value.data < 2**63:
            raise VerifyException(f"{self.value.data} is no integer of 64 bits")

    def get(self) -> int:
        """The number; a `Parameter` if it is one."""
        number = self.value.data
        return (
            Parameter(self.parameter.data, number)
            if isinstance(self.parameter, StringAttr)
            else number
        )

    @staticmethod
    def parse_with_type(parser: AttrParser, type: Attribute) -> TypedAttribute:
        return NumberAttr.of(parse_number(parser))

    def print_without_type(self, printer: Printer) -> None:
        printer.print_string(shown(self))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return NumberAttr.of(parse_number(parser)).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_without_type(printer)


NUMBER = ParamAttrConstraint(NumberAttr, (AnyAttr(), eq(i64), AnyAttr()))


def number(value: int | None) -> NumberAttr | None:
    """The attribute of a number that may be left out."""
    return None if value is None else NumberAttr.of(value)


def parse_number(parser: AttrParser) -> int:
    """A number, or `name = number`, which is a `Parameter`."""
    name = parser.parse_optional_identifier()
    if name is not None:
        parser.parse_punctuation("=")
    value = parser.parse_integer(allow_boolean=False)
    return value if name is None else Parameter(name, value)


def shown(given: NumberAttr) -> str:
    """A number as text."""
    number = given.get()
    return f"{number.name} = {int(number)}" if isinstance(number, Parameter) else str(number)
