"""Pass `flatten-views`: users of a view of a flat buffer use the buffer itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    MemRefType,
    ModuleOp,
    NoneAttr,
    VectorType,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.rewriter import Rewriter

from teloom.analysis.accesses.subviews import is_same_view, kept_axes, mixed
from teloom.analysis.index.forms import AffineIndexForms, IndexForms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream import amx
from teloom.dialects.upstream.accesses import accesses_of
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.rewriting import of_kind, rewrite


@dataclass(frozen=True)
class View:
    """A strided view of a flat buffer; its parts are ints where they are constant."""

    buffer: SSAValue
    offset: int | SSAValue
    sizes: Sequence[int | SSAValue]
    strides: Sequence[int | SSAValue]

    @staticmethod
    def of(value: SSAValue) -> View | None:
        """The view that `value` is; None if it is no view."""
        op = value.owner
        if not isinstance(op, memref.ReinterpretCastOp):
            return None
        (offset,) = mixed(op.static_offsets, op.offsets)
        return View(
            op.source,
            offset,
            mixed(op.static_sizes, op.sizes),
            mixed(op.static_strides, op.strides),
        )

    @staticmethod
    def of_all(buffer: SSAValue) -> View | None:
        """The view of all elements of a flat buffer; None for a buffer that is not flat."""
        type = buffer.type
        if (
            not isinstance(type, MemRefType)
            or type.layout != NoneAttr()
            or type.get_num_dims() != 1
        ):
            return None
        return View(buffer, 0, type.get_shape(), [1])

    def cast(self, type: MemRefType) -> memref.ReinterpretCastOp:
        """An op that creates this view."""
        return memref.ReinterpretCastOp.from_dynamic(
            self.buffer, [self.offset], self.sizes, self.strides, type
        )

    def position(
        self, indices: Sequence[int | SSAValue], forms: IndexForms, code: IndexCode
    ) -> int | SSAValue:
        """The index in the buffer of the element at `indices`."""
        known = _form(self.offset, forms)
        unknown: list[SSAValue] = []
        for index, stride in zip(indices, self.strides, strict=True):
            form = _form(index, forms)
            if isinstance(stride, int):
                known = known + form.times(stride)
            elif form.terms:
                unknown.append(code.multiply(_value(index, code), stride))
        if not unknown and (constant := known.as_constant()) is not None:
            return constant
        position = code.of(known) if known.terms or not unknown else unknown.pop()
        for part in unknown:
            position = code.add(position, part)
        return position


def _form(value: int | SSAValue, forms: IndexForms) -> Polynomial:
    return Polynomial.constant(value) if isinstance(value, int) else forms.of(value)


@dataclass
class FlattenSubview(RewritePattern):
    """A subview of a view, or of a flat buffer itself, becomes a view of the buffer."""

    forms: IndexForms

    @of_kind
    def match_and_rewrite(self, op: memref.SubviewOp, rewriter: PatternRewriter) -> None:
        if (view := View.of(op.source) or View.of_all(op.source)) is None:
            return
        code = IndexCode.before(op)
        offset = view.position(mixed(op.static_offsets, op.offsets), self.forms, code)
        sizes = mixed(op.static_sizes, op.sizes)
        steps = mixed(op.static_strides, op.strides)
        if (axes := kept_axes(op)) is None:
            raise PassError(f"memref.subview of {op.source.type} gives no {op.result.type}", op)
        strides = [_product(view.strides[axis], steps[axis], code) for axis in axes]
        part = View(view.buffer, offset, [sizes[axis] for axis in axes], strides)
        rewriter.replace(op, part.cast(op.result.type))


def _product(a: int | SSAValue, b: int | SSAValue, code: IndexCode) -> int | SSAValue:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 1 in (a, b):
        return b if a == 1 else a
    return code.multiply(_value(a, code), _value(b, code))


class FlattenCast(RewritePattern):
    """A cast of a view becomes a view of the new type."""

    @of_kind
    def match_and_rewrite(self, op: memref.CastOp, rewriter: PatternRewriter) -> None:
        if (view := View.of(op.source)) is None:
            return
        type = op.dest.type
        if not is_same_view(op) or not isinstance(type, MemRefType):
            raise PassError(f"memref.cast of {op.source.type} to {type}, which it is not", op)
        rewriter.replace(op, view.cast(type))


@dataclass
class FlattenViewedAccess(RewritePattern):
    """An access through a view becomes one of the buffer."""

    forms: IndexForms

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for access in accesses_of(op):
            if not access.is_known or (view := View.of(access.buffer)) is None:
                continue
            for given in (value.type for value in (*op.operands, *op.results)):
                if isinstance(given, VectorType):
                    _check_lanes(op, given, view)
            code = IndexCode.before(op)
            position = view.position(access.indices, self.forms, code)
            access.move(view.buffer, [_value(position, code)])
            rewriter.notify_op_modified(op)


@dataclass
class FlattenTileAccess(RewritePattern):
    """Rows of a matrix through a view become rows of the buffer, as far apart as the view says."""

    forms: IndexForms

    @of_kind
    def match_and_rewrite(
        self, op: amx.TileLoadOp | amx.TileStoreOp, rewriter: PatternRewriter
    ) -> None:
        if (view := View.of(op.base)) is None:
            return
        if view.strides[-1] != 1:
            raise PassError(
                f"{op.name} wants rows of neighbours, not of the stride {_stride_text(view)}", op
            )
        code = IndexCode.before(op)
        at = _value(view.position([*op.indices], self.forms, code), code)
        row = op.stride or _value(view.strides[0], code)
        rewriter.replace(op, op.in_rows_of(view.buffer, at, row))


def _check_lanes(op: Operation, given: VectorType, view: View) -> None:
    """Raises PassError unless the lanes of a vector are contiguous in memory."""
    if given.get_num_dims() != 1 or given.get_num_scalable_dims():
        raise PassError(f"{op.name} of {given}: a vector of a buffer has one axis", op)
    if not view.strides or view.strides[-1] != 1:
        raise PassError(
            f"{op.name} wants a buffer whose last axis has the constant stride 1, not "
            f"{_stride_text(view)}",
            op,
        )


def _stride_text(view: View) -> str:
    if not view.strides:
        return "one without axes"
    stride = view.strides[-1]
    return str(stride) if isinstance(stride, int) else "a symbolic one"


class FlattenMetadata(RewritePattern):
    """Sizes, strides and offset of a view become the values that created it."""

    @of_kind
    def match_and_rewrite(
        self, op: memref.ExtractStridedMetaDataOp, rewriter: PatternRewriter
    ) -> None:
        if (view := View.of(op.source)) is None:
            return
        if op.base_buffer.uses:
            raise PassError(
                "the base buffer of memref.extract_strided_metadata is used; its address is that "
                "of the view: use memref.extract_aligned_pointer_as_index",
                op,
            )
        code = IndexCode.before(op)
        base, *results = op.results
        found = (view.offset, *view.sizes, *view.strides)
        for result, value in zip(results, found, strict=True):
            if result.uses:
                result.replace_all_uses_with(_value(value, code))
        assert not base.uses
        rewriter.erase(op)


class FlattenDim(RewritePattern):
    """The extent of an axis of a view becomes the value that created it."""

    @of_kind
    def match_and_rewrite(self, op: memref.DimOp, rewriter: PatternRewriter) -> None:
        if (view := View.of(op.source)) is None:
            return
        axis = IndexForms().of(op.index).as_constant()
        if axis is None or axis not in range(len(view.sizes)):
            raise PassError(
                f"memref.dim of a buffer wants a constant axis, 0..{len(view.sizes) - 1}", op
            )
        rewriter.replace(op, [], [_value(view.sizes[axis], IndexCode.before(op))])


class FlattenAddress(RewritePattern):
    """The aligned pointer of a view becomes its buffer's: the offset is no part of it."""

    @of_kind
    def match_and_rewrite(
        self, op: memref.ExtractAlignedPointerAsIndexOp, rewriter: PatternRewriter
    ) -> None:
        if (view := View.of(op.source)) is not None:
            rewriter.replace(op, memref.ExtractAlignedPointerAsIndexOp.get(view.buffer))


def _value(value: int | SSAValue, code: IndexCode) -> SSAValue:
    return code.constant(value) if isinstance(value, int) else value


def _remove(op: memref.ReinterpretCastOp) -> None:
    """Erases a view; an op that still uses it must take the buffer itself."""
    view = View.of(op.result)
    assert view is not None
    if op.result.type == op.source.type and (view.offset, view.strides) == (0, [1]):
        op.result.replace_all_uses_with(op.source)
    for use in op.result.uses:
        raise PassError(
            f"{use.operation.name} uses a buffer of type {op.result.type}; flatten-views knows "
            "memref.load, memref.store, vector.load, vector.store, memref.subview, memref.cast, "
            "memref.dim, memref.extract_strided_metadata and "
            "memref.extract_aligned_pointer_as_index, and the rows of amx.tile_load and "
            "amx.tile_store",
            use.operation,
        )
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class FlattenViewsPass(ModulePass):
    """Replace the views that the code of externs uses by the flat buffers below them.

    A `memref.subview` of a view or of a flat buffer is a view, and so is a `memref.cast` of one. A
    `vector.load` or `vector.store` needs a view whose last axis has the stride 1. Its alignment is
    that of one element unless `align-accesses` proves more. So do `amx.tile_load` and
    `amx.tile_store`, whose rows are as far apart as the view says, or they do.

    Order: after `storage-flatten`, which creates the views; before `buffer-reuse`, which only
    moves buffers whose uses are known accesses.

    Example: `flatten-views`
    ```mlir
    func.func @first_of_row(%n: index, %y: index, %A: memref<?xf32>) -> f32 {
      %start = arith.muli %y, %n : index
      %row = memref.reinterpret_cast %A to offset: [%start], sizes: [%n], strides: [1]
           : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
      %zero = arith.constant 0 : index
      %size = memref.dim %row, %zero : memref<?xf32, strided<[1], offset: ?>>
      %last = arith.subi %size, %y : index
      %v = memref.load %row[%last] : memref<?xf32, strided<[1], offset: ?>>
      func.return %v : f32
    }
    ```
    becomes
    ```mlir
    func.func @first_of_row(%n: index, %y: index, %A: memref<?xf32>) -> f32 {
      %start = arith.muli %y, %n : index
      %zero = arith.constant 0 : index
      %last = arith.subi %n, %y : index
      %at = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 - d2)> (%start, %n, %y)
      %v = memref.load %A[%at] : memref<?xf32>
      func.return %v : f32
    }
    ```
    Refused: `flatten-views`
    ```mlir
    func.func @passed_on(%A: memref<16xf32>) {
      %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1]
         : memref<16xf32> to memref<4x4xf32>
      "test.op"(%a) : (memref<4x4xf32>) -> ()
      func.return
    }
    ```
    with "test.op uses a buffer of type memref<4x4xf32>; flatten-views knows memref.load"
    """

    name = "flatten-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not ops_in(op, memref.ReinterpretCastOp, memref.SubviewOp):
            return
        forms = AffineIndexForms()
        patterns: list[RewritePattern] = [
            FlattenSubview(forms),
            FlattenCast(),
            FlattenTileAccess(forms),
            FlattenViewedAccess(forms),
            FlattenMetadata(),
            FlattenDim(),
            FlattenAddress(),
        ]
        rewrite(op, patterns)
        for view in ops_in(op, memref.ReinterpretCastOp):
            _remove(view)
