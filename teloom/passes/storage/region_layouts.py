"""Layouts of tensor regions in buffers, and the code of addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.buffer_demands import BoxMemory
from teloom.analysis.index.forms import AffineIndexForms, IndexForms
from teloom.analysis.index.limits import LARGEST_SIZE, MANY
from teloom.analysis.index.ranges import settle
from teloom.analysis.sets.layouts import Collision, Region, collision, physical_box
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode

_ZERO = Polynomial.constant(0)
_OfAxis = TypeVar("_OfAxis")


@dataclass(frozen=True)
class PhysicalCoordinates:
    """The coordinates in which a region is row-major; without a layout, the tensor's own.

    The region covers `extents` physical coordinates per axis, from `offsets` on. In logical
    coordinates it begins at `start`. The distance from there is taken modulo `folds[axis]`.

    If the last two are a triangle, it has `edge` rows, and the last two of `extents` only have
    the number of its elements as their product.
    """

    layout: LayoutAttr | None
    folds: Mapping[int, int]
    start: Sequence[Polynomial]
    offsets: Sequence[Polynomial]
    extents: Sequence[Polynomial]
    edge: Polynomial | None = None

    @staticmethod
    def of_region(op: loop.TensorRegionOp, forms: IndexForms) -> PhysicalCoordinates:
        """The physical coordinates of a region.

        Raises PassError if its layout gives two elements the same coordinates.
        """
        start = forms.of_exprs(op.offsets.data.results, op.operands_)
        layout, folds = op.stored.own_layout, op.stored.factors
        if layout is None:
            extents = forms.of_exprs(op.stored_extents, op.operands_)
            return PhysicalCoordinates(None, folds, start, start, extents)
        region = Region(op.stored_extents, len(op.operands_))
        found = collision(region, layout)
        if found is not None:
            raise PassError(_collision_text(op, layout, found), op)
        box = physical_box(region, layout)
        offsets, extents = (forms.of_exprs(side, op.operands_) for side in zip(*box, strict=True))
        edge = layout.edge_of(extents) if layout.triangle else None
        if edge is not None:
            extents = [*extents[:-2], *_elements_in(edge)]
        return PhysicalCoordinates(layout, folds, start, offsets, extents, edge)

    def of(self, subscripts: Sequence[Polynomial]) -> Sequence[Polynomial]:
        """The physical coordinates of an element."""
        distances = [at - first for at, first in zip(subscripts, self.start, strict=True)]
        for axis, factor in self.folds.items():
            distances[axis] = settle(distances[axis].mod(factor))
        if self.layout is None:
            return [first + at for at, first in zip(distances, self.start, strict=True)]
        return [
            settle(polynomials.of_expr(expr, polynomials.over(distances)))
            for expr in self.layout.exprs
        ]

    @property
    def are_logical(self) -> bool:
        """Whether they are the logical ones of the tensor."""
        return self.layout is None and not self.folds

    @property
    def group_starts(self) -> Sequence[int]:
        """The first physical axis of each dimension of the buffer."""
        return [0] if self.layout is None else self.layout.group_starts

    def groups(self, of_axes: Sequence[_OfAxis]) -> list[Sequence[_OfAxis]]:
        """Splits a sequence with an item per physical axis by the dimensions of the buffer."""
        ends = [*self.group_starts[1:], len(of_axes)]
        return [of_axes[a:b] for a, b in zip(self.group_starts, ends, strict=True)]

    def position_of(self, axis: int) -> int | None:
        """The physical axis that equals this axis of the tensor, if there is one."""
        return axis if self.layout is None else self.layout.position_of(axis)


def _elements_in(rows: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Two numbers whose product counts the elements in the first rows of a lower triangle."""
    # One of n and n + 1 is even: n * (n + 1) / 2 = (n ceildiv 2) * (n floordiv 2 * 2 + 1)
    return rows.ceildiv(2), rows.floordiv(2).times(2) + Polynomial.constant(1)


def _collision_text(op: loop.TensorRegionOp, layout: LayoutAttr, found: Collision) -> str:
    tensor: SSAValue = op.results[0]
    at = [expr.eval(found.first, ()) for expr in layout.exprs]
    when = ", ".join(
        f"{value.name_hint or 'a value'} = {number}"
        for value, number in zip(op.operands_, found.values, strict=True)
    )
    return (
        f'the layout {layout.map} of "{tensor.name_hint or "a region"}" puts elements '
        f"{found.second} and {found.first}, counted from the start of the region, both at "
        f"{at}{when and f' when {when}'}; a layout gives each element a place of its own, and "
        "fold_storage lets elements share one where their lifetimes allow"
    )


@dataclass(frozen=True)
class Axis:
    """One physical axis of a region: its first coordinate, and its stride.

    The stride is `factor` elements, times the value of `symbol` if there is one.
    """

    offset: Polynomial
    factor: int
    symbol: SSAValue | None


@dataclass(frozen=True)
class Layout:
    """The layout of a tensor region: row-major within each dimension of its buffer.

    The first element is at index `start`.
    """

    storage: SSAValue
    axes: tuple[Axis, ...]
    coordinates: PhysicalCoordinates
    start: Polynomial = _ZERO


@dataclass(frozen=True)
class Layouts:
    """The layouts so far, by region, and the forms of index values."""

    of: dict[SSAValue, Layout] = field(default_factory=dict)
    forms: IndexForms = field(default_factory=lambda: AffineIndexForms())


def _aligned(stride: SSAValue, alignment: loop.AlignmentAttr, code: IndexCode) -> SSAValue:
    """The least value from `stride` on that is the offset modulo the factor."""
    at = AffineExpr.dimension(0)
    gap = (at * -1 + alignment.offset.data) % alignment.factor.data
    return code.expr(at + gap, [stride])


def size_of(extent: Polynomial, code: IndexCode) -> SSAValue | int:
    """An extent over sizes; one that is below 0 counts as 0."""
    if (constant := extent.as_constant()) is not None:
        return constant
    negative = any(coefficient < 0 for coefficient in extent.terms.values())
    return code.count([extent]) if negative else code.of(extent)


def stride_of(axis: Axis, code: IndexCode) -> SSAValue | int:
    """The distance of neighbours along an axis of a buffer."""
    if axis.symbol is None or axis.factor == 1:
        return axis.symbol or axis.factor
    return code.multiply(axis.symbol, code.constant(axis.factor))


def axes_of(
    op: loop.TensorRegionOp, coordinates: PhysicalCoordinates, code: IndexCode
) -> tuple[Axis, ...]:
    """The axes of a row-major layout; products of symbolic extents are emitted as code."""
    alignments = op.stored.alignments
    aligned = {coordinates.position_of(one.axis.data): one for one in alignments}
    offsets, extents = coordinates.offsets, coordinates.extents
    axes: list[Axis] = []

    def product(*factors: Polynomial) -> SSAValue:
        # With gaps the strides give the size of the allocation, so the product must not wrap.
        # Without gaps a stride is only used for an element that exists, so it fits.
        if aligned:
            return code.count(factors)
        return code.joined(arith.MuliOp, map(code.of, factors))

    factor, symbol = 1, None
    for k, offset in reversed([*enumerate(offsets)]):
        alignment = aligned.get(k)
        if alignment is not None and alignment.factor.data > LARGEST_SIZE:
            raise PassError(f"no stride is a multiple of {alignment.factor.data}", op)
        if alignment is not None and symbol is None:
            factor += (alignment.offset.data - factor) % alignment.factor.data
        elif alignment is not None and symbol is not None:
            row = Polynomial.of(symbol)
            stride = symbol if factor == 1 else product(row, Polynomial.constant(factor))
            factor, symbol = 1, _aligned(stride, alignment, code)
        axes.append(Axis(offset, _checked_stride(factor, k, op), symbol))
        extent = extents[k].as_constant()
        if k in coordinates.group_starts:
            factor, symbol = 1, None  # the next dimension of the buffer has strides of its own
            continue
        if extent is not None:
            factor *= extent
            continue
        known = [] if symbol is None else [Polynomial.of(symbol)]
        symbol = product(*known, extents[k])
    return tuple(reversed(axes))


def placed_axes(
    op: loop.BindOp, coordinates: PhysicalCoordinates, forms: IndexForms, code: IndexCode
) -> tuple[Axis, ...]:
    """The axes of a bound region, by its strides; row-major if it has none."""
    if op.strides is None:
        return axes_of(op, coordinates, code)
    strides = forms.of_exprs(op.strides.data.results, op.operands_)
    axes: list[Axis] = []
    for k, (offset, stride) in enumerate(zip(coordinates.offsets, strides, strict=True)):
        constant = stride.as_constant()
        if constant is None:
            axes.append(Axis(offset, 1, code.of(stride)))
        else:
            axes.append(Axis(offset, _checked_stride(constant, k, op), None))
    return tuple(axes)


def _checked_stride(stride: int, axis: int, op: Operation) -> int:
    if stride > MANY:
        raise PassError(f"axis {axis} has stride {stride}, which no buffer has", op)
    return stride


def indices(subscripts: Sequence[Polynomial], layout: Layout, code: IndexCode) -> list[SSAValue]:
    """The index in each dimension of the buffer of the element at these coordinates."""
    coordinates = layout.coordinates
    subscripts = coordinates.of(subscripts)
    if coordinates.edge is not None:
        *outer, row, column = subscripts
        first_row = coordinates.offsets[-2]
        before = _before_row(row - first_row, coordinates, coordinates.edge, code)
        subscripts = [*outer, first_row, column + before]
    return [
        linear_index(group, axes, code, layout.start)
        for group, axes in zip(
            coordinates.groups(subscripts), coordinates.groups(layout.axes), strict=True
        )
    ]


def _before_row(
    row: Polynomial, coordinates: PhysicalCoordinates, edge: Polynomial, code: IndexCode
) -> Polynomial:
    """The index that column 0 of a row has, or would have, in a triangle of `edge` rows."""
    assert coordinates.layout is not None
    half, odd = map(settle, _elements_in(row))
    below = _product(half, odd, code)
    if not coordinates.layout.is_upper:
        return below
    # Rows 0 to r - 1 have edge - 0, edge - 1, ... elements, and r columns are not in row r:
    # edge * r - (r - 1) * r / 2 - r = edge * r - r * (r + 1) / 2
    return _product(row, edge, code) - below


def _product(lhs: Polynomial, rhs: Polynomial, code: IndexCode) -> Polynomial:
    if lhs.as_constant() is not None or rhs.as_constant() is not None:
        return lhs * rhs
    return Polynomial.of(code.multiply(code.of(lhs), code.of(rhs)))


def linear_index(
    subscripts: Sequence[Polynomial], axes: Sequence[Axis], code: IndexCode, start: Polynomial
) -> SSAValue:
    """The sum of `start` and of (subscript - offset) * stride over all axes."""
    parts: dict[SSAValue | None, Polynomial] = {None: start} if start.terms else {}
    for subscript, axis in zip(subscripts, axes, strict=True):
        part = (subscript - axis.offset).times(axis.factor)
        known = parts.get(axis.symbol)
        parts[axis.symbol] = part if known is None else known + part
    index = None
    for symbol, part in parts.items():
        if not part.terms:
            continue
        value = code.of(part)
        if symbol is not None:
            value = code.multiply(value, symbol)
        index = value if index is None else code.add(index, value)
    return code.constant(0) if index is None else index


def strides_of(axis: Axis) -> list[Polynomial]:
    """The factors of an axis's stride."""
    factor = Polynomial.constant(axis.factor)
    return [factor] if axis.symbol is None else [Polynomial.of(axis.symbol), factor]


def memory_of_box(
    layout: Layout, offsets: Sequence[Polynomial], extents: Sequence[Polynomial]
) -> BoxMemory:
    """The memory of a box of a region."""
    products = IndexForms()
    strides: list[Polynomial] = []
    for axis in layout.axes:
        symbol = Polynomial.constant(1) if axis.symbol is None else products.of(axis.symbol)
        strides.append(symbol.times(axis.factor))
    distance = _ZERO
    for offset, axis, stride in zip(offsets, layout.axes, strides, strict=True):
        distance = distance + (offset - axis.offset) * stride
    return BoxMemory(layout.storage, layout.start, distance, strides, extents)
