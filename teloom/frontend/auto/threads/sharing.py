"""How threads share loops: as many of the outermost ones as give all threads the same to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue

from teloom.dialects import schedule
from teloom.frontend.auto.facts import SYMBOLIC, known_extent
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar

SMALL = 2**15
"""The work of a nest below which threads do not pay: it is done before a second one has begun."""

SLACK = 1.05
"""How much longer threads may take for fewer loops to be shared."""

PARTS_EACH = 4
"""The most parts of a loop, for each thread."""


class Sharing(NamedTuple):
    """Threads share the outermost `whole` loops together, and `parts` parts of the next one."""

    whole: int
    parts: int = 1


class InnerCopy(NamedTuple):
    """What is copied in loops up to that of number `loop`, anew in each.

    A copy takes the time of `work` iterations of all loops.
    """

    loop: int
    work: float


def is_large(work: int) -> bool:
    """Whether so much work is worth threads."""
    return work >= SMALL


def shared_of(stage: Stage, loops: Sequence[IterVar], threads: int) -> list[IterVar]:
    """The loops that threads share, of those of a stage with nothing between them."""
    return outermost(stage, loops, sharing_of(stage, loops, threads).whole)


def outermost(stage: Stage, loops: Sequence[IterVar], number: int) -> list[IterVar]:
    """So many of the outermost loops, without those of one iteration; one in any case."""
    return several(stage, loops[:number]) or (several(stage, loops) or [*loops])[:1]


def several(stage: Stage, loops: Sequence[IterVar]) -> list[IterVar]:
    """The loops that may have several iterations."""
    return [loop for loop in loops if iterations(stage, loop) != 1]


def sharing_of(
    stage: Stage,
    loops: Sequence[IterVar],
    threads: int,
    copies: Iterable[InnerCopy] = (),
    may_divide: bool = False,
) -> Sharing:
    """How threads share loops, with what is copied in them.

    Of the ways that take nearly the least time it is the first. A loop is divided only if that is
    allowed.
    """
    extents = _extents(stage, loops)
    ways = [*_ways(extents, threads if may_divide else 0)]
    made = [*copies]
    times = [_time(way, extents, threads, made) for way in ways]
    return next(way for way, time in zip(ways, times, strict=True) if time <= SLACK * min(times))


def _extents(stage: Stage, loops: Sequence[IterVar]) -> list[int]:
    """Those of the outermost loops that can be one: all but the first are known."""
    if getattr(stage.op, "domain", None):
        loops = loops[:1]  # how long others run may depend on it
    first, *others = (iterations(stage, loop) for loop in loops)
    return [SYMBOLIC if first is None else first, *takewhile(lambda one: one is not None, others)]


def iterations(stage: Stage, loop: IterVar) -> int | None:
    """How often a loop runs at most that commands may have made of axes, if it is known."""
    axes = {handle: axis for axis, handle in stage.axis_handles()}

    def extent(handle: SSAValue) -> int | None:
        op = handle.owner
        if isinstance(op, schedule.FuseOp):
            extents = [extent(one) for one in op.args]
            return None if None in extents else prod(extents)
        if not isinstance(op, schedule.SplitOp):
            return known_extent(axes[handle]) if handle in axes else None
        whole, number = extent(op.parent_), op.factor or op.nparts
        count = None if number is None or op.size is not None else number.get()
        if whole is None or count is None:
            return count if handle is op.outer and op.nparts is not None else None
        is_number = (handle is op.outer) == (op.nparts is not None)
        return min(count, whole) if is_number else -(-whole // count)

    return known_extent(loop) if loop in stage.root_axes else extent(stage.axis_handle(loop))


def _ways(extents: Sequence[int], threads: int) -> Iterator[Sharing]:
    yield from (Sharing(number + 1) for number in range(len(extents)))
    for whole in range(1, len(extents)):
        most = min(extents[whole] - 1, PARTS_EACH * threads)
        yield from (Sharing(whole, parts) for parts in range(2, most + 1))


def _time(way: Sharing, extents: Sequence[int], threads: int, copies: Sequence[InnerCopy]) -> float:
    """The time of the thread with the most to do, in iterations of all loops."""
    shared = prod(extents[: way.whole]) * way.parts
    inside = [-(-extent // way.parts) for extent in extents[way.whole : way.whole + 1]]
    inside += extents[way.whole + 1 :]
    copying = (one.work * prod(inside[: max(0, one.loop + 1 - way.whole)]) for one in copies)
    return -(-shared // threads) * (prod(inside) + sum(copying))
