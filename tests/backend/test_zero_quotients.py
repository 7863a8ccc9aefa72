"""0 / 0 in lanes that a mask makes 0 is left out by that mask."""

import numpy as np
import pytest
from cpus_here import runs_here

import teloom
from teloom import te
from teloom.backend.machine.codegen import zero_quotients


def _windows(dtype: str, n: int, lanes: int):
    """Sums over windows, of quotients at the places inside of the rows."""
    H, C, A = (te.placeholder((9, n), dtype, name=name) for name in "HCA")
    w, zero = te.reduce_axis((0, 3), "w"), te.const(0, dtype)

    def quotient(i, j):
        return te.select(A[i, j] == C[i, j], H[i, j] / C[i, j], zero)

    def inside(i, j):
        return te.if_then_else(te.all(j - w >= 0, j - w < n), quotient(i, j - w), zero)

    B = te.compute((9, 8), lambda i, j: te.sum(inside(i, j), axis=w), name="B")
    s = te.create_schedule(B)
    i, j = B.op.axis
    outer, inner = s[B].split(j, lanes)
    s[B].reorder(i, w, outer, inner)
    s[B].unroll(w)
    s[B].unroll(outer)
    s[B].vectorize(inner)
    return s, [H, C, A, B]


@pytest.mark.parametrize("cpu", ["cpu", "x86-64", "haswell", "skylake-avx512"])
@pytest.mark.parametrize(("dtype", "lanes"), [("float64", 2), ("float64", 4), ("float32", 8)])
def test_lanes_outside_are_zero(cpu, dtype, lanes):
    if cpu != "cpu" and not runs_here(cpu):
        pytest.skip(f"this machine cannot run code for {cpu}")
    n = 5
    s, args = _windows(dtype, n, lanes)
    h, c, a = (np.full((9, n), value, dtype) for value in (1, 2, 2))
    teloom.build(s, args, cpu)(h, c, a, b := np.empty((9, 8), dtype))
    expected = [sum(0.5 for k in range(3) if 0 <= j - k < n) for j in range(8)]
    np.testing.assert_array_equal(b, np.tile(np.array(expected, dtype), (9, 1)))


LINE = "  %q = fdiv contract <4 x double> %a, %b, !dbg !3\n"
FENCE = "  %fenced.0 = call <4 x double> @llvm.arithmetic.fence.v4f64(<4 x double> %b)\n"


def test_a_divisor_gets_a_fence():
    fenced = zero_quotients.with_fences(LINE, "x86_64")
    assert fenced == f"{FENCE}  %q = fdiv contract <4 x double> %a, %fenced.0, !dbg !3\n"


@pytest.mark.parametrize(
    "line",
    [
        "  %q = fdiv <4 x float> %a, splat (float 3.000000e+00)\n",
        "  %q = fdiv <2 x float> %a, <float 1.000000e+00, float 3.000000e+00>\n",
        "  %q = fdiv double %a, %b\n",
        "  %q = fmul <4 x float> %a, %b\n",
    ],
)
def test_others_get_none(line):
    assert zero_quotients.with_fences(line, "x86_64") == line


@pytest.mark.parametrize(
    ("architecture", "count"), [("x86_64", 1), ("aarch64", 1), ("riscv64", 0), ("wasm32", 0)]
)
def test_short_floats_have_fences_where_llvm_has_code_for_them(architecture, count):
    line = "  %q = frem <8 x half> <half 0xH0000, half 0xH3C00>, %b.c\n"
    assert zero_quotients.with_fences(line, architecture).count("fence.v8f16") == count
