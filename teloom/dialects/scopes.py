"""Storage scopes in text, `"shared"`: how many threads see one copy of what is stored."""

from __future__ import annotations

import re

from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.errors import did_you_mean

GLOBAL = "global"
SCOPE_RANKS = {GLOBAL: 0, "shared": 1, "warp": 2, "local": 3}
"""From memory that all threads see to memory of one thread; the order is TVM's."""


def scope_name(scope: str) -> str:
    """The scope without its tag: `global` of `global.vtcm`."""
    return scope.partition(".")[0]


def verify_scope(scope: str) -> None:
    """Raises VerifyException unless it is a scope, or one with a tag behind a dot."""
    if re.fullmatch(rf"({'|'.join(SCOPE_RANKS)})(\.\w+)?", scope) is None:
        raise VerifyException(
            f'no storage scope "{scope}"; scopes: {", ".join(SCOPE_RANKS)}, '
            f"and each with a tag, as in global.vtcm{did_you_mean(scope, SCOPE_RANKS)}"
        )


def parse_scope(parser: Parser) -> str:
    """Parses `in "shared"`, or nothing, which is global."""
    if parser.parse_optional_keyword("in"):
        return parser.parse_str_literal("storage scope")
    return GLOBAL


def print_scope(printer: Printer, scope: str) -> None:
    """Prints what `parse_scope` reads, with a space before it."""
    if scope != GLOBAL:
        printer.print_string(" in ")
        printer.print_string_literal(scope)
