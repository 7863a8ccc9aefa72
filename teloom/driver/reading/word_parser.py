"""A parser that refuses indices, sizes and maps with numbers that no machine word holds."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import IndexType, IntegerAttr, ShapedType
from xdsl.ir import Attribute, TypeAttribute
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap, AffineSet

from teloom.dialects.syntax.upstream_text import UpstreamParser
from teloom.widths import fits_64_bits


class WordParser(UpstreamParser):
    """A parser of text whose indices have 64 bits; constants of wider types may be any number."""

    _has_type = False

    def parse_optional_number(self, *, allow_boolean: bool = False) -> int | float | None:
        """A number, whose type stands behind it."""
        before, self._has_type = self._has_type, True
        try:
            return super().parse_optional_number(allow_boolean=allow_boolean)
        finally:
            self._has_type = before

    def parse_optional_integer(
        self, allow_boolean: bool = True, allow_negative: bool = True
    ) -> int | None:
        start = self.pos
        found = super().parse_optional_integer(allow_boolean, allow_negative)
        if found is not None and not self._has_type:
            is_negated = self.lexer.input.content[start - 1 : start] == "-"
            self._check((-found if is_negated else found,), start)
        return found

    def parse_optional_attribute(self) -> Attribute | None:
        start = self.pos
        found = super().parse_optional_attribute()
        if isinstance(found, IntegerAttr) and isinstance(found.type, IndexType):
            self._check((found.value.data,), start)
        return found

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self.pos
        found = super().parse_optional_type()
        if isinstance(found, ShapedType):
            self._check(found.get_shape(), start)
        return found

    def parse_affine_map(self) -> AffineMap:
        start = self.pos
        found = super().parse_affine_map()
        self._check(_constants(found.results), start)
        return found

    def parse_affine_set(self) -> AffineSet:
        start = self.pos
        found = super().parse_affine_set()
        sides = (side for one in found.constraints for side in (one.lhs, one.rhs))
        self._check(_constants(sides), start)
        return found

    def _check(self, numbers: Iterable[int], start: int) -> None:
        for number in numbers:
            if not fits_64_bits(number):
                read = self.lexer.input.content[start : self.pos].rstrip()
                self.raise_error(f"{number} is no integer of 64 bits", start, start + len(read))


def _constants(exprs: Iterable[AffineExpr]) -> list[int]:
    parts = (part for expr in exprs for part in expr.post_order())
    return [part.value for part in parts if isinstance(part, AffineConstantExpr)]
