"""Upstream's custom syntax of ops for which xDSL knows the generic form only, or loses parts."""

from collections.abc import Callable, Sequence

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.printer import Printer

_SEGMENTS = "operandSegmentSizes"


def give_format(kind: type[IRDLOperation], format: str) -> None:
    """Lets an op of xDSL's be read and printed as its declarative format says."""
    program = FormatProgram.from_str(format, kind.get_irdl_definition())
    give_syntax(
        kind,
        lambda parser: program.parse(parser, kind),
        lambda op, printer: program.print(printer, op),
    )


def give_syntax(
    kind: type[IRDLOperation],
    parse: Callable[[Parser], Operation],
    print: Callable[..., None],
) -> None:
    """Lets an op of xDSL's be read and printed by these functions.

    xDSL's classes stay the ones that everyone knows: they only get a text.
    """
    setattr(kind, "parse", classmethod(lambda _, parser: parse(parser)))
    setattr(kind, "print", print)


def _parse_values(parser: Parser) -> list[SSAValue]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
    )


def parse_arrow_types(parser: Parser) -> Sequence[Attribute]:
    """Parses one type, or several in parentheses."""
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


def parse_body(parser: Parser, arguments: Sequence[Parser.Argument], last: Operation) -> Region:
    """Parses a region that ends in `last` where it says nothing else."""
    body = parser.parse_region(arguments)
    block = body.block
    if block.last_op is None or block.last_op.name != last.name:
        block.add_op(last)
    return body


def _parse_parallel(parser: Parser) -> scf.ParallelOp:
    names = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_punctuation("=")
    lower = _parse_values(parser)
    parser.parse_keyword("to")
    upper = _parse_values(parser)
    parser.parse_keyword("step")
    step = _parse_values(parser)
    inits: Sequence[SSAValue] = ()
    if parser.parse_optional_keyword("init"):
        place = parser.pos
        starts = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        parser.parse_punctuation("->")
        inits = parser.resolve_operands(starts, parse_arrow_types(parser), place)
    arguments = [name.resolve(IndexType()) for name in names]
    body = parse_body(parser, arguments, scf.ReduceOp())
    op = scf.ParallelOp(lower, upper, step, body, inits)
    op.attributes.update(parser.parse_optional_attr_dict())
    return op


def _print_parallel(op: scf.ParallelOp, printer: Printer) -> None:
    def values(found: Sequence[SSAValue]) -> None:
        with printer.in_parens():
            printer.print_list(found, printer.print_operand)

    printer.print_string(" ")
    values(op.body.block.args)
    for word, found in (("=", op.lowerBound), ("to", op.upperBound), ("step", op.step)):
        printer.print_string(f" {word} ")
        values(found)
    if op.initVals:
        printer.print_string(" init ")
        values(op.initVals)
        printer.print_string(" -> ")
        print_arrow_types(printer, op.result_types)
    printer.print_string(" ")
    printer.print_region(op.body, print_entry_block_args=False)
    printer.print_op_attributes(op.attributes, reserved_attr_names=(_SEGMENTS,))


def _parse_reduce(parser: Parser) -> scf.ReduceOp:
    args: Sequence[SSAValue] = ()
    if parser.parse_optional_punctuation("("):
        place, several = parser.pos, parser.Delimiter.NONE
        values = parser.parse_comma_separated_list(several, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(several, parser.parse_type)
        args = parser.resolve_operands(values, types, place)
        parser.parse_punctuation(")")
    regions: list[Region] = []
    while len(regions) < len(args):
        if regions:
            parser.parse_punctuation(",")
        regions.append(parser.parse_region())
    op = scf.ReduceOp(args, regions)
    op.attributes.update(parser.parse_optional_attr_dict())
    return op


def _print_reduce(op: scf.ReduceOp, printer: Printer) -> None:
    if op.args:
        with printer.in_parens():
            printer.print_list(op.args, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list([arg.type for arg in op.args], printer.print_attribute)
        printer.print_string(" ")
        printer.print_list(op.reductions, printer.print_region)
    printer.print_op_attributes(op.attributes)


def _parse_executed(parser: Parser) -> scf.ExecuteRegionOp:
    types = parse_arrow_types(parser) if parser.parse_optional_punctuation("->") else ()
    op = scf.ExecuteRegionOp(types, parser.parse_region())
    op.attributes.update(parser.parse_optional_attr_dict())
    return op


def _print_executed(op: scf.ExecuteRegionOp, printer: Printer) -> None:
    if op.outs:
        printer.print_string(" -> ")
        print_arrow_types(printer, op.result_types)
    printer.print_string(" ")
    printer.print_region(op.region)
    printer.print_op_attributes(op.attributes)


def print_arrow_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """Prints what `parse_arrow_types` reads."""
    if len(types) == 1:
        printer.print_attribute(types[0])
        return
    with printer.in_parens():
        printer.print_list(types, printer.print_attribute)


give_format(
    memref.CopyOp,
    "$source `,` $destination attr-dict `:` type($source) `to` type($destination)",
)
give_format(memref.CastOp, "$source attr-dict `:` type($source) `to` type($dest)")
give_format(memref.MemorySpaceCastOp, "$source attr-dict `:` type($source) `to` type($dest)")
give_format(memref.RankOp, "$source attr-dict `:` type($source)")
give_format(
    memref.ExtractAlignedPointerAsIndexOp,
    "$source attr-dict `:` type($source) `->` type($aligned_pointer)",
)
give_syntax(scf.ParallelOp, _parse_parallel, _print_parallel)
give_syntax(scf.ReduceOp, _parse_reduce, _print_reduce)
give_syntax(scf.ExecuteRegionOp, _parse_executed, _print_executed)
