"""Notes on loops, from Python to what LLVM reads."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.passes.loops.apply_pragmas import PRAGMAS


def scheduled(*pragma: object):
    A = te.placeholder((32, 8), name="A")
    B = te.compute((32, 8), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[B].pragma(B.op.axis[0], *pragma)
    return s, [A, B]


def test_a_note_reaches_llvm_and_changes_no_number():
    s, args = scheduled("llvm.loop.unroll.count", 4)
    run = teloom.build(s, args)
    assert "#llvm.loop_annotation<unroll = <count = 4 : i32>>" in run.source("llvm")
    a = np.arange(256, dtype="float32").reshape(32, 8)
    run(a, b := np.empty_like(a))
    np.testing.assert_array_equal(b, a * 2)


def test_a_loop_that_cannot_be_unrolled_is_no_loop_that_llvm_warns_of(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TELOOM_CACHE", "0")
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    s[B].pragma(B.op.axis[0], "llvm.loop.unroll.full", True)
    with pytest.warns(teloom.Remark, match="axis i is not unrolled: from 0 to n is no constant"):
        teloom.build(s, [A, B])
    assert capfd.readouterr().err == ""


def test_a_note_without_a_hook_is_visible_and_harmless():
    s, args = scheduled("of.nobody", "a word")
    words = 'pragma "of.nobody" of axis i does nothing, as it has no hook'
    with pytest.warns(teloom.Remark, match=words):
        assert 'of.nobody = "a word"' in str(teloom.lower(s, args, level="standard"))
    s, args = scheduled("auto_unrol_max_step", 8)
    with pytest.warns(teloom.Remark, match="no hook; did you mean 'auto_unroll_max_step'?"):
        teloom.build(s, args)


def test_a_hook_of_a_plug_in_is_called(monkeypatch: pytest.MonkeyPatch):
    called: list[str] = []
    monkeypatch.setitem(PRAGMAS, "mine", lambda op, value: called.append(f"{op.axis_name} {value}"))
    s, args = scheduled("mine", True)
    assert "mine" not in str(teloom.lower(s, args, level="standard"))
    assert called == ["i true"]


def test_a_value_is_a_truth_value_a_number_or_a_word():
    with pytest.raises(teloom.ScheduleError, match="pragma_value of pragma must be an integer"):
        scheduled("mine", [1])
    s, args = scheduled("unroll.count", "four")
    with pytest.raises(teloom.Error, match="takes a number or a truth value"):
        teloom.build(s, args)
