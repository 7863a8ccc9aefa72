"""The line that opens a stage: `"C" (%i = %n, %j = 64) reduce (%k = 1 to 8)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine

ZERO = AffineExpr.constant(0)


class AxisBounds(NamedTuple):
    """The bounds of root axes: axis k runs from `lowers[k]` to `uppers[k]`, the end excluded.

    Both maps are over `operands`, which are sizes.
    """

    lowers: AffineMapAttr
    uppers: AffineMapAttr
    operands: Sequence[SSAValue]

    @staticmethod
    def of(
        bounds: Sequence[tuple[AffineExpr, AffineExpr]], operands: Sequence[SSAValue]
    ) -> AxisBounds:
        """The bounds of (lower, upper) pairs whose dimension k is `operands[k]`."""
        flat = [expr for lower, upper in bounds for expr in (lower, upper)]
        packed, used = affine.pack(flat, operands)
        exprs = packed.data.results
        lowers, uppers = exprs[::2], exprs[1::2]
        return AxisBounds(affine.map_of(lowers, used), affine.map_of(uppers, used), used)

    def pairs(self) -> list[tuple[AffineExpr, AffineExpr]]:
        """(lower, upper) of each axis, over `operands`."""
        return list(zip(self.lowers.data.results, self.uppers.data.results, strict=True))


class StageHeader(NamedTuple):
    """A stage's name, its axes' names (data axes first) and their bounds."""

    stage_name: str
    axes: list[Parser.UnresolvedArgument]
    data_axes: int
    bounds: AxisBounds

    @staticmethod
    def parse(parser: Parser, after_name: Callable[[], None] = lambda: None) -> StageHeader:
        """Parses the text that `print_header` prints."""
        name = parser.parse_str_literal(" as stage name")
        after_name()
        operands = affine.OperandList()
        bounds: list[tuple[AffineExpr, AffineExpr]] = []

        def parse_axis() -> Parser.UnresolvedArgument:
            axis = parser.parse_argument(expect_type=False)
            bounds.append(parse_bounds(parser, operands))
            return axis

        axes = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_axis)
        data_axes = len(axes)
        if parser.parse_optional_keyword("reduce"):
            axes += parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_axis)
        return StageHeader(name, axes, data_axes, AxisBounds.of(bounds, operands.values))


def parse_bounds(parser: Parser, operands: affine.OperandList) -> tuple[AffineExpr, AffineExpr]:
    """Parses the bounds behind the name of an axis: `= upper` or `= lower to upper`."""
    parser.parse_punctuation("=")
    first = affine.parse_expr(parser, operands)
    if parser.parse_optional_keyword("to"):
        return first, affine.parse_expr(parser, operands)
    return ZERO, first


def print_header(
    printer: Printer,
    stage_name: str,
    axes: Sequence[SSAValue],
    data_axes: int,
    bounds: AxisBounds,
    after_name: Callable[[], None] = lambda: None,
) -> None:
    """Prints a stage's name and axes with their bounds; `after_name` prints between."""
    printer.print_string(" ")
    printer.print_string_literal(stage_name)
    after_name()
    print_axes(printer, axes, data_axes, bounds)


def print_axes(
    printer: Printer, axes: Sequence[SSAValue], data_axes: int, bounds: AxisBounds
) -> None:
    """Prints axes with their bounds, in parentheses: data axes, then reduce axes."""
    pairs = bounds.pairs()

    def print_axis(position: int) -> None:
        lower, upper = pairs[position]
        printer.print_operand(axes[position])
        printer.print_string(" = ")
        if lower != ZERO:
            affine.print_expr(printer, lower, bounds.operands)
            printer.print_string(" to ")
        affine.print_expr(printer, upper, bounds.operands)

    printer.print_string(" (")
    printer.print_list(range(data_axes), print_axis)
    printer.print_string(")")
    if len(axes) > data_axes:
        printer.print_string(" reduce (")
        printer.print_list(range(data_axes, len(axes)), print_axis)
        printer.print_string(")")


def parse_result_types(parser: Parser) -> list[Attribute]:
    """Parses `type, type, ...`."""
    return parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)


def is_static(type: Attribute) -> bool:
    """Whether a tensor type has no dynamic dimension."""
    return isinstance(type, TensorType) and DYNAMIC_INDEX not in type.get_shape()


def shape_in_type(extents: Sequence[AffineExpr]) -> list[int]:
    """Extents as a type has them: one that is no constant is dynamic."""
    return [one.value if isinstance(one, AffineConstantExpr) else DYNAMIC_INDEX for one in extents]


def scalar_type(type: Attribute) -> Attribute:
    """The type of one element as a scalar: integers are signless, as `arith` wants.

    `tensor<4xui8>` holds unsigned bytes (NumPy's uint8); reading one gives an `i8`.
    """
    assert isinstance(type, TensorType)
    element_type = type.get_element_type()
    if isinstance(element_type, IntegerType):
        return IntegerType(element_type.width.data)
    return element_type


def verify_header(bounds: AxisBounds, data_axes: int, result_types: Sequence[Attribute]) -> None:
    """Checks that the maps fit, and that every result has the extents of the data axes."""
    verify_axes(bounds, data_axes)
    if not result_types:
        raise VerifyException("a stage needs at least one result")
    for type in result_types:
        assert isinstance(type, TensorType)
        verify_extents([upper for _, upper in bounds.pairs()[:data_axes]], type)


def verify_axes(bounds: AxisBounds, data_axes: int) -> None:
    """Checks that the maps fit their operands, and that data axes start at 0."""
    pairs = bounds.pairs()
    for map in (bounds.lowers, bounds.uppers):
        if map.data.num_dims != len(bounds.operands):
            raise VerifyException("the bounds' maps do not fit their operands")
    for operand in bounds.operands:
        if isinstance(operand.owner, Operation):
            name = operand.name_hint or "a value"
            raise VerifyException(f"extents are over the function's sizes, {name} is not one")
    if not 0 <= data_axes <= len(pairs):
        raise VerifyException(f"{data_axes} data axes of {len(pairs)} axes")
    for position, (lower, _) in enumerate(pairs[:data_axes]):
        if lower != ZERO:
            raise VerifyException(f"data axis {position} must start at 0")


def verify_extents(extents: Sequence[AffineExpr], type: TensorType) -> None:
    """Checks extents against the shape of a tensor type, dimension by dimension."""
    shape = type.get_shape()
    if len(extents) != len(shape):
        raise VerifyException(f"{len(extents)} extents for the {len(shape)} axes of {type}")
    for axis, (extent, dimension) in enumerate(zip(extents, shape, strict=True)):
        if not isinstance(extent, AffineConstantExpr):
            if dimension != DYNAMIC_INDEX:
                raise VerifyException(
                    f"axis {axis} of {type} is {dimension}, but its extent is symbolic"
                )
            continue
        if extent.value < 0:
            raise VerifyException(f"axis {axis} has the negative extent {extent.value}")
        if extent.value != dimension:
            shown = "?" if dimension == DYNAMIC_INDEX else dimension
            raise VerifyException(
                f"axis {axis} has extent {extent.value}, but dimension {axis} of {type} is {shown}"
            )
