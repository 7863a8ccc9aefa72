"""Moves the last tile inwards, so that it is as long as the others.

What it shares with the tile before is computed a second time, from the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Harm, Longer, Touched, harm_to, not_written
from teloom.analysis.loops.tiles import Tile
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.analysis.sets.points import Points
from teloom.dialects import loop
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of, accesses_to
from teloom.errors import ScheduleError
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.loops.loop_parts import LeftOver


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
            f"cannot shift axis {tile.op.axis_name} inwards: its last tile is not one apart; "
            'use tail "guard"',
            tile.op,
        )
    of_counter = [part for part in inside if part.counter in tile.op.operands_]
    shift, touched = Shift(tile, (of_counter or inside)[0]), Touched()
    for access in [*preorder(tile.op.body.block)]:
        reason = _why_not(access, shift, inside[0].body, touched)
        if reason is not None:
            raise ScheduleError(
                f"cannot shift axis {tile.op.axis_name} inwards: {reason}; use tail "
                '"predicate", "guard" or "cut"',
                access,
            )
    return shift


def _why_not(access: Operation, shift: Shift, tiles: Block, touched: Touched) -> str | None:
    """Why an access would be wrong when it runs a second time; None if it is right."""
    if isinstance(access, loop.ForOp | loop.IfOp):
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
                harm = not_written(access, elements, touched)
        if harm is not None:
            return harm.text
    return None


def _read_again(access: loop.LoadOp, elements: Points, tiles: Block) -> Harm | None:
    """An element that is not there, or another one by now, when it is read a second time."""
    owner = access.tensor.owner
    word = "is read, and written by then"
    if isinstance(owner, Operation) and tiles.find_ancestor_op_in_block(owner) is not None:
        word = "is there for one tile, and the tile before has its own"
    elif not any(
        one.writes and tiles.find_ancestor_op_in_block(one.op) is not None
        for one in accesses_to(access.tensor)
    ):
        return None
    return harm_to(access, access.tensor, elements, word)
