"""Regions and loops against an oracle that knows neither: sets of elements, one by one."""

from collections import Counter

from analysis.loop_runner import run_loops
from analysis.stage_graphs import StageGraph, stage_graphs
from analysis.threaded_graphs import ThreadedGraph, threaded_graphs
from hypothesis import HealthCheck, given, settings
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import func

from teloom.errors import ScheduleError
from teloom.passes.apply_schedule import ApplySchedulePass
from teloom.passes.build_loops import BuildLoopsPass
from teloom.passes.infer_bounds import InferBoundsPass

SIZES = (0, 1, 2, 3, 5)
LEAST_ACCEPTED = 0.6  # of the schedules: a compiler that refuses all would pass otherwise


def loops_of(graph: StageGraph, infer=InferBoundsPass(), build=BuildLoopsPass()) -> func.FuncOp:
    module = parse(graph.text())
    for step in (ApplySchedulePass(), infer, build):
        step.apply(Context(), module)
        module.verify()
    return next(op for op in module.ops if isinstance(op, func.FuncOp))


def check_run(graph: StageGraph, function: func.FuncOp, n: int) -> None:
    """Each element is written once, or once more per reduce point, and is right."""
    value = graph.evaluator(n)
    run = run_loops(function, [n], [graph.element])
    (output,) = run.outputs
    last = graph.stages[-1]
    assert [extent for _, extent in output.box] == [extent.at(n) for extent in last.extents]
    elements = 1
    for _, extent in output.box:
        elements *= extent
    assert len(output.writes) == elements
    for storage in [output, *run.realized]:
        stage = graph.by_name[storage.name]
        writes = 1 + len(stage.reduce_points(n)) if stage.reduces else 1
        assert set(storage.writes.values()) <= {writes}, (n, storage)
        for index, found in storage.elements.items():
            assert found == value(stage.name, index), (n, storage.name, index)


def test_loops_write_each_element_once_and_read_what_was_written():
    count = Counter()

    @settings(
        max_examples=100,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(stage_graphs())
    def check(graph: StageGraph):
        count["generated"] += 1
        try:
            function = loops_of(graph)
        except ScheduleError:
            return
        count["accepted"] += 1
        for n in SIZES:
            check_run(graph, function, n)

    check()
    assert count["accepted"] >= LEAST_ACCEPTED * count["generated"], count


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(threaded_graphs())
def test_threads_compute_what_all_that_see_it_need(threaded: ThreadedGraph):
    """For each place in the loops: the needs of the threads that see one copy, together."""
    graph = threaded.graph
    # All loops around a stage are there, and regions are what is needed and no more.
    function = loops_of(
        graph, InferBoundsPass(mode="exact"), BuildLoopsPass(keep_trivial_loops=True)
    )
    for n in SIZES:
        check_run(graph, function, n)
        realized = run_loops(function, [n], [graph.element]).realized
        readers = threaded.instances(n)
        for name in ("C", "B"):
            needs = threaded.needed(name, readers, n)
            storages = [storage for storage in realized if storage.name == name]
            for storage in storages:
                computed = set(storage.elements)
                expected = threaded.expected(name, storage.at, needs)
                assert computed == expected if threaded.is_exact else computed >= expected
            readers = [(storage.at, index) for storage in storages for index in storage.elements]
