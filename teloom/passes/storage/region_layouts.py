"""Where the elements of tensor regions lie in buffers, and the code of their addresses."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teloom.analysis.accesses.buffer_demands import Found
from teloom.analysis.index.forms import AffineIndexForms, IndexForms
from teloom.analysis.index.limits import LARGEST_SIZE, MANY
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.storage.physical_coordinates import PhysicalCoordinates

_ZERO = Polynomial.constant(0)


@dataclass(frozen=True)
class Axis:
    """One physical axis of a region: its first coordinate, and how far apart neighbours lie.

    The stride is `factor` elements, times the value `symbol` if there is one.
    """

    offset: Polynomial
    factor: int
    symbol: SSAValue | None


@dataclass(frozen=True)
class Layout:
    """Where the elements of a tensor region lie: row-major in each dimension of its buffer.

    The first is at `start`.
    """

    storage: SSAValue
    axes: tuple[Axis, ...]
    coordinates: PhysicalCoordinates
    start: Polynomial = _ZERO


@dataclass(frozen=True)
class Layouts:
    """The layouts so far, by region, and the index values that they are made of."""

    of: dict[SSAValue, Layout] = field(default_factory=dict)
    forms: IndexForms = field(default_factory=lambda: AffineIndexForms())


def _aligned(stride: SSAValue, alignment: loop.AlignmentAttr, code: IndexCode) -> SSAValue:
    """The next value from `stride` on that is the offset modulo the factor."""
    factor = code.constant(alignment.factor.data)
    behind = code.binary(arith.SubiOp, code.constant(alignment.offset.data), stride)
    # Remainders have the sign of what is divided.
    rest = code.binary(arith.RemSIOp, behind, factor)
    gap = code.binary(arith.RemSIOp, code.add(rest, factor), factor)
    return code.add(stride, gap)


def size_of(extent: Polynomial, code: IndexCode) -> SSAValue | int:
    """An extent over sizes; one that is below 0 counts as 0."""
    if (constant := extent.as_constant()) is not None:
        return constant
    negative = any(coefficient < 0 for coefficient in extent.terms.values())
    return code.count([extent]) if negative else code.of(extent)


def stride_of(axis: Axis, code: IndexCode) -> SSAValue | int:
    if axis.symbol is None or axis.factor == 1:
        return axis.symbol or axis.factor
    return code.multiply(axis.symbol, code.constant(axis.factor))


def axes_of(
    op: loop.TensorRegionOp, coordinates: PhysicalCoordinates, code: IndexCode
) -> tuple[Axis, ...]:
    """The row-major axes of these coordinates; products of symbolic extents are emitted."""
    alignments = op.stored.alignments
    aligned = {coordinates.position_of(one.axis.data): one for one in alignments}
    offsets, extents = coordinates.offsets, coordinates.extents
    axes: list[Axis] = []

    def product(*factors: Polynomial) -> SSAValue:
        # With gaps the strides say how much is allocated; without, only that is reached.
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
            factor, symbol = 1, None  # no stride is left that the extent would be part of
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
    """The axes of the region of `op`; without strides of its own they are row-major."""
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
    """The position in each dimension of the buffer of the element at these coordinates."""
    coordinates = layout.coordinates
    subscripts = coordinates.of(subscripts)
    return [
        linear_index(group, axes, code, layout.start)
        for group, axes in zip(
            coordinates.groups(subscripts), coordinates.groups(layout.axes), strict=True
        )
    ]


def linear_index(
    subscripts: Sequence[Polynomial], axes: Sequence[Axis], code: IndexCode, start: Polynomial
) -> SSAValue:
    """Behind `start`, the sum of the distances to the first coordinates times the strides."""
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


def found_at(layout: Layout, offsets: Sequence[Polynomial], extents: Sequence[Polynomial]) -> Found:
    products = IndexForms()
    strides: list[Polynomial] = []
    for axis in layout.axes:
        symbol = Polynomial.constant(1) if axis.symbol is None else products.of(axis.symbol)
        strides.append(symbol.times(axis.factor))
    distance = _ZERO
    for offset, axis, stride in zip(offsets, layout.axes, strides, strict=True):
        distance = distance + (offset - axis.offset) * stride
    return Found(layout.storage, layout.start, distance, strides, extents)
