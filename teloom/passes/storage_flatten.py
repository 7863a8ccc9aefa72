"""Pass `storage-flatten`: regions of tensors become flat buffers, coordinates addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from teloom.analysis import polynomials
from teloom.analysis.buffer_demands import Found, check_demands
from teloom.analysis.extents import constant_extent, lower_bounds
from teloom.analysis.index_forms import IndexForms
from teloom.analysis.index_limits import LARGEST_SIZE, MANY, most_of
from teloom.analysis.polynomials import Polynomial
from teloom.analysis.storage import BUFFER_ALIGNMENT, alignment_for, byte_width
from teloom.dialects import loop, te
from teloom.dialects.affine_operands import OperandList, map_of
from teloom.dialects.scopes import is_tagged, memory_space
from teloom.errors import PassError
from teloom.passes.element_count import constant_of, element_count, not_negative, product
from teloom.passes.expected_level import refuse
from teloom.passes.index_code import constant_index, emit_index
from teloom.passes.physical_coordinates import PhysicalCoordinates

_ZERO = Polynomial.constant(0)

DOUBLE_BUFFERED = "loop.double_buffered"
"""The attribute of an allocation that `double-buffer` makes twice as large."""


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
    forms: IndexForms = field(default_factory=lambda: IndexForms(products=False))


class IndexCode:
    """Emits index arithmetic, in front of the op at hand."""

    def __init__(self, rewriter: PatternRewriter):
        self.rewriter = rewriter

    def _insert(self, op: Operation) -> SSAValue:
        self.rewriter.insert(op)
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        return self._insert(constant_index(value))

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self._insert(arith.AddiOp(lhs, rhs))

    def multiply(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self._insert(arith.MuliOp(lhs, rhs))

    def align(self, stride: SSAValue, alignment: loop.Alignment) -> SSAValue:
        """The next value from `stride` on that is the offset modulo the factor."""
        factor = self.constant(alignment.factor)
        behind = self._insert(arith.SubiOp(self.constant(alignment.offset), stride))
        # Remainders have the sign of what is divided.
        rest = self._insert(arith.RemSIOp(behind, factor))
        gap = self._insert(arith.RemSIOp(self.add(rest, factor), factor))
        return self.add(stride, gap)

    def product(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The product of two values that are not negative, which does not wrap."""
        return product(lhs, rhs, self._insert)

    def not_negative(self, extent: Polynomial) -> SSAValue:
        return not_negative(extent, self._insert)

    def count(self, extents: Sequence[Polynomial | SSAValue]) -> SSAValue:
        """How many elements a region of these extents has."""
        return element_count(extents, self._insert)

    def size(self, extent: Polynomial) -> SSAValue | int:
        """An extent over sizes; one that is below 0 counts as 0."""
        if (constant := extent.as_constant()) is not None:
            return constant
        negative = any(coefficient < 0 for coefficient in extent.terms.values())
        return self.not_negative(extent) if negative else self.apply(extent)

    def stride(self, axis: Axis) -> SSAValue | int:
        if axis.symbol is None or axis.factor == 1:
            return axis.symbol or axis.factor
        return self.multiply(axis.symbol, self.constant(axis.factor))

    def apply(self, polynomial: Polynomial) -> SSAValue:
        """The value of `polynomial`, in which no two atoms are multiplied."""
        return emit_index(polynomial, self._insert)


def axes_of(
    op: loop.RegionOp,
    coordinates: PhysicalCoordinates,
    code: IndexCode,
    alignments: Sequence[loop.Alignment] = (),
) -> tuple[Axis, ...]:
    """The row-major axes of these coordinates; products of symbolic extents are emitted."""
    aligned = {coordinates.position_of(one.axis): one for one in alignments}
    offsets, extents = coordinates.offsets, coordinates.extents
    axes: list[Axis] = []
    # With gaps the strides say how much is allocated; without, only what is allocated is reached.
    value_of = code.not_negative if aligned else code.apply
    multiply = code.product if aligned else code.multiply
    factor, symbol = 1, None
    for k, offset in reversed([*enumerate(offsets)]):
        alignment = aligned.get(k)
        if alignment is not None and alignment.factor > LARGEST_SIZE:
            raise PassError(f"no stride is a multiple of {alignment.factor}", op)
        if alignment is not None and symbol is None:
            factor += (alignment.offset - factor) % alignment.factor
        elif alignment is not None and symbol is not None:
            stride = multiply(symbol, code.constant(factor))
            factor, symbol = 1, code.align(stride, alignment)
        axes.append(Axis(offset, _checked_stride(factor, k, op), symbol))
        extent = extents[k].as_constant()
        if k in coordinates.group_starts:
            factor, symbol = 1, None  # no stride is left that the extent would be part of
            continue
        if extent is not None:
            factor *= extent
            continue
        value = value_of(extents[k])
        symbol = value if symbol is None else multiply(symbol, value)
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
            axes.append(Axis(offset, 1, code.apply(stride)))
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
        value = code.apply(part)
        if symbol is not None:
            value = code.multiply(value, symbol)
        index = value if index is None else code.add(index, value)
    return code.constant(0) if index is None else index


@dataclass
class CountFromZero(RewritePattern):
    """A loop of constant extent starts at 0, so that offsets of regions cancel.

    `starts` collects the ops that compute what the induction variables were.
    """

    starts: list[ApplyOp]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        lowers = lower_bounds(op)
        extent = constant_extent(op)
        if len(lowers) > 1 or not lowers[0].terms or extent is None:
            return
        body = op.detach_region(op.body)
        operands = OperandList()
        first = polynomials.to_expr(lowers[0] + Polynomial.of(body.block.args[0]), operands)
        start = ApplyOp(operands.values, map_of([first], operands))
        new = loop.ForOp(
            [AffineExpr.constant(0)], [AffineExpr.constant(extent)], [], body, op.kind.data
        )
        new.attributes.update(op.attributes)
        new.location = op.location
        variable = new.induction_variable
        variable.replace_uses_with_if(start.result, lambda use: use.operation is not start)
        rewriter.insert(start, InsertPoint.at_start(new.body.block))
        self.starts.append(start)
        rewriter.replace(op, new)


@dataclass
class FlattenBind(RewritePattern):
    """A region in given storage is that storage."""

    layouts: Layouts

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.BindOp, rewriter: PatternRewriter) -> None:
        forms = self.layouts.forms
        code = IndexCode(rewriter)
        coordinates = PhysicalCoordinates.of_region(op, forms)
        _check_length(op, coordinates)
        axes = placed_axes(op, coordinates, forms, code)
        (start,) = forms.of_exprs([op.placement.offset], op.operands_)
        self.layouts.of[op.tensor] = Layout(op.storage, axes, coordinates, start)


@dataclass
class FlattenRealize(RewritePattern):
    """A small region of constant size lies on the stack, any other on the heap.

    A memory of its own is never the stack.
    """

    layouts: Layouts
    stack_bytes: int
    alignment: int
    memories: Mapping[str, loop.MemoryOp]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.RealizeOp, rewriter: PatternRewriter) -> None:
        code = IndexCode(rewriter)
        element = op.tensor.type.element_type
        coordinates = PhysicalCoordinates.of_region(op, self.layouts.forms)
        _check_extents(op, coordinates.extents)
        axes = axes_of(op, coordinates, code, op.alignments) if op.alignments else None
        width = byte_width(element, op)
        copies = 1 if op.double_buffered is None else 2
        shape: list[int] = []
        sizes: list[SSAValue] = []
        for start, group in zip(
            coordinates.group_starts, coordinates.groups(coordinates.extents), strict=True
        ):
            extents: list[Polynomial | SSAValue] = [*group]
            if axes is not None:
                # Gaps count as part of all axes but the outermost.
                extents = [extents[0], *_stride(axes[start])]
            constants = [constant_of(extent) for extent in extents]
            known = _checked_elements(constants, width * copies, op)
            shape.append(DYNAMIC_INDEX if None in constants else known)
            if None in constants:
                sizes.append(code.count(extents))
        scope = op.scope.data
        size = None if sizes else _checked_elements(shape, width * copies, op) * width * copies
        on_stack = size is not None and size <= self.stack_bytes and not is_tagged(scope)
        kind = memref.AllocaOp if on_stack else memref.AllocOp
        buffer = kind.build(
            operands=[sizes, []],
            result_types=[MemRefType(element, shape, NoneAttr(), memory_space(scope))],
            properties={"alignment": self._alignment(op, size, width)},
        )
        if op.double_buffered is not None:
            buffer.attributes[DOUBLE_BUFFERED] = op.double_buffered
        buffer.location = op.location
        buffer.memref.name_hint = op.tensor.name_hint
        rewriter.insert(buffer)
        if not on_stack:
            assert op.parent is not None
            rewriter.insert(memref.DeallocOp.get(buffer.memref), end_of(op.parent))
        axes = axes or axes_of(op, coordinates, code)
        self.layouts.of[op.tensor] = Layout(buffer.memref, axes, coordinates)

    def _alignment(self, op: loop.RealizeOp, size: int | None, width: int) -> IntegerAttr:
        """That of the memory, else of the size, and of the views that ask for more."""
        scope = op.scope.data
        memory = self.memories.get(scope)
        if memory is not None and memory.alignment is not None:
            return memory.alignment
        usual = self.alignment if is_tagged(scope) else alignment_for(size, width, self.alignment)
        views = (use.operation for use in op.tensor.uses)
        asked = (
            view.aligned.value.data
            for view in views
            if isinstance(view, loop.BufferOp) and view.aligned
        )
        return IntegerAttr(max(usual, *asked, 1), i64)


def _check_length(op: loop.BindOp, coordinates: PhysicalCoordinates) -> None:
    """PassError where storage of constant length is not filled by the physical coordinates."""
    extents = [extent.as_constant() for extent in coordinates.extents]
    known = _checked_elements(extents, byte_width(op.tensor.type.element_type, op), op)
    assert isinstance(op.storage.type, MemRefType)
    (length,) = op.storage.type.get_shape()
    is_all = op.placement.is_usual and None not in extents
    if is_all and length not in (DYNAMIC_INDEX, known):
        raise PassError(f"a region of {known} physical elements in storage {op.storage.type}", op)


def _checked_elements(extents: Sequence[int | None], width: int, op: Operation) -> int:
    """The product of the constant extents; `PassError` where no memory is that large."""
    known = prod(max(extent, 0) for extent in extents if extent is not None)
    if known * width > MANY:
        raise PassError(f"a buffer of {known} elements of {width} bytes is too large", op)
    return known


def _check_extents(op: loop.RealizeOp, extents: Sequence[Polynomial]) -> None:
    """`PassError` for an extent that may wrap."""
    for axis, extent in enumerate(extents):
        if extent.as_constant() is None and most_of(extent) > MANY:
            raise PassError(
                f"the extent of axis {axis} may not fit into 64 bits, for a size up to "
                f"{LARGEST_SIZE}; its factors are too large",
                op,
            )


def _stride(axis: Axis) -> list[Polynomial | SSAValue]:
    """The factors of an axis's stride."""
    factor = Polynomial.constant(axis.factor)
    return [factor] if axis.symbol is None else [factor, axis.symbol]


def end_of(block: Block) -> InsertPoint:
    """Behind all ops of `block` but its terminator, if it has one."""
    last = block.last_op
    if last is not None and last.has_trait(IsTerminator):
        return InsertPoint.before(last)
    return InsertPoint.at_end(block)


@dataclass
class FlattenLoad(RewritePattern):
    """Reads the one address that the coordinates name."""

    layouts: Layouts

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.LoadOp, rewriter: PatternRewriter) -> None:
        if (layout := self.layouts.of.get(op.tensor)) is None:
            return
        subscripts = self.layouts.forms.of_exprs(op.subscripts, op.operands_)
        at = indices(subscripts, layout, IndexCode(rewriter))
        load = memref.LoadOp.create(
            operands=[layout.storage, *at],
            result_types=[op.value.type],
            attributes=op.attributes,
        )
        load.location = op.location
        rewriter.replace(op, load)


@dataclass
class FlattenStore(RewritePattern):
    """Writes the one address that the coordinates name."""

    layouts: Layouts

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.StoreOp, rewriter: PatternRewriter) -> None:
        if (layout := self.layouts.of.get(op.tensor)) is None:
            return
        subscripts = self.layouts.forms.of_exprs(op.subscripts, op.operands_)
        at = indices(subscripts, layout, IndexCode(rewriter))
        store = memref.StoreOp.create(
            operands=[op.value, layout.storage, *at],
            attributes=op.attributes,
        )
        store.location = op.location
        rewriter.replace(op, store)


@dataclass
class FlattenBuffer(RewritePattern):
    """The memory of a box is a view of its buffer; the strides and offset are those found."""

    layouts: Layouts

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.BufferOp, rewriter: PatternRewriter) -> None:
        if (layout := self.layouts.of.get(op.tensor)) is None:
            return
        if not layout.coordinates.are_logical:
            raise PassError(
                "the memory of a box has strides; that of a tensor that is folded, or has a "
                "layout, has none",
                op,
            )
        forms, code = self.layouts.forms, IndexCode(rewriter)
        offsets = forms.of_exprs(op.offsets.data.results, op.operands_)
        extents = forms.of_exprs(op.extents.data.results, op.operands_)
        found = _found(layout, offsets, extents)
        check_demands(op, found)
        offset = found.offset.as_constant()
        view = memref.ReinterpretCastOp.from_dynamic(
            layout.storage,
            [*indices(offsets, layout, code)] if offset is None else [offset],
            [code.size(extent) for extent in extents],
            [code.stride(axis) for axis in layout.axes],
            op.buffer.type,
        )
        view.location = op.location
        rewriter.replace(op, view)


def _found(layout: Layout, offsets: Sequence[Polynomial], extents: Sequence[Polynomial]) -> Found:
    products = IndexForms()
    strides: list[Polynomial] = []
    for axis in layout.axes:
        symbol = Polynomial.constant(1) if axis.symbol is None else products.of(axis.symbol)
        strides.append(symbol.times(axis.factor))
    first = layout.start
    for offset, axis, stride in zip(offsets, layout.axes, strides, strict=True):
        first = first + (offset - axis.offset) * stride
    return Found(layout.storage, first, strides, extents)


@dataclass(frozen=True)
class StorageFlattenPass(ModulePass):
    """Lay every tensor region out in a flat buffer, row-major.

    A `loop.realize` of constant size becomes `memref.alloca`, any other
    `memref.alloc`, freed at the end of its block; both are aligned to 64 bytes, or to
    the largest power of two that is no larger than a constant size. A scope other than
    global is the buffer's memory space, `memref<32xf32, "shared">`. One with a tag is never
    on the stack, and is aligned as its `loop.memory` says.
    A `loop.bind` is its storage. A `loop.buffer` becomes a `memref.reinterpret_cast`, if
    strides, offset and alignment are provably what it asks. Offsets and constant strides
    fold into one `affine.apply` per access; symbolic strides are computed once, where the
    region begins. Loops of constant extent start at 0 then, so that more offsets cancel.

    A region with a layout is row-major in its physical coordinates, of which no two
    elements may have the same. Its separators make a buffer of several dimensions.

    Order: after bounds are resolved, for it needs every region's extents; before
    `vectorize-loops`, which decides by strides.

    Options:
        stack_bytes: the largest buffer that lies on the stack, in bytes.
        alignment: what buffers of at least as many bytes are aligned to, a power of two.

    Example: `storage-flatten`
    ```mlir
    func.func @copy(%n: index, %m: index, %A: memref<?xf32>) {
      %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
      loop.for %y = 0 to %n {
        %row = loop.realize "row" [%y : 2, 0 : 16] : !loop.tensor<2, f32>
        loop.for %x = 0 to 16 {
          %v = loop.load %a[%y, %x] : f32
          loop.store %v, %row[%y + 1, %x] : f32
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @copy(%n: index, %m: index, %A: memref<?xf32>) {
      loop.for %y = 0 to %n {
        %row = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
        loop.for %x = 0 to 16 {
          %start = arith.muli %y, %m : index
          %from = arith.addi %start, %x : index
          %v = memref.load %A[%from] : memref<?xf32>
          %to = affine.apply affine_map<(d0) -> (d0 + 16)> (%x)
          memref.store %v, %row[%to] : memref<32xf32>
        }
      }
      func.return
    }
    ```
    Refused: `storage-flatten`
    ```mlir
    func.func @passed_on(%A: memref<4xf32>) {
      %a = loop.bind %A [0 : 4] : memref<4xf32>
      "test.op"(%a) : (!loop.tensor<1, f32>) -> ()
      func.return
    }
    ```
    with "test.op uses a tensor region; storage-flatten knows loop.load"
    """

    name = "storage-flatten"

    stack_bytes: int = 65536
    alignment: int = BUFFER_ALIGNMENT

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise PassError(f"alignment {self.alignment} is not a power of two")
        layouts = Layouts()
        memories = {memory.scope: memory for memory in op.ops if isinstance(memory, loop.MemoryOp)}
        starts: list[ApplyOp] = []
        PatternRewriteWalker(
            GreedyRewritePatternApplier(
                [
                    CountFromZero(starts),
                    FlattenBind(layouts),
                    FlattenRealize(layouts, self.stack_bytes, self.alignment, memories),
                    FlattenBuffer(layouts),
                    FlattenLoad(layouts),
                    FlattenStore(layouts),
                ],
                dce_enabled=False,
            ),
            apply_recursively=False,
        ).rewrite_module(op)
        # Subscripts see through them; an inner one may use one further out.
        for start in reversed(starts):
            if not start.result.uses:
                Rewriter.erase_op(start)
        for tensor in layouts.of:
            for use in tensor.uses:
                raise PassError(
                    f"{use.operation.name} uses a tensor region; "
                    "storage-flatten knows loop.load, loop.store and loop.buffer",
                    use.operation,
                )
            assert isinstance(tensor.owner, Operation)
            Rewriter.erase_op(tensor.owner)
