"""How a tensor is stored: `in "shared" aligned axis 0 factor 32 offset 1`.

Commands of a schedule write this attribute on a stage, `infer-bounds` completes it, and it goes
unchanged to the op that allocates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    LocationAttr,
    NoneAttr,
    StringAttr,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.layouts import LayoutAttr, parse_layout_clause
from teloom.dialects.syntax.scopes import verify_scope

MOST_COPIES = 1024
"""Of a tensor that is written ahead."""


@irdl_attr_definition
class AlignmentAttr(ParametrizedAttribute):
    """The stride of an axis is `offset` modulo `factor`, in elements."""

    name = "loop.alignment"

    axis: IntAttr
    factor: IntAttr
    offset: IntAttr

    def verify(self) -> None:
        factor, offset = self.factor.data, self.offset.data
        if factor < 1 or not 0 <= offset < factor:
            raise VerifyException(f"a stride cannot be {offset} modulo {factor}")


@irdl_attr_definition
class FoldAttr(ParametrizedAttribute):
    """Elements along an axis are stored modulo a factor; without one, the smallest legal factor.

    `location` is that of the command; it is not part of the text.
    """

    name = "loop.fold"

    axis: IntAttr
    factor: IntAttr | NoneAttr
    location: LocationAttr

    def verify(self) -> None:
        if isinstance(self.factor, IntAttr) and self.factor.data < 1:
            raise VerifyException(f"cannot fold by {self.factor.data}: a factor is at least 1")


@irdl_attr_definition
class StorageAttr(ParametrizedAttribute):
    """How a tensor is stored: its memory, its layout there, and the number of copies.

    Only parts that differ from the default are written:

    - `in "shared"` is the memory;
    - `aligned axis 0 factor 32 offset 1` is a stride of that axis that is 1 modulo 32;
    - `folded axis 1 factor 3` lets coordinates that differ by multiples of 3 alias: the memory
      holds the element that was written last;
    - `layout affine_map<...>` maps the position of an element in its region, modulo the folds,
      to its physical coordinates, of which `packed lower` makes a triangle;
    - `double_buffered` asks for two copies, one of which is written an iteration ahead, and
      `ring_buffered 3` for more, one of which is written as many iterations ahead as there are
      others;
    - `streamed` asks for stores past the caches.
    """

    name = "loop.storage"

    scope: StringAttr | NoneAttr
    alignments: ArrayAttr[AlignmentAttr]
    folds: ArrayAttr[FoldAttr]
    layout: LayoutAttr | NoneAttr
    copies: IntAttr
    streamed: UnitAttr | NoneAttr

    @property
    def is_streamed(self) -> bool:
        return isinstance(self.streamed, UnitAttr)

    @property
    def is_double_buffered(self) -> bool:
        """Whether there are several copies, one of which is written ahead."""
        return self.copies.data > 1

    @property
    def own_layout(self) -> LayoutAttr | None:
        """The layout, if it is not the default, row-major one."""
        return self.layout if isinstance(self.layout, LayoutAttr) else None

    @property
    def own_scope(self) -> str | None:
        """The scope, if one is named."""
        return self.scope.data if isinstance(self.scope, StringAttr) else None

    @property
    def factors(self) -> dict[int, int]:
        """The fold factors by axis, as far as they are known."""
        return {
            fold.axis.data: fold.factor.data
            for fold in self.folds
            if isinstance(fold.factor, IntAttr)
        }

    def _but(self, **changed: Attribute) -> StorageAttr:
        names = [name for name, _ in self.get_irdl_definition().parameters]
        pairs = zip(names, self.parameters, strict=True)
        return StorageAttr.new([changed.get(name, old) for name, old in pairs])

    def in_scope(self, scope: str) -> StorageAttr:
        return self._but(scope=StringAttr(scope))

    def laid_out(self, layout: LayoutAttr) -> StorageAttr:
        return self._but(layout=layout)

    def double_buffered(self, copies: int = 2) -> StorageAttr:
        return self._but(copies=IntAttr(copies))

    def past_caches(self) -> StorageAttr:
        return self._but(streamed=UnitAttr())

    def aligned(self, axis: int, factor: int, offset: int) -> StorageAttr:
        """The storage with this alignment of an axis in place of any earlier one."""
        others = [one for one in self.alignments if one.axis.data != axis]
        one = AlignmentAttr(IntAttr(axis), IntAttr(factor), IntAttr(offset))
        return self._but(alignments=ArrayAttr([*others, one]))

    def folded(
        self, axis: int, factor: int | None, location: LocationAttr | None = None
    ) -> StorageAttr:
        """The storage with this fold of an axis in place of any earlier one."""
        others = [one for one in self.folds if one.axis.data != axis]
        by = NoneAttr() if factor is None else IntAttr(factor)
        one = FoldAttr(IntAttr(axis), by, location or UnknownLoc())
        return self._but(folds=ArrayAttr([*others, one]))

    def folded_by(self, factors: Mapping[int, int]) -> StorageAttr:
        """The storage with exactly these fold factors, by axis."""
        unfolded = self._but(folds=ArrayAttr[FoldAttr]([]))
        for axis, factor in factors.items():
            unfolded = unfolded.folded(axis, factor)
        return unfolded

    def verify(self) -> None:
        if (scope := self.own_scope) is not None:
            verify_scope(scope)
        if not 1 <= self.copies.data <= MOST_COPIES:
            raise VerifyException(
                f"{self.copies.data} copies of a tensor: there are 1 to {MOST_COPIES}"
            )

    def verify_axes(self, rank: int) -> None:
        """Raises VerifyException unless this is the storage of a tensor with `rank` axes."""
        for one in (*self.alignments, *self.folds):
            if not 0 <= one.axis.data < rank:
                raise VerifyException(f"axis {one.axis.data} is none of the {rank}")
        if (layout := self.own_layout) is None:
            return
        layout.verify_axes(rank)
        if layout.triangle and self.folds:
            raise VerifyException(f"a packed triangle is not folded: {layout}")
        for alignment in self.alignments:
            if layout.position_of(axis := alignment.axis.data) is None:
                raise VerifyException(f"aligned axis {axis} is no axis with a stride in {layout}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return list(parse_storage(parser).parameters)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(" ".join(self._clauses()))

    def print_clauses(self, printer: Printer) -> None:
        """Prints the clauses that `parse_storage` reads, each behind a space."""
        for clause in self._clauses():
            printer.print_string(f" {clause}")

    def _clauses(self) -> Iterator[str]:
        if (scope := self.own_scope) is not None:
            yield f'in "{scope}"'
        if self.alignments:
            yield f"aligned {', '.join(map(_of_axis, self.alignments))}"
        if self.folds:
            yield f"folded {', '.join(map(_of_axis, self.folds))}"
        if (layout := self.own_layout) is not None:
            yield f"layout {layout.bare}"
        if self.is_double_buffered:
            copies = self.copies.data
            yield "double_buffered" if copies == 2 else f"ring_buffered {copies}"
        if self.is_streamed:
            yield "streamed"


def _of_axis(part: AlignmentAttr | FoldAttr) -> str:
    numbers = {"axis": part.axis, "factor": part.factor}
    if isinstance(part, AlignmentAttr):
        numbers["offset"] = part.offset
    known = {word: one.data for word, one in numbers.items() if isinstance(one, IntAttr)}
    return " ".join(f"{word} {number}" for word, number in known.items())


USUAL_STORAGE = StorageAttr(
    NoneAttr(),
    ArrayAttr[AlignmentAttr]([]),
    ArrayAttr[FoldAttr]([]),
    NoneAttr(),
    IntAttr(1),
    NoneAttr(),
)
"""The default: one copy, row-major, in the memory that the place of the stage implies."""


def parse_storage(parser: AttrParser) -> StorageAttr:
    """Parses the clauses of a storage, in their order; any may be missing."""
    storage = USUAL_STORAGE

    def number(word: str) -> int:
        parser.parse_keyword(word)
        return parser.parse_integer(allow_boolean=False, allow_negative=False)

    def parse_alignment() -> None:
        nonlocal storage
        storage = storage.aligned(number("axis"), number("factor"), number("offset"))

    def parse_fold() -> None:
        nonlocal storage
        axis, factor = number("axis"), None
        if parser.parse_optional_keyword("factor"):
            factor = parser.parse_integer(allow_boolean=False, allow_negative=False)
        storage = storage.folded(axis, factor)

    if parser.parse_optional_keyword("in"):
        storage = storage.in_scope(parser.parse_str_literal(" as storage scope"))
    if parser.parse_optional_keyword("aligned"):
        parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_alignment)
    if parser.parse_optional_keyword("folded"):
        parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_fold)
    if (layout := parse_layout_clause(parser)) is not None:
        storage = storage.laid_out(layout)
    if parser.parse_optional_keyword("double_buffered"):
        storage = storage.double_buffered()
    elif parser.parse_optional_keyword("ring_buffered"):
        copies = parser.parse_integer(allow_boolean=False, allow_negative=False)
        storage = storage.double_buffered(copies)
    if parser.parse_optional_keyword("streamed"):
        storage = storage.past_caches()
    return storage
