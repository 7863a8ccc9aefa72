"""Time-space maps and domains of stages, read off the text of scheduled programs."""

from xdsl.ir import SSAValue

import teloom
from teloom import te
from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.maps import domain_of, read_of, time_space_of, write_of
from teloom.analysis.dependences.time_vectors import (
    Nest,
    nests_of,
    ordered_along,
    time_vector,
)
from teloom.analysis.stages.queries import all_stages, name_of, reads_of
from teloom.dialects.te import FuncOp


def scheduled(s, args):
    """The function of a schedule, whose ranges are inferred, and its stages by name."""
    module = teloom.lower(s, args, level="schedule")
    func = next(op for op in module.ops if isinstance(op, FuncOp))
    return func, {name_of(stage): stage for stage in all_stages(func)}


def shown(vector):
    return [one.name_hint if isinstance(one, SSAValue) else one for one in vector]


def row_sums():
    """Sums of rows, of which the rows are computed in tiles."""
    A = te.placeholder((34, 40), name="A")
    B = te.compute((34, 40), lambda i, j: A[i, j] + 1, name="B")
    k = te.reduce_axis((0, 40), "k")
    C = te.compute((32,), lambda y: te.sum(B[y, k] + B[y + 2, k], axis=k), name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=8)
    s[B].compute_at(s[C], outer)
    return scheduled(s, [A, C])


def test_time_is_static_positions_and_loops_in_turn():
    _, stages = row_sums()
    assert shown(time_vector(stages["B"])) == [0, "y.outer", 0, "i", 0, "j", 0]
    init, body = (time_vector(stages["C"], part) for part in nests_of(stages["C"]))
    assert shown(init) == [0, "y.outer", 1, "y.inner", 0]
    assert shown(body) == [0, "y.outer", 1, "y.inner", 1, "k", 0]


def test_stages_in_the_loops_of_a_reduction_are_behind_its_init():
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j], name="B")
    k = te.reduce_axis((0, 8), "k")
    C = te.compute((8,), lambda y: te.sum(B[y, k], axis=k), name="C")
    D = te.compute((8,), lambda y: C[y], name="D")
    s = te.create_schedule(D)
    s[C].reorder(k, C.op.axis[0])
    s[B].compute_at(s[C], k)
    _, stages = scheduled(s, [A, D])
    assert shown(time_vector(stages["C"], Nest.INIT)) == [0, "y", 0]
    assert shown(time_vector(stages["B"])) == [1, "k", 0, "i", 0, "j", 0]
    assert shown(time_vector(stages["C"])) == [1, "k", 1, "y", 0]
    assert shown(time_vector(stages["D"])) == [2, "y", 0]


def test_stages_that_share_loops_share_the_positions_in_front():
    A = te.placeholder((8, 8), name="A")
    P, Q = (
        te.compute((8, 8), lambda i, j, c=c: A[i, j] * c, name=n) for c, n in ((3, "P"), (4, "Q"))
    )
    B = te.compute((8, 8), lambda i, j: P[i, j] + 1, name="B")
    C = te.compute((8, 8), lambda i, j: B[i, j] * 2 + Q[i, j], name="C")
    k = te.reduce_axis((0, 8), "k")
    D = te.compute((8,), lambda i: te.sum(C[i, k], axis=k), name="D")
    E = te.compute((8,), lambda i: D[i], name="E")
    s = te.create_schedule([B.op, C.op, E.op])
    s[P].compute_at(s[B], B.op.axis[0])
    s[Q].compute_at(s[C], C.op.axis[0])
    s[C].compute_with(s[B], B.op.axis[1])
    s[D].compute_with(s[C], C.op.axis[1])
    s[E].compute_with(s[D], D.op.axis[0])
    _, stages = scheduled(s, [A, B, C, E])
    times = {name: shown(time_vector(stage)) for name, stage in stages.items()}
    assert times["P"] == [0, "i", 0, "i", 0, "j", 0]
    assert times["Q"] == [0, "i", 1, "i", 0, "j", 0]
    assert shown(time_vector(stages["D"], Nest.INIT)) == [0, "i", 2]
    assert times["B"] == [0, "i", 3, "j", 0]
    assert times["C"] == [0, "i", 3, "j", 1]
    assert times["D"] == [0, "i", 3, "k", 2]
    assert times["E"] == [0, "i", 4]


def test_shared_loops_inside_of_another_stage_are_behind_one_prefix():
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((8, 8), lambda i, j: A[i, j] * 2, name="C")
    D = te.compute((8, 8), lambda i, j: B[i, j] + C[i, j], name="D")
    s = te.create_schedule(D.op)
    for stage in (B, C):
        s[stage].compute_at(s[D], D.op.axis[0])
    s[C].after(s[B], B.op.axis[1])
    _, stages = scheduled(s, [A, D])
    assert shown(time_vector(stages["B"])) == [0, "i", 0, "i", 0, "j", 0]
    assert shown(time_vector(stages["C"])) == [0, "i", 0, "i", 0, "j", 1]
    assert shown(time_vector(stages["D"])) == [0, "i", 1, "j", 0]


def test_places_in_places_go_on_from_the_loop_around():
    A = te.placeholder((4, 4), name="A")
    B = te.compute((4, 4), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((4, 4), lambda y, x: B[y, x] * 2, name="C")
    D = te.compute((4, 4), lambda r, c: C[r, c] - 3, name="D")
    s = te.create_schedule(D.op)
    s[C].compute_at(s[D], D.op.axis[0])
    s[B].compute_at(s[C], C.op.axis[1])
    _, stages = scheduled(s, [A, D])
    assert shown(time_vector(stages["B"])) == [0, "r", 0, "y", 0, "x", 0, "i", 0, "j", 0]
    assert shown(time_vector(stages["C"])) == [0, "r", 0, "y", 0, "x", 1]
    assert shown(time_vector(stages["D"])) == [0, "r", 1, "c", 0]


def test_aligned_loops_are_at_the_times_of_the_stage_in_front():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1, name="B")
    C = te.compute((5,), lambda i: A[i] * 2, name="C")
    s = te.create_schedule([B.op, C.op])
    s[C].compute_with(s[B], B.op.axis[0], align="end")
    func, stages = scheduled(s, [A, B, C])
    sets = InstanceSets(func)
    assert str(time_space_of(stages["C"], sets)) == "{ C[i] -> [0, i' = 3 + i, 1] : 0 <= i <= 4 }"
    assert str(time_space_of(stages["B"], sets)) == "{ B[i] -> [0, i' = i, 0] : 0 <= i <= 7 }"


def test_the_init_of_merged_reductions_is_in_front_of_the_loops_that_they_share():
    A = te.placeholder((8,), name="A")
    k, r = te.reduce_axis((0, 8), "k"), te.reduce_axis((2, 7), "r")
    B = te.compute((), lambda: te.sum(A[k], axis=k), name="B")
    C = te.compute((), lambda: te.max(A[r], axis=r), name="C")
    s = te.create_schedule([B.op, C.op])
    s[C].compute_with(s[B], k, align="start")
    func, stages = scheduled(s, [A, B, C])
    sets = InstanceSets(func)
    assert str(time_space_of(stages["C"], sets, Nest.INIT)) == "{ C_init[] -> [1] }"
    assert str(time_space_of(stages["C"], sets)) == "{ C[r] -> [2, r' = -2 + r, 1] : 2 <= r <= 6 }"


def test_stages_further_out_have_no_time_in_the_loops_that_are_shared_inside():
    A = te.placeholder((8, 8), name="A")
    P = te.compute((8, 8), lambda i, j: A[i, j] * 3, name="P")
    B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((8, 8), lambda i, j: P[i, j] * 2, name="C")
    s = te.create_schedule([B.op, C.op])
    s[P].compute_at(s[C], C.op.axis[0])
    s[C].compute_with(s[B], B.op.axis[1])
    func, stages = scheduled(s, [A, B, C])
    assert str(time_space_of(stages["P"], InstanceSets(func))) == (
        "{ P[i, j] -> [0, i' = i, 0, i'' = i, 0, j' = j, 0] : 0 <= i <= 7 and 0 <= j <= 7 }"
    )


def test_maps_are_read_back_by_isl():
    func, stages = row_sums()
    sets = InstanceSets(func)
    b, c = stages["B"], stages["C"]
    assert str(domain_of(c, sets)) == "{ C[y, k] : 0 <= y <= 31 and 0 <= k <= 39 }"
    assert str(time_space_of(b, sets)) == (
        "{ B[i, j] -> [0, y_outer, 0, i' = i, 0, j' = j, 0] : "
        "0 <= j <= 39 and 0 <= y_outer <= 3 and -9 + i <= 8y_outer <= i }"
    )
    assert str(write_of(b, b.tensors[0], sets)).startswith("{ B[i, j] -> B[i, j]")
    _, second = (str(read_of(read, sets)) for read in reads_of(b))
    assert second == "{ C[y, k] -> B[2 + y, k] : 0 <= y <= 31 and 0 <= k <= 39 }"


def test_the_start_of_a_fold_of_nothing_is_written():
    n, m = te.var("n"), te.var("m")
    A, k = te.placeholder((n, m), name="A"), te.reduce_axis((0, m), "k")
    C = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="C")
    func, stages = scheduled(te.create_schedule(C), [A, C])
    c = stages["C"]
    assert "{ C[i] -> C[i] : n >= 0 and m >= 0 and" in str(
        write_of(c, c.tensors[0], InstanceSets(func))
    )


def test_order_matters_along_the_time_of_a_scan_and_not_in_a_reduction():
    X = te.placeholder((6, 4), name="X")
    S = te.placeholder((6, 4), name="S")
    start = te.compute((1, 4), lambda t, i: X[t, i], name="start")
    step = te.compute((6, 4), lambda t, i: S[t - 1, i] + X[t, i], name="step")
    R = te.scan(start, step, S, [X], name="R")
    _, stages = scheduled(te.create_schedule(R.op), [X, R])
    assert shown(ordered_along(stages["R"])) == [R.op.scan_axis.var.name]
    assert not ordered_along(row_sums()[1]["C"])
