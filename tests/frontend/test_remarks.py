"""Remarks are Python warnings of the user's own lines."""

import warnings
from contextlib import contextmanager

import numpy as np
import pytest

import teloom
from teloom import te, topi


def approximated():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n, m), lambda y, x: B[y, x] + 1, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=8)
    s[B].compute_at(s[C], outer)
    return s, [A, C]


def test_names_stage_and_line():
    s, args = approximated()
    with pytest.warns(teloom.Remark, match='stage "B" is computed for all of C.y, C.x: ') as told:
        teloom.lower(s, args, level="schedule")
    assert told[0].filename == __file__


def test_can_be_made_errors():
    s, args = approximated()
    with warnings.catch_warnings():
        warnings.simplefilter("error", teloom.Remark)
        with pytest.raises(teloom.Remark) as raised:
            teloom.lower(s, args, level="schedule")
    assert not getattr(raised.value, "__notes__", [])


def test_copies_that_llvm_would_take_long_for_are_not_made():
    A = te.placeholder((5000,), "int32", name="A")
    B = te.compute((5000,), lambda i: A[i] * A[i] + 1, name="B")
    s = te.create_schedule(B)
    s[B].unroll(B.op.axis[0])
    with pytest.warns(teloom.Remark, match="axis i is not unrolled: 5000 copies of its body"):
        kernel = teloom.build(s, [A, B])
    a, b = np.arange(5000, dtype="int32"), np.empty(5000, "int32")
    kernel(a, b)
    np.testing.assert_array_equal(b, a * a + 1)


def test_copies_of_loops_count_as_what_llvm_makes_of_them():
    A = te.placeholder((51, 51), name="A")
    B = te.compute((51, 51), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((49, 49), lambda i, j: B[i, j] + B[i + 1, j + 1] + B[i + 2, j], name="C")
    s = te.create_schedule(C)
    *_, yi, xi = s[C].tile(*C.op.axis, 7, 7)
    fused = s[C].fuse(yi, xi)
    s[B].compute_at(s[C], fused)
    s[C].unroll(fused)
    with pytest.warns(teloom.Remark, match=r"fused is not unrolled: 49 copies of its body"):
        teloom.lower(s, [A, C], level="standard")


def test_tiles_that_are_not_whole_run_apart_and_nobody_hears_of_them():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.axis[0], factor=8)
    s[B].unroll(inner)
    with warnings.catch_warnings():
        warnings.simplefilter("error", teloom.Remark)
        text = str(teloom.lower(s, [A, B], level="standard"))
    assert "full = true" in text


def test_axes_without_a_constant_extent_are_said_not_to_be_unrolled():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    s[B].unroll(B.op.axis[0])
    with pytest.warns(teloom.Remark, match=r"axis i is not unrolled: from 0 to n is no constant"):
        teloom.lower(s, [A, B], level="standard")


def test_of_axes_that_were_only_vectorized_nobody_hears_that_they_are_not_unrolled():
    A = te.placeholder((256,), name="A")

    def long_body(i):
        terms = [A[i] * float(k) for k in range(512)]
        while len(terms) > 1:
            terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=True)]
        return terms[0]

    B = te.compute((256,), long_body, name="B")
    s = te.create_schedule(B)
    s[B].vectorize(B.op.axis[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", teloom.Remark)
        text = str(teloom.lower(s, [A, B], level="standard"))
    assert "vector<16xf32>" in text
    assert "full = true" not in text


# Commands of rules: the user asked for none of them


@contextmanager
def without_remarks():
    with warnings.catch_warnings():
        warnings.simplefilter("error", teloom.Remark)
        yield


def transposed_convolution():
    """Phases have extents that differ, of which rules know no constant number.

    They are in a tile whole on any machine: channels fill vectors, and columns none.
    """
    x = te.placeholder((1, 3, 5, 5), name="x")
    w = te.placeholder((3, 16, 3, 3), name="w")
    return [x, w, topi.nn.conv2d_transpose_nchw(x, w, (2, 2), (1, 1), "float32", (0, 0))]


def test_of_programs_that_rules_schedule_nobody_hears():
    with without_remarks():
        teloom.build(transposed_convolution())


def test_commands_that_rules_append_for_the_user_are_those_of_rules():
    args = transposed_convolution()
    s = te.create_schedule(args[-1])
    te.auto_schedule(s)
    assert any("schedule.unroll" in command for command in s.schedule_record)
    with without_remarks():
        teloom.lower(s, args, level="standard")


def test_a_stage_is_the_users_again_as_soon_as_she_writes_a_command_on_it():
    args = transposed_convolution()
    s = te.create_schedule(args[-1])
    te.auto_schedule(s)
    phases = next(one for one in s.stages if one.name.endswith("phases.global"))
    phases.unroll(phases.op.reduce_axis[-1])
    with pytest.warns(teloom.Remark, match="axis i6.c is not unrolled") as told:
        teloom.lower(s, args, level="standard")
    assert {one.filename for one in told} == {__file__}


def test_stages_that_the_user_scheduled_stay_hers():
    s, args = approximated()
    te.auto_schedule(s)
    with pytest.warns(teloom.Remark, match='stage "B" is computed for all of C.y, C.x: '):
        teloom.lower(s, args, level="schedule")


def test_equal_programs_of_rules_and_of_users_are_told_apart_where_the_cache_knows_them(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("TELOOM_CACHE_DIR", str(tmp_path))
    for switch in ("SANITIZE", "VERIFY", "CACHE", "DEBUG"):
        monkeypatch.delenv(f"TELOOM_{switch}", raising=False)
    args = transposed_convolution()
    with without_remarks():
        teloom.build(args)
    by_rules = te.create_schedule(args[-1])
    te.auto_schedule(by_rules)
    kept = te.Schedule.from_json(args[-1], by_rules.to_json())
    assert kept.schedule_record == by_rules.schedule_record
    for _ in range(2):
        with pytest.warns(teloom.Remark, match="i6.c is not unrolled"):
            teloom.build(kept, args)
        with without_remarks():
            teloom.build(args)
