"""Placements: the strides, offset, alignment and layout of a caller's array.

In text, `layout affine_map<...> strides [1, %n] offset %o factor 4 aligned 64 broadcast`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.syntax.alignments import LARGEST_ALIGNMENT, is_alignment
from teloom.dialects.syntax.layouts import LayoutAttr, parse_layout_clause

STRIDES, OFFSET, FACTOR, ALIGNMENT = "strides", "offset", "offset_factor", "alignment"
LAYOUT, PACKED = "layout", "packed"
BROADCAST = "broadcast"

NO_OFFSET = AffineExpr.constant(0)


class Placement(NamedTuple):
    """The element at coordinates c has the index `offset + sum(c_k * strides_k)` in the array.

    The array begins at a multiple of `alignment` bytes. Without strides its elements are
    row-major and without gaps, in the physical coordinates of the layout if there is one. The
    offset is a multiple of `factor`. Strides and offset are affine expressions of sizes. If it
    `broadcasts`, an array of one element on an axis stands for any number: its stride is 0.
    """

    strides: tuple[AffineExpr, ...] | None = None
    offset: AffineExpr = NO_OFFSET
    factor: int = 1
    alignment: int = 1
    layout: LayoutAttr | None = None
    broadcasts: bool = False

    @property
    def has_offset(self) -> bool:
        """Whether the first element may have an index other than 0."""
        return self.offset != NO_OFFSET

    @property
    def is_usual(self) -> bool:
        """Whether the elements are row-major, without gaps, from index 0 on."""
        return self.strides is None and not self.has_offset

    @property
    def expressions(self) -> tuple[AffineExpr, ...]:
        """The strides and the offset."""
        return (*(self.strides or ()), self.offset)

    def over(self, change: Callable[[AffineExpr], AffineExpr]) -> Placement:
        """The placement with its expressions rewritten by `change`."""
        strides = None if self.strides is None else tuple(map(change, self.strides))
        return self._replace(strides=strides, offset=change(self.offset))

    def attributes(self, sizes: int) -> dict[str, Attribute]:
        """The parts that differ from the default, as attributes; dimension k becomes symbol k."""
        symbols = [AffineExpr.symbol(k) for k in range(sizes)]

        def map_of(exprs: Sequence[AffineExpr]) -> AffineMapAttr:
            over_symbols = (expr.replace_dims_and_symbols(symbols, ()) for expr in exprs)
            return AffineMapAttr(AffineMap(0, sizes, tuple(over_symbols)))

        given: dict[str, Attribute] = {}
        if self.strides is not None:
            given[STRIDES] = map_of(self.strides)
        if self.has_offset:
            given[OFFSET] = map_of([self.offset])
        if self.factor != 1:
            given[FACTOR] = IntegerAttr(self.factor, i64)
        if self.alignment != 1:
            given[ALIGNMENT] = IntegerAttr(self.alignment, i64)
        if self.layout is not None:
            plain = not len(self.layout.separators)
            given[LAYOUT] = self.layout.map if plain else self.layout
            if plain and self.layout.triangle:
                given[PACKED] = StringAttr(self.layout.triangle)
        if self.broadcasts:
            given[BROADCAST] = UnitAttr()
        return given

    @staticmethod
    def of(given: DictionaryAttr) -> Placement:
        """The placement that attributes describe; size k is symbol k.

        Raises `AttributeError` or `VerifyException` for what describes no layout.
        """
        strides, offset = given.data.get(STRIDES), given.data.get(OFFSET)
        layout = given.data.get(LAYOUT)
        if isinstance(layout, AffineMapAttr):
            map, packed = layout.data, given.data.get(PACKED)
            triangle = None if packed is None else packed.data  # pyright: ignore
            layout = LayoutAttr.of(map.num_dims, map.results, triangle=triangle)
        return Placement(
            strides.data.results if isinstance(strides, AffineMapAttr) else None,
            offset.data.results[0] if isinstance(offset, AffineMapAttr) else NO_OFFSET,
            _integer(given, FACTOR),
            _integer(given, ALIGNMENT),
            layout if isinstance(layout, LayoutAttr) else None,
            BROADCAST in given.data,
        )


USUAL = Placement()


def row_major(extents: Sequence[int]) -> tuple[int, ...]:
    """The strides of a row-major layout without gaps."""
    return tuple(prod(extents[k + 1 :]) for k in range(len(extents)))


def verify_maps(given: DictionaryAttr, sizes: int) -> None:
    """Raises `VerifyException` unless the maps of a placement are over symbols for `sizes`."""
    for key in (STRIDES, OFFSET):
        map = given.data.get(key)
        if isinstance(map, AffineMapAttr) and map.data.num_symbols != sizes:
            raise VerifyException(
                f"{key} is over {map.data.num_symbols} sizes, the function has {sizes}"
            )


def _integer(given: DictionaryAttr, key: str) -> int:
    value = given.data.get(key)
    return value.value.data if isinstance(value, IntegerAttr) else 1


def verify_placement(placement: Placement, shape: Sequence[int], name: str, written: bool) -> None:
    """Raises `VerifyException` for a placement that no array `name` of this shape can have."""
    strides, factor, alignment = placement.strides, placement.factor, placement.alignment
    if strides is not None and len(strides) != len(shape):
        raise VerifyException(f"{len(strides)} strides for the {len(shape)} axes of {name}")
    if not is_alignment(alignment):
        raise VerifyException(
            f"alignment {alignment} of {name} is not a power of two up to {LARGEST_ALIGNMENT}"
        )
    if placement.broadcasts and (written or strides is None):
        what = "written" if written else "without strides"
        raise VerifyException(
            f"{name} is {what}: no element of it is repeated along an axis, as broadcast says"
        )
    if placement.layout is not None:
        if written:
            raise VerifyException(
                f"the layout of {name} is that of its stage; schedule.transform_layout gives it"
            )
        placement.layout.verify_axes(len(shape))
    if factor < 1:
        raise VerifyException(f"offset factor {factor} of {name} is not positive")
    if isinstance(placement.offset, AffineConstantExpr):
        offset = placement.offset.value
        if offset < 0:
            raise VerifyException(f"offset {offset} of {name} is negative")
        if offset % factor:
            raise VerifyException(f"offset {offset} of {name} is no multiple of {factor}")
    for axis, stride in enumerate(strides or ()):
        if not isinstance(stride, AffineConstantExpr):
            continue
        if stride.value < 0:
            raise VerifyException(
                f"stride {stride} of axis {axis} of {name} is negative; let the equations "
                "read the axis from its end"
            )
        if written and not stride.value and shape[axis] not in (0, 1):
            raise VerifyException(
                f"stride 0 of axis {axis} of {name}, which is written: "
                "its elements would be at one address"
            )


def parse_placement(parser: Parser, operands: affine.OperandList) -> Placement:
    """Parses `layout map strides [...] offset e factor k aligned n broadcast`, or parts of it."""

    def integer(word: str) -> int:
        if not parser.parse_optional_keyword(word):
            return 1
        return parser.parse_integer(allow_boolean=False, allow_negative=False)

    layout = parse_layout_clause(parser)
    strides, offset = parse_strides(parser, operands)
    factor, alignment = integer("factor"), integer("aligned")
    broadcasts = parser.parse_optional_keyword("broadcast") is not None
    return Placement(strides, offset, factor, alignment, layout, broadcasts)


def print_placement(printer: Printer, placement: Placement, operands: Sequence[SSAValue]) -> None:
    """Prints a space and the text that `parse_placement` reads."""
    if placement.layout is not None:
        printer.print_string(f" layout {placement.layout.bare}")
    print_strides(printer, placement, operands)
    if placement.factor != 1:
        printer.print_string(f" factor {placement.factor}")
    if placement.alignment != 1:
        printer.print_string(f" aligned {placement.alignment}")
    if placement.broadcasts:
        printer.print_string(" broadcast")


def parse_strides(
    parser: Parser, operands: affine.OperandList
) -> tuple[tuple[AffineExpr, ...] | None, AffineExpr]:
    """Parses `strides [...] offset e`; any part may be missing."""
    strides = None
    if parser.parse_optional_keyword("strides"):
        strides = tuple(affine.parse_exprs(parser, operands))
    if not parser.parse_optional_keyword("offset"):
        return strides, NO_OFFSET
    return strides, affine.parse_expr(parser, operands)


def print_strides(printer: Printer, placement: Placement, operands: Sequence[SSAValue]) -> None:
    """Prints a space and the text that `parse_strides` reads."""
    if placement.strides is not None:
        printer.print_string(" strides ")
        affine.print_exprs(printer, placement.strides, operands)
    if placement.has_offset:
        printer.print_string(" offset ")
        affine.print_expr(printer, placement.offset, operands)
