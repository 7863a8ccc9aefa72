"""Flattened storage holds every element in its own place."""

from functools import cache

import numpy as np
import pytest
from loop_kernels import compile_loops

from teloom.backend.call.kernel import Kernel
from teloom.passes.loops.lower_loops import LowerLoopsPass
from teloom.passes.storage.storage_flatten import StorageFlattenPass

SHIFTED = """
    func.func @shifted(%n: index, %m: index,
        %A: memref<?xf32> {llvm.readonly}, %C: memref<?xf32>) attributes {
        te.signature = {sizes = ["n", "m"], arrays = [
          {name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, s1)>},
          {name = "C", dtype = "float32", shape = affine_map<()[s0, s1] -> (s1, s0)>, output}]}} {
      %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
      %c = loop.bind %C [0 : %m, 0 : %n] : memref<?xf32>
      loop.for %yo = 0 to %n ceildiv 4 {
        %t = loop.realize "t" [%yo * 4 - 1 : 6, 0 : REGION, 2 : 2] : !loop.tensor<3, f32>
        loop.for %y = %yo * 4 to min(%yo * 4 + 4, %n) {
          loop.for %x = 0 to %m {
            %v = loop.load %a[%y, %x] : f32
            loop.store %v, %t[%y - 1, %x, 2] : f32
            %w = arith.negf %v : f32
            loop.store %w, %t[%y - 1, %x, 3] : f32
          }
        }
        loop.for %y = %yo * 4 to min(%yo * 4 + 4, %n) {
          loop.for %x = 0 to %m {
            %v = loop.load %t[%y - 1, %x, 2] : f32
            %w = loop.load %t[%y - 1, %x, 3] : f32
            %d = arith.subf %v, %w : f32
            loop.store %d, %c[%x, %y] : f32
          }
        }
      }
      func.return
    }"""


@cache
def shifted(region: str, stack_bytes: int) -> Kernel:
    passes = StorageFlattenPass(stack_bytes), LowerLoopsPass()
    return compile_loops(SHIFTED.replace("REGION", region), passes)


@pytest.mark.parametrize("stack_bytes", [0, 65536])
@pytest.mark.parametrize("region", ["%m", "7"])
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (4, 7), (5, 3), (13, 6), (0, 5), (3, 0)])
def test_offsets_and_strides(shape: tuple[int, int], region: str, stack_bytes: int):
    a = np.random.default_rng(0).standard_normal(shape).astype("f4")
    c = np.zeros(shape[::-1], "f4")
    shifted(region, stack_bytes)(a, c)
    np.testing.assert_array_equal(c, 2 * a.T)


def test_a_negative_size_is_none():
    kernel = compile_loops("""
        func.func @triangle(%n: index, %C: memref<?xf32>) attributes {
            te.signature = {sizes = ["n"], arrays = [
              {name = "C", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
          %c = loop.bind %C [0 : %n] : memref<?xf32>
          %one = arith.constant 1.0 : f32
          loop.for %i = 0 to %n {
            %t = loop.realize "t" [0 : 3 - %i, 0 : 2 - %i] : !loop.tensor<2, f32>
            loop.for %j = 0 to 2 - %i {
              loop.store %one, %t[0, %j] : f32
              %v = loop.load %t[0, %j] : f32
              loop.store %v, %c[%j] : f32
            }
          }
          func.return
        }""")
    c = np.zeros(9, "f4")
    kernel(c)
    np.testing.assert_array_equal(c, [1, 1, 0, 0, 0, 0, 0, 0, 0])
