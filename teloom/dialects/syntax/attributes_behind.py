"""Attributes that an op does not know itself, in its custom syntax."""

from __future__ import annotations

from typing import TypeVar

from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

_Op = TypeVar("_Op", bound=IRDLOperation)


def attributes_behind(op: type[_Op]) -> type[_Op]:
    """Puts the attributes of an op, `{test.x = 1 : i32}`, behind the syntax of its class.

    That is where the generic form has them. An op that has none reads as without this.
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
