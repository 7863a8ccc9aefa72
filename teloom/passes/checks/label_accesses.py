"""Pass `label-accesses`: labels every access with the element of the region that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects import loop, shadow, te
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.interfaces import Access, Rules
from teloom.dialects.upstream.accesses import accesses_of, accesses_to
from teloom.passes.code.reductions import expand_reductions
from teloom.passes.expected_level import refuse


def _region_of_box(name: str, op: loop.TensorRegionOp) -> shadow.RegionOp:
    box = zip(op.offsets.data.results, op.extents.data.results, strict=True)
    return shadow.RegionOp(name, [*box], op.operands_)


def _region_of_buffer(buffer: SSAValue[MemRefType], sizes: Sequence[SSAValue]) -> shadow.RegionOp:
    shape = buffer.type.get_shape()
    extents = [AffineExpr.constant(extent) for extent in shape]
    for number, axis in enumerate(k for k, extent in enumerate(shape) if extent == DYNAMIC_INDEX):
        extents[axis] = AffineExpr.dimension(number)
    box = [(AffineExpr.constant(0), extent) for extent in extents]
    return shadow.RegionOp(buffer.name_hint or "a buffer", box, sizes)


Made = tuple[SSAValue, shadow.RegionOp]
"""A tensor or buffer, and its elements."""

REGIONS: Rules[Callable[[Any], Made]] = Rules(
    {
        loop.RealizeOp: lambda op: (op.tensor, _region_of_box(op.stage_name.data, op)),
        loop.BindOp: lambda op: (op.tensor, _region_of_box(op.buffer.name_hint or "a buffer", op)),
        memref.AllocOp: lambda op: (op.memref, _region_of_buffer(op.memref, op.dynamic_sizes)),
        memref.AllocaOp: lambda op: (op.memref, _region_of_buffer(op.memref, op.dynamic_sizes)),
        memref.ViewOp: lambda op: (op.result, _region_of_buffer(op.result, op.sizes)),
    }
)
"""What each op makes, if it makes a tensor or a buffer."""


def _behind(op: Operation) -> Iterator[Operation]:
    """The ops behind `op`, in its block and in the blocks around it."""
    at: Operation | None = op
    while at is not None and not isinstance(at, func.FuncOp):
        while (next_op := at.next_op) is not None:
            yield from preorder(next_op)
            at = next_op
        at = at.parent_op()


class Labels:
    """The regions of the tensors and buffers so far."""

    def __init__(self) -> None:
        self._regions: dict[SSAValue, shadow.RegionOp] = {}

    def add(self, op: Operation) -> None:
        """Gives a name to what `op` makes or accesses."""
        if (rule := REGIONS[type(op)]) is not None:
            value, region = rule(op)
            if not any(map(shadow.labels_of, accesses_to(value))):
                region.location = op.location
                Rewriter.insert_op(region, InsertPoint.after(op))
                self._regions[value] = region
        for access in accesses_of(op):
            region = self._regions.get(access.buffer)
            if region and access.value and access.lanes == 1 and not shadow.labels_of(access):
                self._label(access, access.value, region)

    def _label(self, access: Access, value: SSAValue, region: shadow.RegionOp) -> None:
        op, element = access.op, (region.region, access.subscripts, access.indices)
        if access.writes:
            label = shadow.StoredOp(value, *element)
            Rewriter.insert_op(label, InsertPoint.before(op))
            op.operands[list(op.operands).index(value)] = label.result
        else:
            label = shadow.LoadedOp(value, *element, self._reader(op))
            Rewriter.insert_op(label, InsertPoint.after(op))
        label.location = op.location

    def _reader(self, op: Operation) -> str:
        """The name of the region that is written next."""
        for later in _behind(op):
            for access in accesses_of(later):
                if access.is_known and access.writes:
                    if known := self._regions.get(access.buffer):
                        return known.region_name.data
                    return access.buffer.name_hint or "a buffer"
        return "nothing"


def drop_labels(function: Operation) -> None:
    """Removes the labels of all accesses."""
    said = ops_in(function, shadow.RegionOp, shadow.ElementOp)
    for op in reversed(said):
        if isinstance(op, shadow.StoredOp):
            op.result.replace_all_uses_with(op.value)
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class LabelAccessesPass(ModulePass):
    """Say of every load and store which element it means, for `check-accesses`.

    A `loop.realize` or `loop.bind`, and a `memref.alloc`, `memref.alloca` or
    `memref.view`, is a region of its own, each time that it is reached. An access to it
    is labelled with the subscripts that it has here. The labels stay what they are while
    later passes decide where the elements lie.

    What has labels keeps them: to a buffer with some no others are added.

    Order: before `storage-flatten`, so that labels are coordinates of tensors, or before
    any pass that moves memory; before `check-accesses`, which reads the labels.

    Example: `label-accesses`
    ```mlir
    func.func @rows(%A: memref<64xf32>) {
      %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
      loop.for %y = 0 to 7 {
        %b = loop.realize "b" [%y : 2] : !loop.tensor<1, f32>
        %v = loop.load %a[%y, 0] : f32
        loop.store %v, %b[%y + 1] : f32
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @rows(%A: memref<64xf32>) {
      %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
      %0 = shadow.region "A" [0 : 8, 0 : 8]
      loop.for %y = 0 to 7 {
        %b = loop.realize "b" [%y : 2] : !loop.tensor<1, f32>
        %1 = shadow.region "b" [%y : 2]
        %v = loop.load %a[%y, 0] : f32
        shadow.loaded %v, %0[%y, 0] by "b" : f32
        %w = shadow.stored %v, %1[%y + 1] : f32
        loop.store %w, %b[%y + 1] : f32
      }
      func.return
    }
    ```
    Refused: `label-accesses`
    ```mlir
    te.func @same(%A: tensor<4xf32>) -> (tensor<4xf32>) {
      %B = te.compute "B" (%i = 4) : tensor<4xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<4xf32>
    }
    ```
    with "te.func is left here; run te-to-loops first"
    """

    name = "label-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        expand_reductions(op)
        labels = Labels()
        for inner in [*preorder(op)]:
            labels.add(inner)
