"""Pass `align-accesses`: vectors that always lie on a boundary say so."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import vector
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from teloom.analysis.accesses.alignment import access_alignment
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.dialects.upstream.arith import i64_attribute
from teloom.passes.code.rewriting import of_kind, rewrite


@dataclass
class AlignVector(RewritePattern):
    """A vector access gets the alignment that its index and its buffer prove."""

    forms: IndexForms

    @of_kind
    def match_and_rewrite(
        self, op: vector.LoadOp | vector.StoreOp, rewriter: PatternRewriter
    ) -> None:
        base, indices = op.base, op.indices
        if len(indices) != 1 or "alignment" in op.attributes:
            return
        known = access_alignment(base, indices[0], self.forms)
        assert isinstance(base.type, MemRefType)
        if known > byte_width(base.type.element_type):
            op.attributes["alignment"] = i64_attribute(known)
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class AlignAccessesPass(ModulePass):
    """Write on vector accesses the boundary on which they lie, where that is proved.

    An access lies on a boundary if its buffer does and its index is a multiple of it for
    all values of loop variables and sizes. Without an alignment an access is only known
    to lie on a boundary of one element.

    Order: after `vectorize-loops`, which makes the vectors; before `lower-loops`, while
    indices are affine expressions.

    Example: `align-accesses`
    ```mlir
    func.func @eights(%A: memref<64xi32>) {
      %b = memref.alloca() {alignment = 32 : i64} : memref<64xi32>
      loop.for %i = 0 to 8 {
        %first = affine.apply affine_map<(d0) -> (d0 * 8)> (%i)
        %a = vector.load %A[%first] : memref<64xi32>, vector<8xi32>
        vector.store %a, %b[%first] : memref<64xi32>, vector<8xi32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @eights(%A: memref<64xi32>) {
      %b = memref.alloca() {alignment = 32 : i64} : memref<64xi32>
      loop.for %i = 0 to 8 {
        %first = affine.apply affine_map<(d0) -> (d0 * 8)> (%i)
        %a = vector.load %A[%first] : memref<64xi32>, vector<8xi32>
        vector.store %a, %b[%first] {alignment = 32 : i64} : memref<64xi32>, vector<8xi32>
      }
      func.return
    }
    ```
    """

    name = "align-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, [AlignVector(IndexForms())])
