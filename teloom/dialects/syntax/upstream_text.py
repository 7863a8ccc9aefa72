"""What upstream MLIR prints and xDSL does not read: named locations, symbols as indices, bits."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import AnyFloat, FileLineColLoc, FusedLoc, LocationAttr, NoneAttr
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from teloom.dialects.affine import operands as affine

_ALIAS = re.compile(r"(?m)^[ \t]*(#[\w$.]+)[ \t]*=[ \t]*(?=loc\()")


class Indices(affine.OperandList):
    """Operands, some of them marked as symbols: `symbol(%n)`."""

    def parse(self, parser: Parser) -> AffineExpr:
        if not parser.parse_optional_keyword("symbol"):
            return super().parse(parser)
        with parser.in_parens():
            return super().parse(parser)


class _Element(AttrParser._TensorLiteralElement):
    """An element of `dense<...>`; of a float, `0x7F800000` is its bits."""

    def to_type(self, parser: AttrParser, type: Attribute) -> Any:
        is_bits = isinstance(type, AnyFloat) and self.span.text[:2] in ("0x", "0X")
        if not is_bits or not isinstance(self.value, int):
            return super().to_type(parser, type)  # pyright: ignore
        raw = self.value.to_bytes(type.compile_time_size, "little")
        return next(iter(type.iter_unpack(raw)))


class UpstreamParser(Parser):
    """A parser of text that `mlir-opt` prints.

    With `-mlir-print-debuginfo` that has `#loc1 = loc("a.py":3:7)` behind all ops, and these names
    where the locations are used. Of a range of columns the start is kept.
    """

    # Locations

    @cached_property
    def _named_places(self) -> dict[str, int]:
        """Where the locations stand that have names."""
        text = self.lexer.input.content
        return {found[1]: found.end() for found in _ALIAS.finditer(text)}

    @cached_property
    def _read_early(self) -> dict[str, Attribute | None]:
        """Named locations that were used first; None for one that is being read."""
        return {}

    def _parse_location(self) -> LocationAttr:
        if self._current_token.kind is MLIRTokenKind.HASH_IDENT:
            self._define(self._current_token.text)
        elif self._current_token.text == "fused":
            return self._parse_fused()
        location = super()._parse_location()
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to"):
            self.parse_optional_integer()
            self.parse_punctuation(":")
            self.parse_integer()
        return location

    def _parse_fused(self) -> FusedLoc:
        self.parse_keyword("fused")
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<"):
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(tuple(parts), metadata)

    def _define(self, name: str) -> None:
        """Reads the location of this name, unless it is known or there is none."""
        if name in self.attribute_aliases or name not in self._named_places:
            return
        if name in self._read_early:
            self.raise_error(f"location {name} is part of itself")
        self._read_early[name], here = None, self.pos
        self._resume_from(self._named_places[name])
        self._read_early[name] = self.attribute_aliases[name] = self.parse_attribute()
        self._resume_from(here)

    def _parse_alias_def(self) -> None:
        early = self._read_early.pop(self._current_token.text, None)
        if early is not None:
            del self.attribute_aliases[self._current_token.text]
        super()._parse_alias_def()

    def parse_argument(
        self, *, expect_type: bool = True
    ) -> Parser.UnresolvedArgument | Parser.Argument:
        """Also passes over the location of a counter, which stands where its type is not."""
        argument = super().parse_argument(expect_type=expect_type)
        if not expect_type:
            self.parse_optional_location()
        return argument

    # Constants

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        found = super()._parse_tensor_literal_element()
        return _Element(found.is_negative, found.value, found.span)

    # Indices

    def parse_affine_map_of_ssa_ids(self) -> tuple[AffineMap, Sequence[SSAValue]]:
        operands = Indices()
        exprs = affine.parse_exprs(self, operands)
        return AffineMap(len(operands.values), 0, tuple(exprs)), operands.values


def parse_argument(parser: Parser) -> Parser.Argument:
    """Parses `%x: f32`, and the location behind it if there is one."""
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument


def print_location(printer: Printer, argument: BlockArgument) -> None:
    """Prints a space and the location of an argument, if locations are printed."""
    if printer.print_debuginfo:
        printer.print_string(" ")
        printer.print_attribute(argument.location)
