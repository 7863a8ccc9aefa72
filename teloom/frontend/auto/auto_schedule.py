"""`auto_schedule`: a schedule by rules, of commands that a user can print, keep and edit."""

from __future__ import annotations

from typing import NamedTuple

from teloom.backend.machine.cpus import HERE, asked, target_asked
from teloom.dialects.target import Target
from teloom.errors import Error
from teloom.frontend.auto import pointwise, reductions
from teloom.frontend.auto.facts import Equation, is_box
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.plan import Nest, Planner
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, PlaceholderOp, Tensor


def auto_schedule(s: Schedule, target: str | Target = HERE) -> Schedule:
    """Appends commands to a schedule that has none."""
    if not isinstance(s, Schedule):
        raise Error(f"{s!r} is not a schedule; make one with te.create_schedule")
    machine = Machine(target_asked(target) or asked())
    equations = {
        stage.op: Equation(stage.op)
        for stage in s.stages
        if isinstance(stage.op, ComputeOp) and is_box(stage.op)
    }
    plan = Planner(equations, [stage.op for stage in s.stages]).plan([*s.outputs])
    for equation in plan.inlined:
        s[equation.op].compute_inline()
    for nest in plan.nests:
        _Nest(s, nest, machine).schedule()
    return s


class _Nest:
    """Schedules an anchor and its members."""

    def __init__(self, s: Schedule, nest: Nest, machine: Machine):
        self.s, self.nest, self.machine = s, nest, machine
        self.anchor = nest.anchor
        self.stage = s[nest.anchor.op]
        self.tiled = next((one for one in nest.members if self._is_tiled(one)), None)
        self.loops: list[IterVar] = []
        self.strip: IterVar | None = None

    def schedule(self) -> None:
        if not self.anchor.op.axis or self.anchor.op.reduce_axis:
            self._reduction()
        elif not self.nest.members:
            pointwise.schedule_alone(self.stage, self.anchor, self.machine)
        else:
            self._with_members()

    def _is_tiled(self, member: Equation) -> bool:
        """Whether a reduction is computed in tiles of the anchor."""
        depth, op = self.nest.members[member], member.op
        follows = self.nest.follows[op]
        same = [one is not None and one[:] == (n, 1, 0, 0) for n, one in enumerate(follows)]
        whole = len(self.anchor.op.axis)
        return bool(op.reduce_axis) and depth == whole == len(same) and all(same)

    def _reduction(self) -> None:
        anchor, s = self.anchor, self.s
        tensor = anchor.op.outputs[0]
        folded = reductions.folds_lanes(anchor, self.machine)
        if folded is not None:
            reductions.schedule_fold(s, self.machine, anchor, tensor, folded, True)
        elif anchor.op.axis:
            inside = self._accumulators(tensor)
            order = reductions.schedule_tile(s, self.machine, anchor, inside, s[tensor])
            if order:
                s[tensor].parallel(order[0])

    def _accumulators(self, tensor: Tensor) -> Tensor:
        """What is computed in tiles, of which the stage of `tensor` then is a copy."""
        made = self.s.cache_write([*tensor.op.outputs], "global")
        return made[0] if isinstance(made, list) else made

    def _with_members(self) -> None:
        nest = self.nest
        if self.tiled is not None:
            depths = [depth for one, depth in nest.members.items() if one is not self.tiled]
            lead = nest.order[: max(depths, default=0)]
            self.loops = reductions.schedule_tile(
                self.s, self.machine, self.tiled, self.tiled.op.outputs[0], self.stage, lead
            )
        else:
            self._strips()
            pointwise.stream(self.stage, self.anchor, self.machine)
        if self.loops:
            self.stage.parallel(self.strip if nest.depth == 1 and self.strip is not None else self.loops[0])
        for member, depth in nest.members.items():
            if member is not self.tiled:
                self._member(member, self.loops[depth - 1], depth)

    def _strips(self) -> None:
        """The loops of an anchor with members: strips of the axis around the innermost ones."""
        nest, stage = self.nest, self.stage
        axes = [stage.op.axis[number] for number in nest.order]
        row = axes[nest.depth - 1]
        slides = any(nest.slides(one) for one in nest.members)
        rows = pointwise.STRIP if slides else reductions.ROWS
        self.strip, inner = stage.split(row, factor=rows)
        before, behind = axes[: nest.depth - 1], axes[nest.depth :]
        self.loops = [*before, inner]
        stage.reorder(*before, self.strip, inner, *behind)
        if behind:
            stage.vectorize(behind[-1])

    def _member(self, member: Equation, at: IterVar, depth: int) -> None:
        s, stage = self.s, self.s[member.op]
        tensor = member.op.outputs[0]
        is_innermost = depth == self.nest.depth and self.strip is not None
        reads_given = all(isinstance(read.tensor.op, PlaceholderOp) for read in member.reads)
        folded = reductions.folds_lanes(member, self.machine)
        if folded is not None:
            whole = is_innermost and reads_given and not self.nest.slides(member)
            stage.compute_at(self.stage, self.strip if whole else at)
            reductions.schedule_fold(s, self.machine, member, tensor, folded, False, whole)
            return
        if member.op.reduce_axis:
            inside = self._accumulators(tensor)
            stage = s[tensor]
            stage.compute_at(self.stage, self.strip if is_innermost and self.strip is not None else at)
            reductions.schedule_tile(s, self.machine, member, inside, stage)
            return
        stage.compute_at(self.stage, at)
        if self.nest.slides(member) and is_innermost:
            stage.store_at(self.stage, self.strip)
            stage.rolling_buffer()
        if stage.op.axis:
            stage.vectorize(stage.op.axis[-1])
