"""The command as a step of a Python schedule, and the ops in text that becomes a function."""

import numpy as np
from geometry.dialect import HypotOp, LanesOp

import teloom
from teloom import te


def test_the_command_in_a_schedule():
    A = te.placeholder((64,), name="A")
    C = te.compute((64,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].command(LanesOp, C.op.axis[0], count=4)
    assert (outer.name, inner.name) == ("i.outer", "i.inner")
    assert "vector<4xf32>" in str(teloom.lower(s, [A, C], level="standard"))


def test_the_op_in_an_equation():
    A, B = (te.placeholder((1000,), name=name) for name in "AB")
    C = te.compute((1000,), lambda i: te.call_op("float32", HypotOp, A[i], B[i]) + 1, name="C")
    length = teloom.build([A, B, C])
    a, b = np.random.default_rng(0).uniform(-1, 1, (2, 1000)).astype("float32")
    c = np.empty_like(a)
    length(a, b, c)
    np.testing.assert_allclose(c, np.hypot(a, b) + 1, rtol=1e-6)
    assert "vector<" in length.source("standard").split("geometry.hypot")[1].split("\n")[0]


def test_the_op_in_a_function():
    length = teloom.compile(
        """
func.func @length(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  loop.for %i = 0 to 8 vectorized {
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %z = geometry.hypot %x, %y : f32
    memref.store %z, %c[%i] : memref<8xf32>
  }
  func.return
}""",
        passes={"loop": ["simplify-hypot"]},
    )
    a, b = np.arange(16, dtype="float32").reshape(2, 8)
    c = np.empty_like(a)
    length(a, b, c)
    np.testing.assert_allclose(c, np.hypot(a, b), rtol=1e-6)


def test_the_op_on_a_buffer_in_a_function():
    move = teloom.compile(
        """
func.func @move(%points: memref<64xf32>, %by: memref<20xf32>) {
  loop.for %i = 0 to 20 vectorized {
    %x = memref.load %by[%i] : memref<20xf32>
    geometry.move %points[%i] by %x : memref<64xf32>, f32
    %j = affine.apply affine_map<(d0) -> (2 * d0 + 20)> (%i)
    geometry.move %points[%j] by %x : memref<64xf32>, f32
  }
  func.return
}"""
    )
    points = np.arange(64, dtype="float32")
    by = np.arange(100, 120, dtype="float32")
    expected = points.copy()
    expected[:20] += by
    expected[20:60:2] += by
    move(points, by)
    np.testing.assert_array_equal(points, expected)
