"""te.infer_bounds: where every axis of a schedule runs."""

import numpy as np
import pytest

import teloom
from teloom import te

n = te.var("n")


def rows(extent=20, columns=16):
    A = te.placeholder((extent, columns), name="A")
    B = te.compute((extent, columns), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((extent, columns), lambda i, j: B[i, j] * 2, name="C")
    return B, C, te.create_schedule(C)


def shown(bound: te.Range) -> tuple[str, str]:
    return str(bound.min), str(bound.extent)


def test_without_a_schedule_axes_run_over_the_tensor():
    B, C, s = rows()
    bounds = te.infer_bounds(s)
    assert [tuple(bounds[axis]) for axis in (*B.op.axis, *C.op.axis)] == [(0, 20), (0, 16)] * 2


@pytest.mark.parametrize(
    ("extent", "factor", "outer", "inner"),
    [(20, 16, 2, 16), (8, 32, 1, 8), (0, 4, 0, 0), (1, 1, 1, 1)],
)
def test_a_split_by_a_factor(extent, factor, outer, inner):
    _, C, s = rows(extent)
    made = s[C].split(C.op.axis[0], factor=factor)
    bounds = te.infer_bounds(s)
    assert [tuple(bounds[axis]) for axis in made] == [(0, outer), (0, inner)]
    assert tuple(bounds[C.op.axis[0]]) == (0, extent)


def test_a_split_in_parts_and_a_fusion():
    _, C, s = rows()
    outer, inner = s[C].split(C.op.axis[0], nparts=3)
    fused = s[C].fuse(inner, C.op.axis[1])
    bounds = te.infer_bounds(s)
    assert [tuple(bounds[axis]) for axis in (outer, inner, fused)] == [(0, 3), (0, 7), (0, 112)]


def test_a_multiple_of_a_size_splits_without_a_rest():
    _, C, s = rows(8 * n)
    outer, _ = s[C].split(C.op.axis[0], factor=8)
    assert shown(te.infer_bounds(s)[outer]) == ("0", "n")


def test_a_fusion_of_sizes():
    _, C, s = rows(n, n)
    fused = s[C].fuse(*C.op.axis)
    assert shown(te.infer_bounds(s)[fused]) == ("0", "(n * n)")


def test_a_factor_of_a_product_counts_as_zero_where_it_is_negative():
    A = te.placeholder((n, n), name="A")
    C = te.compute((n - 3, n - 3), lambda i, j: A[i, j], name="C")
    s = te.create_schedule(C)
    fused = s[C].fuse(*C.op.axis)
    assert shown(te.infer_bounds(s)[fused])[1] == "(maximum((n - 3), 0) * maximum((n - 3), 0))"


def test_axes_that_move():
    _, C, s = rows()
    shifted = s[C].shift(C.op.axis[0], -3)
    outer, inner = s[C].split(shifted, factor=8)
    backwards = s[C].reverse(C.op.axis[1])
    skewed = s[C].skew(backwards, along=outer, factor=-2)
    bounds = te.infer_bounds(s)
    assert [tuple(bounds[axis]) for axis in C.op.axis] == [(0, 20), (0, 16)]
    assert [tuple(bounds[axis]) for axis in (shifted, outer, inner)] == [(-3, 20), (-1, 4), (0, 8)]
    assert [tuple(bounds[axis]) for axis in (backwards, skewed)] == [(0, 16), (-4, 22)]


def test_axes_of_sizes_that_move():
    m = te.var("m")
    _, C, s = rows(n, m)
    shifted = s[C].shift(C.op.axis[1], 5)
    diagonal = s[C].skew(shifted, along=C.op.axis[0], factor=1)
    backwards = s[C].skew(C.op.axis[0], along=diagonal, factor=-1)
    bounds = te.infer_bounds(s)
    assert shown(bounds[diagonal]) == ("5", "((n + m) - 1)")
    assert shown(bounds[backwards]) == ("(((n * -1) + (m * -1)) - 3)", "(((n * 2) + m) - 2)")


def test_a_stage_in_a_tile_of_another_starts_with_it():
    B, C, s = rows()
    i_outer, j_outer, _, _ = s[C].tile(*C.op.axis, 8, 4)
    s[B].compute_at(s[C], j_outer)
    inner = s[B].split(B.op.axis[1], factor=2)
    bounds = te.infer_bounds(s)
    assert shown(bounds[B.op.axis[0]]) == ("(i.outer * 8)", "8")
    assert shown(bounds[B.op.axis[1]]) == ("(j.outer * 4)", "4")
    assert [tuple(bounds[axis]) for axis in inner] == [(0, 2), (0, 2)]
    assert tuple(bounds[i_outer]) == (0, 3)


def test_reduce_axes_keep_their_start():
    A = te.placeholder((9,), name="A")
    k = te.reduce_axis((2, 7), "k")
    S = te.compute((1,), lambda i: te.sum(A[k], axis=k), name="S")
    s = te.create_schedule(S)
    assert tuple(te.infer_bounds(s)[k]) == (2, 5)


def test_axes_of_an_inlined_stage_have_no_bounds():
    B, C, s = rows()
    s[B].compute_inline()
    assert set(te.infer_bounds(s)) == set(C.op.axis)


def test_the_schedule_stays_as_it_is():
    _, C, s = rows()
    s[C].tile(*C.op.axis, 8, 4)
    before = str(s)
    te.infer_bounds(s)
    assert str(s) == before


def test_refuses_what_is_no_schedule():
    _, C, _ = rows()
    with pytest.raises(teloom.Error, match="is not a schedule; make one with"):
        te.infer_bounds(C)


def test_refuses_what_lower_refuses():
    B, C, s = rows()
    s[C].vectorize(C.op.axis[1])
    s[B].compute_at(s[C], C.op.axis[1])
    with pytest.raises(teloom.ScheduleError, match="j is vectorized"):
        te.infer_bounds(s)


def test_every_axis_of_every_stage_has_one_range():
    B, C, s = rows()
    outer, _, inner, _ = s[C].tile(*C.op.axis, 8, 16)
    s[C].shift(inner, 3)
    s[B].compute_at(s[C], outer)
    s[B].reverse(s[B].fuse(*B.op.axis))
    bounds = te.infer_bounds(s)
    axes = [*s[B].all_iter_vars, *s[C].all_iter_vars]
    assert len(axes) == len(bounds)
    assert set(axes) == set(bounds)


def test_loops_of_a_schedule_and_its_bounds():
    A = te.placeholder((8, 1), name="A")
    B = te.compute((8, 1), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B)
    s[B].split(B.op.axis[0], factor=4)
    bounds = te.schedule.InferBound(s)
    for keep, loops in ((False, 2), (True, 3)):
        module = te.schedule.ScheduleOps(s, bounds, debug_keep_trivial_loop=keep)
        assert str(module).count("loop.for") == loops
    assert str(te.schedule.ScheduleOps(s)) == str(teloom.lower(s, [A, B], level="loop"))
    axis = B.op.axis[0]
    for wrong, words in (
        ({axis: te.Range(0, 9)}, "axis i is given min 0 and extent 9, but is inferred to have"),
        ({te.reduce_axis((0, 8), "k"): te.Range(0, 8)}, "k is no axis of the schedule that has"),
    ):
        with pytest.raises(teloom.Error) as error:
            te.schedule.ScheduleOps(s, wrong)
        assert words in str(error.value)
    with pytest.raises(teloom.Error, match="3 is not a schedule"):
        te.schedule.ScheduleOps(3)
    with pytest.raises(AttributeError, match=r"there is: teloom\.lower\(s, args\)"):
        te.schedule.SchedulePostProcToPrimFunc


@pytest.mark.parametrize("parts", [2, 7])
def test_a_region_in_each_iteration_of_parts_of_a_symbolic_axis(parts: int):
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    C = te.compute((n,), lambda i: B[i // 2] + B[i], name="C")
    s = te.create_schedule(C)
    _, inner = s[C].split(C.op.axis[0], nparts=parts)
    s[B].compute_at(s[C], inner)
    run = teloom.build(s, [A, C])
    for size in (0, 1, 2, 13):
        a = np.arange(size, dtype="float32")
        c = np.empty_like(a)
        run(a, c)
        np.testing.assert_array_equal(c, a // 2 + a + 2)
