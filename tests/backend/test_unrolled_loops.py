"""Loops that LLVM is asked to unroll: it can, and asks no other of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te

n = te.size_var("n")


@pytest.fixture
def build(capfd: pytest.CaptureFixture[str]):
    """Builds a program; LLVM does not print that it has not unrolled a loop."""

    def built(s: te.Schedule, args: Sequence[Any]):
        run = teloom.build(s, args)
        assert capfd.readouterr().err == ""
        return run

    return built


def test_the_last_loop_of_a_loop_that_computes_its_next_index(build):
    """LLVM 22 closes both loops by one branch, for whose annotation it takes that of the inner."""
    A = te.placeholder((3, n + 1), name="A")
    k = te.reduce_axis((0, 3), "k")
    B = te.compute((n,), lambda j: te.sum(A[k, j + 1], axis=k), name="B")
    s = te.create_schedule(B)
    s[B].unroll(k)
    a, b = np.arange(18, dtype="float32").reshape(3, 6), np.zeros(5, "float32")
    build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b, a.sum(0)[1:])


@pytest.mark.parametrize("size", [4, 5])
def test_a_branch_in_the_loop_and_one_behind_it_that_asks_the_same(build, size):
    """LLVM 22 jumps from one to the other, past a test at the end of the loop."""
    A = te.placeholder((2, 16), name="A")
    B = te.compute((16,), lambda j: te.if_then_else(n < 5, A[0, j], A[1, j] * 2), name="B")
    C = te.compute((1,), lambda j: te.if_then_else(n < 5, A[0, j], B[j] * 3), name="C")
    s = te.create_schedule(C)
    s[B].unroll(B.op.axis[0])
    a, b = np.arange(32, dtype="float32").reshape(2, 16), np.zeros(16, "float32")
    build(s, [n, A, B, C])(size, a, b, c := np.zeros(1, "float32"))
    np.testing.assert_array_equal(b, a[0] if size < 5 else a[1] * 2)
    np.testing.assert_array_equal(c, a[0, :1] if size < 5 else b[:1] * 3)


def test_the_last_loop_of_a_loop_with_a_condition(build):
    @te.hybrid.script
    def rounds(a):
        b = output_tensor((4,), a.dtype)  # noqa: F821
        while b[0] < 10:
            for k in unroll(4):  # noqa: F821
                b[k] = b[k] + a[k]
        return b

    A = te.placeholder((4,), name="A")
    B = rounds(A)
    a, b = np.float32([3, 1, 2, 0]), np.zeros(4, "float32")
    build(te.create_schedule(B), [A, B])(a, b)
    np.testing.assert_array_equal(b, a * 4)
