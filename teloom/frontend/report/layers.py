"""A scheduled program as isl sets and maps, in Tiramisu's four layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.maps import domain_of, read_of, time_space_of, write_of
from teloom.analysis.dependences.time_vectors import nests_of
from teloom.analysis.stages.queries import Read, all_stages, name_of
from teloom.analysis.stages.threads import scope_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import preorder
from teloom.frontend.report.inferred import InferredSchedule
from teloom.passes.loops.infer_bounds import write_ranges


def layers(found: InferredSchedule) -> str:
    """The layers of a schedule, whose ranges become part of its function."""
    write_ranges(found.regions)
    return layers_of(found.applied.func)


def layers_of(func: te.FuncOp) -> str:
    """What a program computes, when, what it reads and writes, and what runs in parallel.

    The function has stages with ranges. The first layer is the same for every schedule.
    """
    sets = InstanceSets(func)
    stages = all_stages(func)
    titled = {
        "I: what is computed": (str(domain_of(one, sets)) for one in stages),
        "II: when it runs": (
            str(time_space_of(one, sets, nest)) for one in stages for nest in nests_of(one)
        ),
        "III: what it reads, and what it writes": (
            line for one in stages for line in _accesses(one, sets)
        ),
        "IV: what runs at the same time": _at_once(stages),
    }
    return "\n".join(
        line for title, lines in titled.items() for line in (f"layer {title}", *_indented(lines))
    )


def _indented(lines: Iterator[str]) -> list[str]:
    return [f"  {line}" for line in lines] or ["  nothing"]


def _accesses(stage: schedule.StageOp, sets: InstanceSets) -> Iterator[str]:
    for region in stage.definition.regions_with_values():
        for op in preorder(region):
            if isinstance(op, Read):
                yield f"reads  {read_of(op, sets)}"
    for tensor in stage.tensors:
        yield f"writes {write_of(stage, tensor, sets)} in {scope_of(stage)}"


def _at_once(stages: Sequence[schedule.StageOp]) -> Iterator[str]:
    """The loops whose iterations have no order. What follows a loop waits for all of them."""
    for stage in stages:
        for axis, kind in stage.order.leaves:
            if not kind.one_after_another:
                yield f"{name_of(stage)}.{schedule.axis_name(axis)} is {kind.value}"
