"""Pass `linearize-memrefs`: buffers of several dimensions become flat ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from teloom.analysis.memory.storage import Allocation
from teloom.dialects import loop, te
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.interfaces import Access
from teloom.dialects.upstream.accesses import accesses_to
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.rewriting import of_kind, rewrite
from teloom.passes.expected_level import refuse


class Linearize(RewritePattern):
    """Allocates a buffer of several dimensions as a flat one, row-major."""

    @of_kind
    def match_and_rewrite(self, op: Allocation, rewriter: PatternRewriter) -> None:
        shape = op.memref.type.get_shape()
        if len(shape) < 2:
            return
        accesses = [
            one for one in accesses_to(op.memref) if not isinstance(one.op, memref.DeallocOp)
        ]
        for access in accesses:
            if not access.is_known:
                raise PassError(
                    f"{access.op.name} uses a buffer of {len(shape)} dimensions; "
                    "linearize-memrefs knows memref.load, memref.store, memref.prefetch and "
                    "memref.dealloc",
                    access.op,
                )
        dynamic = iter(op.dynamic_sizes)
        sizes = [next(dynamic) if size == DYNAMIC_INDEX else size for size in shape]
        flat = _flat(op, sizes)
        for access in accesses:
            _linearize_access(access, sizes)
        rewriter.replace(op, flat)


def _flat(op: Allocation, sizes: Sequence[SSAValue | int]) -> Operation:
    extents = [
        Polynomial.constant(size) if isinstance(size, int) else Polynomial.of(size)
        for size in sizes
    ]
    counts = [IndexCode.before(op).count(extents)] if op.dynamic_sizes else []
    old = op.memref.type
    shape = [DYNAMIC_INDEX if counts else prod(old.get_shape())]
    flat = type(op).build(
        operands=[counts, []],
        result_types=[MemRefType(old.element_type, shape, old.layout, old.memory_space)],
        properties={"alignment": op.alignment},
        attributes=op.attributes,
    )
    flat.location = op.location
    return flat


def _linearize_access(access: Access, sizes: Sequence[SSAValue | int]) -> None:
    code, (index, *others) = IndexCode.before(access.op), access.indices
    for size, inner in zip(sizes[1:], others, strict=True):
        if isinstance(size, int):
            index = code.of(Polynomial.of(index).times(size) + Polynomial.of(inner))
        else:
            index = code.add(code.multiply(index, size), inner)
    access.move(access.buffer, [index])


@dataclass(frozen=True)
class LinearizeMemrefsPass(ModulePass):
    """Linearize buffers of several dimensions, which layouts with separators create: row-major.

    Order: after `buffer-reuse`, which never lets them share with flat ones; before
    `vectorize-loops` and all passes behind it, which know a single index per element.

    Example: `linearize-memrefs`
    ```mlir
    func.func @fill(%n: index, %i: index, %j: index, %x: f32) {
      %a = memref.alloca() : memref<12x4xf32>
      memref.store %x, %a[%i, %j] : memref<12x4xf32>
      %b = memref.alloc(%n) : memref<?x8xf32>
      memref.store %x, %b[%i, %j] : memref<?x8xf32>
      memref.dealloc %b : memref<?x8xf32>
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%n: index, %i: index, %j: index, %x: f32) {
      %a = memref.alloca() : memref<48xf32>
      %p = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%i, %j)
      memref.store %x, %a[%p] : memref<48xf32>
      %size = loop.element_count [%n, 8]
      %b = memref.alloc(%size) : memref<?xf32>
      %q = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      memref.store %x, %b[%q] : memref<?xf32>
      memref.dealloc %b : memref<?xf32>
      func.return
    }
    ```
    Refused: `linearize-memrefs`
    ```mlir
    func.func @passed_on() {
      %a = memref.alloca() : memref<12x4xf32>
      "test.op"(%a) : (memref<12x4xf32>) -> ()
      func.return
    }
    ```
    with "test.op uses a buffer of 2 dimensions; linearize-memrefs knows memref.load"
    """

    name = "linearize-memrefs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        rewrite(op, [Linearize()])
