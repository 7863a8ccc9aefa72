"""Moves the last tile inwards, so that it is as long as the others.

The iterations that it shares with the tile before run a second time, on the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, Region
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import lower_bounds
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Harm, Longer, Touched, harm_to, not_written
from teloom.analysis.loops.tiles import Tile
from teloom.analysis.memory.shared_bytes import sharing
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.sets.points import Points
from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.operands import OperandList, bound_text
from teloom.dialects.affine.polynomials import Polynomial, of_exprs, to_expr
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.syntax.tails import Partition
from teloom.dialects.upstream.accesses import accesses_of, accesses_to
from teloom.errors import ScheduleError
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.partition.loop_parts import LeftOver, past_first

_OPERATIONS = 200_000
"""The most isl operations for one access: a fifth of a second."""


class Shift(NamedTuple):
    """A tile to move; `parts` are the parts of the loops over tiles in which it is the last tile.

    Another tile is before it where one of these loops is past its first iteration. `last` says that
    the tile is the last one in each of its iterations; otherwise it is whole in some of them.
    """

    tile: Tile
    parts: Sequence[LeftOver]
    last: bool

    def write(self) -> None:
        """Moves the tile where another one is before it. A tile without others stays."""
        op, (end,) = self.tile.op, self.tile.ends
        length = difference(self.tile.upper, self.tile.lower)
        moved = op.clone()
        set_bounds(moved, [end + length * -1], [end], [*op.operands_])
        operands = OperandList()
        one_before = [to_expr(part.past_first, operands.dim) for part in self.parts]
        is_last: list[AffineExpr] = []
        if not self.last:
            (missing,) = of_exprs([difference(self.tile.upper, end)], op.operands_)
            is_last.append(to_expr(missing, operands.dim))
        then, otherwise = Block([moved]), Block()
        branch = loop.IfOp(
            [Conjunction([], [expr, *is_last]) for expr in one_before],
            operands.values,
            Region(then),
            Region(otherwise),
        )
        Rewriter.insert_op(branch, InsertPoint.before(op))
        op.detach()
        otherwise.add_op(op)

    def again(self, sets: IterationSets) -> list[list[Constraint]]:
        """The iterations that run a second time."""
        lower = sets.exprs([self.tile.lower], self.tile.op.operands_)[0]
        earlier = more_than(lower, sets.coordinate(self.tile.op.induction_variable))
        again = [*self.tile.shifted(sets), earlier]
        return [
            [*again, at_least(to_expr(part.past_first, sets.coordinate))] for part in self.parts
        ]


def shift_of(tile: Tile, left_over: Sequence[LeftOver]) -> Shift | None:
    """The shift of a tile; None if no tile is before it wherever it ends early.

    Raises ScheduleError if something would be computed wrongly.
    """
    op = tile.op
    parts = [part for part in left_over if _is_of_tiles(part, tile)]
    if len(tile.ends) == 1 and not parts and _is_always_first(tile):
        return None
    if len(tile.ends) != 1 or not parts:
        raise ScheduleError(
            f"cannot shift axis {op.axis_name} inwards: {_no_single_end(tile)}; use tail "
            '"predicate", "guard" or "cut"',
            op,
        )
    if not _has_one_before(tile, [part.past_first for part in parts]):
        return None
    shift, touched = Shift(tile, parts, _is_last(tile)), Touched()
    iteration = parts[0].counter.owner  # of the outermost loop over tiles
    assert isinstance(iteration, Block)
    for access in [*preorder(tile.op.body.block)]:
        reason = found_in_time(
            touched.context,
            _OPERATIONS,
            partial(_why_not, access, shift, iteration, touched),
            f"it takes too long to prove that {access.name} may run twice there",
        )
        if reason is not None:
            raise ScheduleError(
                f"cannot shift axis {tile.op.axis_name} inwards: {reason}; use tail "
                '"predicate", "guard" or "cut"',
                access,
            )
    return shift


def _is_of_tiles(part: LeftOver, tile: Tile) -> bool:
    """Whether a part belongs to a loop over tiles, and holds the last tile."""
    around = part.counter.owner.parent_op()
    assert isinstance(around, loop.ForOp)
    is_in = part.body.find_ancestor_op_in_block(tile.op) is not None
    return _is_over_tiles(around) and is_in and part.counter in tile.op.operands_


def _is_last(tile: Tile) -> bool:
    """Whether a tile ends where the axis does, wherever it stands."""
    sets = IterationSets(isl.Context())
    (end, upper) = sets.exprs([*tile.ends, tile.upper], tile.op.operands_)
    return not _can_be(tile, sets, more_than(end, upper))


def _is_always_first(tile: Tile) -> bool:
    """Whether no tile is before one that ends early, by the bounds of the loops over tiles."""
    loops = _loops_of(tile)
    past = [past_first(op.induction_variable, one) for op in loops for one in lower_bounds(op)]
    return bool(loops) and all(map(_is_over_tiles, loops)) and not _has_one_before(tile, past)


def _loops_of(tile: Tile) -> list[loop.ForOp]:
    """The loops whose counters the bounds of a tile read."""
    around = [
        value.owner.parent_op() for value in tile.op.operands_ if isinstance(value, BlockArgument)
    ]
    return [op for op in around if isinstance(op, loop.ForOp)]


def _has_one_before(tile: Tile, past_first: Sequence[Polynomial]) -> bool:
    """Whether a tile may end early past the first iteration of a loop over tiles."""
    for one in past_first:
        sets = IterationSets(isl.Context())
        (end, upper) = sets.exprs([*tile.ends, tile.upper], tile.op.operands_)
        if _can_be(tile, sets, more_than(upper, end), at_least(to_expr(one, sets.coordinate))):
            return True
    return False


def _can_be(tile: Tile, sets: IterationSets, *constraints: Constraint) -> bool:
    """Whether some iteration around a tile fulfils the constraints."""
    there = [*sets.around(tile.op), *constraints]
    return not sets.points([[*there, *one] for one in sets.otherwise(tile.op)]).set.is_empty()


def _no_single_end(tile: Tile) -> str:
    """The reason why it is not known which tiles end early."""
    if len(tile.ends) != 1:
        return (
            f"its tiles end at the first of {len(tile.ends)} ends, as those of a split of tiles "
            "whose length the factor does not divide"
        )
    loops = _loops_of(tile)
    names = {
        is_divided: ", ".join(op.axis_name for op in loops if _is_over_tiles(op) == is_divided)
        for is_divided in (True, False)
    }
    if not loops:
        end = bound_text(tile.op.upper.data.results, tile.op.operands_, "min")
        return f"it ends at {end}, whichever of its tiles it is"
    if not names[True]:
        return f"it ends early where axis {names[False]} says so, whichever of its tiles it is"
    divided = f"the loop over {names[True]} is not divided into whole tiles and a last one"
    if not names[False]:
        return divided
    return f"where a tile of it ends early depends on axis {names[False]} as well, so {divided}"


def _is_over_tiles(op: loop.ForOp) -> bool:
    return loop.partition_of(op) is Partition.ALWAYS


def _why_not(access: Operation, shift: Shift, tiles: Block, touched: Touched) -> str | None:
    """Why it would be wrong to run an access a second time; None if it is right."""
    if isinstance(access, loop.ForOp | loop.IfOp | scf.IfOp):
        return None
    if not isinstance(access, loop.AccessOp | loop.ReduceOp):
        return f"it holds {access.name}" if access.regions or accesses_of(access) else None
    again = Longer([shift.tile.op], shift.again)
    harm: Harm | None = None
    for one in accesses_of(access):
        if not one.is_needed:
            continue
        elements = touched.of(access, one.buffer, again)
        match access:
            case loop.ReduceOp() | loop.InitOp():
                harm = harm_to(access, one.buffer, elements, "would be added to a second time")
            case loop.LoadOp():
                harm = _read_again(access, elements, tiles)
            case _:
                harm = not_written(access, one.buffer, elements, touched)
        if harm is not None:
            return harm.text
    return None


def _read_again(access: loop.LoadOp, elements: Points, tiles: Block) -> Harm | None:
    """An element that has gone or changed when it is read a second time."""
    owner = access.tensor.owner
    word = "is read, and written by then"
    if isinstance(owner, Operation) and tiles.find_ancestor_op_in_block(owner) is not None:
        word = "is there for one tile, and the tile before has its own"
    elif not any(
        one.writes and tiles.find_ancestor_op_in_block(one.op) is not None
        for tensor in sharing(access.tensor)
        for one in accesses_to(tensor)
    ):
        return None
    return harm_to(access, access.tensor, elements, word)
