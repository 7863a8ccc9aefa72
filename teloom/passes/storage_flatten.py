"""Pass `storage-flatten`: regions of tensors become flat buffers, coordinates addresses."""

from collections.abc import Sequence
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
from teloom.analysis.polynomials import Polynomial
from teloom.analysis.storage import BUFFER_ALIGNMENT, byte_width
from teloom.dialects import loop, te
from teloom.dialects.affine_operands import OperandList, map_of
from teloom.errors import PassError
from teloom.passes.expected_level import refuse
from teloom.passes.index_code import constant_index, emit_index

ALIGNMENT = IntegerAttr(BUFFER_ALIGNMENT, i64)


@dataclass(frozen=True)
class Axis:
    """One axis of a region: its first coordinate, and how far apart neighbours lie.

    The stride is `factor` elements, times the value `symbol` if there is one.
    """

    offset: Polynomial
    factor: int
    symbol: SSAValue | None


@dataclass(frozen=True)
class Layout:
    """Where the elements of a tensor region lie: row-major in a flat buffer."""

    storage: SSAValue
    axes: tuple[Axis, ...]


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

    def at_least_zero(self, value: SSAValue) -> SSAValue:
        return self._insert(arith.MaxSIOp(value, self.constant(0)))

    def size(self, extent: Polynomial) -> SSAValue | int:
        """An extent over sizes; one that is below 0 counts as 0."""
        if (constant := extent.as_constant()) is not None:
            return constant
        value = self.apply(extent)
        negative = any(coefficient < 0 for coefficient in extent.terms.values())
        return self.at_least_zero(value) if negative else value

    def stride(self, axis: Axis) -> SSAValue | int:
        if axis.symbol is None or axis.factor == 1:
            return axis.symbol or axis.factor
        return self.multiply(axis.symbol, self.constant(axis.factor))

    def apply(self, polynomial: Polynomial) -> SSAValue:
        """The value of `polynomial`, in which no two atoms are multiplied."""
        return emit_index(polynomial, self._insert)


def axes_of(
    op: loop.RegionOp,
    forms: IndexForms,
    code: IndexCode,
    alignments: Sequence[loop.Alignment] = (),
) -> tuple[Axis, ...]:
    """The row-major axes of the region of `op`; products of symbolic extents are emitted."""
    aligned = {alignment.axis: alignment for alignment in alignments}
    offsets = forms.of_exprs(op.offsets.data.results, op.operands_)
    extents = forms.of_exprs(op.extents.data.results, op.operands_)
    axes: list[Axis] = []
    factor, symbol = 1, None
    for k, offset in reversed([*enumerate(offsets)]):
        alignment = aligned.get(k)
        if alignment is not None and symbol is None:
            factor += (alignment.offset - factor) % alignment.factor
        elif alignment is not None and symbol is not None:
            stride = code.multiply(symbol, code.constant(factor))
            factor, symbol = 1, code.align(stride, alignment)
        axes.append(Axis(offset, factor, symbol))
        extent = extents[k].as_constant()
        if k == 0:
            break  # no stride is left that the outermost extent would be part of
        if extent is not None:
            factor *= extent
            continue
        value = code.apply(extents[k])
        symbol = value if symbol is None else code.multiply(symbol, value)
    return tuple(reversed(axes))


def linear_index(subscripts: Sequence[Polynomial], layout: Layout, code: IndexCode) -> SSAValue:
    """The position in the buffer of the element at these coordinates."""
    parts: dict[SSAValue | None, Polynomial] = {}
    for subscript, axis in zip(subscripts, layout.axes, strict=True):
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
    """A view over given storage is that storage."""

    layouts: Layouts

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.BindOp, rewriter: PatternRewriter) -> None:
        code = IndexCode(rewriter)
        axes = axes_of(op, self.layouts.forms, code)
        self.layouts.of[op.tensor] = Layout(op.storage, axes)


@dataclass
class FlattenRealize(RewritePattern):
    """A small region of constant size lies on the stack, any other on the heap."""

    layouts: Layouts
    stack_bytes: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.RealizeOp, rewriter: PatternRewriter) -> None:
        code = IndexCode(rewriter)
        element = op.tensor.type.element_type
        forms = self.layouts.forms
        extents = forms.of_exprs(op.extents.data.results, op.operands_)
        axes = None
        if op.alignments:
            axes = axes_of(op, forms, code, op.alignments)
            # Gaps count as part of all axes but the outermost.
            extents = [extents[0], *_stride(axes[0], forms)]
        constants = [extent.as_constant() for extent in extents]
        sizes: list[SSAValue] = []
        if None in constants:
            count = DYNAMIC_INDEX
            sizes = [self._count(extents, code)]
        else:
            count = prod(max(extent, 0) for extent in constants if extent is not None)
        on_stack = not sizes and count * byte_width(element, op) <= self.stack_bytes
        kind = memref.AllocaOp if on_stack else memref.AllocOp
        buffer = kind.build(
            operands=[sizes, []],
            result_types=[MemRefType(element, [count])],
            properties={"alignment": ALIGNMENT},
        )
        buffer.location = op.location
        buffer.memref.name_hint = op.tensor.name_hint
        rewriter.insert(buffer)
        if not on_stack:
            assert op.parent is not None
            rewriter.insert(memref.DeallocOp.get(buffer.memref), end_of(op.parent))
        axes = axes or axes_of(op, forms, code)
        self.layouts.of[op.tensor] = Layout(buffer.memref, axes)

    @staticmethod
    def _count(extents: list[Polynomial], code: IndexCode) -> SSAValue:
        # Each is clamped alone: the product of two negative ones would look like a size.
        known = prod(max(extent.as_constant() or 0, 0) for extent in extents if _is_known(extent))
        count = None if known == 1 else code.constant(known)
        for extent in extents:
            if not _is_known(extent):
                size = code.at_least_zero(code.apply(extent))
                count = size if count is None else code.multiply(count, size)
        assert count is not None
        return count


def _stride(axis: Axis, forms: IndexForms) -> list[Polynomial]:
    """The factors of an axis's stride."""
    factor = Polynomial.constant(axis.factor)
    return [factor] if axis.symbol is None else [factor, forms.of(axis.symbol)]


def _is_known(extent: Polynomial) -> bool:
    return extent.as_constant() is not None


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
        index = linear_index(subscripts, layout, IndexCode(rewriter))
        load = memref.LoadOp.create(
            operands=[layout.storage, index],
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
        index = linear_index(subscripts, layout, IndexCode(rewriter))
        store = memref.StoreOp.create(
            operands=[op.value, layout.storage, index],
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
        forms, code = self.layouts.forms, IndexCode(rewriter)
        offsets = forms.of_exprs(op.offsets.data.results, op.operands_)
        extents = forms.of_exprs(op.extents.data.results, op.operands_)
        found = _found(layout, offsets, extents)
        check_demands(op, found)
        offset = found.offset.as_constant()
        view = memref.ReinterpretCastOp.from_dynamic(
            layout.storage,
            [linear_index(offsets, layout, code) if offset is None else offset],
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
    first = Polynomial.constant(0)
    for offset, axis, stride in zip(offsets, layout.axes, strides, strict=True):
        first = first + (offset - axis.offset) * stride
    return Found(layout.storage, first, strides, extents)


@dataclass(frozen=True)
class StorageFlattenPass(ModulePass):
    """Lay every tensor region out in a flat buffer, row-major.

    A `loop.realize` of constant size becomes `memref.alloca`, any other
    `memref.alloc`, freed at the end of its block; both are aligned to 64 bytes.
    A `loop.bind` is its storage. A `loop.buffer` becomes a `memref.reinterpret_cast`, if
    strides, offset and alignment are provably what it asks. Offsets and constant strides
    fold into one `affine.apply` per access; symbolic strides are computed once, where the
    region begins. Loops of constant extent start at 0 then, so that more offsets cancel.

    Order: after bounds are resolved, for it needs every region's extents; before
    `vectorize-loops`, which decides by strides.

    Options:
        stack_bytes: the largest buffer that lies on the stack, in bytes.

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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        layouts = Layouts()
        starts: list[ApplyOp] = []
        PatternRewriteWalker(
            GreedyRewritePatternApplier(
                [
                    CountFromZero(starts),
                    FlattenBind(layouts),
                    FlattenRealize(layouts, self.stack_bytes),
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
