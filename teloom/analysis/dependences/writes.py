"""What the instances of a stage write, and whether their order matters: one answer for all stages.

A stage that writes elsewhere than at the point of its data axes, or whose instances depend on each
other, says so here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue

from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.time_vectors import Nest, axes_of_nest, nests_of
from teloom.analysis.regions.slices import elements_filled
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import result_behind, states_of
from teloom.analysis.stages.read_maps import coordinates, data_roots
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import preorder


class StageWrite(NamedTuple):
    """What the instances of one nest of a stage write of one tensor.

    `elements` are over sizes, the loops around the stage and its own, and the coordinates of an
    element; with the roots of data axes where these are asked for.
    """

    tensor: SSAValue
    nest: Nest
    elements: Points


def writes_of(stage: schedule.StageOp, sets: InstanceSets) -> Iterator[StageWrite]:
    """The writes of a stage, by nest and result."""
    for nest in nests_of(stage):
        instances = sets.of(stage, nest)
        loops = [name for name in instances.names if isinstance(name, SSAValue)]
        if stage.update is not None and nest is Nest.BODY:
            yield from _changed(stage, instances, loops, sets)
            continue
        for tensor in stage.tensors:
            points = instances.over([*loops, *data_roots(stage)])
            yield StageWrite(tensor, nest, elements_filled(points, tensor, sets.reads))


def _changed(
    stage: schedule.StageOp, instances: Points, loops: Sequence[SSAValue], sets: InstanceSets
) -> Iterator[StageWrite]:
    """The elements that the body of an update writes, by subscripts."""
    for op in preorder(stage.definition.body):
        if isinstance(op, te.WriteOp):
            tensor = result_behind(op.tensor)
            rank = len(sets.reads.extents(tensor))
            elements = instances.intersect(sets.reads.of(op).elements)
            yield StageWrite(tensor, Nest.BODY, elements.over([*loops, *coordinates(rank)]))


def ordered_along(stage: schedule.StageOp) -> Sequence[SSAValue]:
    """The root axes along which instances of a stage read what earlier ones wrote.

    The first is the slowest. None for a stage whose points are independent of each other, and for
    a reduction, which is declared to fold in any order.
    """
    if stage.update is not None:
        return axes_of_nest(stage)
    return stage.root_axes[:1] if states_of(stage) else ()
