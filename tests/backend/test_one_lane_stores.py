"""Code for AVX-512 stores no byte more than it should."""

import re

import ml_dtypes  # noqa: F401  (the dtype bfloat16)
import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.machine.codegen import machine_code
from teloom.dialects.target import Target

ZEN4 = Target("x86_64", "znver4")

# How many bytes an instruction stores at an address; those with a mask store its lanes.
STORES = {
    "movb": 1,
    "movw": 2,
    "movl": 4,
    "movq": 8,
    "vmovd": 4,
    "vmovq": 8,
    "vmovss": 4,
    "vmovlps": 8,
    "vpextrb": 1,
    "vpextrw": 2,
    "vpextrd": 4,
    "vpextrq": 8,
    "vextractps": 4,
}
ONE_LANE = re.compile(r"masked\.store.*<(?!.*i1 true.*i1 true)[^<>]*i1 true[^<>]*>\)")


def stored(assembly: str, pointer: str) -> set[tuple[str, int]]:
    """The instructions that store at a constant distance from `pointer`, and the distances."""
    found = re.findall(rf"^\t(\w+)\t[^\n]*, (\d*)\({pointer}\)$", assembly, re.MULTILINE)
    return {(name, int(distance or 0)) for name, distance in found}


@pytest.mark.parametrize(
    ("wide", "narrow", "lanes"),
    [("i64", "i32", 4), ("i64", "i16", 2), ("i64", "i8", 8), ("i32", "i16", 8), ("i32", "i8", 16)],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_store_of_one_truncated_lane(wide, narrow, lanes, last):
    lane = lanes - 1 if last else 0
    mask = ", ".join(f"i1 {'true' if k == lane else 'false'}" for k in range(lanes))
    text = f"""
    define void @f(<{lanes} x {wide}> %v, ptr %p) {{
      %t = trunc <{lanes} x {wide}> %v to <{lanes} x {narrow}>
      call void @llvm.masked.store.v{lanes}{narrow}.p0(
          <{lanes} x {narrow}> %t, ptr align 1 %p, <{lanes} x i1> <{mask}>), !noalias !0
      ret void
    }}
    !0 = !{{!1}}
    !1 = distinct !{{!1, !2}}
    !2 = distinct !{{!2}}
    """
    width = int(narrow[1:]) // 8
    ((name, distance),) = stored(machine_code.assembly(text, ZEN4), "%rdi")
    assert (STORES[name], distance) == (width, lane * width)


@pytest.mark.parametrize("n", [5, 9, 17])
@pytest.mark.parametrize(("source", "target"), [("bfloat16", "bfloat16"), ("int64", "int8")])
@pytest.mark.parametrize("guarded", [False, True])
def test_loops_have_no_masked_store_of_one_lane(source, target, n, guarded):
    A = te.placeholder((n,), source, name="A")
    C = te.compute((n,), lambda i: (A[i] * 3 * 3 + 1).astype(target), name="C")
    s = te.create_schedule(C)
    if guarded:
        s[C].split(C.op.axis[0], factor=4)
    f = teloom.build(s, [A, C], name="f")
    optimized = machine_code.optimized_text(f.kernel.text(), ZEN4)
    assert not ONE_LANE.search(optimized)
    a = np.arange(n).astype(source)
    f(a, c := np.zeros(n, target))
    with np.errstate(all="ignore"):
        nine = a * a.dtype.type(3) * a.dtype.type(3) + a.dtype.type(1)
        np.testing.assert_array_equal(c, nine.astype(target))


def test_lanes_that_are_not_known_keep_their_mask():
    text = """
    define void @f(<4 x i32> %v, ptr %p, <4 x i1> %m) {
      call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 4 %p, <4 x i1> %m)
      ret void
    }"""
    assert "@llvm.masked.store" in machine_code.optimized_text(text, ZEN4)
