"""Pass `flatten-views`: what uses a view of a flat buffer uses the buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import Rewriter

from teloom.analysis.index_forms import IndexForms
from teloom.analysis.polynomials import Polynomial
from teloom.errors import PassError
from teloom.passes.storage_flatten import IndexCode


@dataclass(frozen=True)
class View:
    """Where the elements of a view lie in its buffer; numbers where they are constant."""

    buffer: SSAValue
    offset: int | SSAValue
    sizes: Sequence[int | SSAValue]
    strides: Sequence[int | SSAValue]

    @staticmethod
    def of(value: SSAValue) -> View | None:
        """The view that a value is, if it is one."""
        op = value.owner
        if not isinstance(op, memref.ReinterpretCastOp):
            return None
        (offset,) = _mixed(op.static_offsets, op.offsets)
        return View(
            op.source,
            offset,
            _mixed(op.static_sizes, op.sizes),
            _mixed(op.static_strides, op.strides),
        )

    def position(self, indices: Sequence[SSAValue], forms: IndexForms, code: IndexCode) -> SSAValue:
        """The index in the buffer of the element at `indices`."""
        known = Polynomial.constant(0)
        unknown: list[SSAValue] = []
        if isinstance(self.offset, int):
            known = Polynomial.constant(self.offset)
        else:
            known = forms.of(self.offset)
        for index, stride in zip(indices, self.strides, strict=True):
            if isinstance(stride, int):
                known = known + forms.of(index).times(stride)
            elif forms.of(index).terms:
                unknown.append(code.multiply(index, stride))
        position = code.apply(known) if known.terms or not unknown else unknown.pop()
        for part in unknown:
            position = code.add(position, part)
        return position


def _mixed(
    static: DenseArrayBase[IntegerType], dynamic: Sequence[SSAValue]
) -> list[int | SSAValue]:
    values = iter(dynamic)
    return [next(values) if one == DYNAMIC_INDEX else one for one in static.get_values()]


@dataclass
class FlattenAccess(RewritePattern):
    """A load or store through a view is one of the buffer."""

    forms: IndexForms

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.LoadOp | memref.StoreOp, rewriter: PatternRewriter
    ) -> None:
        if (view := View.of(op.memref)) is None:
            return
        position = view.position(op.indices, self.forms, IndexCode(rewriter))
        written = [op.value] if isinstance(op, memref.StoreOp) else []
        access = type(op).create(
            operands=[*written, view.buffer, position],
            result_types=[result.type for result in op.results],
            attributes=op.attributes,
            properties=op.properties,
        )
        access.location = op.location
        rewriter.replace(op, access)


class FlattenMetadata(RewritePattern):
    """Sizes, strides and offset of a view are the values that made it."""

    @op_type_rewrite_pattern
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
        code = IndexCode(rewriter)
        base, *results = op.results
        found = (view.offset, *view.sizes, *view.strides)
        for result, value in zip(results, found, strict=True):
            if result.uses:
                result.replace_all_uses_with(_value(value, code))
        assert not base.uses
        rewriter.erase(op)


class FlattenDim(RewritePattern):
    """The extent of an axis of a view is the value that made it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.DimOp, rewriter: PatternRewriter) -> None:
        if (view := View.of(op.source)) is None:
            return
        axis = IndexForms().of(op.index).as_constant()
        if axis is None or axis not in range(len(view.sizes)):
            raise PassError(
                f"memref.dim of a buffer wants a constant axis, 0..{len(view.sizes) - 1}", op
            )
        rewriter.replace(op, [], [_value(view.sizes[axis], IndexCode(rewriter))])


class FlattenAddress(RewritePattern):
    """The address of a view is that of its buffer: the offset is no part of it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.ExtractAlignedPointerAsIndexOp, rewriter: PatternRewriter
    ) -> None:
        if (view := View.of(op.source)) is not None:
            rewriter.replace(op, memref.ExtractAlignedPointerAsIndexOp.get(view.buffer))


def _value(value: int | SSAValue, code: IndexCode) -> SSAValue:
    return code.constant(value) if isinstance(value, int) else value


def _remove(op: memref.ReinterpretCastOp) -> None:
    """Erases a view; what still uses it must take the buffer as it is."""
    view = View.of(op.result)
    assert view is not None
    if op.result.type == op.source.type and (view.offset, view.strides) == (0, [1]):
        op.result.replace_all_uses_with(op.source)
    for use in op.result.uses:
        raise PassError(
            f"{use.operation.name} uses a buffer of type {op.result.type}; flatten-views knows "
            "memref.load, memref.store, memref.dim, memref.extract_strided_metadata and "
            "memref.extract_aligned_pointer_as_index",
            use.operation,
        )
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class FlattenViewsPass(ModulePass):
    """Let the code of externs use flat buffers, in the place of views of them.

    Order: after `storage-flatten`, which makes the views; before `buffer-reuse`, which
    understands buffers that are loaded and stored.

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
        patterns: list[RewritePattern] = [
            FlattenAccess(IndexForms(products=False)),
            FlattenMetadata(),
            FlattenDim(),
            FlattenAddress(),
        ]
        PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns, dce_enabled=False), apply_recursively=False
        ).rewrite_module(op)
        for view in list(op.walk()):
            if isinstance(view, memref.ReinterpretCastOp):
                _remove(view)
