"""What a refusal says: two instances, when each runs, and which command decides that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from teloom.analysis.dependences.flow import Edge, Last, Later, Other, Violation, ViolationKind
from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.sets.points import Name
from teloom.analysis.stages.domains import domain_text
from teloom.analysis.stages.queries import kind_of, name_of, no_order_text, stage_of
from teloom.analysis.stages.read_maps import element_at, instance_at
from teloom.analysis.stages.uses import uses_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError


def refusal(edge: Edge, found: Violation, sets: InstanceSets) -> ScheduleError:
    """The refusal of a violated dependence: both instances, when they run, and what decides it."""
    point, name = found.point, name_of(edge.writer)
    known = sets.reads.sizes_at(point)
    here = f" (here {known})" if known else ""
    if found.kind is ViolationKind.AT_ONCE:
        return _written_at_once(edge, point, here)
    here = uses_of(edge.reader, point, sets.reads) + here
    at, element = instance_at(point, edge.reader), element_at(point)
    reads = f'stage "{name_of(edge.reader)}" at {at} reads {name}{element}'
    if runs := iteration(edge.shared, [*map(Later, edge.shared)], point):
        reads += f", at {runs}"
    if found.kind is ViolationKind.NEVER:
        return ScheduleError(f"{reads}{_why_never(edge, point, sets)}{here}", edge.read)
    wrote = iteration(edge.between, edge.between, point)
    if found.kind is ViolationKind.OVERWRITTEN:
        other = [point[Other(axis)] for axis in edge.element]
        (*_, fold) = edge.writer.storage.folds
        return ScheduleError(
            f"{reads}, where {name}{other} lies since {wrote or 'then'}: both are stored at one "
            f"place{here}",
            edge.writer,
            fold.location,
        )
    apart = next((axis for axis in edge.shared if point[axis] != point[Later(axis)]), None)
    if apart is None:
        when = "later in the same iteration" if edge.shared else "later"
        where = edge.writer.order if edge.is_own else edge.read
        return ScheduleError(f"{reads}; the schedule computes it {when}{here}", where)
    return out_of_order(reads, f"compute {name}{element} before", wrote, apart, here)


def _why_never(edge: Edge, point: Mapping[Name, int], sets: InstanceSets) -> str:
    if not sets.reads.has_element(edge.tensor, point):
        return f", but {name_of(edge.writer)} has elements only {domain_text(edge.tensor)}"
    around = iteration(edge.storage, edge.storage, point)
    where = f" in the loops around, at {around}" if around else ""
    return f"; nothing computes it{where}"


def out_of_order(
    later: str, before: str, schedule_at: str, apart: SSAValue, here: str
) -> ScheduleError:
    """The refusal of loops in which one instance does not run before another, at `apart`.

    `later` says what the other does and when, and `before` what the equations do before that,
    which the schedule does in the iteration `schedule_at`, if that is known.
    """
    order = stage_of(apart).order
    is_later = kind_of(apart).one_after_another
    why = "which is later" if is_later else no_order_text(apart)
    when = f"the schedule at {schedule_at}, " if schedule_at else ""
    return ScheduleError(
        f"{later}; the equations {before}, {when}{why}{here}",
        order,
        order.command_apart(apart),
    )


def _written_at_once(edge: Edge, point: Mapping[Name, int], here: str) -> ScheduleError:
    wrote, also = (
        iteration(edge.between, names, point)
        for names in (edge.between, [*map(Last, edge.between)])
    )
    apart = next(axis for axis in edge.between if point[axis] != point[Last(axis)])
    return ScheduleError(
        f'stage "{name_of(edge.writer)}" computes element {element_at(point)} at {wrote}, and '
        f"writes the same place at {also}: iterations of {schedule.axis_name(apart)}, which is "
        f"{kind_of(apart).value}, have no order{here}",
        stage_of(apart).order,
        stage_of(apart).order.command_apart(apart),
    )


def iteration(loops: Sequence[SSAValue], names: Sequence[Name], point: Mapping[Name, int]) -> str:
    """An iteration as a user reads it: `(yo = 1, xo = 0)`; nothing without loops."""
    shown = [
        f"{schedule.axis_name(axis)} = {point[name]}"
        for axis, name in zip(loops, names, strict=True)
    ]
    return f"({', '.join(shown)})" if shown else ""
