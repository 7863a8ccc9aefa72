"""Masks that become numbers, on AVX-512: no instruction reads a register that it cannot name."""

import re
from dataclasses import replace

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.machine.codegen import machine_code, short_masks
from teloom.backend.machine.cpus import target
from teloom.backend.machine.llvm_text import llvm_text

ZEN4 = target("znver4")

# Of 32 registers such an instruction names the first 16.
UNNAMEABLE = re.compile(r"movmsk\w*\s+%[xy]mm(?:1[6-9]|2\d|3[01])\b")


def checkerboard() -> tuple[te.Schedule, list[te.Tensor]]:
    """The condition of each lane is a bit of a mask, and many registers are in use."""
    A = te.placeholder((4, 4), "float32", name="A")

    def is_black(i, j):
        return (i + j) % 2 == 0

    S = te.compute((4, 4), lambda i, j: A[i, j] * 2, name="S", domain=lambda i, j: [is_black(i, j)])
    C = te.compute((4, 4), lambda i, j: te.if_then_else(is_black(i, j), S[i, j], 0.0), name="C")
    s = te.create_schedule(C.op)
    x = s[C].shift(s[C].fuse(*C.op.axis), -17)
    outer, inner = s[C].split(x, factor=2, tail="guard")
    s[C].vectorize(inner)
    s[S].compute_at(s[C], outer)
    s[S].transform_layout(lambda i, j: [i // 16, te.AXIS_SEPARATOR, j, i % 16])
    return s, [A, C]


def test_no_instruction_reads_a_register_that_it_cannot_name():
    module = teloom.lower(*checkerboard(), level="llvm", target=ZEN4)
    text = llvm_text(module, machine_code.function_attributes(ZEN4))
    assert not UNNAMEABLE.search(machine_code.assembly(text, ZEN4))


def test_lanes_of_a_checkerboard():
    a, c = np.arange(1, 17, dtype="float32").reshape(4, 4), np.zeros((4, 4), "float32")
    teloom.build(*checkerboard())(a, c)
    black = np.indices((4, 4)).sum(axis=0) % 2 == 0
    assert c.tolist() == np.where(black, 2 * a, 0).tolist()


def test_halves_beside_masks_have_code():
    """LLVM ends the process where it has instructions of float16, and no short vectors."""
    machine = target("sapphirerapids")
    A = te.placeholder((63,), "float16", name="A")
    X = te.placeholder((te.size_var("n") + 1,), "float16", name="X")
    k = te.reduce_axis((0, 63), "k")
    R = te.compute((), lambda: te.min(X[0], axis=k, where=A[k] != te.const(0, "float16")), name="R")
    s = te.create_schedule(R)
    s[R].vectorize(k)
    module = teloom.lower(s, [A, X, R], level="llvm", target=machine)
    text = llvm_text(module, machine_code.function_attributes(machine))
    assert short_masks.for_code(machine, text) != machine
    assert "main:" in machine_code.assembly(text, machine)


MASK = "%k = icmp slt <4 x i32> %a, %b\n"
NUMBER = f"{MASK}%n = bitcast <4 x i1> %k to i4"
LANE = f"{MASK}%n = extractelement <4 x i1> %k, i64 1"
ANY = f"{MASK}%n = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %k)"
SMALL = "%n = call <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr> %p, <4 x i1> %k, <4 x i8> %a)"
MASKED = f"{MASK}%n = select <4 x i1> %k, <4 x i32> %a, <4 x i32> %b"
LARGE = "%n = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %p, <4 x i1> %k)"


@pytest.mark.parametrize("text", [NUMBER, LANE, ANY, SMALL])
def test_code_that_does_without_short_vectors(text: str):
    features = f"{ZEN4.features},-avx512vl,-avx512fp16"
    assert short_masks.for_code(ZEN4, text) == replace(ZEN4, features=features)
    haswell = target("haswell")
    assert short_masks.for_code(haswell, text) == haswell
    said = text + '\nattributes #0 = { "target-features"="+avx512f,+avx512vl" }\n'
    assert (
        '"target-features"="+avx512f,+avx512vl,-avx512vl,-avx512fp16"'
        in short_masks.in_functions(said)
    )


@pytest.mark.parametrize(
    "text",
    [MASK, SMALL, "%k = fcmp ninf olt <8 x float> %a, %b", "%k = trunc <4 x i8> to <4 x i1>"],
)
def test_masks_are_found_before_llvm_optimizes(text: str):
    assert short_masks.are_in(text)
    assert not short_masks.are_in("%k = icmp samesign ult i64 %a, %b\n%v = load <4 x i8>, ptr %p")


@pytest.mark.parametrize("text", [MASKED, LARGE])
def test_code_whose_masks_stay_masks(text: str):
    assert short_masks.for_code(ZEN4, text) == ZEN4
    said = text + '\nattributes #0 = { "target-features"="+avx512f,+avx512vl" }\n'
    assert short_masks.in_functions(said) == said
