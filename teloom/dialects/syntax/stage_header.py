"""The line that opens a stage: `"C" (%i = %n, %j = 64) reduce (%k = 1 to %i + 1)`.

Behind the axes may stand what holds of the points of the data axes: `where (%i - %j >= 0)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AffineSetAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap, AffineSet
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.canonical import canonical, canonical_zero
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.constraints import parse_conjunction, print_conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference

INDEX = IndexType()

ZERO = AffineExpr.constant(0)
EVERYWHERE = Conjunction([], [])
"""Holds at all points of a box."""

FAR = 2**42
"""Further than anything that is read: no size is above 2^40."""

ANYWHERE = (AffineExpr.constant(-FAR), AffineExpr.constant(FAR))
"""(lower, upper) of an axis of which nothing is known before its readers are."""


class AxisBounds(NamedTuple):
    """The bounds of root axes: axis k runs from `lowers[k]` to `uppers[k]`, the end excluded.

    The dimensions of both maps are `operands`, which are sizes, and then, if a bound is over other
    axes, the axes: all those in front of an axis can stand in its bounds.
    Of the points of the data axes only those in `domain` count; its dimensions are `operands`, then
    all axes. Without it all do.
    """

    lowers: AffineMapAttr
    uppers: AffineMapAttr
    operands: Sequence[SSAValue]
    domain: AffineSetAttr | None = None

    @staticmethod
    def of(
        bounds: Sequence[tuple[AffineExpr, AffineExpr]],
        operands: Sequence[SSAValue],
        where: Conjunction = EVERYWHERE,
    ) -> AxisBounds:
        """The bounds of (lower, upper) pairs whose dimensions are `operands`, then the axes.

        `where`, over the same, holds in the domain.
        """
        zeros = [*map(canonical_zero, where.equalities)]
        flat = [*(expr for pair in bounds for expr in pair), *zeros, *where.inequalities]
        axes = Block(arg_types=[INDEX] * len(bounds)).args
        packed, used = affine.pack(flat, [*operands, *axes])
        sizes = [value for value in used if value not in axes]
        dims = {value: dim for dim, value in enumerate([*sizes, *axes])}

        def dim(position: int) -> AffineExpr:
            return AffineExpr.dimension(dims[used[position]])

        exprs = [replace_dims(expr, dim) for expr in packed.data.results]
        ends, said = exprs[: 2 * len(bounds)], where.with_exprs(exprs[2 * len(bounds) :])
        is_box = all(dim < len(sizes) for expr in ends for dim in expr.used_dims())
        count = len(sizes) if is_box else len(dims)
        lowers, uppers = (
            AffineMapAttr(AffineMap(count, 0, tuple(side))) for side in (ends[::2], ends[1::2])
        )
        domain = AffineSetAttr(said.as_set(len(dims))) if said != EVERYWHERE else None
        return AxisBounds(lowers, uppers, sizes, domain)

    def pairs(self) -> list[tuple[AffineExpr, AffineExpr]]:
        """(lower, upper) of each axis, over `operands` and then the axes."""
        return list(zip(self.lowers.data.results, self.uppers.data.results, strict=True))

    def over(self, sizes: Sequence[SSAValue]) -> AxisBounds:
        """The same bounds with `sizes` as operands, among which are all of theirs."""
        first, count = len(self.operands), len(self.lowers.data.results)
        dims = [AffineExpr.dimension(sizes.index(size)) for size in self.operands]
        dims += [AffineExpr.dimension(len(sizes) + axis) for axis in range(count)]
        more = len(sizes) - first
        lowers, uppers = (
            AffineMapAttr(
                AffineMap(
                    side.data.num_dims + more,
                    0,
                    tuple(replace_dims(expr, dims.__getitem__) for expr in side.data.results),
                )
            )
            for side in (self.lowers, self.uppers)
        )
        where = self.where().map(lambda expr: replace_dims(expr, dims.__getitem__))
        domain = None if self.domain is None else AffineSetAttr(where.as_set(len(sizes) + count))
        return AxisBounds(lowers, uppers, sizes, domain)

    def box(self, count: int) -> list[tuple[AffineExpr, AffineExpr]]:
        """(start, extent) of each of the first axes, which are a box, over `operands`."""
        return [
            (lower, upper if lower == ZERO else canonical(difference(upper, lower)))
            for lower, upper in self.pairs()[:count]
        ]

    def where(self) -> Conjunction:
        """What holds at the points that count, over `operands` and then all axes."""
        return EVERYWHERE if self.domain is None else Conjunction.of_set(self.domain.data)

    def of_first(self, count: int) -> AxisBounds:
        """The bounds of the first axes alone, among which are all data axes."""
        return AxisBounds.of(self.pairs()[:count], self.operands, self.where())

    def over_axes(self) -> list[int]:
        """The positions of the axes whose bounds are over other axes."""
        sizes = len(self.operands)
        return [
            position
            for position, pair in enumerate(self.pairs())
            if any(dim >= sizes for bound in pair for dim in bound.used_dims())
        ]


class _Names(affine.OperandList):
    """Sizes, and the axes of a header that are named so far."""

    def __init__(self) -> None:
        super().__init__()
        self.axes: dict[str, SSAValue] = {}
        self._block = Block()

    def add(self, axis: Parser.UnresolvedArgument) -> None:
        """Names a further axis, which is a value once the header is parsed."""
        value = self._block.insert_arg(INDEX, len(self.axes))
        self.axes[axis.name.text.removeprefix("%")] = value

    def parse(self, parser: Parser) -> AffineExpr:
        """Parses `%x` as the dimension that stands for it."""
        name = parser.parse_unresolved_operand()
        if not name.index and name.operand_name in self.axes:
            return self.dim(self.axes[name.operand_name])
        return self.dim(affine.resolved(parser, name))

    def bounds(
        self, pairs: Sequence[tuple[AffineExpr, AffineExpr]], where: Conjunction
    ) -> AxisBounds:
        """The bounds of (lower, upper) pairs over `values`, and what holds in the domain."""
        axes = [*self.axes.values()]
        sizes = [value for value in self.values if value not in axes]
        dims = {value: dim for dim, value in enumerate([*sizes, *axes])}

        def dim(position: int) -> AffineExpr:
            return AffineExpr.dimension(dims[self.values[position]])

        found = [(replace_dims(lower, dim), replace_dims(upper, dim)) for lower, upper in pairs]
        return AxisBounds.of(found, sizes, where.map(lambda expr: replace_dims(expr, dim)))


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
        names = _Names()
        bounds: list[tuple[AffineExpr, AffineExpr]] = []

        def parse_axis() -> Parser.UnresolvedArgument:
            axis = parser.parse_argument(expect_type=False)
            bounds.append(parse_bounds(parser, names))
            names.add(axis)
            return axis

        axes = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_axis)
        data_axes = len(axes)
        if parser.parse_optional_keyword("reduce"):
            axes += parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_axis)
        where = EVERYWHERE
        if parser.parse_optional_keyword("where"):
            where = parse_conjunction(parser, names)
        return StageHeader(name, axes, data_axes, names.bounds(bounds, where))

    @staticmethod
    def parse_of_box(parser: Parser) -> StageHeader:
        """Parses the text that `print_header` prints, of an op of which all points count."""
        place = parser.pos
        header = StageHeader.parse(parser)
        if header.bounds.domain is not None:
            parser.raise_error(
                "only the axes of an equation or an update have a domain", place, parser.pos
            )
        return header


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
    if bounds.domain is not None:
        printer.print_string(" where ")
        print_conjunction(printer, bounds.where(), [*bounds.operands, *axes])


def print_axes(
    printer: Printer, axes: Sequence[SSAValue], data_axes: int, bounds: AxisBounds
) -> None:
    """Prints axes with their bounds, in parentheses: data axes, then reduce axes."""
    pairs, values = bounds.pairs(), [*bounds.operands, *axes]

    def print_axis(position: int) -> None:
        lower, upper = pairs[position]
        printer.print_operand(axes[position])
        printer.print_string(" = ")
        if lower != ZERO:
            affine.print_expr(printer, lower, values)
            printer.print_string(" to ")
        affine.print_expr(printer, upper, values)

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


def shape_in_type(extents: Sequence[AffineExpr]) -> list[int]:
    """Extents as a type has them: one that is no constant is dynamic."""
    return [one.value if isinstance(one, AffineConstantExpr) else DYNAMIC_INDEX for one in extents]


def scalar_type(type: Attribute) -> Attribute:
    """The type of one element as a scalar: integers are signless, as `arith` wants.

    `tensor<4xui8>` holds unsigned bytes (NumPy's uint8); reading one gives an `i8`. Raises
    VerifyException for what is no tensor.
    """
    if not isinstance(type, TensorType):
        raise VerifyException(f"a stage gives tensors, {type} is none")
    element_type = type.get_element_type()
    if isinstance(element_type, IntegerType):
        return IntegerType(element_type.width.data)
    return element_type


def verify_header(bounds: AxisBounds, data_axes: int, result_types: Sequence[Attribute]) -> None:
    """Checks that the maps fit, and that every result has the extents of the data axes."""
    verify_bounds(bounds, data_axes)
    if not result_types:
        raise VerifyException("a stage needs at least one result")
    for type in result_types:
        assert isinstance(type, TensorType)
        verify_extents([extent for _, extent in bounds.box(data_axes)], type)


def verify_axes(bounds: AxisBounds, data_axes: int) -> None:
    """Checks what `verify_bounds` does, and that data axes start at 0."""
    verify_bounds(bounds, data_axes)
    for position, (lower, _) in enumerate(bounds.pairs()[:data_axes]):
        if lower != ZERO:
            raise VerifyException(f"data axis {position} must start at 0")


def verify_bounds(bounds: AxisBounds, data_axes: int) -> None:
    """Checks that bounds are over sizes and the axes before, and that data axes are a box."""
    ends = [len(map.data.results) for map in (bounds.lowers, bounds.uppers)]
    if ends[0] != ends[1]:
        raise VerifyException(f"{ends[0]} lower bounds and {ends[1]} upper bounds of its axes")
    pairs, sizes = bounds.pairs(), len(bounds.operands)
    for map in (bounds.lowers, bounds.uppers):
        if map.data.num_dims not in (sizes, sizes + len(pairs)):
            raise VerifyException("the bounds' maps do not fit their operands")
    for operand in bounds.operands:
        if isinstance(operand.owner, Operation):
            name = operand.name_hint or "a value"
            raise VerifyException(f"extents are over the function's sizes, {name} is not one")
    for position, pair in enumerate(pairs):
        if any(dim >= sizes + position for bound in pair for dim in bound.used_dims()):
            raise VerifyException(f"the bounds of axis {position} are over axes that follow it")
    if not 0 <= data_axes <= len(pairs):
        raise VerifyException(f"{data_axes} data axes of {len(pairs)} axes")
    if bounds.domain is not None:
        _verify_domain(bounds.domain.data, sizes, data_axes, len(pairs))
    for position in bounds.over_axes():
        if position < data_axes:
            raise VerifyException(f"data axis {position} must run as far wherever others are")


def _verify_domain(domain: AffineSet, sizes: int, data_axes: int, axes: int) -> None:
    if domain.num_dims != sizes + axes or domain.num_symbols:
        raise VerifyException("the domain does not fit the sizes and axes")
    for one in domain.constraints:
        used = one.lhs.used_dims() | one.rhs.used_dims()
        if any(dim >= sizes + data_axes for dim in used):
            raise VerifyException("a domain is over sizes and data axes; bounds are of reduce axes")


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
