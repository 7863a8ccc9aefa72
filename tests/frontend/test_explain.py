"""`te.explain`: places, regions, counts and bytes, as worked out by hand."""

import re
from typing import Any

import islpy as isl
import pytest
from xdsl.context import Context

from teloom import Error, Remark, ScheduleError, lower, te
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass


def blur(rows, columns, extra=2):
    A = te.placeholder((rows + 2, columns + 2), name="A")
    bx = te.compute(
        (rows + extra, columns), lambda i, j: A[i, j] + A[i, j + 1] + A[i, j + 2], name="bx"
    )
    by = te.compute((rows, columns), lambda i, j: bx[i, j] + bx[i + 1, j] + bx[i + 2, j], name="by")
    return bx, by


def by_name(s):
    return {stage.name: stage for stage in te.explain(s)}


def test_a_stage_at_the_root_is_computed_once():
    _, by = blur(98, 198)
    found = by_name(te.create_schedule(by))
    assert list(found) == ["bx", "by"]
    bx = found["bx"]
    assert (bx.at, bx.times, bx.mode) == ("the root", 1, "exact")
    assert bx.region == ((0, 100), (0, 198))
    assert (bx.computed, bx.needed, bx.redundancy) == (100 * 198, 100 * 198, 1.0)
    assert bx.stored == 100 * 198 * 4


def test_rows_that_tiles_share_are_computed_again():
    bx, by = blur(98, 198)
    s = te.create_schedule(by)
    _yo, xo, _yi, _xi = s[by].tile(*by.op.axis, 32, 32)
    s[bx].compute_at(s[by], xo)
    found = by_name(s)["bx"]
    assert (found.at, found.times) == ("by.j.outer", 4 * 7)
    # Tiles of 32, 32, 32 and 2 rows need two more rows each.
    assert found.computed == (34 + 34 + 34 + 4) * 198
    assert (found.needed, found.stored) == (100 * 198, 34 * 32 * 4)
    assert found.redundancy == pytest.approx(1.06, abs=0.001)


def fused_with_a_smaller_last_tile():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] * 2, name="B")
    C = te.compute((3, 6), lambda i, j: B[1] + B[2], name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    outer, inner = s[C].split(j, factor=4)
    s[C].fuse(i, outer)
    s[B].compute_at(s[C], inner)
    return s, [A, C]


def test_loops_are_counted_as_they_run():
    s, _ = fused_with_a_smaller_last_tile()
    found = by_name(s)["B"]
    assert (found.times, found.computed, found.needed) == (18, 36, 2)


def test_a_remark_on_a_box_counts_where_loops_run():
    s, args = fused_with_a_smaller_last_tile()
    module = lower(s, args, level="te")
    ApplySchedulePass().apply(Context(), module)
    with pytest.warns(Remark, match="that costs nothing: all 36 elements"):
        InferBoundsPass(mode="box").apply(Context(), module)


def test_what_nobody_reads_is_not_needed():
    A = te.placeholder((4, 4), name="A")
    T = te.compute((4, 4), lambda i, j: A[i, j] * 2, name="T")
    C = te.compute((2, 2), lambda i, j: T[i, j] + T[i + 2, j + 2], name="C")
    found = by_name(te.create_schedule(C))["T"]
    assert (found.computed, found.needed, found.stored) == (8, 8, 64)


def test_elements_of_a_reduction_count_once():
    A = te.placeholder((8, 5), name="A")
    r = te.reduce_axis((0, 5), "r")
    S = te.compute((8,), lambda i: te.sum(A[i, r], axis=r), name="S")
    assert by_name(te.create_schedule(S))["S"].computed == 8


def test_counts_of_symbolic_sizes_are_unknown():
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    C = te.compute((n,), lambda i: B[i] + 1, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=8)
    s[B].compute_at(s[C], outer)
    found = by_name(s)
    assert (found["B"].times, found["B"].computed, found["B"].redundancy) == (None, None, None)
    assert found["B"].stored == 32
    assert str(found["C"].stored) == "(4 * n)"
    assert str(te.explain(s)).splitlines()[1].split()[2:6] == ["?"] * 4


def test_counts_that_no_size_changes_are_known():
    n = te.size_var("n")
    A = te.placeholder((n, 8), name="A")
    P = te.compute((8,), lambda k: te.const(1.0) * k.astype("float32"), name="P")
    B = te.compute((n,), lambda i: te.if_then_else(i < 99, A[i, 0], te.const(0.0)), name="B")
    C = te.compute((n, 8), lambda i, k: te.if_then_else(i < 99, B[i], te.const(0.0)) + P[k])
    s = te.create_schedule(C)
    found = by_name(s)
    assert (found["P"].times, found["P"].computed, found["P"].needed) == (1, None, None)
    assert (found["B"].times, found["B"].computed, found["B"].needed) == (1, None, None)
    s[C].reorder(*reversed(C.op.axis))
    s[B].compute_at(s[C], C.op.axis[1])
    assert by_name(s)["B"].times == 8


def test_axes_that_are_taken_whole_are_named():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n, m), lambda y, x: B[y, x] + 1, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=8)
    s[B].compute_at(s[C], outer)
    assert by_name(s)["B"].taken_whole == tuple(C.op.axis)
    assert str(te.explain(s)).splitlines()[1].endswith("[0 : n, 0 : m] for all of y, x")


def test_threads_that_see_one_copy_come_together():
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] * 2, name="B")
    C = te.compute((64,), lambda i: B[i] + 1, name="C")
    s = te.create_schedule(C)
    block, thread = s[C].split(C.op.axis[0], factor=16)
    s[C].bind(block, "blockIdx.x")
    s[C].bind(thread, "threadIdx.x")
    s[B].compute_at(s[C], thread)
    s[B].set_scope("shared")
    found = by_name(s)["B"]
    assert (found.times, found.computed, found.needed, found.stored) == (4, 64, 64, 64)
    s[B].set_scope("local")
    assert by_name(s)["B"].times == 64


def test_an_inlined_stage_is_not_there():
    bx, by = blur(8, 8)
    s = te.create_schedule(by)
    s[bx].compute_inline()
    assert list(by_name(s)) == ["by"]


def test_nothing_is_needed_of_an_empty_output():
    A = te.placeholder((0,), name="A")
    B = te.compute((0,), lambda i: A[i], name="B")
    found = by_name(te.create_schedule(B))["B"]
    assert (found.computed, found.needed, found.redundancy, found.stored) == (0, 0, None, 0)


def test_several_results_and_small_types_take_their_bytes():
    A = te.placeholder((3, 7), "int8", name="A")
    B, C = te.compute((3, 7), lambda i, j: (A[i, j] > 0, A[i, j].astype("float64")), name="B")
    assert by_name(te.create_schedule([B, C]))["B"].stored == 3 * 7 * (1 + 8)


def test_refuses_what_is_no_schedule():
    with pytest.raises(Error, match=r"3 is not a schedule; make one with te\.create_schedule"):
        te.explain(3)


@pytest.mark.parametrize("what", ["costs", ["cost"], None])
def test_refuses_what_is_no_explanation(what: Any):
    A = te.placeholder((8,), name="A")
    s = te.create_schedule(te.compute((8,), lambda i: A[i], name="B"))
    with pytest.raises(Error) as error:
        te.explain(s, what)
    said = str(error.value)
    assert said.startswith(f"no explanation named {what}; ")
    assert "did you mean 'cost'?" in said or "there are: cost, maps, " in said


def test_refuses_what_lower_refuses():
    bx, by = blur(8, 8)
    s = te.create_schedule(by)
    s[bx].compute_at(s[by], by.op.axis[1])
    s[by].vectorize(by.op.axis[1])
    with pytest.raises(ScheduleError, match=r"test_explain.py:\d+: .*j is vectorized"):
        te.explain(s)


def test_strips_of_a_recursive_filter_are_computed_once():
    X, S = te.placeholder((20, 64), name="X"), te.placeholder((20, 64), name="S")
    first = te.compute((1, 64), lambda t, i: X[t, i], name="first")
    following = te.compute((20, 64), lambda t, i: S[t - 1, i] * 0.5 + X[t, i], name="following")
    F = te.scan(first, following, S, name="F")
    C = te.compute((20, 64), lambda t, i: F[19 - t, i], name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[1], 8)
    s[C].reorder(outer, C.op.axis[0], inner)
    s[F].compute_at(s[C], outer)
    found = by_name(s)
    assert (found["F"].computed, found["F"].needed) == (20 * 64, 20 * 64)
    assert found["following"].computed == 19 * 64
    assert found["F"].stored == 20 * 8 * 4


def test_a_tile_of_a_fusion_is_counted_however_large_it_is():
    A = te.placeholder((1000, 700), name="A")
    B = te.compute(A.shape, lambda i, j: A[i, j] + 1, name="B")
    C = te.compute(A.shape, lambda i, j: B[i, j] * 2, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=32)
    s[B].compute_at(s[C], outer)
    found = by_name(s)["B"]
    assert (found.times, found.computed, found.needed) == (21875, 700000, 700000)
    assert te.explain(s).remarks == ()


def test_remarks_stand_below_the_table():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n, m), lambda y, x: B[y, x] + 1, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=8)
    s[B].compute_at(s[C], outer)
    with pytest.warns(Remark) as told:
        lower(s, [A, C], level="schedule")
    explained = te.explain(s)
    assert explained.remarks == tuple(str(one.message) for one in told)
    assert str(explained).endswith(f"\nremark: {told[0].message}")
    assert len(str(explained).splitlines()) == 4 + len(explained.tiles)


def tiled_product(rows: int, columns: int):
    A = te.placeholder((512, 512), name="A")
    B = te.placeholder((512, 512), name="B")
    k = te.reduce_axis((0, 512), "k")
    C = te.compute((512, 512), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, rows, columns)
    s[C].reorder(io, jo, k, ii, ji)
    s[C].vectorize(ji)
    return s


@pytest.mark.parametrize(
    ("rows", "columns", "target"),
    [(12, 32, "cpu"), (14, 32, "cpu"), (6, 64, "cpu"), (6, 16, "x86-64-v3"), (30, 16, "cpu")],
)
def test_of_a_tile_that_registers_hold_nothing_is_said(rows, columns, target):
    assert not te.explain(tiled_product(rows, columns), target=target).remarks


def test_a_tile_that_registers_do_not_hold_is_named_with_one_that_they_hold():
    assert te.explain(tiled_product(7, 64)).remarks == (
        'stage "C" keeps 7 x 64 partial results per step of k: with what a step reads they take '
        "33 registers, and any CPU has 32; 6 x 64 or 7 x 48 would fit",
    )
    (remark,) = te.explain(tiled_product(12, 32), target="x86-64-v3").remarks
    assert remark.endswith(
        "they take 53 registers, and x86-64-v3 has 16; 2 x 32 or 12 x 8 would fit"
    )
    (remark,) = te.explain(tiled_product(4, 512), target="x86-64-v3").remarks
    assert remark.endswith("they take 321 registers, and x86-64-v3 has 16; 4 x 24 would fit")
    (remark,) = te.explain(tiled_product(16, 64), target="x86-64-v3").remarks
    assert remark.endswith("they take 137 registers, and x86-64-v3 has 16; 6 x 16 would fit")


def test_lanes_of_a_reduce_axis_take_a_register_per_element():
    A = te.placeholder((64, 64), name="A")
    B = te.placeholder((64, 64), name="B")
    k = te.reduce_axis((0, 64), "k")
    C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
    for rows, remarks in ((4, 0), (8, 1)):
        s = te.create_schedule(C)
        io, jo, ii, ji = s[C].tile(*C.op.axis, rows, 4)
        ko, ki = s[C].split(k, 16)
        s[C].reorder(io, jo, ko, ii, ji, ki)
        s[C].vectorize(ki)
        found = te.explain(s).remarks
        assert len(found) == remarks
    assert found[0].startswith('stage "C" keeps 32 x 16 partial results per step of k.outer')


def test_axes_of_partial_tiles_say_how_they_run():
    def told(tail, kind="vectorize"):
        n = te.size_var("n")
        A = te.placeholder((n,), name="A")
        B = te.compute((n,), lambda i: A[i] * 2, name="B")
        s = te.create_schedule(B)
        _, inner = s[B].split(B.op.axis[0], factor=8, tail=tail)
        getattr(s[B], kind)(inner)
        return te.explain(s).tiles

    apart = "i.outer: whole from 0 to n floordiv 8; one other at most, in a loop behind or in front"
    masked = "i.inner: as long as a tile; where the axis has ended, A is not read, B is not written"
    early = "i.inner: ends at min(8, n - i.outer * 8) in"
    assert told(None) == (apart, f"{masked} (in what is left over)")
    assert told("round_up") == (masked, apart)
    assert told("guard") == (f"{early} every tile",)
    (_, ends) = told("cut", "unroll")
    assert ends == f"{early} what is left over, and is not unrolled: " + (
        "that is no constant number of iterations"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("1x", "_1x"),
        ("max", "max_"),
        ("Mod", "Mod_"),
        ("a b", "a_b"),
        ("x.y", "x_y"),
        ("a-b", "a_b"),
    ],
)
def test_isl_reads_maps_of_any_names(name: str, shown: str):
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda *axes: A[axes[0]] * 2, name=name, varargs_names=[name])
    text = str(te.explain(te.create_schedule(B), "maps"))
    points, *maps = re.findall(r"\[n\] -> \{.*\}", text)
    assert f"{{ {shown}[{shown}] : " in points
    isl.UnionSet.read_from_str(isl.Context(), points)
    assert len(maps) == 3
    for one in maps:
        isl.UnionMap.read_from_str(isl.Context(), one)


def test_maps_to_time_may_name_a_stage_by_either_name():
    B = te.compute((4,), lambda i: i * 1.0, name="max")
    for name in ("max", "max_"):
        (axis,) = te.create_schedule(B)[B].set_schedule(f"{{ {name}[i] -> [i] }}")
        assert axis.name
