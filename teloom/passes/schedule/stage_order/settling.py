"""The order of the stages of a block, and the loops that they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.stages.partitions import tail_of
from teloom.analysis.stages.queries import (
    name_of,
    path,
    places_text,
    reader_of,
    reads_of,
    states_of,
)
from teloom.dialects import schedule
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.loop import LoopKind
from teloom.dialects.schedule import Align
from teloom.dialects.syntax.tails import Tail
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import set_kind
from teloom.passes.schedule.primitives.handles import NamedStages, command_word, quoted
from teloom.passes.schedule.stage_order.wishes import Together, leaf_behind


class Shared(NamedTuple):
    """Two stages that share their outermost loops, with a word for each."""

    stage: schedule.StageOp
    other: schedule.StageOp
    align: list[Align]
    command: Operation

    @property
    def both(self) -> tuple[schedule.StageOp, schedule.StageOp]:
        return self.stage, self.other

    @property
    def depth(self) -> int:
        """The number of shared loops."""
        return len(self.align)


class OrderReason(NamedTuple):
    """Why a stage, or the group of it, comes behind another one."""

    reason: str
    command: Operation | None


def settle_order(stages: NamedStages) -> None:
    """Sorts the stages of a function topologically, as the commands ask: readers behind producers.

    The sort is stable. Stages that share loops become neighbours, and each says how many loops it
    shares with the one in front. Raises ScheduleError for what cannot be.
    """
    wishes = stages.order
    shared = [_resolved(one, stages) for one in wishes.together if not _is_of_one(one, stages)]
    behind: dict[tuple[schedule.StageOp, schedule.StageOp], Operation] = {}
    for one in wishes.behind:
        pair = _there(one.stage, stages, one.command), _there(one.other, stages, one.command)
        _require_same_place(*pair, one.command)
        behind[pair] = one.command
    _Sorter(shared, behind).sort(stages.func.body.block)


def _there(name: str, stages: NamedStages, command: Operation) -> schedule.StageOp:
    stage = stages.get(name)
    if stage is None:
        raise ScheduleError(
            f'{command_word(command)} names "{name}", which has no loops: it was inlined', command
        )
    return stage


def _is_of_one(asked: Together, stages: NamedStages) -> bool:
    """Whether one of two stages was merged into the other: it shares its loops with itself."""
    stage = stages.get(asked.stage)
    return stage is not None and stage is stages.get(asked.other)


def _resolved(asked: Together, stages: NamedStages) -> Shared:
    """The loops that two stages share, by the leaves that they have after all commands."""
    command = asked.command
    stage, other = (_there(name, stages, command) for name in (asked.stage, asked.other))
    _require_same_place(stage, other, command)
    depth = _depth(other, leaf_behind(asked.axis), command)
    words = asked.align * depth if len(asked.align) == 1 else asked.align
    text = f'cannot share loops of "{name_of(stage)}" and "{name_of(other)}"'
    if len(words) != depth:
        raise ScheduleError(f"{text}: {len(words)} alignments for {depth} loops", command)
    for one in (stage, other):
        if states_of(one):
            raise ScheduleError(
                f'{text}: "{name_of(one)}" is a scan, whose loops are those of its steps', command
            )
        if one.update is not None:
            raise ScheduleError(
                f'{text}: "{name_of(one)}" is an update, which has loops to begin and to change',
                command,
            )
        leaves = list(one.order.axes)
        if len(leaves) < depth:
            raise ScheduleError(
                f'{text}: {depth} loops are to be shared, but "{name_of(one)}" has the leaf axes '
                f"{schedule.axis_names(leaves) or 'none'}",
                command,
            )
        for axis in leaves[:depth]:
            if (tail := tail_of(one, axis)) not in (Tail.AUTO, Tail.GUARD, Tail.CUT):
                raise ScheduleError(
                    f'{text}: axis {schedule.axis_name(axis)} of "{name_of(one)}" has tail '
                    f'"{tail.value}", which is that of a loop of one stage; split it with tail '
                    '"guard" or "cut"',
                    command,
                )
    return Shared(stage, other, words, command)


def _depth(stage: schedule.StageOp, axis: SSAValue, command: Operation) -> int:
    """The number of loops of a stage down to the loop of an axis, which may have left the stage."""
    leaves = list(stage.order.axes)
    if axis not in leaves:
        raise ScheduleError(
            f"{command_word(command)} names axis {schedule.axis_name(axis)}, which is an axis of "
            f'"{name_of(stage)}" no more; its leaf axes are {schedule.axis_names(leaves)}',
            command,
        )
    return leaves.index(axis) + 1


def _require_same_place(
    stage: schedule.StageOp, other: schedule.StageOp, command: Operation
) -> None:
    if stage.parent is other.parent and stage.at is other.at:
        return
    names = f'"{name_of(stage)}" and "{name_of(other)}"'
    places = [path(one) for one in (stage, other)]
    where = [places_text(axes[-1:]).removeprefix("the root, ") for axes in places]
    raise ScheduleError(
        f"{command_word(command)} of {names}: they are computed at different places, at "
        f"{where[0]} and at {where[1]}; place both at one",
        command,
    )


class _Sorter:
    """Sorts blocks of stages; `behind` has pairs of a stage and one in front of it."""

    def __init__(
        self,
        shared: Sequence[Shared],
        behind: Mapping[tuple[schedule.StageOp, schedule.StageOp], Operation],
    ):
        self.shared, self.behind = shared, behind

    def sort(self, block: Block) -> None:
        """Sorts a block, and those of its stages. What a loop does ahead stays behind them."""
        stages = ops_of(block, schedule.StageOp)
        behind = next((op for op in block.ops if isinstance(op, schedule.AheadOp)), block.last_op)
        assert behind is not None
        leaders: list[schedule.StageOp] = []
        for stage, depth in [*self._in_order(stages, 0, block)]:
            stage.detach()
            block.insert_op_before(stage, behind)
            leaders[depth:] = [stage] * (len(stage.order.axes) + 1 - depth)
            stage.set_shared([self._align(leaders[k], stage, k) for k in range(depth)])
            self.sort(stage.body.block)

    def _in_order(
        self, stages: Sequence[schedule.StageOp], depth: int, block: Block
    ) -> Iterator[tuple[schedule.StageOp, int]]:
        """Stages that share `depth` loops, each with the loops shared with the one in front."""
        shared = depth if depth else 0
        first = True
        for group in self._groups_in_order(stages, depth, block):
            members = [(group[0], 0)]
            if len(group) > 1:
                self._join_kinds(group, depth)
                members = [*self._in_order(group, depth + 1, block)]
            (leader, _), *others = members
            yield leader, 0 if first else shared
            yield from others
            first = False

    def _groups(
        self, stages: Sequence[schedule.StageOp], depth: int
    ) -> list[list[schedule.StageOp]]:
        """The stages that share the loop at a depth, in the order of the first of each."""
        group_of = {stage: [stage] for stage in stages}
        for one in self.shared:
            if one.depth > depth and one.stage in group_of and one.other in group_of:
                left, right = (group_of[stage] for stage in one.both)
                if left is not right:
                    left += right
                    group_of |= dict.fromkeys(right, left)
        order = {stage: number for number, stage in enumerate(stages)}
        groups = {id(group): group for group in group_of.values()}
        return [sorted(group, key=order.__getitem__) for group in groups.values()]

    def _groups_in_order(
        self, stages: Sequence[schedule.StageOp], depth: int, block: Block
    ) -> Iterator[list[schedule.StageOp]]:
        """The groups of stages: always the first that has none in front still to come."""
        groups = self._groups(stages, depth)
        numbers = {stage: number for number, group in enumerate(groups) for stage in group}
        edges = self._edges(numbers, block) if len(groups) > 1 else {}
        followers: list[list[int]] = [[] for _ in groups]
        missing: Counter[int] = Counter()
        for front, back in edges:
            followers[front].append(back)
            missing[back] += 1
        ready = [number for number in range(len(groups)) if not missing[number]]
        remaining = dict.fromkeys(range(len(groups)))
        while remaining:
            if not ready:
                self._refuse_cycle(remaining, edges, groups)
            number = heappop(ready) if ready else next(iter(remaining))
            if number not in remaining:
                continue
            del remaining[number]
            yield groups[number]
            for follower in followers[number]:
                missing[follower] -= 1
                if not missing[follower]:
                    heappush(ready, follower)

    def _edges(
        self, numbers: Mapping[schedule.StageOp, int], block: Block
    ) -> dict[tuple[int, int], OrderReason]:
        """The order between groups, as pairs with the reason."""
        edges: dict[tuple[int, int], OrderReason] = {}
        for stage, number in numbers.items():
            for read in reads_of(stage):
                other = numbers.get(block.find_ancestor_op_in_block(read), number)
                if other != number:
                    reason = f'"{name_of(reader_of(read))}" reads "{name_of(stage)}"'
                    edges.setdefault((number, other), OrderReason(reason, None))
        for (stage, front), command in self.behind.items():
            if stage in numbers and front in numbers and numbers[stage] != numbers[front]:
                reason = f'"{name_of(stage)}" is to run after "{name_of(front)}"'
                edges.setdefault((numbers[front], numbers[stage]), OrderReason(reason, command))
        return edges

    def _refuse_cycle(
        self,
        remaining: Mapping[int, None],
        edges: Mapping[tuple[int, int], OrderReason],
        groups: Sequence[Sequence[schedule.StageOp]],
    ) -> None:
        """Raises ScheduleError for a cycle that commands on the order have made.

        Any other one needs a stage in an illegal place, which is refused later.
        """
        cycle = _cycle(remaining, edges)
        found = [edges[pair] for pair in cycle]
        members = [stage for front, _ in cycle for stage in groups[front]]
        commands = [edge.command for edge in found if edge.command is not None]
        commands += [
            one.command for one in self.shared if one.stage in members and one.other in members
        ]
        if not commands:
            return
        shared = (groups[front] for front, _ in cycle if len(groups[front]) > 1)
        reasons = [edge.reason for edge in found]
        reasons += [f"{quoted(map(name_of, group))} share a loop" for group in shared]
        raise ScheduleError(
            f"{command_word(commands[0])}: no order is left, as {', '.join(reasons)}", commands[0]
        )

    def _join_kinds(self, group: Sequence[schedule.StageOp], depth: int) -> None:
        """Gives the axes of a shared loop the kind that one of them has."""
        command = next(one.command for one in self.shared if one.stage in group)
        kinds = [stage.order.leaves[depth] for stage in group]
        kind = next((kind for _, kind in kinds if kind is not LoopKind.SERIAL), LoopKind.SERIAL)
        for stage in group:
            axis, own = stage.order.leaves[depth]
            if own is not kind:
                if kind.thread_rank is not None:
                    raise ScheduleError(
                        f'axis {schedule.axis_name(axis)} of "{name_of(stage)}" shares a loop over '
                        f"{kind.value}; bind it, too",
                        command,
                    )
                set_kind(stage, axis, kind, command)

    def _align(self, leader: schedule.StageOp, stage: schedule.StageOp, depth: int) -> Align:
        """How the iterations of a stage lie in the loop of a leader: as on the way from there."""
        words: dict[schedule.StageOp, set[Align]] = {leader: set()}
        pending = [leader]
        while pending:
            one = pending.pop()
            for asked in self.shared:
                if asked.depth > depth and one in asked.both:
                    (other,) = (stage for stage in asked.both if stage is not one)
                    if other not in words:
                        word = asked.align[depth]
                        words[other] = words[one] | {Align.NONE if word is Align.AUTO else word}
                        pending.append(other)
        if len(words[stage]) == 1:
            return next(iter(words[stage]))
        command = next(one.command for one in self.shared if stage in one.both)
        raise ScheduleError(
            f'"{name_of(stage)}" is aligned with "{name_of(leader)}" in several ways at loop '
            f"{depth}: {', '.join(sorted(words[stage]))}; align all stages of a loop with one",
            command,
        )


def _cycle(
    remaining: Mapping[int, None], edges: Mapping[tuple[int, int], OrderReason]
) -> list[tuple[int, int]]:
    """Edges that form a cycle; each of the groups that remain has another one in front."""
    front_of = {back: front for front, back in edges if front in remaining and back in remaining}
    found = [next(iter(remaining))]
    while (front := front_of[found[-1]]) not in found:
        found.append(front)
    loop = [*found[found.index(front) :], front]
    return [(loop[k + 1], loop[k]) for k in range(len(loop) - 1)][::-1]
