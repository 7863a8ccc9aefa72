"""Moves the last tile inwards, so that it is as long as the others.

What it shares with the tile before is computed a second time, from the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Harm, Longer, elements_of, not_written
from teloom.analysis.loops.tiles import Tile, name_of
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects import loop
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_to
from teloom.errors import ScheduleError
from teloom.passes.loops.loop_parts import LeftOver
from teloom.passes.loops.loop_tests import set_bounds


class Shift(NamedTuple):
    """A tile to move; `around` is the part in which it is the last one of its loop."""

    tile: Tile
    around: LeftOver

    def write(self) -> None:
        """Moves the tile where there is one before it; an only tile stays as it is."""
        op, values = self.tile.op, [*self.tile.op.operands_]
        ((end,), counter) = self.tile.ends, self._counter
        length = difference(self.tile.upper, self.tile.lower)
        moved = op.clone() if counter is not None else op
        set_bounds(moved, [end + length * -1], [end], values)
        if counter is None:
            return
        operands = OperandList(self.around.values)
        has_one_before = difference(operands.dim(counter), self.around.first) + -1
        then, otherwise = Block([moved]), Block()
        branch = loop.IfOp(
            [Conjunction([], [has_one_before])], operands.values, Region(then), Region(otherwise)
        )
        Rewriter.insert_op(branch, InsertPoint.before(op))
        op.detach()
        otherwise.add_op(op)

    @property
    def _counter(self) -> SSAValue | None:
        """The counter of the tiles; None where there is a single last one, of a known number."""
        counter = self.around.counter
        return counter if counter in self.tile.op.operands_ else None

    def again(self, sets: IterationSets) -> list[list[Constraint]]:
        """The iterations that run a second time."""
        lower, upper, end = sets.exprs(
            [self.tile.lower, self.tile.upper, *self.tile.ends], self.tile.op.operands_
        )
        at = sets.coordinate(self.tile.op.induction_variable)
        found = [more_than(lower, at), at_least(difference(at, end), difference(lower, upper))]
        if (counter := self._counter) is not None:
            (first,) = sets.exprs([self.around.first], self.around.values)
            found.append(more_than(sets.coordinate(counter), first))
        return [found]


def shift_of(tile: Tile, left_over: Sequence[LeftOver]) -> Shift:
    """The shift of a tile; raises ScheduleError if something would be computed wrongly."""
    inside = [part for part in left_over if part.body.find_ancestor_op_in_block(tile.op)]
    if len(tile.ends) != 1 or not inside:
        raise ScheduleError(
            f"cannot shift axis {name_of(tile)} inwards: its last tile is not one apart; use tail "
            '"guard"',
            tile.op,
        )
    of_counter = [part for part in inside if part.counter in tile.op.operands_]
    shift = Shift(tile, (of_counter or inside)[0])
    for access in [*preorder(tile.op.body.block)]:
        reason = _why_not(access, shift, inside[0].body)
        if reason is not None:
            raise ScheduleError(
                f"cannot shift axis {name_of(tile)} inwards: {reason}; use tail "
                '"predicate", "guard" or "cut"',
                access,
            )
    return shift


def _why_not(access: Operation, shift: Shift, tiles: Block) -> str | None:
    """Why an access would be wrong when it runs a second time; None if it is right."""
    match access:
        case loop.ReduceOp() | loop.InitOp():
            name = access.operands[1].name_hint or "a tensor"
            return f"some elements of {name} would be added to a second time"
        case loop.LoadOp():
            return _why_not_read_again(access, tiles)
        case loop.StoreOp():
            harm = _not_computed(access, shift)
            return None if harm is None else harm.text
        case loop.ForOp() | loop.IfOp():
            return None
        case _ if isinstance(access, loop.AccessOp) or access.regions:
            return f"it holds {access.name}"
    return None


def _why_not_read_again(access: loop.LoadOp, tiles: Block) -> str | None:
    name = access.tensor.name_hint or "a tensor"
    owner = access.tensor.owner
    if isinstance(owner, Operation) and tiles.find_ancestor_op_in_block(owner) is not None:
        return f"{name} is there for one tile, and the tile before has its own"
    writes = (one for one in accesses_to(access.tensor) if one.writes)
    if any(tiles.find_ancestor_op_in_block(one.op) is not None for one in writes):
        return f"{name}, which it reads, is written by then"
    return None


def _not_computed(access: loop.StoreOp, shift: Shift) -> Harm | None:
    """An element that the shifted tile writes and no iteration of the program does."""
    context = isl.Context()
    again = Longer([shift.tile.op], shift.again)
    elements = elements_of(access, access.tensor, context, again)
    return not_written(access, elements, context)
