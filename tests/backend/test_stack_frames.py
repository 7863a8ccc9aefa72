"""How large the stack frame of a program is: buffers share it, registers are not on it."""

import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.driver.function import Function


def frame(function: Function) -> int:
    """The bytes that the machine code takes on its stack."""
    taken = re.findall(r"sub[ql]?\s+\$(\d+), %rsp", function.source("asm"))
    return max(map(int, taken), default=0)


def on_x86(function: Function) -> None:
    if "%rsp" not in function.source("asm") and "%rdi" not in function.source("asm"):
        pytest.skip("frames are read off code for x86-64")


@pytest.mark.parametrize("size", [1000, 1025, 5000])
@pytest.mark.parametrize("vectorized", [False, True])
def test_stages_that_take_turns_take_the_stack_of_two(size: int, vectorized: bool):
    """Each reads the one before from both ends, so that none is made in place."""
    chain = [te.placeholder((size,), "float32", name="A")]
    for k in range(6):
        above = chain[-1]
        chain.append(
            te.compute((size,), lambda i, a=above: a[size - 1 - i] * 2.0 + a[i], name=f"S{k}")
        )
    s = te.create_schedule(chain[-1])
    if vectorized:
        for tensor in chain[1:]:
            s[tensor].vectorize(tensor.op.axis[0])
    function = teloom.build(s, [chain[0], chain[-1]])
    a = np.random.default_rng(0).random(size, dtype="float32")
    out = np.empty_like(a)
    function(a, out)
    for _ in range(6):
        a = a[::-1] * 2 + a
    np.testing.assert_allclose(out, a, rtol=1e-5)
    on_x86(function)
    assert frame(function) <= 2 * 4 * size + 512


@pytest.mark.parametrize("kind", ["serial", "unroll", "vectorize"])
def test_small_buffers_of_constant_indices_are_registers(kind: str):
    A = te.placeholder((64, 17), "float32", name="A")
    B = te.compute((64, 16), lambda i, j: A[i, j] * A[i, j + 1], name="B")
    C = te.compute((64, 16), lambda i, j: B[i, 15 - j] + B[i, j], name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    if kind != "serial":
        for tensor in (B, C):
            getattr(s[tensor], kind)(tensor.op.axis[1])
    function = teloom.build(s, [A, C])
    a = np.random.default_rng(0).random((64, 17), dtype="float32")
    out = np.empty((64, 16), "float32")
    function(a, out)
    b = a[:, :-1] * a[:, 1:]
    np.testing.assert_allclose(out, b[:, ::-1] + b, rtol=1e-6)
    assert "alloca" not in function.source("llvm-ir")
    on_x86(function)
    # Tuned for some CPUs, LLVM keeps more values than there are registers.
    assert frame(teloom.build(s, [A, C], target="x86-64-v2")) == 0


def test_vectors_that_registers_do_not_hold_are_in_one_line_of_the_cache_each():
    A, B = te.placeholder((64, 40), name="A"), te.placeholder((64, 32), name="B")
    k = te.reduce_axis((0, 64), "k")
    C = te.compute((40, 32), lambda i, j: te.sum(A[k, i] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    s[C].reorder(k, i, j)
    s[C].unroll(i)
    s[C].vectorize(j)
    function = teloom.build(s, [A, B, C])
    on_x86(function)
    assert not re.findall(r"vmovups\s+%[yz]mm\d+, \d*\(%rsp\)", function.source("asm"))
    a, b = np.random.default_rng(0).random((2, 64, 40), "f4")
    out = np.empty((40, 32), "f4")
    function(a, b[:, :32].copy(), out)
    np.testing.assert_allclose(out, a.T @ b[:, :32], rtol=1e-4)
