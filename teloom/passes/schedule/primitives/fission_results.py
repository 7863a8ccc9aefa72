"""`schedule.fission_results`: results of a stage are computed in stages of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import name_of, states_of
from teloom.dialects import schedule
from teloom.dialects.schedule.numbers import NumberAttr
from teloom.errors import ScheduleError
from teloom.passes.code.result_slices import Sliceable, needed_results, with_results
from teloom.passes.schedule.caches import insert_producer
from teloom.passes.schedule.named_tensor import check_result
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.unscheduled_stage import over_axes_of


class ApplyFissionResults(Primitive):
    """Moves each result that is named to a new stage, whose definition says that one alone.

    The old stage keeps its name, its place, its schedule and the other results.
    """

    commands = (schedule.FissionResultsOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FissionResultsOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        definition, kept = _parted(stage, op)
        parts = [self._part(stage, definition, number) for number in op.named]
        rest = _with_some(stage, definition, kept)
        made = [*rest.tensors, *(part.tensors[0] for part in parts)]
        self._replace(stage, rest, dict(zip([*kept, *op.named], made, strict=True)))
        for handle, part in zip(op.parts, parts, strict=True):
            insert_producer(self, handle, part, rest)
            self.stages.stand_as_in(rest, part)

    def _part(
        self, stage: schedule.StageOp, definition: Sliceable, number: int
    ) -> schedule.StageOp:
        name = schedule.derived_name(name_of(stage), f"v{number}", self.stages.names)
        alone = with_results(definition, [number], len(stage.tensors))
        return over_axes_of(stage, name, alone.detach_parts(), [stage.tensors[number].type])

    def _replace(
        self, stage: schedule.StageOp, rest: schedule.StageOp, made: Mapping[int, SSAValue]
    ) -> None:
        """Replaces a stage by `rest`, and its tensors by those that were made."""
        for one in self.func.body.block.ops:
            if isinstance(one, schedule.ResultOp) and one.of == stage.stage_name:
                tensor = made[one.number.get()]
                owner = tensor.owner
                assert isinstance(owner, schedule.StageOp)
                one.of, one.number = owner.stage_name, NumberAttr.of(owner.tensors.index(tensor))
        for number, tensor in made.items():
            old = stage.tensors[number]
            tensor.name_hint = old.name_hint
            old.replace_all_uses_with(tensor)
        Rewriter.insert_op(rest, InsertPoint.before(stage))
        Rewriter.erase_op(stage)
        self.stages.add(rest)


def _parted(stage: schedule.StageOp, op: schedule.FissionResultsOp) -> tuple[Sliceable, list[int]]:
    """The definition of a stage, and the results that stay; ScheduleError for what stays whole."""
    definition, count = stage.definition, len(stage.tensors)
    for number in op.named:
        check_result(stage, number, op)
    if states_of(stage):
        raise _refused(stage, "it is a scan, whose steps read it; part those of a step", op)
    if not isinstance(definition, Sliceable):
        raise _refused(stage, "it is an extern, whose body fills them all", op)
    kept = [number for number in range(count) if number not in op.named]
    if not kept:
        raise _refused(stage, f"one of result 0..{count - 1} stays in it; name the others", op)
    needed = needed_results(definition, count)
    for group in (kept, *([number] for number in op.named)):
        for number in group:
            if others := needed[number].difference(group):
                raise _refused(stage, _why_joined(number, min(others), needed), op)
    return definition, kept


def _refused(stage: schedule.StageOp, reason: str, op: schedule.FissionResultsOp) -> ScheduleError:
    return ScheduleError(f'cannot part the results of "{name_of(stage)}": {reason}', op)


def _why_joined(number: int, other: int, needed: Sequence[set[int]]) -> str:
    joined = set().union(*needed, (k for k, others in enumerate(needed) if others))
    alone = ", ".join(str(k) for k in range(len(needed)) if k not in joined) or "none"
    return (
        f"what changes result {number} reads result {other}, so they stay in one stage; results "
        f"that stand alone: {alone}"
    )


def _with_some(
    stage: schedule.StageOp, definition: Sliceable, kept: Sequence[int]
) -> schedule.StageOp:
    """A new stage with some of the results and all else of a stage, which has no body then."""
    count, body = len(stage.tensors), Region()
    Rewriter.replace_op(definition, with_results(definition, kept, count))
    stage.body.move_blocks(body)
    rest = schedule.StageOp.create(
        operands=stage.operands,
        properties=stage.properties,
        attributes=stage.attributes,
        regions=[body],
        result_types=[stage.tensors[number].type for number in kept],
    )
    rest.location = stage.location
    return rest
