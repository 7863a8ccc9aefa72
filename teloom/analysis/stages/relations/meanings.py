"""Which relation means what."""

from __future__ import annotations

from collections.abc import Mapping

from teloom.analysis.stages.queries import function_around
from teloom.analysis.stages.relations.fuse import FuseMeaning
from teloom.analysis.stages.relations.meaning import Meaning
from teloom.analysis.stages.relations.remap import RemapMeaning
from teloom.analysis.stages.relations.reverse import ReverseMeaning
from teloom.analysis.stages.relations.shift import ShiftMeaning
from teloom.analysis.stages.relations.singleton import SingletonMeaning
from teloom.analysis.stages.relations.skew import SkewMeaning
from teloom.analysis.stages.relations.split import SplitMeaning
from teloom.dialects import schedule
from teloom.errors import ScheduleError

_MEANINGS: Mapping[type[schedule.RelationOp], Meaning] = {
    one.of: one
    for one in (
        SplitMeaning(),
        FuseMeaning(),
        SingletonMeaning(),
        ShiftMeaning(),
        ReverseMeaning(),
        SkewMeaning(),
        RemapMeaning(),
    )
}


def meaning_of(relation: schedule.RelationOp) -> Meaning:
    return _MEANINGS[type(relation)]


def check_sizes(relation: schedule.RelationOp, stage: schedule.StageOp) -> None:
    """Raises `ScheduleError` for a relation by a size that the stage's function does not have."""
    if relation.last_size >= 0:
        count = len(function_around(stage).sizes)
        if relation.last_size >= count:
            axes = schedule.axis_names(relation.consumed)
            raise ScheduleError(
                f"{relation.name.removeprefix('schedule.')} of axis {axes} is by size "
                f"{relation.last_size} of the function, which has {count}",
                relation,
            )
