"""What `te.update` and `schedule.update` share: a body that changes elements at points in order.

init: one index argument per axis of the tensors; it yields what their elements begin as.
body: one index argument per axis of the domain, and one argument per result, the *state*: the
tensor as it is when the point begins. It reads states, and then writes elements of them. There
may also be
until: arguments for the first axes, and the states; it yields whether the loop of the last of
these axes has ended, before each of its iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, UnitAttr, i1
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, region_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.bodies.equation import verify_region, yielded
from teloom.dialects.bodies.extern import axes_in, outputs_in
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.syntax.stage_header import scalar_type

INDEX = IndexType()


class UpdateParts(NamedTuple):
    """The regions of one update, as parsed or about to be moved."""

    body: Region
    until: Region
    init: Region
    is_reorderable: bool


class Update(IRDLOperation):
    """Base of the ops that hold the body of an update."""

    reorderable = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    until = region_def()
    init = region_def("single_block")

    @property
    def is_reorderable(self) -> bool:
        """Whether the program declares that the points give the same in any order."""
        return self.reorderable is not None

    @property
    def has_until(self) -> bool:
        return bool(self.until.blocks)

    @property
    def ending(self) -> int | None:
        """Which axis of the domain ends where `until` says; None if all run to their ends."""
        return len(axes_in(self.until.block)) - 1 if self.has_until else None

    @property
    def has_init(self) -> bool:
        """It always says how it begins."""
        return True

    @property
    def axes(self) -> Sequence[BlockArgument]:
        """The axes of the tensors, then those of the domain."""
        return [*self.init.block.args, *axes_in(self.body.block)]

    def detach_parts(self) -> UpdateParts:
        """Takes the regions out of this op, leaving empty ones behind."""
        parts = []
        for region in (self.body, self.until, self.init):
            moved = Region()
            region.move_blocks(moved)
            parts.append(moved)
        return UpdateParts(*parts, self.is_reorderable)

    def regions_with_values(self) -> Iterator[Region]:
        """All regions that read tensors."""
        yield from self.update_regions()
        yield self.init

    def update_regions(self) -> Iterator[Region]:
        """The regions that see the states: the body, then `until`."""
        yield self.body
        if self.has_until:
            yield self.until


def is_state(tensor: SSAValue) -> bool:
    """Whether a tensor is one that an update changes."""
    return isinstance(tensor.owner, Block) and isinstance(tensor.owner.parent_op(), Update)


def verify_update(op: Update, data: int, domain: int, types: Sequence[Attribute]) -> None:
    """Checks the arguments of the regions, and what they yield; raises VerifyException.

    The tensors have so many axes, and so has the domain; `until` is over the first of these.
    """
    if not domain:
        raise VerifyException("an update needs a domain: axes after reduce")
    elements = [scalar_type(type) for type in types]
    verify_region(op.init, "init", [INDEX] * data, elements)
    for region, name in zip(op.update_regions(), ("body", "until"), strict=False):
        if len(region.blocks) != 1:
            raise VerifyException(f"the {name} region must have exactly one block")
        found = [argument.type for argument in region.block.args]
        count = len(axes_in(region.block)) if region is op.until else domain
        if found != [*[INDEX] * count, *types] or not 0 < count <= domain:
            raise VerifyException(
                f"the {name} region needs an index per axis of the domain, then a state per result"
            )
    _verify_reads_first(op)
    if op.has_until:
        last = op.until.block.last_op
        if last is None or last.name != "te.yield":
            raise VerifyException("the until region must end in te.yield")
        if [value.type for value in yielded(op.until)] != [i1]:
            raise VerifyException("the until region yields one i1: whether the loop has ended")


def _verify_reads_first(op: Update) -> None:
    """A point reads the states as they are before it: so reads can be moved, and merged."""
    has_written = False
    for inner in preorder(op.body):
        has_written |= inner.name == "te.write"
        if has_written and inner.name == "te.read" and is_state(inner.operands[0]):
            raise VerifyException("a point reads states before it writes; read above the te.write")


def parse_update(
    parser: Parser,
    axes: Sequence[Parser.Argument] | None = None,
    data_axes: Sequence[Parser.Argument] | None = None,
) -> tuple[UpdateParts, Sequence[Attribute]]:
    """Parses the regions, with the axes where they are not given, and the types of the results.

    They read `[(axes)] state %h, ... [reorderable] : types {body}
    [until (axes) state %h, ... {...}] init [(axes)] {...}`.
    """
    if axes is None:
        axes = _parse_axes(parser)
    place = parser.pos
    names = parse_states(parser)
    is_reorderable = parser.parse_optional_keyword("reorderable") is not None
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    body = parser.parse_region([*axes, *resolve_states(parser, names, types, place)])
    until = Region()
    if parser.parse_optional_keyword("until"):
        first = _parse_axes(parser)
        place, names = parser.pos, parse_states(parser)
        until = parser.parse_region([*first, *resolve_states(parser, names, types, place)])
    parser.parse_keyword("init")
    if data_axes is None:
        data_axes = _parse_axes(parser)
    init = parser.parse_region(data_axes)
    return UpdateParts(body, until, init, is_reorderable), types


def _parse_axes(parser: Parser) -> list[Parser.Argument]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False).resolve(INDEX)
    )


def parse_states(parser: Parser) -> list[Parser.UnresolvedArgument]:
    """Parses `state %a, ...`."""
    parser.parse_keyword("state")
    return parser.parse_comma_separated_list(
        parser.Delimiter.NONE, lambda: parser.parse_argument(expect_type=False)
    )


def resolve_states(
    parser: Parser,
    names: Sequence[Parser.UnresolvedArgument],
    types: Sequence[Attribute],
    place: int,
) -> list[Parser.Argument]:
    """The states of these names, one of each type; `place` is where another number is refused."""
    if len(names) != len(types):
        parser.raise_error(f"{len(names)} states for {len(types)} results", place)
    return [name.resolve(type) for name, type in zip(names, types, strict=True)]


def print_update(printer: Printer, op: Update, with_axes: bool) -> None:
    """Prints what `parse_update` reads."""
    states = outputs_in(op.body.block)
    if with_axes:
        _print_axes(printer, op.body.block)
    printer.print_string(" state ")
    printer.print_list(states, printer.print_operand)
    if op.is_reorderable:
        printer.print_string(" reorderable")
    printer.print_string(" : ")
    printer.print_list(states, lambda state: printer.print_attribute(state.type))
    printer.print_string(" ")
    printer.print_region(op.body, print_entry_block_args=False, print_empty_block=False)
    if op.has_until:
        printer.print_string(" until")
        _print_axes(printer, op.until.block)
        printer.print_string(" state ")
        printer.print_list(outputs_in(op.until.block), printer.print_operand)
        printer.print_string(" ")
        printer.print_region(op.until, print_entry_block_args=False)
    printer.print_string(" init")
    if with_axes:
        _print_axes(printer, op.init.block)
    printer.print_string(" ")
    printer.print_region(op.init, print_entry_block_args=False)


def _print_axes(printer: Printer, block: Block) -> None:
    printer.print_string(" (")
    printer.print_list(axes_in(block), printer.print_operand)
    printer.print_string(")")
