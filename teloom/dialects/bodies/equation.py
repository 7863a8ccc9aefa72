"""What `te.compute` and `schedule.equation` share: the regions that say a value.

body: one index argument per axis (data axes, then reduce axes), yields one scalar
per result. With reduce axes there is also
combine: arguments (accumulator..., value...), yields the new accumulator;
identity: one constant per result, neutral for `combine`;
init (optional): one argument per data axis, yields where accumulation starts
instead of the identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, region_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

INDEX = IndexType()


class EquationParts(NamedTuple):
    """The regions and identity of one equation, as parsed or about to be moved."""

    body: Region
    combine: Region
    identity: ArrayAttr | None
    init: Region


class Equation(IRDLOperation):
    """Base of the ops that hold an equation: its regions, and what they mean."""

    identity = opt_prop_def(ArrayAttr)
    body = region_def()
    combine = region_def()
    init = region_def()

    @property
    def is_reduction(self) -> bool:
        return bool(self.combine.blocks)

    @property
    def has_init(self) -> bool:
        return bool(self.init.blocks)

    def detach_parts(self) -> EquationParts:
        """Takes the regions out of this op, leaving empty ones behind."""
        parts = []
        for region in (self.body, self.combine, self.init):
            moved = Region()
            region.move_blocks(moved)
            parts.append(moved)
        return EquationParts(parts[0], parts[1], self.identity, parts[2])

    def regions_with_values(self) -> Iterator[Region]:
        """The regions whose reads are part of the equation: body, then init."""
        yield self.body
        if self.has_init:
            yield self.init


def yielded(region: Region) -> Sequence[SSAValue]:
    """The values that the terminator of a one-block region yields."""
    terminator = region.block.last_op
    assert terminator is not None
    return terminator.operands


def verify_equation(
    op: Equation,
    axis_count: int,
    data_axis_count: int,
    element_types: Sequence[Attribute],
) -> None:
    """Checks regions, argument counts and yielded types of an equation.

    Raises VerifyException; `element_types` has one entry per result.
    """
    verify_region(op.body, "body", [INDEX] * axis_count, element_types)
    reduces = axis_count > data_axis_count
    if reduces != op.is_reduction:
        raise VerifyException(
            "reduce axes need a combine region" if reduces else "a combine region needs reduce axes"
        )
    if not reduces:
        if op.has_init:
            raise VerifyException("an init region needs reduce axes")
        return
    verify_region(op.combine, "combine", [*element_types] * 2, element_types)
    identity = op.identity.data if op.identity is not None else ()
    if len(identity) != len(element_types):
        raise VerifyException(f"{len(identity)} identity values for {len(element_types)} results")
    for value, element_type in zip(identity, element_types, strict=True):
        if not isinstance(value, IntegerAttr | FloatAttr) or value.type != element_type:
            raise VerifyException(f"identity {value} is not a constant of type {element_type}")
    if op.has_init:
        verify_region(op.init, "init", [INDEX] * data_axis_count, element_types)


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
    """Parses `{body} [combine (args) identity [..] {..} [init {..}]]`.

    The arguments of the init region carry the names of the leading axes.
    """
    body = parser.parse_region(axes)
    combine, init, identity = Region(), Region(), None
    if parser.parse_optional_keyword("combine"):
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument()
        )
        parser.parse_keyword("identity")
        identity = ArrayAttr(
            parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
        )
        combine = parser.parse_region(arguments)
        if parser.parse_optional_keyword("init"):
            init_axes = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN,
                lambda: parser.parse_argument(expect_type=False).resolve(INDEX),
            )
            init = parser.parse_region(init_axes)
    return EquationParts(body, combine, identity, init)


def print_parts(printer: Printer, op: Equation) -> None:
    """Prints what `parse_parts` reads."""
    printer.print_string(" ")
    printer.print_region(op.body, print_entry_block_args=False)
    if not op.is_reduction:
        return
    printer.print_string(" combine (")
    printer.print_list(op.combine.block.args, printer.print_block_argument)
    printer.print_string(") identity ")
    printer.print_attribute(op.identity or ArrayAttr(()))
    printer.print_string(" ")
    printer.print_region(op.combine, print_entry_block_args=False)
    if op.has_init:
        printer.print_string(" init (")
        printer.print_list(op.init.block.args, printer.print_operand)
        printer.print_string(") ")
        printer.print_region(op.init, print_entry_block_args=False)
