"""Attributes of the `llvm` dialect that say which accesses do not overlap."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

ALIAS_SCOPES, NOALIAS_SCOPES = "alias_scopes", "noalias_scopes"
"""Attributes of a load or store, each an array of `AliasScopeAttr`: the scopes that it
is in, and those of whose accesses it touches no byte."""


@irdl_attr_definition
class AliasScopeAttr(ParametrizedAttribute):
    """A set of accesses, one of several in a domain.

    Example: `#llvm.alias_scope<id = "T", domain = <id = "matmul">>`.

    Like: upstream's, with names for ids; descriptions are left out.
    """

    name = "llvm.alias_scope"

    id: StringAttr
    domain: StringAttr

    @staticmethod
    def of(id: str, domain: str) -> AliasScopeAttr:
        return AliasScopeAttr(StringAttr(id), StringAttr(domain))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            id = _parse_id(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("domain")
            parser.parse_punctuation("=")
            with parser.in_angle_brackets():
                return id, _parse_id(parser)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("id = ")
            printer.print_attribute(self.id)
            printer.print_string(", domain = <id = ")
            printer.print_attribute(self.domain)
            printer.print_string(">")


def _parse_id(parser: AttrParser) -> StringAttr:
    parser.parse_keyword("id")
    parser.parse_punctuation("=")
    return StringAttr(parser.parse_str_literal())
