"""Pass `storage-flatten`: tensor regions become flat buffers, coordinates become addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.rewriter import Rewriter

from teloom.analysis.accesses.buffer_demands import check_demands
from teloom.analysis.index.limits import LARGEST_SIZE, MANY, most_of
from teloom.analysis.memory.storage import alignment_for, byte_width
from teloom.analysis.sets.integer_sets import fitting
from teloom.dialects import loop, te
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.syntax.alignments import LARGEST_ALIGNMENT, is_alignment
from teloom.dialects.syntax.scopes import is_tagged, memory_space
from teloom.dialects.target import target_of
from teloom.dialects.upstream.arith import i64_attribute
from teloom.errors import PassError, ScheduleError
from teloom.passes.code.code_motion import end_of
from teloom.passes.code.count_from_zero import CountFromZero
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.reductions import expand_reductions
from teloom.passes.code.rewriting import of_kind, rewrite
from teloom.passes.expected_level import refuse
from teloom.passes.storage.packed_triangles import check_triangle
from teloom.passes.storage.region_layouts import (
    Layout,
    Layouts,
    PhysicalCoordinates,
    axes_of,
    indices,
    memory_of_box,
    placed_axes,
    size_of,
    stride_of,
    strides_of,
)

DOUBLE_BUFFERED = "loop.double_buffered"
"""The attribute of an allocation that `double-buffer` doubles, or its number of copies."""


@dataclass
class FlattenBind(RewritePattern):
    """A `loop.bind` becomes the storage that it names."""

    layouts: Layouts

    @of_kind
    def match_and_rewrite(self, op: loop.BindOp, rewriter: PatternRewriter) -> None:
        forms = self.layouts.forms
        code = IndexCode.before(op)
        coordinates = PhysicalCoordinates.of_region(op, forms)
        check_triangle(op)
        _check_length(op, coordinates)
        axes = placed_axes(op, coordinates, forms, code)
        (start,) = forms.of_exprs([op.placement.offset], op.operands_)
        self.layouts.of[op.tensor] = Layout(op.buffer, axes, coordinates, start)


@dataclass
class FlattenRealize(RewritePattern):
    """A `loop.realize` becomes an allocation.

    A small region of constant size is on the stack, any other on the heap. A memory of a tagged
    scope is never the stack.
    """

    layouts: Layouts
    stack_bytes: int
    alignment: int
    memories: Mapping[str, loop.MemoryOp]

    @of_kind
    def match_and_rewrite(self, op: loop.RealizeOp, rewriter: PatternRewriter) -> None:
        code = IndexCode.before(op)
        element = op.tensor.type.element_type
        coordinates = PhysicalCoordinates.of_region(op, self.layouts.forms)
        check_triangle(op)
        _check_extents(op, coordinates.extents)
        axes = axes_of(op, coordinates, code) if op.storage.alignments else None
        width = byte_width(element, op)
        copies = op.storage.copies.data
        shape: list[int] = []
        sizes: list[SSAValue] = []
        for start, group in zip(
            coordinates.group_starts, coordinates.groups(coordinates.extents), strict=True
        ):
            extents = [*group]
            if axes is not None:
                # Strides include gaps, so the buffer is the outermost extent times its stride.
                extents = [extents[0], *strides_of(axes[start])]
            constants = [extent.as_constant() for extent in extents]
            known = _checked_elements(constants, width * copies, op)
            shape.append(DYNAMIC_INDEX if None in constants else known)
            if None in constants:
                sizes.append(code.count(extents))
        scope = op.scope
        size = None if sizes else _checked_elements(shape, width * copies, op) * width * copies
        on_stack = size is not None and size <= self.stack_bytes and not is_tagged(scope)
        kind = memref.AllocaOp if on_stack else memref.AllocOp
        buffer = kind.build(
            operands=[sizes, []],
            result_types=[MemRefType(element, shape, NoneAttr(), memory_space(scope))],
            properties={"alignment": self._alignment(op, size, width)},
        )
        if op.storage.is_double_buffered:
            copies = op.storage.copies.data
            more = IntegerAttr(copies, i64)
            buffer.attributes[DOUBLE_BUFFERED] = UnitAttr() if copies == 2 else more
        buffer.location = op.location
        buffer.memref.name_hint = op.tensor.name_hint
        rewriter.insert(buffer)
        if not on_stack:
            assert op.parent is not None
            rewriter.insert(memref.DeallocOp.get(buffer.memref), end_of(op.parent))
        axes = axes or axes_of(op, coordinates, code)
        self.layouts.of[op.tensor] = Layout(buffer.memref, axes, coordinates)

    def _alignment(self, op: loop.RealizeOp, size: int | None, width: int) -> IntegerAttr:
        """The alignment of the memory; else one that suits the size and all views of the region."""
        scope = op.scope
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
        return i64_attribute(max(usual, *asked, 1))


def _check_length(op: loop.BindOp, coordinates: PhysicalCoordinates) -> None:
    """Raises PassError if storage of constant length has another length than the region."""
    extents = [extent.as_constant() for extent in coordinates.extents]
    known = _checked_elements(extents, byte_width(op.tensor.type.element_type, op), op)
    assert isinstance(op.buffer.type, MemRefType)
    (length,) = op.buffer.type.get_shape()
    is_all = op.placement.is_usual and None not in extents
    if is_all and length not in (DYNAMIC_INDEX, known):
        raise PassError(f"a region of {known} physical elements in storage {op.buffer.type}", op)


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


@dataclass
class FlattenAccess(RewritePattern):
    """An access in logical coordinates becomes one at a flat index."""

    layouts: Layouts

    @of_kind
    def match_and_rewrite(self, op: loop.AccessOp, rewriter: PatternRewriter) -> None:
        if (layout := self.layouts.of.get(op.tensor)) is None:
            return
        subscripts = self.layouts.forms.of_exprs(op.subscripts, op.operands_)
        at = indices(subscripts, layout, IndexCode.before(op))
        flat = op.flat(layout.storage, at)
        flat.attributes.update(op.attributes)
        flat.location = op.location
        rewriter.replace(op, flat)


@dataclass
class FlattenBuffer(RewritePattern):
    """A `loop.buffer` becomes a strided view of its region's buffer."""

    layouts: Layouts

    @of_kind
    def match_and_rewrite(self, op: loop.BufferOp, rewriter: PatternRewriter) -> None:
        if (layout := self.layouts.of.get(op.tensor)) is None:
            return
        if not layout.coordinates.are_logical:
            raise ScheduleError(_not_row_major(op, layout.coordinates), op)
        forms, code = self.layouts.forms, IndexCode.before(op)
        offsets = forms.of_exprs(op.offsets.data.results, op.operands_)
        extents = forms.of_exprs(op.extents.data.results, op.operands_)
        found = memory_of_box(layout, offsets, extents)
        kept = slice(op.left_out, None)
        found = found._replace(strides=found.strides[kept], extents=found.extents[kept])
        check_demands(op, found)
        offset = found.offset.as_constant()
        view = memref.ReinterpretCastOp.from_dynamic(
            layout.storage,
            [*indices(offsets, layout, code)] if offset is None else [fitting(offset)],
            [size_of(extent, code) for extent in found.extents],
            [stride_of(axis, code) for axis in layout.axes[kept]],
            op.buffer.type,
        )
        view.location = op.location
        rewriter.replace(op, view)


def _not_row_major(op: loop.BufferOp, coordinates: PhysicalCoordinates) -> str:
    name = op.tensor.name_hint or "a tensor"
    if coordinates.layout is not None:
        lies = f"{name} has the layout {coordinates.layout.bare}"
    else:
        (axis, factor), *_ = coordinates.folds.items()
        lies = f"axis {axis} of {name} is folded by {factor}"
    return (
        f"the buffer of {name}: {lies}, but the code of an extern, a hybrid script or an intrinsic "
        "takes row-major memory; cache_read gives it a copy that is"
    )


@dataclass(frozen=True)
class StorageFlattenPass(ModulePass):
    """Lay out every tensor region in a flat buffer, row-major.

    A small `loop.realize` of constant size becomes `memref.alloca`, any other `memref.alloc`,
    which is freed at the end of its block. Both are aligned to `alignment`; a smaller buffer of
    constant size is aligned to the largest power of two up to its size. A scope other than global
    is the memory space of the buffer, as in `memref<32xf32, "shared">`. A
    buffer in a tagged scope is never on the stack, and has the alignment of its `loop.memory`.

    A `loop.bind` becomes its storage. A `loop.buffer` becomes a `memref.reinterpret_cast`, if
    its demands for strides, offset and alignment are proved. A `loop.reduce` becomes a load, its
    combination and a store; a `loop.init` becomes a store.

    Offsets and constant strides fold into one `affine.apply` per access. Symbolic strides are
    computed once, where the region begins. Loops of constant extent are shifted to start at 0,
    so that more offsets cancel.

    A region with a layout is row-major in its physical coordinates; no two elements may have
    the same ones. Separators in the layout make a buffer of several dimensions. A packed layout
    stores a triangle of the last two coordinates; every access must be in it.

    Order: after bounds are resolved, as it needs the extents of regions; before
    `vectorize-loops`, which decides by strides.

    Options:
        stack_bytes: the largest buffer on the stack, in bytes; by default a sixteenth of the
            target's stack.
        alignment: the alignment in bytes of buffers of at least that size, a power of two up
            to 2^32; by default that of the target.

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

    stack_bytes: int | None = None
    alignment: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        target = target_of(op)
        alignment = target.alignment if self.alignment is None else self.alignment
        if not is_alignment(alignment):
            raise PassError(f"alignment {alignment} is no power of two up to {LARGEST_ALIGNMENT}")
        stack_bytes = target.buffer_stack_bytes if self.stack_bytes is None else self.stack_bytes
        if stack_bytes < 0:
            raise PassError(
                f"stack_bytes {stack_bytes} is negative; with 0 no buffer is on the stack"
            )
        expand_reductions(op)
        layouts = Layouts()
        memories = {memory.scope: memory for memory in loop.memories_in(op)}
        starts: list[ApplyOp] = []
        patterns: list[RewritePattern] = [
            CountFromZero(starts),
            FlattenBind(layouts),
            FlattenRealize(layouts, stack_bytes, alignment, memories),
            FlattenBuffer(layouts),
            FlattenAccess(layouts),
        ]
        rewrite(op, patterns)
        # Subscripts were rewritten past these values. Inner ones use outer ones: erase backwards.
        for start in reversed(starts):
            if not start.result.uses:
                Rewriter.erase_op(start)
        for tensor in layouts.of:
            for use in tensor.uses:
                raise PassError(
                    f"{use.operation.name} uses a tensor region; "
                    "storage-flatten knows loop.load, loop.store, loop.prefetch and loop.buffer",
                    use.operation,
                )
            assert isinstance(tensor.owner, Operation)
            Rewriter.erase_op(tensor.owner)
