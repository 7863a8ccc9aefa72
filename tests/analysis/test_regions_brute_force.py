"""Regions and loops against an oracle that knows neither: sets of elements, one by one."""

from collections import Counter
from typing import NamedTuple

import pytest
from analysis.loop_runner import Storage, run_loops
from analysis.stage_graphs import StageGraph, stage_graphs
from analysis.threaded_graphs import ThreadedGraph, threaded_graphs
from budget import EXAMPLES
from hypothesis import HealthCheck, given, settings
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.nests.build_loops import BuildLoopsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass

SIZES = (0, 1, 2, 3, 5)
LEAST_ACCEPTED = 0.6  # of the schedules: a compiler that refuses all would pass otherwise
LEAST_EXACT = 0.9  # of the stages: one that approximates all would pass otherwise


class Lowered(NamedTuple):
    """Loops, and the names of the stages that compute just what is needed."""

    function: func.FuncOp
    exact: set[str]


def lowered(graph: StageGraph, infer=InferBoundsPass(), build=BuildLoopsPass()) -> Lowered:
    module = parse(graph.text())
    for step in (ApplySchedulePass(), infer):
        step.apply(Context(), module)
        module.verify()
    stages = [op for op in module.walk() if isinstance(op, schedule.StageOp)]
    exact = {name_of(stage) for stage in stages if is_exact(stage)}
    build.apply(Context(), module)
    module.verify()
    return Lowered(next(op for op in module.ops if isinstance(op, func.FuncOp)), exact)


def is_exact(stage: schedule.StageOp) -> bool:
    """Whether the region says so, and the loops around it give the axes that it is about.

    Where an extent that a split or fusion multiplies by is a size, they do not: in such a
    loop everything is computed that any of its iterations may need.
    """
    region = next(op for op in stage.inferred if isinstance(op, schedule.RegionOp))
    around = stage.enclosing
    while around is not None:
        if not all(is_affine(axis, around) for axis in around.body.block.args):
            return False
        around = around.enclosing
    return region.mode.data == schedule.Mode.EXACT


def is_affine(axis: SSAValue, stage: schedule.StageOp) -> bool:
    """Whether an axis is an affine expression of leaves of the stage."""
    if axis not in {used for relation in stage.relations for used in relation.operands}:
        return True
    values = [op for op in stage.inferred if isinstance(op, schedule.ValueOp) and op.axis is axis]
    operands = [used for value in values for used in value.operands_]
    return bool(values) and all(is_affine(used, stage) for used in operands)


def check_graph(graph: StageGraph) -> Lowered:
    """Runs a graph with several sizes; raises what the passes raise."""
    found = lowered(graph)
    for n in SIZES:
        check_run(graph, found, n)
    return found


def check_run(graph: StageGraph, found: Lowered, n: int) -> None:
    """Each element is written once, or once more per reduce point, and is right.

    A storage lives for one iteration of the loops around it: what is written there is what
    is read.
    """
    value = graph.evaluator(n)
    run = run_loops(found.function, [n], [graph.element])
    (output,) = run.outputs
    last = graph.stages[-1]
    assert [extent for _, extent in output.box] == [extent.at(n) for extent in last.extents]
    elements = 1
    for _, extent in output.box:
        elements *= extent
    assert len(output.writes) == elements
    for storage in [output, *run.realized]:
        stage = graph.by_name[storage.name]
        updates = len(stage.reduce_points(n)) if stage.reduces else 0
        if stage.name in found.exact or not stage.is_stored_outside:
            assert set(storage.writes.values()) <= {1 + updates}, (n, storage)
        for index, element in storage.elements.items():
            assert element == value(stage.name, index), (n, storage.name, index)
        if storage is not output and stage.name in found.exact:
            unneeded = needless(storage, updates)
            assert not unneeded, (n, storage.name, storage.box, unneeded)


def needless(storage: Storage, updates: int) -> list[tuple[int, ...]]:
    """The elements that were written, but read by nothing but their own `updates`."""
    return [index for index in storage.writes if storage.reads[index] == updates]


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
def test_loops_write_each_element_once_and_read_what_was_written():
    count = Counter()

    @settings(max_examples=2 * EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
    @given(stage_graphs())
    def check(graph: StageGraph):
        count["generated"] += 1
        try:
            found = check_graph(graph)
        except ScheduleError:
            return
        count["accepted"] += 1
        count["stages"] += len(graph.stages)
        count["exact"] += len(found.exact)

    check()
    assert count["accepted"] >= LEAST_ACCEPTED * count["generated"], count
    assert count["exact"] >= LEAST_EXACT * count["stages"], count


def check_threads(threaded: ThreadedGraph) -> None:
    """For each place in the loops: the needs of the threads that see one copy, together."""
    graph = threaded.graph
    # All loops around a stage are there, and regions are what is needed and no more.
    found = lowered(graph, InferBoundsPass(mode="exact"), BuildLoopsPass(keep_trivial_loops=True))
    # What one iteration computes for all threads is more than it reads itself.
    found = found._replace(exact=set())
    for n in SIZES:
        check_run(graph, found, n)
        realized = run_loops(found.function, [n], [graph.element]).realized
        readers = threaded.instances(n)
        for name in ("C", "B"):
            needs = threaded.needed(name, readers, n)
            storages = [storage for storage in realized if storage.name == name]
            for storage in storages:
                computed = set(storage.elements)
                expected = threaded.expected(name, storage.at, needs)
                assert computed == expected if threaded.is_exact else computed >= expected
            readers = [(storage.at, index) for storage in storages for index in storage.elements]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(threaded_graphs())
def test_threads_compute_what_all_that_see_it_need(threaded: ThreadedGraph):
    check_threads(threaded)
