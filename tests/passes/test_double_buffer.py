"""Loops that compute an iteration ahead give the numbers of those that do not."""

from itertools import product

import numpy as np
import pytest
from loop_kernels import PASSES, compile_loops

from teloom.passes.copies.double_buffer import DoubleBufferPass

FLATTEN, *LATER = PASSES

# Iteration i stores the sum of A[i] and A[i + 1], through a buffer of both.
PAIRS = """
func.func @pairs(%l: index, %n: index, %m: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  loop.for %i = BOUNDS {
    %b = memref.alloc() {loop.double_buffered} : memref<2xf32>
    loop.for %j = 0 to 2 {
      %at = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%i, %j)
      %a = memref.load %A[%at] : memref<?xf32>
      memref.store %a, %b[%j] : memref<2xf32>
    }
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %x = memref.load %b[%zero] : memref<2xf32>
    %y = memref.load %b[%one] : memref<2xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %C[%i] : memref<?xf32>
    memref.dealloc %b : memref<2xf32>
  }
  func.return
}
"""


@pytest.mark.parametrize(("split_loop", "copies"), [(False, 2), (True, 2), (False, 4)])
@pytest.mark.parametrize("bounds", ["%l to %n", "max(%l, 1) to min(%n, %m)", "3 to 7"])
def test_each_iteration_runs_once(bounds, split_loop, copies):
    passes = (DoubleBufferPass(split_loop=split_loop), *LATER)
    text = PAIRS.replace("BOUNDS", bounds)
    text = text.replace("double_buffered", f"double_buffered = {copies} : i64")
    kernel = compile_loops(text, passes)
    for low, extent, more in product([0, 3], [-1, 0, 1, 2, 3, 6], [0, 1]):
        n, m = max(0, low + extent), max(0, low + extent + more)
        runs = {
            "%l to %n": range(low, n),
            "max(%l, 1) to min(%n, %m)": range(max(low, 1), min(n, m)),
            "3 to 7": range(3, 7),
        }[bounds]
        a, c = np.arange(20, dtype="float32") ** 2, np.zeros(20, "float32")
        expected = c.copy()
        for i in runs:
            expected[i] = a[i] + a[i + 1]
        kernel(low, n, m, a, c)
        np.testing.assert_array_equal(c, expected, f"{low=} {n=} {m=}")
