"""What all structured ops of `linalg` say: loops, how each operand is indexed, and a body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.utils.type import get_element_type_or_self

from teloom.errors import PassError


class Structured(NamedTuple):
    """A structured op: `maps` are of its inputs, then of its outputs, over all loops.

    The body has an argument for each of them, and yields what the outputs become.
    """

    op: Operation
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]
    maps: Sequence[AffineMap]
    parallel: Sequence[bool]
    body: Block

    @staticmethod
    def of(op: Operation) -> Structured | None:
        """The description of a structured op; None for any other op."""
        if isinstance(op, LinalgStructuredOperation):
            return Structured(
                op,
                op.inputs,
                op.outputs,
                [map.data for map in op.get_indexing_maps()],
                [kind.data is IteratorType.PARALLEL for kind in op.get_iterator_types()],
                op.body.block,
            )
        if isinstance(op, linalg.BroadcastOp):
            rank = _rank(op.init)
            added = set(op.dimensions.get_values())
            kept = [axis for axis in range(rank) if axis not in added]
            return _projected(op, kept, rank, op.hidden_region, reads_kept=True)
        if isinstance(op, linalg.ReduceOp):
            rank = _rank(op.input)
            folded = set(op.dimensions.get_values())
            kept = [axis for axis in range(rank) if axis not in folded]
            return _projected(op, kept, rank, op.region, reads_kept=False)
        return None

    @property
    def data_loops(self) -> list[int]:
        """The loop of each axis of the outputs.

        Raises `PassError` unless they run over all elements of each output, in one order.
        """
        maps = self.maps[len(self.inputs) :]
        loops = [expr.position for expr in maps[0].results if isinstance(expr, AffineDimExpr)]
        parallel = [loop for loop, free in enumerate(self.parallel) if free]
        if len(loops) < len(maps[0].results) or sorted(loops) != parallel:
            raise PassError(
                f"an output of {self.op.name} is indexed by {maps[0]}; "
                "it must have each parallel loop once, and no other",
                self.op,
            )
        if any(map != maps[0] for map in maps):
            raise PassError(f"the outputs of {self.op.name} are indexed in several ways", self.op)
        return loops

    def check_types(self) -> None:
        """Raises `PassError` unless the body yields elements of its outputs."""
        last = self.body.last_op
        assert last is not None
        for output, value in zip(self.outputs, last.operands, strict=True):
            element = get_element_type_or_self(output.type)
            if value.type != element:
                raise PassError(
                    f"{self.op.name} writes {value.type} to elements of type {element}; "
                    "it converts nothing, ops of arith do",
                    self.op,
                )

    @property
    def folded_loops(self) -> list[int]:
        """The loops that reduce."""
        return [loop for loop, free in enumerate(self.parallel) if not free]


def _rank(value: SSAValue) -> int:
    return len(value.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]


def _projected(
    op: linalg.BroadcastOp | linalg.ReduceOp,
    kept: Sequence[int],
    rank: int,
    body: Region,
    reads_kept: bool,
) -> Structured:
    some = AffineMap(rank, 0, tuple(map(AffineExpr.dimension, kept)))
    maps = (some, AffineMap.identity(rank)) if reads_kept else (AffineMap.identity(rank), some)
    parallel = [reads_kept or loop in kept for loop in range(rank)]
    return Structured(op, [op.input], [op.init], maps, parallel, body.block)
