"""Tiles of which the schedule says nothing, and that are best whole, also at the end of an axis."""

from __future__ import annotations

from teloom.analysis.accesses.lane_counts import lane_count, shorter_vectors
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.index.strides import stride_of
from teloom.analysis.loops.lacking_tiles import LackingTile, lacking_tile
from teloom.analysis.loops.tiles import Tile, tile_of
from teloom.analysis.unrolled_size import are_in_a_row
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Partition, Tail
from teloom.dialects.target import Target
from teloom.dialects.upstream.accesses import accesses_of


def best_whole_tile(op: loop.ForOp, target: Target) -> LackingTile | None:
    """The tile that a loop is over, if the last one is not more vectors where it is whole.

    If it ends early, its last lanes are a vector under a mask where these are fast, and else one of
    half the lanes, one of a quarter, and so on. All are under masks at an end that the call knows.
    What runs once, and not for each iteration of a loop around, does not matter.
    """
    if not loop.is_in_loop(op):
        return None
    free = {one for one in ops_in(op.body.block, loop.ForOp) if _is_free(one, op, target)}
    tile = lacking_tile(op, free) if free else None
    if tile is None or not _may_be_whole_first(tile):
        return None
    around = [op, *tile.loops_over_parts]
    is_free = all(loop.partition_of(one) is Partition.AUTO for one in around)
    if not is_free or any(one.kind.data.at_the_same_time for one in around):
        return None
    are_best = (
        one.op in free and _is_best_whole(one, tile.last_lacks, target) for one in tile.tiles
    )
    return tile if all(are_best) else None


def _may_be_whole_first(tile: LackingTile) -> bool:
    """Whether the first tile is whole, or is so in some calls."""
    lacks = tile.first_lacks
    return lacks is not None and lacks.is_affine and (lacks.as_constant() or 0) <= 0


def _is_free(op: loop.ForOp, tiles: loop.ForOp, target: Target) -> bool:
    """Whether a loop is a tile of vectors in a row, that may end as is best."""
    if op.kind.data is not LoopKind.VECTORIZED or loop.tail_of(op) is not Tail.AUTO:
        return False
    if tiles.induction_variable not in op.operands_ or (tile := tile_of(op)) is None:
        return False
    return are_in_a_row(tile.extent, lane_count(op, target.vector_bytes))


def _is_best_whole(tile: Tile, lacks: int | None, target: Target) -> bool:
    """Whether a loop is not more vectors where it is as long as a tile."""
    if not _is_plain(tile.op):
        return False
    if lacks is None:
        return True
    lanes = lane_count(tile.op, target.vector_bytes)
    has_masks = target.has_masked_stores(target.vector_bytes // lanes)
    left = tile.extent - lacks
    vectors = left // lanes + shorter_vectors(left, lanes, has_masks)
    return lacks > 0 and -(-tile.extent // lanes) <= vectors


def _is_plain(op: loop.ForOp) -> bool:
    """Whether lanes are neighbours in memory, and write elements of their own in the usual way."""
    forms = AffineIndexForms()
    for access in ops_in(op.body.block, loop.AccessOp, loop.ReduceOp):
        stride = stride_of(
            forms.of_exprs(access.subscripts, access.operands_), op.induction_variable
        )
        is_written = any(one.writes for one in accesses_of(access))
        is_streamed = isinstance(access, loop.StoreOp) and access.streamed is not None
        if stride not in ((1,) if is_written else (0, 1)) or is_streamed:
            return False
    return True
