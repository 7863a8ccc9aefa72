"""Assembly formats: each is read when an op of its kind is first parsed or printed.

A program has a few of the 250 kinds; to read the formats of all takes a tenth of a second.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from xdsl.irdl import OpDef, operations
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, PyRDLOpDefinitionError

from teloom.dialects.quick_ir.replaced import XDSL, is_method_of
from teloom.lazy import loaded


@is_method_of(operations)  # which finds it among its functions whenever it defines an op
def get_accessors_from_op_def(op_def: OpDef, custom_verify: Any | None) -> dict[str, Any]:
    written, op_def.assembly_format = op_def.assembly_format, None
    found = XDSL[operations, "get_accessors_from_op_def"](op_def, custom_verify)
    op_def.assembly_format = written
    return found if written is None else found | _by_format(op_def, written)


def _by_format(op_def: OpDef, written: str) -> dict[str, Any]:
    """The methods that parse and print an op as its format says."""

    @cache
    def format() -> Any:
        try:
            kind = loaded("xdsl.irdl.declarative_assembly_format", "FormatProgram")
            return kind.from_str(written, op_def)
        except ParseError as error:
            said = "Error during the parsing of the assembly format: "
            raise PyRDLOpDefinitionError(said, error.args) from error

    @classmethod
    def parse(cls: Any, parser: Parser) -> Any:
        return format().parse(parser, cls)

    def print(self: Any, printer: Printer) -> None:
        format().print(printer, self)

    return {"parse": parse, "print": print}
