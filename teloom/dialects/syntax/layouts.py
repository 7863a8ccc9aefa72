"""Layouts of elements in memory, `layout affine_map<(d0, d1) -> (d1, d0)> packed lower`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isqrt
from typing import TypeVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.fold import DIVISIONS, operations

LOWER, UPPER = "lower", "upper"
"""The triangles of a packed layout."""

_Extent = TypeVar("_Extent")


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """Maps the position of an element in its region to physical coordinates.

    Elements are row-major in the physical coordinates. `separators [2]` begins a new dimension
    of memory before physical axis 2: the axes between two separators are flattened together.

    `packed lower` makes a triangle of the last two axes, row and column: row r has columns 0 to
    r. `packed upper` lets it have columns r to the last. Each row lies right behind the one
    before, so n of them take n * (n + 1) / 2 elements.
    """

    name = "loop.layout"

    map: AffineMapAttr
    separators: ArrayAttr[IntAttr]
    packed: StringAttr | NoneAttr

    @classmethod
    def of(
        cls,
        rank: int,
        exprs: Sequence[AffineExpr],
        separators: Sequence[int] = (),
        triangle: str | None = None,
    ) -> LayoutAttr:
        """The layout of a tensor with `rank` axes; dimension k of `exprs` is its axis k."""
        map = AffineMapAttr(AffineMap(rank, 0, tuple(exprs)))
        return LayoutAttr(map, _numbers(separators), _optional_text(triangle))

    @property
    def triangle(self) -> str | None:
        """Which triangle the last two axes are row and column of: `lower`, `upper`, or none."""
        return self.packed.data if isinstance(self.packed, StringAttr) else None

    @property
    def is_upper(self) -> bool:
        return self.triangle == UPPER

    @property
    def columns(self) -> str:
        """The columns of a row of the triangle, for a message."""
        return "columns r to the last" if self.is_upper else "columns 0 to r"

    def edge_of(self, extents: Sequence[_Extent]) -> _Extent:
        """How many rows the triangle has, of the extents of all physical axes."""
        return extents[-1] if self.is_upper else extents[-2]

    @property
    def exprs(self) -> Sequence[AffineExpr]:
        """The physical coordinates, the slowest first."""
        return self.map.data.results

    @property
    def group_starts(self) -> list[int]:
        """The first physical axis of each dimension of memory."""
        return [0, *(separator.data for separator in self.separators)]

    @property
    def without_separators(self) -> LayoutAttr:
        """The layout without separators, in memory of one dimension."""
        return LayoutAttr(self.map, _numbers(()), self.packed)

    def position_of(self, axis: int) -> int | None:
        """The physical axis with a stride that equals this axis of the tensor, if there is one."""
        alone = AffineExpr.dimension(axis)
        strided = self.exprs[:-2] if self.triangle else self.exprs
        return next((k for k, expr in enumerate(strided) if expr == alone), None)

    def verify_axes(self, rank: int) -> None:
        """Raises VerifyException unless this is a layout of a tensor with `rank` axes."""
        if self.map.data.num_dims != rank:
            raise VerifyException(f"{self} is over {self.map.data.num_dims} axes, not {rank}")

    def verify(self) -> None:
        if self.map.data.num_symbols or not self.exprs:
            raise VerifyException("a layout has physical axes, and no symbols")
        for expr in self.exprs:
            verify_quasi_affine(expr)
        starts = [*self.group_starts, len(self.exprs)]
        if any(one >= following for one, following in pairwise(starts)):
            raise VerifyException(
                f"separators {starts[1:-1]} must rise, and have some of the {len(self.exprs)} "
                "physical axes on both sides"
            )
        if self.triangle not in (None, LOWER, UPPER):
            raise VerifyException(f'a packed triangle is "lower" or "upper", not {self.packed}')
        if self.triangle and starts[-1] - starts[-2] < 2:
            raise VerifyException(
                "a packed layout ends in the row and the column of a triangle, in one dimension "
                "of memory"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return _parse(parser)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.bare}>")

    @property
    def bare(self) -> str:
        """The text that `parse_layout` reads."""
        separators = f" separators {self.group_starts[1:]}" if self.separators else ""
        packed = f" packed {self.triangle}" if self.triangle else ""
        return f"{self.map}{separators}{packed}"


def elements_in(rows: int) -> int:
    """How many elements the first rows of a packed triangle have; none below 0 rows."""
    return rows * (rows + 1) // 2 if rows > 0 else 0


def rows_of(elements: int) -> int:
    """How many rows of a packed triangle so many elements fill."""
    return (isqrt(8 * elements + 1) - 1) // 2


def verify_quasi_affine(expr: AffineExpr) -> None:
    """Raises VerifyException for a division by something else than a positive constant."""
    for part in operations(expr):
        constant = part.rhs.value if isinstance(part.rhs, AffineConstantExpr) else None
        if part.kind in DIVISIONS and (constant is None or constant < 1):
            raise VerifyException(f"{part} divides by no positive constant")


def parse_layout(parser: AttrParser) -> LayoutAttr:
    """Parses `affine_map<(d0, d1, d2) -> (d0, d1, d2)> separators [1] packed lower`."""
    return LayoutAttr.new(_parse(parser))


def parse_layout_clause(parser: AttrParser) -> LayoutAttr | None:
    """Parses `layout` and a layout, or nothing."""
    return parse_layout(parser) if parser.parse_optional_keyword("layout") else None


def _parse(parser: AttrParser) -> list[Attribute]:
    place = parser.pos
    map = parser.parse_attribute()
    if not isinstance(map, AffineMapAttr):
        parser.raise_error(f"a layout is an affine_map, not {map}", place, parser.pos)
    separators: list[int] = []
    if parser.parse_optional_keyword("separators"):
        separators = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
    is_packed = parser.parse_optional_keyword("packed")
    triangle = parser.parse_identifier(" as a triangle, lower or upper") if is_packed else None
    return [map, _numbers(separators), _optional_text(triangle)]


def _numbers(separators: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(IntAttr(separator) for separator in separators)


def _optional_text(text: str | None) -> StringAttr | NoneAttr:
    return NoneAttr() if text is None else StringAttr(text)
