"""Remarks are Python warnings of the user's own lines."""

import warnings

import numpy as np
import pytest

import teloom
from teloom import te


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
