"""The reference interpreter on updates: order, branches, loops that end early, what it refuses."""

import numpy as np
import pytest
from standard_kernels import parse

from teloom.backend.interpreter.equations import InterpretError, interpret

HALVED = """
te.func @halved(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>, tensor<?xf32>) {
  %H, %K = te.update "H" (%p = %n) reduce (%i = %n, %t = 20) state %h, %k
      : tensor<?xf32>, tensor<?xf32> {
    %old = te.read %h[%i] : f32
    %count = te.read %k[%i] : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %large = arith.cmpf ogt, %old, %one : f32
    scf.if %large {
      %new = arith.mulf %old, %half : f32
      te.write %new, %h[%i] : f32
    }
    %more = arith.addf %count, %one : f32
    te.write %more, %k[%i] : f32
  } until (%j, %u) state %g, %l {
    %now = te.read %g[%j] : f32
    %one = arith.constant 1.0 : f32
    %small = arith.cmpf ole, %now, %one : f32
    te.yield %small : i1
  } init {
    %a = te.read %A[%p] : f32
    %zero = arith.constant 0.0 : f32
    te.yield %a, %zero : f32, f32
  }
  te.return %H, %K : tensor<?xf32>, tensor<?xf32>
}
"""


def test_loops_end_early_and_branches_write():
    a = np.array([0.5, 4.0, 5.0, 1e30], "float32")
    halved, counts = interpret(parse(HALVED), "halved", [a], [4])
    np.testing.assert_array_equal(counts, [0, 2, 3, 20])
    np.testing.assert_array_equal(halved, a / np.float32(2) ** counts)
    assert [one.shape for one in interpret(parse(HALVED), "halved", [a[:0]], [0])] == [(0,), (0,)]


def test_a_write_outside_is_refused_with_its_point():
    text = """
    te.func @outside(%A: tensor<3xf32>) -> (tensor<3xf32>) {
      %H = te.update "H" (%p = 3) reduce (%i = 3) state %h : tensor<3xf32> {
        %old = te.read %h[%i] : f32
        te.write %old, %h[%i + 1] : f32
      } init {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
      te.return %H : tensor<3xf32>
    }
    """
    with pytest.raises(InterpretError) as refusal:
        interpret(parse(text), "outside", [np.zeros(3, "float32")])
    assert str(refusal.value) == (
        'subscript 0 of %h is 3, outside its extent 3, in stage "H" at %i = 2'
    )
