"""Lowered loops: the arithmetic of affine expressions, and what is said of parallel ones."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from loop_kernels import compile_loops
from standard_kernels import parse
from xdsl.context import Context

import teloom
from teloom import te
from teloom.passes.loops.lower_loops import LowerLoopsPass, SerialParallelWarning


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 8, 10])
def test_division_rounds_down_also_below_zero(divisor: int):
    kernel = compile_loops(f"""
        func.func @divide(%A: memref<40xi64> {{llvm.readonly}}, %B: memref<120xi64>) {{
          %a = loop.bind %A [0 : 40] : memref<40xi64>
          %b = loop.bind %B [0 : 3, 0 : 40] : memref<120xi64>
          loop.for %i = 0 to 40 {{
            %v = loop.load %a[%i] : i64
            %x = arith.index_cast %v : i64 to index
            %f = affine.apply affine_map<(d0) -> (d0 floordiv {divisor})> (%x)
            %c = affine.apply affine_map<(d0) -> (d0 ceildiv {divisor})> (%x)
            %m = affine.apply affine_map<(d0) -> (d0 mod {divisor})> (%x)
            %f_ = arith.index_cast %f : index to i64
            %c_ = arith.index_cast %c : index to i64
            %m_ = arith.index_cast %m : index to i64
            loop.store %f_, %b[0, %i] : i64
            loop.store %c_, %b[1, %i] : i64
            loop.store %m_, %b[2, %i] : i64
          }}
          func.return
        }}""")
    values = np.arange(-20, 20)
    results = np.zeros(120, "i8")
    kernel(values, results)
    floor, ceiling, rest = results.reshape(3, 40)
    np.testing.assert_array_equal(floor, values // divisor)
    np.testing.assert_array_equal(ceiling, -(-values // divisor))
    np.testing.assert_array_equal(rest, values % divisor)


PARALLEL = """
    func.func @fill(%A: memref<?xf32>, %x: f32) {
      loop.for %i = 0 to 4 parallel {
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }"""


def test_parallel_loops_say_that_they_are_serial():
    with pytest.warns(SerialParallelWarning, match="parallel loops run serially in this release"):
        LowerLoopsPass().apply(Context(), parse(PARALLEL))


def test_the_users_line_is_warned_of():
    A = te.placeholder((8,), name="A")
    C = te.compute((8,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C)
    s[C].parallel(C.op.axis[0])
    with pytest.warns(SerialParallelWarning) as said:
        teloom.build(s, [A, C])
    assert [one.filename for one in said] == [__file__] * len(said)


TWO_LINES = f"""
from xdsl.context import Context
from standard_kernels import parse
from teloom.passes.loops.lower_loops import LowerLoopsPass
LowerLoopsPass().apply(Context(), parse({PARALLEL!r}))
LowerLoopsPass().apply(Context(), parse({PARALLEL!r}))
"""


@pytest.mark.parametrize(
    ("options", "count"), [([], 1), (["-W", "always"], 2), (["-W", "ignore"], 0)]
)
def test_parallel_loops_say_so_once_in_a_process(options: list[str], count: int):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, *options, "-c", TWO_LINES],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.count("SerialParallelWarning: parallel loops run serially") == count
