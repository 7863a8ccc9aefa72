"""Makes loops that begin late or end early as long as others: rounded up, masked, or shifted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeGuard, TypeVar

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.lane_counts import lane_count
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.index.strides import stride_of
from teloom.analysis.loops.earlier_writes import by_written, reads_nothing
from teloom.analysis.loops.iteration_sets import is_inside
from teloom.analysis.loops.longer_loops import (
    Longer,
    Touched,
    harm_of,
    is_private,
)
from teloom.analysis.loops.longer_reads import Side, all_sides, may_stay_inside, sides_left
from teloom.analysis.loops.room import has_buffers, room_for
from teloom.analysis.loops.tiles import Tile, tile_of
from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.unrolled_size import are_in_a_row
from teloom.dialects import loop
from teloom.dialects.bodies.around import ops_around, ops_between
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.boxes import pack_box
from teloom.dialects.syntax.tails import Partition, Tail
from teloom.dialects.target import Target
from teloom.dialects.upstream.accesses import accesses_of
from teloom.errors import ScheduleError
from teloom.passes.code.code_motion import only_computes, only_where
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.partition.loop_parts import LeftOver
from teloom.passes.partition.shifted_tails import Shift, shift_of
from teloom.passes.partition.whole_vectors import end_as_before, tiles_of_whole_vectors

_ACCESSES = (loop.AccessOp, loop.ReduceOp)
_OTHERS = (loop.ForOp, loop.IfOp, loop.YieldOp, loop.RealizeOp, scf.IfOp, scf.YieldOp)

_OfLoop = TypeVar("_OfLoop")

_WORDS = {Tail.ROUND_UP: "round up", Tail.PREDICATE: "mask"}

_SHORT = 64
"""The most iterations of a loop that gets longer without a word of the schedule."""

_OPERATIONS = 200_000
"""The most operations of isl for one question on extra iterations."""


@dataclass
class Mask:
    """A tile that becomes as long as the others, and the accesses that would then do harm.

    `longer` has the extra iterations around each of its accesses. Extra iterations skip the
    accesses in `skipped`. By those in `repeated` they read what the nearest iteration reads
    that is not extra. Those in `bounded` they skip only where these leave a region. `beside` are
    all tiles that become longer. `uneven` are accesses that extra iterations of these tiles skip by
    a condition on their own bounds.
    """

    tile: Tile
    beside: Mapping[Operation, Tile]
    longer: dict[Operation, Longer] = field(default_factory=dict)
    skipped: list[Operation] = field(default_factory=list)
    repeated: list[Operation] = field(default_factory=list)
    bounded: list[loop.LoadOp] = field(default_factory=list)
    uneven: set[Operation] = field(default_factory=set)

    def write(self) -> None:
        op, tile = self.tile.op, self.tile
        values = [*op.operands_]
        if self.skipped:
            holds = _condition(tile, values)
            for access in self.skipped:
                only_where(access, holds)
        if self.repeated:
            nearest = _nearest(tile, values)
            for access in self.repeated:
                _move(access, op.induction_variable, nearest)
        set_bounds(op, [tile.lower], [tile.upper], values)

    def leave_out(self, access: Operation) -> None:
        """Lets extra iterations skip `access`."""
        if access in self.bounded:
            self.bounded.remove(access)
            self.skipped.append(access)
        elif not _is_rounded_up(self.tile):
            self.skipped.append(access)
        elif self._can_move(access):
            self.repeated.append(access)
        elif _is_in_box(access) and may_stay_inside(access, self.tile, self.longer[access]):
            self.longer[access] = self.longer[access]._replace(is_inside=True)
            self.bounded.append(access)
        else:
            self.skipped.append(access)

    def does_more(self, access: Operation) -> bool:
        """Whether extra iterations touch an element that no other iteration of the tile touches."""
        assert isinstance(access, loop.AccessOp | loop.ReduceOp)
        by_others = not any(self._follows(value, access) for value in access.operands_)
        by_others = by_others and self._runs_in_every_iteration(access)
        writes = any(one.writes for one in accesses_of(access))
        of_its_own = any(is_inside(one.buffer, self.tile.op) for one in accesses_of(access))
        return writes or of_its_own or not by_others or not self.tile.is_never_empty

    def leaves_out(self, access: Operation) -> bool:
        return access in (*self.skipped, *self.repeated, *self.bounded)

    def forget(self, access: Operation) -> None:
        """Takes back the decision on an access, which is `uneven` from then on."""
        for some in (self.skipped, self.repeated, self.bounded):
            if access in some:
                some.remove(access)  # pyright: ignore
        self.longer.pop(access, None)
        self.uneven.add(access)

    def kept(self) -> Iterator[tuple[Operation, Longer]]:
        """The accesses that extra iterations carry out, each with the iterations that do so."""
        left_out = {*self.skipped, *self.repeated}
        return (one for one in self.longer.items() if one[0] not in left_out)

    def _can_move(self, access: Operation) -> bool:
        """Whether extra iterations can read what the first or last iteration of the tile reads.

        The subscripts are counters, of which the tile's is one. The iterations are no lanes, and
        the buffer is not made anew in each of them.
        """
        op = self.tile.op
        if not isinstance(access, loop.LoadOp) or op.kind.data is LoopKind.VECTORIZED:
            return False
        if is_inside(access.tensor, op):
            return False
        inside = [value for value in access.operands_ if is_inside(value, op)]
        is_by_counters = all(isinstance(value, BlockArgument) for value in inside)
        is_moved = is_by_counters and op.induction_variable in inside and self.tile.is_never_empty
        return is_moved and self._runs_in_every_iteration(access)

    def _runs_in_every_iteration(self, access: Operation) -> bool:
        """Whether all iterations of the tile, and so the last one, run an access equally often."""
        for around in ops_between(access, self.tile.op):
            if not isinstance(around, loop.ForOp):
                return False
            if any(self._follows(value, access) for value in self._bounds_of(around, access)):
                return False
        return True

    def _bounds_of(self, op: Operation, access: Operation) -> Sequence[SSAValue]:
        """The bounds and conditions that decide in which iterations of a loop an access happens."""
        longer = None if access in self.uneven else self.beside.get(op)
        if longer is None:
            return op.operands
        dims = longer.lower.used_dims() | longer.upper.used_dims()
        return [longer.op.operands_[dim] for dim in dims]

    def _follows(self, value: SSAValue, access: Operation) -> bool:
        """Whether a value may depend on the counter of the tile; a counter does by its bounds."""
        if not is_inside(value, self.tile.op):
            return False
        around = value.owner.parent_op() if isinstance(value, BlockArgument) else None
        if around is None or around is self.tile.op:
            return True
        return any(self._follows(one, access) for one in self._bounds_of(around, access))


def has_unit_strides(mask: Mask) -> bool:
    """Whether lanes of all skipped accesses are neighbours in memory, as masked vectors need."""
    counter, forms = mask.tile.op.induction_variable, AffineIndexForms()
    for access in mask.skipped:
        assert isinstance(access, loop.AccessOp | loop.ReduceOp)
        if stride_of(forms.of_exprs(access.subscripts, access.operands_), counter) != 1:
            return False
    return True


def _condition(tile: Tile, values: Sequence[SSAValue]) -> SSAValue:
    """Writes the test at the start of the body whether the iteration is not extra."""
    code, counter = _at_head_of(tile), tile.op.induction_variable
    sides = [(start, "sge") for start in tile.starts] + [(end, "slt") for end in tile.ends]
    tests = (arith.CmpiOp(counter, code.expr(side, values), word) for side, word in sides)
    return code.joined(arith.AndIOp, [code.emit(test) for test in tests])


def _nearest(tile: Tile, values: Sequence[SSAValue]) -> SSAValue:
    """The number of the nearest iteration that is not extra."""
    code = _at_head_of(tile)
    lasts = [code.expr(end + -1, values) for end in tile.ends]
    firsts = [code.expr(start, values) for start in tile.starts]
    found = code.joined(arith.MinSIOp, [tile.op.induction_variable, *lasts])
    return code.joined(arith.MaxSIOp, [found, *firsts])


def _at_head_of(tile: Tile) -> IndexCode:
    """Writes code in front of the body of a tile."""
    head = InsertPoint.at_start(tile.op.body.block)
    return IndexCode(lambda new: Rewriter.insert_op(new, head))


def _move(access: Operation, counter: SSAValue, to: SSAValue) -> None:
    access.operands = [to if operand is counter else operand for operand in access.operands]


def lengthen_tiles(body: Block, target: Target) -> list[Mask]:
    """Makes the loops of a function as long as their tiles where that is asked for or harmless.

    Tiles with the tail "round_up" get longer; accesses that would harm others are left out. A short
    vectorized loop of which the schedule says nothing gets longer where its extra iterations are
    harmless. One that would end with parts of a vector gets longer also under a mask. Raises
    ScheduleError for code that must not run in extra iterations.
    """
    of_vectors = {*tiles_of_whole_vectors(body, target)}

    def has_room(tile: Tile) -> bool:
        return tile.op in of_vectors or _is_rounded_up(tile)

    def suits(mask: Mask) -> bool:
        return not mask.skipped or (mask.tile.op in of_vectors and has_unit_strides(mask))

    tiles = [tile for tile in _tiles_in(body) if has_room(tile) or _may_be_longer(tile)]
    touched, beside = Touched(), {tile.op: tile for tile in tiles}
    for tile in filter(has_room, tiles):
        _make_room(tile, beside, touched)
    found = _masks_of(tiles, suits, touched)
    for op in of_vectors - {mask.tile.op for mask in found}:
        end_as_before(op)
    sides = _sides_of_regions(found, touched)
    for mask in found:
        mask.write()
        op = mask.tile.op
        # Conditions in it are tested in the loops around it: parts of it would be no whole vectors.
        is_rolled = op.kind.data is LoopKind.SERIAL
        loop.set_policies(op, loop.partition_of(op) if is_rolled else Partition.NEVER, Tail.AUTO)
    for access, some in sides.items():
        only_where(access, _is_within(access, some))
    return found


def _sides_of_regions(
    masks: Sequence[Mask], touched: Touched
) -> dict[loop.LoadOp, Collection[Side]]:
    """The sides on which `bounded` accesses would leave the regions that they read.

    For an access that reads what another iteration reads as well, these are all sides.
    """
    found: dict[loop.LoadOp, Collection[Side]] = {}
    for access in dict.fromkeys(access for mask in masks for access in mask.bounded):
        longer = [mask.longer[access] for mask in masks if access in mask.bounded]
        sides = [side for one in longer for side in _sides_left(access, one, touched)]
        is_moved = any(access in mask.repeated for mask in masks)
        found[access] = all_sides(access) if is_moved else dict.fromkeys(sides)
    return found


def _sides_left(access: loop.LoadOp, longer: Longer, touched: Touched) -> Collection[Side]:
    """The sides on which extra iterations leave a region: all, if isl takes too long to decide."""
    find = partial(sides_left, access, longer, touched)
    return found_in_time(touched.context, _OPERATIONS, find, all_sides(access))


def _is_within(access: loop.LoadOp, sides: Collection[Side]) -> SSAValue:
    """Writes the test whether an element is inside of its region on some sides."""
    code, region = IndexCode.before(access), access.tensor.owner
    assert isinstance(region, loop.TensorRegionOp)
    bounds = zip(region.offsets.data.results, region.extents.data.results, strict=True)
    limits = [(offset, offset + extent) for offset, extent in bounds]
    found = list[SSAValue]()
    for axis, is_behind in sides:
        at = code.expr(access.subscripts[axis], access.operands_)
        limit = code.expr(limits[axis][is_behind], region.operands_)
        found.append(code.emit(arith.CmpiOp(at, limit, "slt" if is_behind else "sge")))
    return code.joined(arith.AndIOp, found)


def finish_tails(body: Block, left_over: Sequence[LeftOver], target: Target) -> list[Mask | Shift]:
    """Gives the tiles of a function that end early the form that the schedule asks for.

    Where it says nothing, short vectorized tiles in the parts that are left over are masked if
    their lanes are neighbours in memory. Raises ScheduleError for an access that would do harm,
    with an element that it touches.
    """
    tiles = _tiles_in(body)
    # All are decided before one is changed: what extra lanes read of each other is never used.
    shifted = [tile for tile in tiles if tile.shifts_inwards]
    shifts = [shift for tile in shifted if (shift := shift_of(tile, left_over)) is not None]
    lengthened = [tile for tile in tiles if _may_be_masked(tile, left_over, target)]
    masks = [*_masks_of(lengthened, has_unit_strides, Touched())]
    # Accesses first, for a tile that is moved is a copy of what it then is.
    for change in (*masks, *shifts):
        change.write()
    return [*shifts, *masks]


def _tiles_in(body: Block) -> list[Tile]:
    loops = ops_in(body, loop.ForOp)
    return [tile for op in loops if (tile := tile_of(op)) is not None]


def _is_rounded_up(tile: Tile) -> bool:
    return loop.tail_of(tile.op) is Tail.ROUND_UP


def _may_be_longer(tile: Tile) -> bool:
    """Whether a tile of which the schedule says nothing is a candidate: short and vectorized."""
    said_nothing = loop.tail_of(tile.op) is Tail.AUTO
    return said_nothing and tile.op.kind.data is LoopKind.VECTORIZED and tile.extent <= _SHORT


def _may_be_masked(tile: Tile, left_over: Sequence[LeftOver], target: Target) -> bool:
    tail, op = loop.tail_of(tile.op), tile.op
    if tail is Tail.AUTO and op.kind.data is LoopKind.VECTORIZED:
        is_left_over = any(part.body.find_ancestor_op_in_block(op) for part in left_over)
        return is_left_over and _is_in_registers(tile, target) and not _is_swept(tile)
    return tail is Tail.PREDICATE


def _is_in_registers(tile: Tile, target: Target) -> bool:
    """Whether a tile is so short that it is no loop over vectors: one that is may end early."""
    return are_in_a_row(tile.extent, lane_count(tile.op, target.vector_bytes))


def _is_swept(tile: Tile) -> bool:
    """Whether a loop around a tile, by which it begins or ends, returns to elements of an update.

    Masks would then change from one update to the next, so elements cannot stay in registers. What
    is stored under a mask has to be in memory before it is read again, which a processor waits for.
    """
    dims = {dim for side in (*tile.starts, *tile.ends) for dim in side.used_dims()}
    counters = {value for dim in dims if loop.is_counter(value := tile.op.operands_[dim])}
    accesses = [(access, one) for access in _accesses_in(tile) for one in accesses_of(access)]
    read = {one.buffer for _, one in accesses if one.reads}
    updates = {access for access, one in accesses if one.writes and one.buffer in read}
    return any(not counters <= {*access.operands_} for access in updates)


def _make_room(tile: Tile, beside: Mapping[Operation, Tile], touched: Touched) -> None:
    """Gives the storage of temporary tensors room for what extra iterations write."""
    for access in _accesses_in(tile):
        longer = tile.longer([one for one in _around(access, beside) if one is not tile])
        for one in accesses_of(access):
            if one.writes and is_private(one.buffer) and not has_buffers(one.buffer):
                room = _room(access, one.buffer, longer, touched)
                if room is not None and any(map(any, room)):
                    _enlarge(one.buffer.owner, room)


def _room(
    access: Operation, tensor: SSAValue, longer: Longer, touched: Touched
) -> list[tuple[int, int]] | None:
    """The room for extra iterations; None if it is unbounded, or takes isl too long to find."""

    def find() -> list[tuple[int, int]] | None:
        return room_for(tensor, touched.of(access, tensor, longer))

    return found_in_time(touched.context, _OPERATIONS, find, None)


def _enlarge(op: Operation | Block, room: Sequence[tuple[int, int]]) -> None:
    assert isinstance(op, loop.RealizeOp)
    sides = zip(op.offsets.data.results, op.extents.data.results, room, strict=True)
    box = [(o + -before, e + (before + behind)) for o, e, (before, behind) in sides]
    op.operands, op.offsets, op.extents = pack_box(box, op.operands_)


def _accesses_in(tile: Tile) -> Sequence[Operation]:
    return ops_in(tile.op.body.block, *_ACCESSES)


def _around(access: Operation, of_loops: Mapping[Operation, _OfLoop]) -> list[_OfLoop]:
    """What belongs to the loops around an access, from the outermost in."""
    found = [of_loops[outer] for outer in ops_around(access) if outer in of_loops]
    return found[::-1]


def _masks_of(tiles: Sequence[Tile], suits: Callable[[Mask], bool], touched: Touched) -> list[Mask]:
    """The tiles, each with the accesses that its extra iterations leave out.

    A tile of which the schedule says nothing, and that does not suit, is not among them. An access
    that is left out can be a write that another tile reads, so this is a fixed point.
    """
    while True:
        beside = {tile.op: tile for tile in tiles if _may_run_longer(tile)}
        masks = {tile.op: Mask(tile, beside) for tile in beside.values()}
        found = [*masks.values()]
        for access in dict.fromkeys(access for mask in found for access in _accesses_in(mask.tile)):
            _leave_out_harm(access, _around(access, masks), touched)
        _leave_out_what_is_not_there(masks, touched)
        found = [one for one in found if _is_asked_for(one.tile) or suits(one)]
        if len(found) == len(tiles):
            return found
        tiles = [mask.tile for mask in found]


def _is_in_box(access: Operation) -> TypeGuard[loop.LoadOp]:
    """Whether an access reads a tensor whose storage has all elements of a box."""
    if not isinstance(access, loop.LoadOp):
        return False
    region = access.tensor.owner
    assert isinstance(region, loop.TensorRegionOp)
    layout = region.stored.own_layout
    return layout is None or not layout.triangle


def _is_asked_for(tile: Tile) -> bool:
    return loop.tail_of(tile.op) is not Tail.AUTO


def _may_run_longer(tile: Tile) -> bool:
    """Whether all code of a tile may run in extra iterations.

    Raises ScheduleError if some may not, and the schedule asks for extra iterations.
    """
    wrong = next((op for op in preorder(tile.op.body.block) if not _may_run(op)), None)
    if wrong is not None and _is_asked_for(tile):
        raise ScheduleError(
            f"cannot {_WORDS[loop.tail_of(tile.op)]} axis {tile.op.axis_name}: its loop holds "
            f"{wrong.name}, which must not run for elements that do not exist; use tail "
            '"guard" or "cut"',
            tile.op,
        )
    return wrong is None


def _may_run(op: Operation) -> bool:
    """Whether an op in a tile may run in extra iterations, or can be skipped there."""
    return isinstance(op, _ACCESSES + _OTHERS) or only_computes(op)


def _leave_out_harm(access: Operation, around: Sequence[Mask], touched: Touched) -> None:
    """Leaves out an access that would do harm in extra iterations of the tiles around it.

    Where one tile skips it, the iterations of the tiles around that one are no longer alike.
    """
    _leave_out_of_each(access, around, touched)
    _decide_again(access, around, touched)


def _decide_again(access: Operation, around: Sequence[Mask], touched: Touched) -> None:
    """Decides again on an access that a tile skips, which makes its iterations differ."""
    even = [mask for mask in around if access not in mask.uneven]
    if len(around) > 1 and even and any(access in mask.skipped for mask in around):
        for mask in around:
            mask.forget(access)
        _leave_out_of_each(access, around, touched)


def _leave_out_of_each(access: Operation, around: Sequence[Mask], touched: Touched) -> None:
    """Leaves out an access of each tile in which it does harm, those that do harm alone first."""
    moving = [mask for mask in around if mask.does_more(access)]
    are_several = len(moving) > 1
    if are_several and not any(_does_harm(access, mask, moving, touched) for mask in moving):
        return
    for mask in moving:
        if _does_harm(access, mask, [mask], touched):
            mask.leave_out(access)
    remaining = [mask for mask in moving if not mask.leaves_out(access)]
    for mask in remaining if are_several else ():
        others = [one for one in remaining if not one.leaves_out(access)]
        if _does_harm(access, mask, others, touched):
            mask.leave_out(access)
    for mask in moving:
        if access in mask.bounded:
            running = [one for one in moving if access not in (*one.skipped, *one.repeated)]
            others = [one.tile for one in running if one is not mask]
            mask.longer[access] = mask.tile.longer(others)._replace(is_inside=True)


def _does_harm(access: Operation, mask: Mask, longer: Sequence[Mask], touched: Touched) -> bool:
    """Whether an access does harm in extra iterations of a tile while some tiles are longer."""
    others = [one.tile for one in longer if one is not mask]
    mask.longer[access] = mask.tile.longer(others)

    def is_wrong() -> bool:
        return harm_of(access, mask.longer[access], touched) is not None

    return found_in_time(touched.context, _OPERATIONS, is_wrong, True)


def _leave_out_what_is_not_there(masks: Mapping[Operation, Mask], touched: Touched) -> None:
    """Also leaves out reads of elements that nobody has written."""
    changed = True
    while changed:
        changed = False
        kept = by_written(one for mask in masks.values() for one in mask.kept())
        for mask in masks.values():
            for access, longer in [*mask.kept()]:
                find = partial(reads_nothing, access, longer, kept, touched)
                if found_in_time(touched.context, _OPERATIONS, find, True):
                    changed = True
                    mask.leave_out(access)
                    _decide_again(access, _around(access, masks), touched)
