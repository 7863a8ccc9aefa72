"""Custom syntax with a dictionary of discardable attributes behind it."""

from __future__ import annotations

from typing import TypeVar

from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

_Op = TypeVar("_Op", bound=IRDLOperation)


def attributes_behind(op: type[_Op]) -> type[_Op]:
    """A class decorator: discardable attributes, `{test.x = 1 : i32}`, follow the syntax of an op.

    An op without such attributes is printed as if it were not decorated.
    """
    parse_syntax, print_syntax = op.parse, op.print

    def parse(_: type[_Op], parser: Parser) -> _Op:
        parsed = parse_syntax(parser)
        parsed.attributes.update(parser.parse_optional_attr_dict())
        return parsed

    def print(self: _Op, printer: Printer) -> None:
        print_syntax(self, printer)
        printer.print_op_attributes(self.attributes)

    op.parse = classmethod(parse)  # pyright: ignore
    op.print = print
    return op
