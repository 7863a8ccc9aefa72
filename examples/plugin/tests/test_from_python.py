"""The command as a step of a Python schedule, and the op in text that becomes a function."""

import numpy as np
from geometry.dialect import LanesOp

import teloom
from teloom import te


def test_the_command_in_a_schedule():
    A = te.placeholder((64,), name="A")
    C = te.compute((64,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].command(LanesOp, C.op.axis[0], count=4)
    assert (outer.name, inner.name) == ("i.outer", "i.inner")
    assert "vector<4xf32>" in str(teloom.lower(s, [A, C], level="standard"))


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
