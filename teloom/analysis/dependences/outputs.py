"""Whether all iterations together compute each element of an output."""

from __future__ import annotations

from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.text_forms import TextForms
from teloom.analysis.dependences.time_vectors import has_init_nest
from teloom.analysis.dependences.whole_fusions import whole_fusions
from teloom.analysis.regions.iterations import have_run
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.analysis.stages.queries import name_of, path
from teloom.analysis.stages.read_maps import data_roots
from teloom.dialects import schedule
from teloom.errors import ScheduleError


def not_computed(stage: schedule.StageOp, sets: InstanceSets) -> ScheduleError | None:
    """The refusal of an output with an element that no iteration computes; None without one."""
    missing = sets.never_computed(stage)
    if missing is None:
        return None
    element = [missing[root] for root in data_roots(stage)]
    known = sets.reads.sizes_at(missing)
    here = f" (here {known})" if known else ""
    return ScheduleError(
        f"nothing computes {name_of(stage)}{element}, which is an output{here}", stage
    )


def check_in_loops(
    stage: schedule.StageOp, sets: InstanceSets, forms: TextForms, operations: int
) -> None:
    """Checks that the loops around an output, those of its readers, compute each element of it.

    Nothing else computes what readers do not need. So what sets cannot say is refused, too.
    """
    # What a reduction folds in each iteration is asked of one iteration.
    if not has_init_nest(stage) and (fusions := whole_fusions(stage, forms)):
        sets = InstanceSets(sets.func, fusions)
    found, why = None, sets.inexact(stage)
    if not have_run(path(stage)):
        why = "a loop around it may end early, where data says"
    elif why is None:
        try:
            with budget(sets.context, operations):
                found = not_computed(stage, sets)
        except OverBudget:
            why = f"that takes more than {operations} isl operations"
    if why is not None:
        found = ScheduleError(
            f'it is not proved that the loops around "{name_of(stage)}", which is an output, '
            f"compute all of it: {why}; compute it at the root",
            stage,
        )
    if found is not None:
        raise found
