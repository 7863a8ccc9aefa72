"""Domains, time-space maps and accesses as isl maps with names, for a user to read.

Instances are named as in the equation, `by[y, x]`; sizes are parameters. Analyses use `Points`
instead, which are joined by the names of their coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl
from xdsl.ir import SSAValue

from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.shared_loops import TextInstances
from teloom.analysis.dependences.time_vectors import Nest, axes_of_nest, nests_of, time_vector
from teloom.analysis.regions.shared_order import SharedOrder, Time, Who
from teloom.analysis.regions.slices import filled_at
from teloom.analysis.sets.integer_sets import IN, OUT, Constraint
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.sets.time_maps import word
from teloom.analysis.stages.queries import (
    Access,
    first_of_run,
    in_init,
    name_of,
    reader_of,
    result_behind,
    run_of,
    stages_around,
)
from teloom.analysis.stages.read_maps import Coordinate, Root, coordinates, data_roots, roots
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import preorder

PARAM = isl.dim_type.param


@dataclass(frozen=True)
class _Static:
    """The name of a static position in a time vector."""

    depth: int


@dataclass(frozen=True)
class _Shared:
    """The name of a loop that several stages share, beside the axis of one of them."""

    axis: SSAValue


def domain_of(stage: schedule.StageOp, sets: InstanceSets) -> isl.Set:
    """The points of an equation's axes as it declares them: the same for every schedule."""
    found = sets.declared(stage)
    return _named(found, found.names_of(Root), name_of(stage), sets).domain()


def time_space_of(stage: schedule.StageOp, sets: InstanceSets, nest: Nest = Nest.BODY) -> isl.Map:
    """When each instance of a nest runs, as a relation to time vectors.

    An instance that runs in several iterations of loops around the stage has several.
    """
    vector = time_vector(stage, nest)
    found = sets.of(stage, nest)
    for member in (stage, *stages_around(stage)):
        found = _aligned(found, member, sets)
    shared = {one.axis: one for one in found.names_of(_Shared)}
    times = [
        _Static(depth) if isinstance(one, int) else shared.get(one, one)
        for depth, one in enumerate(vector)
    ]
    found = found.over([*found.names, *(name for name in times if name not in found.names)])
    map = _named(found, roots(axes_of_nest(stage, nest)), _instance(stage, nest), sets, times)
    for depth, one in enumerate(vector):
        if isinstance(one, int):
            map = map.fix_val(OUT, depth, isl.Val.int_from_si(map.get_ctx(), one))
    return map.coalesce()


def _aligned(points: Points, member: schedule.StageOp, sets: InstanceSets) -> Points:
    """Points with the iterations of the loops around them that a stage shares with others."""
    shared = member.order.axes[: len(member.shared)]
    names = [_Shared(axis) for axis in shared if axis in points.names]
    depth = len(names)
    order = SharedOrder(run_of(first_of_run(member)), TextInstances(sets))
    timed = order.timed(points, member, depth, Who.WRITER)
    return timed.renamed([Time(Who.WRITER, k) for k in range(depth)], names)


def write_of(stage: schedule.StageOp, tensor: SSAValue, sets: InstanceSets) -> isl.Map:
    """The elements of a tensor, as stored, that each declared point of the data axes writes.

    Coordinates along an axis that is folded count modulo its factor.
    """
    if stage.extern is not None:
        found = filled_at(stage, stage.tensors.index(tensor), sets.reads)
    elif stage.update is not None:
        found = _written_by_points(stage, tensor, sets)
    else:
        first, *_ = nests_of(stage)  # where there is nothing to reduce, the start is written
        found = sets.declared(stage, first).over([*sets.sizes, *data_roots(stage)])
        written = coordinates(stage.data_axis_count)
        found = found.over([*found.names, *written])
        same = zip(data_roots(stage), written, strict=True)
        found = found.where(
            *(Constraint(found.dim(root), True, found.dim(name)) for root, name in same)
        )
    elements = found.names_of(Coordinate)
    map = _named(found, found.names_of(Root), name_of(stage), sets, elements, tensor_name(tensor))
    return _folded(map, stage.storage.factors)


def _written_by_points(stage: schedule.StageOp, tensor: SSAValue, sets: InstanceSets) -> Points:
    """The elements that each declared point of an update writes, or may write."""
    update = stage.update
    assert update is not None
    axes = roots(stage.root_axes[stage.data_axis_count :])
    declared = sets.declared(stage).over([*sets.sizes, *axes])
    names = [*declared.names, *coordinates(stage.data_axis_count)]
    found = declared.over(names)
    found = found._replace(set=isl.Set.empty(found.set.get_space()))
    for op in preorder(update.body):
        if isinstance(op, te.WriteOp) and result_behind(op.tensor) is tensor:
            found = found.union(sets.reads.of(op).elements.intersect(declared).over(names))
    return found


def read_of(read: Access, sets: InstanceSets) -> isl.Map:
    """The elements that each declared instance reads, or may read where data says which."""
    stage, found = reader_of(read), sets.reads.of(read).elements
    nest = Nest.INIT if in_init(read) else Nest.BODY
    axes = found.names_of(Root)
    declared = sets.declared(stage, nest)
    elements = found.names_of(Coordinate)
    tensor = tensor_name(result_behind(read.tensor))
    return _named(found.intersect(declared), axes, _instance(stage, nest), sets, elements, tensor)


def tensor_name(tensor: SSAValue) -> str:
    """A tensor as a user reads it: a stage of one result has its name."""
    stage = tensor.owner
    if not isinstance(stage, schedule.StageOp):
        return tensor.name_hint or "argument"
    name = name_of(stage)
    return name if len(stage.tensors) == 1 else f"{name}.{stage.tensors.index(tensor)}"


def _instance(stage: schedule.StageOp, nest: Nest) -> str:
    return name_of(stage) if nest is Nest.BODY else f"{name_of(stage)}.{nest}"


def _folded(map: isl.Map, factors: dict[int, int]) -> isl.Map:
    """A relation to elements, with the coordinates of folded axes modulo their factors."""
    if not factors:
        return map
    space = map.get_space().range()
    stored = isl.MultiAff.identity_on_domain_space(space)
    for axis, factor in factors.items():
        position = stored.get_at(axis).mod_val(isl.Val.int_from_si(map.get_ctx(), factor))
        stored = stored.set_at(axis, position)
    return map.apply_range(isl.Map.from_multi_aff(stored))


def _named(
    points: Points,
    inputs: Sequence[Name],
    input_name: str,
    sets: InstanceSets,
    outputs: Sequence[Name] = (),
    output_name: str | None = None,
) -> isl.Map:
    """A relation from some coordinates to others; sizes become parameters."""
    points = points.over([*sets.sizes, *inputs, *outputs])
    map = points.relation(outputs)
    for position, size in enumerate(sets.sizes):
        map = map.move_dims(PARAM, position, IN, 0, 1)
        map = map.set_dim_name(PARAM, position, word(size.name_hint or f"size{position}"))
    for kind, names in ((IN, inputs), (OUT, outputs)):
        for position, name in enumerate(names):
            if shown := _shown(name):
                map = map.set_dim_name(kind, position, shown)
    map = map.set_tuple_name(IN, word(input_name))
    return map if output_name is None else map.set_tuple_name(OUT, word(output_name))


def _shown(name: Name) -> str | None:
    """The name of a coordinate; static positions and elements have none."""
    axis = name.axis if isinstance(name, Root | _Shared) else name
    return word(schedule.axis_name(axis)) if isinstance(axis, SSAValue) else None
