"""How many iterations of a loop fit a vector."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType, MemRefType
from xdsl.ir import Attribute

from teloom.analysis.index.extents import extents
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of


def largest_extent(op: loop.ForOp) -> int | None:
    """The most iterations that `op` has for any values of its operands, if there is a limit."""
    constants = [extent.as_constant() for extent in extents(op)]
    return min((max(extent, 0) for extent in constants if extent is not None), default=None)


def shorter_vectors(extent: int, lanes: int, masked: bool = False) -> int:
    """How many vectors run what an extent has behind its last whole one.

    They have half the lanes, a quarter, and so on; or it is one, `masked`.
    """
    rest = extent % lanes
    return min(rest, 1) if masked else rest.bit_count()


def lane_count(op: loop.ForOp, bytes: int) -> int:
    """How many lanes of the widest type in the body fit a vector of `bytes`, and the extent.

    A power of two; below 2 if no iterations of the loop fill a vector.
    """
    lanes, found = lanes_of_widest(op, bytes), extents(op)
    while lanes > 1 and not _may_fill(found, lanes):
        lanes //= 2
    return lanes


def lanes_of_widest(op: loop.ForOp, bytes: int) -> int:
    """How many lanes of the widest type in the body fit a vector of `bytes`; at least 2."""
    widest = 1
    for inner in preorder(op.body.block):
        types: list[Attribute] = [
            r.type for r in inner.results if isinstance(r.type, FixedBitwidthType)
        ]
        buffers = (access.buffer.type for access in accesses_of(inner))
        types += (t.element_type for t in buffers if isinstance(t, MemRefType | loop.TensorType))
        widest = max([widest, *map(byte_width, types)])
    return 1 << (max(2, bytes // widest).bit_length() - 1)


def _may_fill(found: Sequence[Polynomial], lanes: int) -> bool:
    """Whether there may be a vector of so many iterations, of which the least of `found` counts."""
    counts = [extent.floordiv(lanes).as_constant() for extent in found]
    return all(count is None or count > 0 for count in counts)
