"""Which loops become copies of their bodies, and how many instructions LLVM gets of them."""

from __future__ import annotations

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation

from teloom.analysis.index.extents import constant_extent
from teloom.dialects import loop
from teloom.dialects.affine.fold import DIVISIONS, operations

MOST_INSTRUCTIONS = 12288
"""For which LLVM takes up to three seconds. For twice as many straight ones it takes eight, in
tiles of a matrix product; for three times as many in loops and branches, five, in stencils."""

UNROLLED_VECTORS = 16
"""Up to so many vectors in a row are no loop in machine code."""

MOST_ROWS, _IN_TILES = 16, 1200
"""Up to so many iterations, and instructions of all copies, a serial loop is unrolled so that the
elements that it counts may be in registers: a tile of a product at an edge has about 800."""

_OF_A_LOOP = 4
"""As how many copies a loop counts that is left to LLVM, which makes vectors of it or unrolls it.
So counted, bodies with loops in them take it about as long as others."""

_OF_A_DIVISION = 3

_OF_A_FUNCTION = 50
"""As many instructions, give or take a half, `expand-math` makes of most functions of floats."""

_OF_A_REMAINDER = 25
"""Also by `expand-math`."""

_INSTRUCTIONS = (
    math.AbsFOp,
    math.AbsIOp,
    math.CeilOp,
    math.CopySignOp,
    math.CountLeadingZerosOp,
    math.CountTrailingZerosOp,
    math.CtPopOp,
    math.FloorOp,
    math.FmaOp,
    math.RoundEvenOp,
    math.RoundOp,
    math.RsqrtOp,
    math.SqrtOp,
    math.TruncOp,
)
"""The ops of `math` that machines have, nearly."""


def instructions(op: Operation) -> int:
    """About how many there are of `op` once loops in it, and itself, are unrolled."""
    total, pending = 0, [(op, 1)]
    while pending:
        outer, copies = pending.pop()
        total += copies * (_of_itself(outer) + _arithmetic(outer))
        if outer.regions:
            copies *= _copies(outer)
            blocks = [block for region in outer.regions for block in region.blocks]
            pending += [(inner, copies) for block in blocks for inner in block.ops]
    return total


def are_in_a_row(extent: int, lanes: int) -> bool:
    """Whether so many iterations, in vectors of so many lanes, are no loop in machine code."""
    return extent <= UNROLLED_VECTORS * lanes


def becomes_copies(op: loop.ForOp, element_bytes: int, vector_bytes: int) -> bool:
    """Whether the counter of `op` is a constant in machine code, or the lane of a vector.

    `element_bytes` are those of the elements that it counts, `vector_bytes` those of a vector.
    """
    extent = constant_extent(op)
    if extent is None:
        return False
    match op.kind.data:
        case loop.LoopKind.UNROLLED:
            return instructions(op) <= MOST_INSTRUCTIONS
        case loop.LoopKind.VECTORIZED:
            return extent * element_bytes <= UNROLLED_VECTORS * vector_bytes
        case loop.LoopKind.SERIAL:
            return extent <= MOST_ROWS and extent * instructions(op) <= _IN_TILES * _copies(op)
        case _:
            return False


def _copies(op: Operation) -> int:
    """How many copies there are of the body of `op`."""
    if not isinstance(op, loop.ForOp):
        return 1
    extent = constant_extent(op)
    if extent is not None and op.kind.data is loop.LoopKind.UNROLLED:
        return extent
    return _OF_A_LOOP if extent is None else min(extent, _OF_A_LOOP)


def _of_itself(op: Operation) -> int:
    if isinstance(op, llvm.FRemOp):
        return _OF_A_REMAINDER
    is_function = op.dialect_name() == "math" and not isinstance(op, _INSTRUCTIONS)
    return _OF_A_FUNCTION if is_function else 1


def _arithmetic(op: Operation) -> int:
    """How many instructions the affine expressions of `op` are."""
    maps = [one.data for one in op.properties.values() if isinstance(one, AffineMapAttr)]
    found = [part for map in maps for expr in map.results for part in operations(expr)]
    return len(found) + (_OF_A_DIVISION - 1) * sum(part.kind in DIVISIONS for part in found)
