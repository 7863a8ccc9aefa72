"""Whether each step of a recurrence reads only what earlier steps have computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.stage_loops import StageRegion
from teloom.analysis.sets.integer_sets import IN, OUT, SET, Constraint, flat_set, set_of
from teloom.analysis.stages.queries import Read, name_of, reader_of
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule, te
from teloom.errors import PassError


def check_step(
    read: Read,
    accesses: ReadMaps,
    instances: isl.Map,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> None:
    """Raises PassError, with a witness, if `read` may find a state that is not computed yet.

    `instances` gives the (sizes, root axes) that run, by the values of the reader. What is
    read has to be earlier than each step whose loops are still to come there.
    """
    state = read.tensor.owner
    if not isinstance(state, schedule.StateOp):
        return
    if isinstance(read, te.BufferOp):
        raise PassError(
            f'"{name_of(reader_of(read))}" is an extern and takes a buffer of the state of '
            f'"{name_of(state.stage)}", which has only the elements of earlier times; an equation '
            "reads them one by one",
            read,
        )
    access = accesses.of(read).map
    reads = instances.apply_range(access.domain_map().reverse().flatten_range())
    steps = times_at(regions[state.stage], regions[reader_of(read)].values)
    pairs = flat_set(reads.flat_range_product(steps))
    time = pairs.dim(SET) - 1
    first_subscript = AffineExpr.dimension(time - access.dim(OUT))
    late = Constraint(first_subscript + AffineExpr.dimension(time) * -1, False)
    late_pairs = pairs.intersect(set_of(accesses.context, time + 1, [late]).to_set())
    if not late_pairs.is_empty():
        of_reader = late_pairs.project_out(SET, 0, instances.dim(IN))
        raise PassError(_witness(read, accesses, of_reader.sample_point()), read)


def times_at(scan: StageRegion, values: Sequence[SSAValue]) -> isl.Map:
    """The steps of a recurrence that are computed where `values`, of a stage in it, are fixed."""
    sizes = scan.place.sizes
    times = scan.instances.project_out(OUT, sizes + 1, scan.instances.dim(OUT) - sizes - 1)
    times = times.project_out(OUT, 0, sizes)
    for dim, value in reversed([*enumerate(scan.values)]):
        if value not in values:
            times = times.project_out(IN, dim, 1)
    for dim, value in enumerate(values):
        if value not in scan.values:
            times = times.insert_dims(IN, dim, 1)
    return times


def _witness(read: te.ReadOp, accesses: ReadMaps, point: isl.Point) -> str:
    """What is read where, and for which step: `point` has sizes, root axes, element and time."""
    *numbers, time = (
        point.get_coordinate_val(SET, k).to_python() for k in range(point.get_space().dim(SET))
    )
    access, sizes = accesses.of(read), len(accesses.sizes)
    rank = access.map.dim(OUT)
    at, element = numbers[sizes:-rank], numbers[-rank:]
    shown = ["?" if k in access.opaque else str(index) for k, index in enumerate(element)]
    state = read.tensor.owner
    assert isinstance(state, schedule.StateOp)
    scan = name_of(state.stage)
    # Products of sizes come last and have no names.
    named = zip((size.name_hint or "a size" for size in accesses.func.sizes), numbers, strict=False)
    values = ", ".join(f"{name} = {number}" for name, number in named)
    return (
        f'stage "{name_of(reader_of(read))}" at [{", ".join(map(str, at))}] reads '
        f"{scan}[{', '.join(shown)}] before time {time} of {scan} is computed; a step can read "
        "earlier times only" + (f" (here {values})" if values else "")
    )
