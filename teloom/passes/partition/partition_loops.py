"""Pass `partition-loops`: iterations that are whole run apart from those that are not."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import islpy as isl
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.loops.masked_lanes import is_mask, is_short
from teloom.analysis.loops.nests import nests_with, size_of
from teloom.analysis.loops.whole_range import LoopParts, LoopRange
from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.sets.points import Points
from teloom.dialects import loop, te
from teloom.dialects.bodies.around import ops_between
from teloom.dialects.bodies.preorder import ops_in, ops_of
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Partition, Tail
from teloom.dialects.target import target_of
from teloom.errors import placed
from teloom.passes.expected_level import refuse
from teloom.passes.partition.earlier_tiles import Earlier, begin_earlier
from teloom.passes.partition.free_tiles import best_whole_tile
from teloom.passes.partition.idle_loops import erase_idle
from teloom.passes.partition.loop_parts import LeftOver, as_branches, as_loops, separate
from teloom.passes.partition.loop_tests import (
    LoopTest,
    Settled,
    depends_on,
    settle_all,
    settle_constants,
    simplify_subscripts,
    tests_in,
)
from teloom.passes.partition.partition_notes import (
    told_of_earlier,
    told_of_ends,
    told_of_mask,
    told_of_parts,
    told_of_tails,
    told_of_versions,
)
from teloom.passes.partition.small_buffers import may_be_in_registers, realized
from teloom.passes.partition.tail_loops import finish_tails, lengthen_tiles
from teloom.passes.partition.tile_versions import blocks_outside_loops, versions_in

_SERIAL = loop.LoopKindAttr(LoopKind.SERIAL)

_SYMBOLIC = 16
"""As how many iterations a loop counts whose number of iterations no constant says."""

_LEAST_WEIGHT = 1 / 64
"""Of a part, by its share of all iterations, that is looked into further."""

_SMALL_WEIGHT = 1 / 8
"""Of a part that is a small share of its loop as well, from which on it is unrolled."""


_MOST_GROWTH = 6
"""How many times as many ops a function may have afterwards."""

_LEAST_ROOM = 600
"""So many ops more it may have in any case: a small function is compiled in no time."""

_MOST_OPERATIONS = 100_000
"""Of isl, for one loop; a million of them take about a second."""


class _Loop(NamedTuple):
    """A loop to partition, and the share that its iterations have of all."""

    op: loop.ForOp
    weight: float


class _Pending:
    """Loops to partition, those of the most iterations first: the room is for them."""

    def __init__(self, loops: Iterable[_Loop]):
        self._numbers = count()
        self._entries: list[tuple[float, int, _Loop]] = []
        self.add(loops)

    def add(self, loops: Iterable[_Loop]) -> None:
        for one in loops:
            heappush(self._entries, (-one.weight, next(self._numbers), one))

    def pop(self) -> _Loop | None:
        return heappop(self._entries)[-1] if self._entries else None


class _Function:
    """Divides the loops of one function, as far as it may grow."""

    def __init__(self, function: func.FuncOp):
        self._body = function.body.block
        self._target = target_of(function)
        self._room = max(_LEAST_ROOM, (_MOST_GROWTH - 1) * size_of(function))
        self._left_over: list[LeftOver] = []
        self._told: list[str] = []

    def partition(self) -> list[str]:
        """Divides them; returns a line about each axis of which there are partial tiles."""
        for op in reversed(ops_in(self._body, loop.ForOp)):  # those inside of others first
            if points := loop.take_points(op):
                separate(op, points)
        self._told += (told_of_earlier(tile.axis) for tile in begin_earlier(self._body))
        self._told += map(told_of_mask, lengthen_tiles(self._body, self._target))
        pending = _Pending(_loops_in(self._body, 1))
        while (most := pending.pop()) is not None:
            with placed(most.op):
                pending.add(self._partition(most.op, most.weight))
        self._told += map(told_of_mask, lengthen_tiles(self._body, self._target))
        self._told += told_of_tails(finish_tails(self._body, self._left_over, self._target))
        self._told += told_of_ends(self._body, [part.body for part in self._left_over])
        for op in ops_in(self._body, loop.ForOp):
            loop.drop_policies(op)
        for part in self._left_over:
            part.put_in_place()
            settle_constants(part.body)
            _roll_what_has_no_extent(part.body)
        return [*dict.fromkeys(self._told)]

    def _partition(self, op: loop.ForOp, weight: float) -> Iterator[_Loop]:
        """Divides the iterations of a loop; gives the loops inside of the parts."""
        if weight >= _LEAST_WEIGHT:
            yield from self._begun_earlier(op, weight)
        tests = [*tests_in(op.body.block)]
        if not tests or (weight < _LEAST_WEIGHT and not _is_forced(op)):
            yield from _loops_in(op.body.block, weight) if tests else ()
            return
        own = [test for test in tests if depends_on(test.op, op.induction_variable)]
        parts, settled = _decided(op, own, lambda test: _pays(test, op))
        extent = constant_extent(op) or _SYMBOLIC
        left_over, nests = list[LeftOver](), list[Operation]()
        is_long = parts is not None and not _are_few(parts.left_over, op)
        if parts is not None:
            nests = nests_with(op, {one.test.op for one in settled})
            in_branches = bool(nests) or op.kind.data.at_the_same_time
            parts = self._affordable(parts, sum(map(size_of, nests or [op])), in_branches)
            if parts is None:
                settled = []
            else:
                self._told.append(told_of_parts(op, parts, in_branches))
                left_over = as_branches(op, parts, nests) if in_branches else as_loops(op, parts)
        settle_all(settled)
        if nests and is_long:
            left_over = [one for part in left_over for one in self._beside_other_side(op, part)]
        self._left_over += left_over
        yield from self._inside(op.body.block, weight, [part.body for part in left_over])
        for part in left_over:
            around = part.body.parent_op()
            settle_constants(part.body)
            _settle_alone(around)
            most = extent if part.most is None else part.most
            share = 0 if part.is_rare else weight * most / extent
            if is_long and isinstance(around, loop.ForOp):
                yield _Loop(around, share)
            else:
                yield from self._left_inside(part, share, _SMALL_WEIGHT if nests else _LEAST_WEIGHT)

    def _beside_other_side(self, op: loop.ForOp, part: LeftOver) -> list[LeftOver]:
        """What is left over in a branch, without the iterations in which its tests never hold.

        They get a branch of their own, as those above a diagonal, beside those on it.
        """
        settle_constants(part.body)
        nests, context = [*part.body.ops], isl.Context()
        if not nests:
            return []
        own = [test for test in tests_in(part.body) if depends_on(test.op, op.induction_variable)]
        find = partial(_where_none_holds, op, nests[0], own, context)
        parts, settled = found_in_time(context, _MOST_OPERATIONS, find, (None, []))
        rest = [part]
        if parts is not None and parts.number > 1:
            parts = self._affordable(parts, sum(map(size_of, nests)), True)
            rest = rest if parts is None else as_branches(op, parts, nests)
        if parts is not None:
            settle_all(settled)
        return rest

    def _begun_earlier(self, op: loop.ForOp, weight: float) -> Iterator[_Loop]:
        """Lets the last tile of a loop begin earlier, if that is best and legal.

        Gives the loops inside of what runs where the axis is shorter than a tile.
        """
        tile = best_whole_tile(op, self._target)
        if tile is None or (copied := size_of(op)) > self._room:
            return
        _settle_alone(op)
        if (earlier := Earlier.of(tile)) is None:
            return
        self._told.append(told_of_earlier(tile.axis))
        if (part := earlier.write()) is not None:
            self._room -= copied
            self._left_over.append(part)
            yield from self._left_inside(part, weight / _SYMBOLIC, _LEAST_WEIGHT)

    def _left_inside(self, part: LeftOver, share: float, least: float) -> Iterator[_Loop]:
        """The loops in what is left over, where loops stay loops if it is less than a share."""
        if share < least:
            _roll(part.body)
        yield from self._inside(part.body, share)

    def _affordable(self, parts: LoopParts, size: int, in_branches: bool) -> LoopParts | None:
        """The parts for which there is room, which is then taken; None if there is too little.

        `size` is that of what is copied for each part, or for all of them `in_branches`.
        """
        for some in (parts, parts.without_between):
            copied = size * (1 if in_branches else some.number - 1)
            if copied <= self._room:
                self._room -= copied
                return some
        return None

    def _inside(self, block: Block, weight: float, but: Sequence[Block] = ()) -> Iterator[_Loop]:
        """The loops in a block, of which there are versions where sums want them."""
        found = list[Block]()
        if weight >= _LEAST_WEIGHT and self._may_be_versions(block):
            for versions in versions_in(block):
                if versions.copied <= self._room:
                    self._room -= versions.copied
                    self._told.append(told_of_versions(versions))
                    bodies = versions.write()
                    found += bodies
                    for body in bodies:
                        yield from _loops_in(body, weight / len(bodies))
        yield from _loops_in(block, weight, [*but, *found])

    def _may_be_versions(self, block: Block) -> bool:
        """Whether a block is in what is left over, undivided so far, and may be divided."""
        around = block.parent_op()
        is_never = isinstance(around, loop.ForOp) and loop.partition_of(around) is Partition.NEVER
        bodies = [part.body for part in self._left_over]
        is_divided = any(body is not block and block.is_ancestor(body) for body in bodies)
        return not is_never and not is_divided and any(one.is_ancestor(block) for one in bodies)


def _settle_alone(op: Operation | None) -> None:
    """Settles what has one answer in all iterations, if an op is a loop."""
    if isinstance(op, loop.ForOp) and (tests := [*tests_in(op.body.block)]):
        _, settled = _decided(op, tests, lambda _: False)
        settle_all(settled)


def _decided(
    op: loop.ForOp, tests: Sequence[LoopTest], pays: Callable[[LoopTest], bool]
) -> tuple[LoopParts | None, list[Settled]]:
    """The parts of the iterations of a loop, if there are several, and what is then settled.

    Nothing is where that takes too many operations of isl.
    """
    context = isl.Context()
    find = partial(_parts_and_answers, op, tests, pays, context)
    return found_in_time(context, _MOST_OPERATIONS, find, (None, []))


def _parts_and_answers(
    op: loop.ForOp,
    tests: Sequence[LoopTest],
    pays: Callable[[LoopTest], bool],
    context: isl.Context,
) -> tuple[LoopParts | None, list[Settled]]:
    """The parts of the iterations that settle as many tests as can be, and the answers."""
    found, settled = LoopRange(op, context), list[Settled]()
    left = list[tuple[Settled, Points]]()
    for test in tests:
        asked = dict[bool, _Asked]()
        for answer in (True, False) if test.can_fail else (True,):
            failing = found.failing(test.op, test.condition, answer)
            if found.can_fail(failing):
                narrower = found.without(failing) if pays(test) else None
                asked[answer] = _Asked(failing, narrower)
                if narrower is None or not _is_worth(narrower.parts, op):
                    continue
                found = narrower
            settled.append(Settled(test, answer))
            break
        else:
            narrower = _on_one_side(found, asked, op)
            if narrower is not None:
                found = narrower
                settled.append(Settled(test, True))
            left += [(Settled(test, answer), one.failing) for answer, one in asked.items()]
    known = {one.test for one in settled}
    for one, failing in left:
        if found.narrowed and one.test not in known and not found.can_fail(failing):
            settled.append(one)
            known.add(one.test)
    return found.parts, settled


def _where_none_holds(
    op: loop.ForOp, inner: Operation, tests: Sequence[LoopTest], context: isl.Context
) -> tuple[LoopParts | None, list[Settled]]:
    """The parts of the iterations in which `inner` runs: in one of them no test holds."""
    found, settled = LoopRange(op, context, inner), list[Settled]()
    for test in tests:
        if test.can_fail and _pays(test, op):
            narrower = found.without(found.failing(test.op, test.condition, False))
            if narrower.parts is not None:
                found = narrower
                settled.append(Settled(test, False))
    return found.parts, settled


class _Asked(NamedTuple):
    """The iterations in which a test may fail to have an answer, and those without them."""

    failing: Points
    narrower: LoopRange | None


def _on_one_side(
    whole: LoopRange, asked: Mapping[bool, _Asked], op: loop.ForOp
) -> LoopRange | None:
    """The iterations in which a test holds, if it holds in none of the others, but for few.

    Both sides may be long, as those of a diagonal are. What is left over is divided in its turn.
    Of few vectors one has lanes on both sides.
    """
    narrower = asked[True].narrower
    if len(asked) == 1 or narrower is None or narrower.parts is None:
        return None
    if op.kind.data is LoopKind.VECTORIZED and is_short(op):
        return None
    of_both = asked[True].failing.intersect(asked[False].failing)
    return narrower if _are_few(whole.most_of(of_both), op) else None


def _is_forced(op: loop.ForOp) -> bool:
    return loop.partition_of(op) is Partition.ALWAYS


def _pays(test: LoopTest, op: loop.ForOp) -> bool:
    """Whether to settle a test is worth a copy of the body of the loop.

    It is where lanes or copies ask, and where the schedule says so. What an iteration computes
    ahead stays in one loop, and so does a tile that is going to begin earlier.
    """
    if loop.tail_of(op) is Tail.SHIFT_INWARDS:
        return False
    policy = loop.partition_of(op)
    own = ops_of(op.body.block, loop.RealizeOp)
    if policy is Partition.NEVER or any(one.storage.is_double_buffered for one in own):
        return False
    if policy is Partition.ALWAYS or op.kind.data is LoopKind.UNROLLED:
        return policy is Partition.ALWAYS
    asked = (test.op, *ops_between(test.op, op))
    if any(isinstance(one, loop.ForOp) and test.costs(one) for one in asked):
        return True
    return op.kind.data is LoopKind.VECTORIZED and not is_mask(test.op, op)


def _is_worth(parts: LoopParts | None, op: loop.ForOp) -> bool:
    """Whether a limited number of iterations is left over, not more than are whole."""
    return parts is not None and _are_few(parts.left_over, op)


def _are_few(iterations: int | None, op: loop.ForOp) -> bool:
    """Whether a limited number of the iterations of a loop is not more than the others."""
    extent = constant_extent(op)
    if iterations is None or extent is None:
        return iterations is not None
    return iterations < extent if _is_forced(op) else 2 * iterations <= extent


def _loops_in(block: Block, weight: float, but: Container[Block] = ()) -> Iterator[_Loop]:
    """The loops in a block that are in no other loop of it, nor in the blocks `but`."""
    for one in blocks_outside_loops(block, but):
        yield from (_Loop(op, weight) for op in one.ops if isinstance(op, loop.ForOp))


def _roll_what_has_no_extent(block: Block) -> None:
    """Leaves loops to be loops whose extent is not constant, in a part that is left over.

    Of these `unroll-loops` would say that they are not unrolled, where the whole ones are.
    """
    for op in ops_in(block, loop.ForOp):
        if op.kind.data is LoopKind.UNROLLED and constant_extent(op) is None:
            op.kind = _SERIAL


def _roll(block: Block) -> None:
    """Leaves loops to be loops in a part in which little is done.

    Not where a buffer from outside is written, or read that may be in registers: LLVM keeps it
    there while all indices into it are constant.
    """
    writes = ops_in(block, loop.WriteOp, loop.ReduceOp)
    reads = ops_in(block, loop.LoadOp)
    kept = realized(writes)
    kept |= {owner for owner in realized(reads) if may_be_in_registers(owner)}
    if all(block.find_ancestor_op_in_block(owner) for owner in kept):
        for op in ops_in(block, loop.ForOp):
            if op.kind.data is LoopKind.UNROLLED:
                op.kind = _SERIAL


@dataclass(frozen=True)
class PartitionLoopsPass(ModulePass):
    """Run the iterations of a loop that are whole apart from those that are not.

    What a loop asks in every iteration, a bound such as `min(8, n - 8 * io)`, a guard or a
    comparison such as that of padding, has one answer in most of them. Where vectorized or
    unrolled loops ask, the loop around becomes up to three: the iterations before, those in which
    all such answers are known, and those behind; a fourth has those that are before and behind, if
    sizes may be so small. The answers are integer sets: the whole iterations ask nothing, and their
    inner loops have constant extents. A parallel loop, or one over threads, stays one loop, of two
    branches. Where the answer is always the same, in all iterations or in those before or behind,
    the question goes in any case. A minimum or maximum of index values, as of a subscript that is
    clamped to an array, asks where lanes would have no vector: in others it is one instruction. So
    does a quotient that changes once or twice, as that of a subscript that wraps around.

    Where what asks is a small share of the loop, only that is in two branches. What a short
    vectorized loop asks only for its loads, from elements that are near each other, is their mask
    on targets that have fast ones.

    The last of several tiles of vectors begins earlier, so that all are whole, where it would be no
    fewer vectors if it ended early, and may run again: it stores elements of its own, and reads
    none of these. Where only the call knows whether there is a whole tile, the loop is in a branch,
    beside a copy for shorter axes.

    Some loops run as long as the others before anything is divided: those with
    `loop.tail = "round_up"`, for which storage gets room, and short vectorized ones in which that
    is of no harm. A vectorized loop of constant extent whose end would be several shorter vectors
    has whole ones instead, also in what is left over: storage gets room, and other accesses in the
    lanes that do not exist are masked, on targets with fast masks. What is left over of a
    vectorized loop of symbolic extent, of at most 16 vectors, does, if its lanes are neighbours in
    memory: in the lanes that do not exist nothing is read, and nothing is written that is read.
    That is `"predicate"`, for which other loops can ask. With `"shift_inwards"` the last tile
    begins earlier, which is refused with an element where it is wrong. `loop.partition` is
    `"never"` or `"always"`.

    Where the sums of a tile would be in registers if its length were known, as those of the last
    rows of a matrix product, what is left over has a version for each length of the tile.

    Loops are divided from the outermost in, those of the most iterations first. In a part that is
    less than a 64th of all iterations inner loops are not divided further, nor unrolled, and a
    function grows at most sixfold, or by 600 ops. Nothing is divided where the iterations that are
    left over are no limited number, or more than the whole ones, unless all but few of them have
    the other answer, as those above a diagonal: then both sides are loops of their own, or
    branches. Loops that then do nothing, or only fold the identity, are left out.

    Divisions in subscripts whose results then follow from the ranges of loops are left out.

    Order: after `build-loops`; before `storage-flatten`: each part has buffers of its own.

    Example: `partition-loops`
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>) attributes {
        te.signature = {sizes = ["n"], arrays = [
          {name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
      %a = loop.bind %A [0 : %n] : memref<?xf32>
      %one = arith.constant 1.0 : f32
      loop.for %io = 0 to %n ceildiv 8 {
        loop.for %ii = 0 to min(8, %n - %io * 8) vectorized {
          loop.store %one, %a[%io * 8 + %ii] : f32
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>) attributes {
        te.signature = {sizes = ["n"], arrays = [
          {name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
      %a = loop.bind %A [0 : %n] : memref<?xf32>
      %one = arith.constant 1.0 : f32
      loop.for %io = 0 to %n floordiv 8 {
        loop.for %ii = 0 to 8 vectorized {
          loop.store %one, %a[%io * 8 + %ii] : f32
        }
      }
      loop.for %io = %n floordiv 8 to %n ceildiv 8 {
        loop.for %ii = 0 to 8 vectorized {
          %end = affine.apply affine_map<(d0, d1) -> (d0 + d1 * -8)> (%n, %io)
          %there = arith.cmpi slt, %ii, %end : index
          scf.if %there {
            loop.store %one, %a[%io * 8 + %ii] : f32
          }
        }
      }
      func.return
    }
    ```
    Refused: `partition-loops`
    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = te.compute "A" (%i = 4) : tensor<4xf32> {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
      te.return %A : tensor<4xf32>
    }
    ```
    with "te.func is left here; run te-to-loops first"
    """

    name = "partition-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "build-loops")
        for function in ops_in(op, func.FuncOp):
            if len(function.body.blocks) == 1:  # with branches between blocks it is lowered
                partition(function)
                erase_idle(function)
                for access in ops_in(function, loop.AccessOp, loop.ReduceOp):
                    simplify_subscripts(access)


def partition(function: func.FuncOp) -> list[str]:
    """Divides the loops of a function; returns a line about each axis that has partial tiles."""
    with placed(function):
        return _Function(function).partition()
