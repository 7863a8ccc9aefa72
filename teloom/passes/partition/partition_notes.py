"""Notes on partial tiles: which iterations are whole, and how the others run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.loops.tiles import Tile, tile_of
from teloom.analysis.loops.whole_range import LoopParts
from teloom.dialects import loop
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.operands import bound_text
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.upstream.accesses import accesses_of
from teloom.passes.partition.shifted_tails import Shift
from teloom.passes.partition.tail_loops import Mask
from teloom.passes.partition.tile_versions import Versions


def told_of_mask(mask: Mask) -> str:
    """The note on a loop that is as long as a tile, and on the accesses that it leaves out."""
    skipped = [*_said("not read", mask.skipped, False), *_said("not written", mask.skipped, True)]
    repeated = _said("read at the nearest place that there is", mask.repeated, False)
    left_out = ", ".join([*skipped, *repeated])
    sides = [("has not begun", mask.tile.starts), ("has ended", mask.tile.ends)]
    outside = " or ".join(word for word, bounds in sides if bounds)
    where = f"; where the axis {outside}, {left_out}" if left_out else ""
    return f"{mask.tile.op.axis_name}: {_length(mask.tile)}{where}"


def told_of_earlier(axis: str) -> str:
    """The note on an axis in tiles of which the last begins earlier."""
    return f"{axis}: the last tile is whole: it begins earlier, in the one before"


def _length(tile: Tile) -> str:
    """The length of a loop that is as long as its tile, perhaps one of `partition-loops`."""
    ends = [difference(end, tile.lower) for end in tile.ends]
    known = [end.value for end in ends if isinstance(end, AffineConstantExpr)]
    if tile.starts or len(known) < len(ends):
        return "as long as a tile"
    return f"{tile.extent} iterations for {min(known)}, of whole vectors"


def _said(word: str, accesses: Sequence[Operation], writes: bool) -> Iterator[str]:
    buffers = [one.buffer for op in accesses for one in accesses_of(op) if one.writes is writes]
    names = dict.fromkeys(buffer.name_hint or "a tensor" for buffer in buffers)
    if names:
        yield f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} {word}"


def told_of_parts(op: loop.ForOp, parts: LoopParts, in_branches: bool) -> str:
    """The note on a loop whose whole iterations run apart."""
    values, (lower, upper, _) = parts.values, parts.whole
    first, end = bound_text(lower, values, "max"), bound_text(upper, values, "min")
    where = "in a branch" if in_branches else "in a loop behind or in front"
    others = "one other" if parts.left_over == 1 else f"{parts.left_over} others"
    return f"{op.axis_name}: whole from {first} to {end}; {others} at most, {where}"


def told_of_versions(versions: Versions) -> str:
    """Of tiles in what is left over, of which there is a version for each length."""
    lengths = "1" if versions.most == 1 else f"1 to {versions.most}"
    return f"{versions.axis}: a version for each length, {lengths}, in what is left over"


def told_of_tails(changes: Iterable[Mask | Shift]) -> Iterator[str]:
    """The notes on the loops in what is left over."""
    for change in changes:
        if isinstance(change, Mask):
            yield f"{told_of_mask(change)} (in what is left over)"
        else:
            yield told_of_earlier(change.tile.op.axis_name)


def told_of_ends(body: Block, left_over: Sequence[Block]) -> Iterator[str]:
    """The notes on the loops that begin late or end early."""
    told = set[str]()
    for op in preorder(body):
        if not isinstance(op, loop.ForOp) or op.body.block in left_over:
            continue
        if constant_extent(op) is not None:
            continue
        in_rest = any(block.find_ancestor_op_in_block(op) is not None for block in left_over)
        is_rolled = in_rest and op.kind.data is LoopKind.UNROLLED
        sides = f"{op.axis_name}: {_sides(op)}"
        if sides in told or not (is_rolled or tile_of(op) is not None):
            continue
        told.add(sides)
        why = ", and is not unrolled: that is no constant number of iterations" if is_rolled else ""
        yield f"{sides} {'in what is left over' if in_rest else 'in every tile'}{why}"


def _sides(op: loop.ForOp) -> str:
    """Where a loop begins and ends, of the bounds that are no single ones."""
    lower, upper = op.lower.data.results, op.upper.data.results
    begin = f"begins at {bound_text(lower, op.operands_, 'max')}"
    end = f"ends at {bound_text(upper, op.operands_, 'min')}"
    if len(lower) == 1:
        return end
    return begin if len(upper) == 1 else f"{begin} and {end}"
