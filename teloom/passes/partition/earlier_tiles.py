"""Lets the last iteration of a loop over tiles begin earlier, with all that is computed in it.

All tiles are whole then, and one piece of code is for all. What the last tile shares with the one
before is computed twice, from the same values in the same order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.loops.iteration_sets import is_inside
from teloom.analysis.loops.lacking_tiles import LackingTile, lacking_tile
from teloom.analysis.loops.room import has_buffers
from teloom.analysis.loops.tile_moves import Move, TileMoves
from teloom.analysis.memory.shared_bytes import roots
from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import is_linear, over_dims
from teloom.dialects.affine.operands import exprs_of_forms, pack_forms
from teloom.dialects.affine.polynomials import Polynomial, of_exprs
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.interfaces import Access
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.boxes import pack_box
from teloom.dialects.syntax.tails import Tail
from teloom.dialects.upstream.accesses import accesses_of
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.partition.loop_parts import LeftOver
from teloom.passes.partition.loop_tests import depends_on

_KINDS = LoopKind.SERIAL, LoopKind.PARALLEL, LoopKind.DYNAMIC, LoopKind.UNROLLED
"""Of loops over tiles of which each may begin elsewhere."""

_IN_TILES = (
    loop.AccessOp,
    loop.ReduceOp,
    loop.ForOp,
    loop.IfOp,
    loop.YieldOp,
    scf.IfOp,
    scf.YieldOp,
)

_Uses = Mapping[SSAValue, Sequence[Access]]
"""The accesses to memory that is not of one tile alone."""


def begin_earlier(body: Block) -> list[LackingTile]:
    """Makes the last tiles of loops in a function whole, where that is asked for and legal.

    Temporaries get room for tiles that are rounded up. So these begin earlier only if they touch
    something else, such as an argument.
    """
    tails = {op: loop.tail_of(op) for op in ops_in(body, loop.ForOp)}
    asked = {op for op in tails if tails[op] in (Tail.SHIFT_INWARDS, Tail.ROUND_UP)}
    found: list[LackingTile] = []
    for op in tails if asked else ():
        if (tile := lacking_tile(op, asked)) is not None and tile.is_whole_first:
            is_shifted = any(tails[one.op] is Tail.SHIFT_INWARDS for one in tile.tiles)
            if (moves := _moves_of(tile, asked, is_shifted)) is not None:
                _move_all(tile, moves)
                found.append(tile)
    return found


class Earlier(NamedTuple):
    """How a tile begins earlier, of which the schedule leaves open how it ends."""

    tile: LackingTile
    moves: Sequence[Move]

    @staticmethod
    def of(tile: LackingTile) -> Earlier | None:
        """None if it may not run again."""
        moves = _moves_of(tile, [one.op for one in tile.tiles], True)
        return None if moves is None else Earlier(tile, moves)

    def write(self) -> LeftOver | None:
        """Makes all tiles whole; returns what runs where the axis may be shorter than a tile."""
        too_short = None if self.tile.is_whole_first else _where_first_is_whole(self.tile)
        _move_all(self.tile, self.moves)
        return too_short


def _where_first_is_whole(tile: LackingTile) -> LeftOver:
    """Puts a loop over tiles where the first one is whole, beside a copy for where it is not."""
    assert tile.first_lacks is not None
    op, copy = tile.op, tile.op.clone()
    exprs, values = exprs_of_forms([tile.first_lacks.times(-1)])
    whole, short = Block(), Block([copy])
    branch = loop.IfOp([Conjunction([], exprs)], values, Region(whole), Region(short))
    Rewriter.insert_op(branch, InsertPoint.before(op))
    op.detach()
    whole.add_op(op)
    (first,) = copy.lower.data.results
    return LeftOver(copy.body.block, 1, copy.induction_variable, first, copy.operands_)


def _moves_of(
    tile: LackingTile, asked: Container[Operation], is_shifted: bool
) -> list[Move] | None:
    """How the last tile begins earlier; None if it cannot, or need not."""
    if tile.op.kind.data not in _KINDS:
        return None
    uses = _uses_outside(tile.op)
    if uses is None or (not is_shifted and all(map(_has_room, uses))):
        return None
    if not all(_are_alike(part, tile.op) for part in tile.loops_over_parts):
        return None
    moves = TileMoves(tile, asked)
    found = moves.of_all()
    return found if found is not None and _may_run_again(uses, moves) else None


def _uses_outside(op: loop.ForOp) -> _Uses | None:
    """The accesses of a loop to memory outside; None if it does more than to compute."""
    uses = defaultdict[SSAValue, list[Access]](list)
    for inner in preorder(op.body.block):
        if not (isinstance(inner, _IN_TILES) or _is_private(inner) or only_computes(inner)):
            return None
        for access in accesses_of(inner):
            if access.is_needed and not is_inside(access.buffer, op):
                for memory in roots(access.buffer):
                    uses[memory].append(access)
    return uses


def _is_private(op: Operation) -> bool:
    """Whether an op is storage of one tile alone."""
    return isinstance(op, loop.RealizeOp) and not op.storage.is_double_buffered


def _are_alike(part: loop.ForOp, op: loop.ForOp) -> bool:
    """Whether parts of an axis differ in their tiles alone, which are in the loop `op`.

    A tile that begins earlier may reach into the part before, of which nothing else may be asked.
    """
    for inner in preorder(part.body.block):
        if inner.is_ancestor(op) and inner is not op and not isinstance(inner, loop.ForOp):
            return False
        if not op.is_ancestor(inner) and depends_on(inner, part.induction_variable):
            return False
    return True


def _has_room(memory: SSAValue) -> bool:
    """Whether a tensor gets room for more elements: a temporary that no code of others sees."""
    return isinstance(memory.owner, loop.RealizeOp) and not has_buffers(memory)


def _may_run_again(uses: _Uses, moves: TileMoves) -> bool:
    """Whether a tile that shares points with the one before computes the same at these.

    What it stores for others are elements of its points alone, and nothing in it reads them.
    """
    written = (each for each in uses.values() if any(one.writes for one in each))
    moved = (one for each in uses.values() for one in each if depends_on(one.op, moves.tile.number))
    return all(_is_stored_once(each, moves) for each in written) and all(map(_is_by_rows, moved))


def _is_stored_once(uses: Sequence[Access], moves: TileMoves) -> bool:
    """Whether a tensor is only written, by one store, to elements of the points of a tile."""
    op = uses[0].op
    return len(uses) == 1 and isinstance(op, loop.StoreOp) and moves.is_apart(op)


def _is_by_rows(access: Access) -> bool:
    """Whether an access is to no blocks: tiles that begin anywhere would be parts of several."""
    region = access.buffer.owner
    assert isinstance(region, loop.TensorRegionOp)
    layout = region.stored.own_layout
    return layout is None or all(map(is_linear, layout.exprs))


def _move_all(tile: LackingTile, moves: Sequence[Move]) -> None:
    """Moves what is in a tile by as much as it lacks."""
    head = InsertPoint.at_start(tile.op.body.block)
    code = IndexCode(lambda new: Rewriter.insert_op(new, head))
    at = Polynomial.of(tile.number).times(tile.step)
    begin = code.least([at, at - tile.missing])
    begin.name_hint = "begin"
    back = Polynomial.of(begin) - at
    for one in tile.tiles:
        set_bounds(one.op, [one.lower], [one.upper], one.op.operands_)
        _move(one.op, [1, 1], back)
    for op, times in moves:
        if any(times):
            _move(op, times, back)


def _move(op: loop.ForOp | loop.RealizeOp, times: Sequence[int], back: Polynomial) -> None:
    """Adds multiples of `back` to the sides of a loop, or to the offsets of a region."""
    is_loop = isinstance(op, loop.ForOp)
    first, second = (op.lower, op.upper) if is_loop else (op.offsets, op.extents)
    forms = of_exprs([*first.data.results, *second.data.results], op.operands_)
    moved = (form.plus(back, by) for form, by in zip_longest(forms, times, fillvalue=0))
    map, values = pack_forms(moved)
    sides, count = over_dims(map.data), len(first.data.results)
    if is_loop:
        set_bounds(op, sides[:count], sides[count:], values)
    else:
        box = [*zip(sides[:count], sides[count:], strict=True)]
        op.operands, op.offsets, op.extents = pack_box(box, values)
