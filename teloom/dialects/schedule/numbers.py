"""Numbers of commands: as they stand, parameters of a sequence, or sizes of the function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, TypedAttribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import AnyAttr, BaseAttr, ParamAttrConstraint, eq, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.fold import is_linear, over_dims
from teloom.widths import fits_64_bits

SIZE = "size"


class Parameter(int):
    """A number with a name, by which a replay of the commands may bind another one.

    It counts as its default.
    """

    name: str

    def __new__(cls, name: str, default: int) -> Self:
        made = super().__new__(cls, default)
        made.name = name
        return made


class SizeNumber(int):
    """A number that is known at the call: a size of the function, or an expression of sizes.

    As an integer it is the number of that size, from 0, or the greatest of those in `expr`, whose
    dimension k is size k.
    """

    expr: AffineExpr

    def __new__(cls, size: int, expr: AffineExpr | None = None) -> Self:
        made = super().__new__(cls, size)
        made.expr = AffineExpr.dimension(size) if expr is None else expr
        return made

    @classmethod
    def of(cls, expr: AffineExpr) -> Self:
        """The value of an expression of sizes, at least one of which it has."""
        return cls(max(expr.used_dims()), expr)


def check_width(number: int) -> None:
    """Raises VerifyException unless `number` is an integer of 64 bits."""
    if not fits_64_bits(number):
        raise VerifyException(f"{number} is no integer of 64 bits")


@irdl_attr_definition
class NumberAttr(TypedAttribute):
    """A number of 64 bits: `8`, or `tile = 8` for the parameter `tile` with the default 8.

    Where a command takes one, `size 1` is what size 1 of the function is at the call, and
    `size affine_map<()[s0, s1] -> (s1 * 2)>` is twice that.
    """

    name = "schedule.number"

    value: IntAttr
    type: IntegerType
    parameter: StringAttr | NoneAttr | UnitAttr | AffineMapAttr

    @classmethod
    def of(cls, value: int) -> NumberAttr:
        """The number `value`, which may be a `Parameter` or a `SizeNumber`."""
        match value:
            case Parameter():
                kind = StringAttr(value.name)
            case SizeNumber() if value.expr == AffineExpr.dimension(value):
                kind = UnitAttr()
            case SizeNumber():
                symbols = [AffineExpr.symbol(size) for size in range(value + 1)]
                expr = value.expr.replace_dims_and_symbols(symbols, ())
                kind = AffineMapAttr(AffineMap(0, len(symbols), (expr,)))
            case _:
                kind = NoneAttr()
        return cls(IntAttr(int(value)), i64, kind)

    def verify(self) -> None:
        check_width(self.value.data)

    def get(self) -> int:
        """The number; a `Parameter` or a `SizeNumber` if it is one."""
        number = self.value.data
        if type(self.parameter) is NoneAttr:
            return number
        if isinstance(self.parameter, UnitAttr):
            return SizeNumber(number)
        if isinstance(self.parameter, AffineMapAttr):
            return SizeNumber.of(over_dims(self.parameter.data)[0])
        assert isinstance(self.parameter, StringAttr)
        return Parameter(self.parameter.data, number)

    def is_positive(self) -> bool:
        """Whether it is at least 1; of a size, calls ask that."""
        return isinstance(self.get(), SizeNumber) or self.value.data >= 1

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


NUMBER_OR_SIZE = ParamAttrConstraint(NumberAttr, (AnyAttr(), eq(i64), AnyAttr()))
NUMBER = ParamAttrConstraint(
    NumberAttr, (AnyAttr(), eq(i64), BaseAttr(StringAttr) | BaseAttr(NoneAttr))
)


def number(value: int | None) -> NumberAttr | None:
    """The attribute of a number that may be left out."""
    return None if value is None else NumberAttr.of(value)


def parse_number(parser: AttrParser) -> int:
    """A number; `name = number`, a `Parameter`; or `size` and one or a map, a `SizeNumber`."""
    name = parser.parse_optional_identifier()
    is_size = name == SIZE and parser.parse_optional_punctuation("=") is None
    if is_size:
        size = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        return _parse_expression(parser) if size is None else SizeNumber(size)
    if name is not None and name != SIZE:
        parser.parse_punctuation("=")
    value = parser.parse_integer(allow_boolean=False)
    return value if name is None else Parameter(name, value)


def _parse_expression(parser: AttrParser) -> SizeNumber:
    place = parser.pos
    map = parser.parse_attribute()
    if isinstance(map, AffineMapAttr) and not map.data.num_dims and len(map.data.results) == 1:
        (expr,) = over_dims(map.data)
        if expr.used_dims() and is_linear(expr):
            return SizeNumber.of(expr)
    parser.raise_error(
        f"a number that is known at the call is `{SIZE} 1`, or an affine_map of sizes to a sum, "
        f"not {map}",
        place,
        parser.pos,
    )


def shown(given: NumberAttr) -> str:
    """A number as text."""
    number = given.get()
    if isinstance(given.parameter, AffineMapAttr):
        return f"{SIZE} {given.parameter}"
    if isinstance(number, SizeNumber):
        return f"{SIZE} {int(number)}"
    return f"{number.name} = {int(number)}" if isinstance(number, Parameter) else str(number)
