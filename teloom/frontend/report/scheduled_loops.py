"""`te.schedule.ScheduleOps`: a schedule as loops, without arguments in an order."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from teloom.driver.lowering import Lowering, Steps
from teloom.driver.runner import compiling, runner_of
from teloom.errors import Error
from teloom.frontend.kinds import checked_kind
from teloom.frontend.report.bounds import infer_bounds
from teloom.frontend.schedule.schedules import Schedule, checked_schedule
from teloom.frontend.tensor.tensors import IterVar, Range
from teloom.passes.nests.build_loops import BuildLoopsPass


@compiling()
def scheduled_loops(
    s: Schedule,
    bounds: Mapping[IterVar, Range] | None = None,
    debug_keep_trivial_loop: bool = False,
) -> ModuleOp:
    """The scheduled program as loops: `teloom.lower(s, args, level="loop")` without `args`.

    The function has the sizes, the placeholders and the outputs as arguments, in order of use.
    `bounds` are those of `te.infer_bounds`, for each axis that is in them: loops have no others.
    With `debug_keep_trivial_loop`, a loop of one iteration stays a loop. Raises `teloom.Error`
    for other bounds, and what `teloom.lower` raises. Source: TVM's te.schedule.ScheduleOps.

    >>> from teloom import te
    >>> A = te.placeholder((8,), name="A")
    >>> s = te.create_schedule(te.compute((8,), lambda i: A[i] + 1, name="B"))
    >>> print(te.schedule.ScheduleOps(s, te.schedule.InferBound(s)).body.block.first_op.sym_name)
    "main"
    """
    checked_schedule(s)
    if bounds is not None:
        _check(bounds, infer_bounds(s))
    module = s.module.clone()
    steps = Steps({BuildLoopsPass.name: {"keep_trivial_loops": debug_keep_trivial_loop}})
    Lowering(runner_of(lambda: str(s.module)), steps).bring(module, "te", "loop")
    return module


def _check(bounds: Mapping[IterVar, Range], inferred: Mapping[IterVar, Range]) -> None:
    wanted = "what te.schedule.InferBound gives"
    for axis, given in checked_kind(bounds, Mapping, "bounds", wanted).items():
        checked_kind(given, Range, f"the bounds of {axis}", "a range")
        if axis not in inferred:
            raise Error(f"{axis} is no axis of the schedule that has bounds")
        found = inferred[axis]
        if [str(one) for one in given] != [str(one) for one in found]:
            raise Error(
                f"axis {axis} is given min {given.min} and extent {given.extent}, but is inferred "
                f"to have min {found.min} and extent {found.extent}; a stage's bound(axis, min, "
                "extent) asks for others"
            )
