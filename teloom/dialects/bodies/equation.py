"""What `te.compute` and `schedule.equation` share: the regions that say a value.

body: one index argument per axis (data axes, then reduce axes), yields one scalar
per result. With reduce axes there is also
combine: arguments (accumulator..., value...), yields the new accumulator; arguments behind these
get further scalars that body yields, which are the same for all points of an element: then no
identity is known;
identity: one constant per result, neutral for `combine`; may be left out beside an init;
init (optional): one argument per data axis, yields where accumulation starts
instead of the identity;
bounds (optional): one argument per data axis, yields the lower and the upper bound of each
of the reduce axes `bounded`: these run there, within the bounds of the header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, region_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.upstream_text import parse_argument

INDEX = IndexType()


class EquationParts(NamedTuple):
    """The regions and identity of one equation, as parsed or about to be moved."""

    body: Region
    combine: Region
    identity: ArrayAttr | None
    init: Region
    bounds: Region | None = None
    bounded: Sequence[int] = ()


class Equation(IRDLOperation):
    """Base of the ops that hold an equation: its regions, and what they mean."""

    identity = opt_prop_def(ArrayAttr)
    bounded = opt_prop_def(DenseArrayBase.constr(i64))
    body = region_def()
    combine = region_def()
    init = region_def()
    bounds_from_data = region_def()

    def __init__(
        self,
        parts: EquationParts,
        operands: Sequence[Sequence[SSAValue]] = (),
        properties: Mapping[str, Attribute | None] = MappingProxyType({}),
        result_types: Sequence[Sequence[Attribute]] = (),
    ):
        bounded = DenseArrayBase.from_list(i64, [*parts.bounded]) if parts.bounded else None
        super().__init__(
            operands=operands,
            properties={**properties, "identity": parts.identity, "bounded": bounded},
            regions=[parts.body, parts.combine, parts.init, parts.bounds or Region()],
            result_types=result_types,
        )

    @property
    def is_reduction(self) -> bool:
        return bool(self.combine.blocks)

    @property
    def has_init(self) -> bool:
        return bool(self.init.blocks)

    @property
    def starts(self) -> list[IntegerAttr | FloatAttr]:
        """The start of a fold without an init: the identity, one constant per result."""
        assert self.identity is not None
        return [one for one in self.identity if isinstance(one, IntegerAttr | FloatAttr)]

    @property
    def data_bounded(self) -> Sequence[int]:
        """The positions of the axes that have bounds from data, in the order of their bounds."""
        return self.bounded.get_values() if self.bounded is not None else ()

    def detach_parts(self) -> EquationParts:
        """Takes the regions out of this op, leaving empty ones behind."""
        parts = []
        for region in (self.body, self.combine, self.init, self.bounds_from_data):
            moved = Region()
            region.move_blocks(moved)
            parts.append(moved)
        body, combine, init, bounds = parts
        return EquationParts(body, combine, self.identity, init, bounds, self.data_bounded)

    def regions_with_values(self) -> Iterator[Region]:
        """The regions whose reads are part of the equation: body, then init and bounds."""
        yield self.body
        if self.has_init:
            yield self.init
        if self.bounds_from_data.blocks:
            yield self.bounds_from_data


def yielded(region: Region) -> Sequence[SSAValue]:
    """The values that the terminator of a one-block region yields."""
    terminator = region.block.last_op
    assert terminator is not None
    return terminator.operands


def is_sum(combine: Region) -> bool:
    """Whether a combination is the sum of its two values."""
    values = yielded(combine)
    added = values[0].owner
    if len(values) != 1 or not isinstance(added, arith.AddfOp | arith.AddiOp):
        return False
    return {*added.operands} == {*combine.block.args}


def verify_equation(
    op: Equation,
    axis_count: int,
    data_axis_count: int,
    element_types: Sequence[Attribute],
) -> None:
    """Checks regions, argument counts and yielded types of an equation.

    Raises VerifyException; `element_types` has one entry per result.
    """
    verify_region(op.body, "body", [INDEX] * axis_count, [*element_types, *_more_of(op)])
    if bool(op.data_bounded) != bool(op.bounds_from_data.blocks):
        raise VerifyException("a bounds region goes with the axes that it bounds")
    if op.data_bounded:
        pairs = [INDEX] * (2 * len(op.data_bounded))
        verify_region(op.bounds_from_data, "bounds", [INDEX] * data_axis_count, pairs)
    if not all(data_axis_count <= axis < axis_count for axis in op.data_bounded):
        raise VerifyException("only reduce axes have bounds from data")
    if len(set(op.data_bounded)) != len(op.data_bounded):
        raise VerifyException("an axis has bounds from data twice")
    reduces = axis_count > data_axis_count
    if reduces != op.is_reduction:
        raise VerifyException(
            "reduce axes need a combine region" if reduces else "a combine region needs reduce axes"
        )
    if not reduces:
        if op.has_init:
            raise VerifyException("an init region needs reduce axes")
        return
    verify_region(op.combine, "combine", [*element_types] * 2 + _more_of(op), element_types)
    _verify_identity(op, element_types)
    if op.has_init:
        verify_region(op.init, "init", [INDEX] * data_axis_count, element_types)


def _more_of(op: Equation) -> list[Attribute]:
    """The types of what the combine region gets besides accumulators and values."""
    if not op.is_reduction or len(op.combine.blocks) != 1:
        return []
    last = op.combine.block.last_op
    count = len(last.operands) if last is not None else 0
    return [argument.type for argument in op.combine.block.args[2 * count :]]


def _verify_identity(op: Equation, element_types: Sequence[Attribute]) -> None:
    if op.identity is not None and _more_of(op):
        raise VerifyException("a combine region with further arguments knows no identity")
    if op.identity is None:
        if not op.has_init:
            raise VerifyException("a fold starts from an identity or an init; it has neither")
        return
    identity = op.identity.data
    if len(identity) != len(element_types):
        raise VerifyException(f"{len(identity)} identity values for {len(element_types)} results")
    for value, element_type in zip(identity, element_types, strict=True):
        if not isinstance(value, IntegerAttr | FloatAttr) or value.type != element_type:
            raise VerifyException(f"identity {value} is not a constant of type {element_type}")


def verify_region(
    region: Region,
    name: str,
    argument_types: Sequence[Attribute],
    element_types: Sequence[Attribute],
) -> None:
    """Checks the arguments of a region that says values, and what it yields."""
    if len(region.blocks) != 1:
        raise VerifyException(f"the {name} region must have exactly one block")
    block = region.block
    found = [argument.type for argument in block.args]
    if found != list(argument_types):
        raise VerifyException(
            f"the {name} region has arguments {_types(found)}, expected {_types(argument_types)}"
        )
    if block.last_op is None or block.last_op.name != "te.yield":
        raise VerifyException(f"the {name} region must end in te.yield")
    types = [value.type for value in block.last_op.operands]
    if types != list(element_types):
        raise VerifyException(
            f"the {name} region yields {_types(types)}, expected {_types(element_types)}"
        )


def _types(types: Sequence[Attribute]) -> str:
    return "(" + ", ".join(str(type) for type in types) + ")"


def parse_parts(parser: Parser, axes: Sequence[Parser.Argument]) -> EquationParts:
    """Parses `{body} combine (args) identity [..] {..} [init (args) {..}] [bounds %k (args) {..}]`.

    The arguments of the last two regions are the data axes, by names of their own. The identity
    may be left out.
    """
    body = parser.parse_region(axes)
    combine, init, bounds, identity = Region(), Region(), Region(), None
    bounded: list[int] = []
    if parser.parse_optional_keyword("combine"):
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_argument(parser)
        )
        if parser.parse_optional_keyword("identity"):
            identity = ArrayAttr(
                parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
            )
        combine = parser.parse_region(arguments)
        if parser.parse_optional_keyword("init"):
            init = _parse_over_data_axes(parser)
        if parser.parse_optional_keyword("bounds"):
            names = [axis.name.text for axis in axes]
            bounded = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: _parse_axis(parser, names)
            )
            bounds = _parse_over_data_axes(parser)
    return EquationParts(body, combine, identity, init, bounds, bounded)


def _parse_over_data_axes(parser: Parser) -> Region:
    """Parses the names of data axes and the region that they are arguments of."""
    axes = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN,
        lambda: parser.parse_argument(expect_type=False).resolve(INDEX),
    )
    return parser.parse_region(axes)


def _parse_axis(parser: Parser, names: Sequence[str]) -> int:
    """Parses the name of an axis as its position."""
    found = parser.parse_unresolved_operand()
    name = f"%{found.operand_name}"
    if name not in names:
        parser.raise_error(f"{name} is no axis of this equation", found.span)
    return names.index(name)


def print_parts(printer: Printer, op: Equation) -> None:
    """Prints what `parse_parts` reads."""
    printer.print_string(" ")
    axes = [*op.body.block.args]
    printer.print_region(op.body, print_entry_block_args=False)
    if not op.is_reduction:
        return
    printer.print_string(" combine (")
    printer.print_list(op.combine.block.args, printer.print_block_argument)
    printer.print_string(") ")
    if op.identity is not None:
        printer.print_string("identity ")
        printer.print_attribute(op.identity)
        printer.print_string(" ")
    printer.print_region(op.combine, print_entry_block_args=False)
    if op.has_init:
        printer.print_string(" init")
        _print_over_data_axes(printer, op.init)
    if op.data_bounded:
        printer.print_string(" bounds ")
        printer.print_list([axes[k] for k in op.data_bounded], printer.print_operand)
        _print_over_data_axes(printer, op.bounds_from_data)


def _print_over_data_axes(printer: Printer, region: Region) -> None:
    printer.print_string(" (")
    printer.print_list(region.block.args, printer.print_operand)
    printer.print_string(") ")
    printer.print_region(region, print_entry_block_args=False)
