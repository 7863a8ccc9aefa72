"""Stages of tensor intrinsics give what the interpreter gives, whatever their schedule is."""

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

BLOCK = 3


def scan(a, b):
    b[...] = np.cumsum(a) + 1


def add_to(a, b):
    b += 2 * a


def zero(b):
    b[...] = 0


REVERSED = """
loop.for %i = 0 to 3 {
  %from = affine.apply affine_map<(d0) -> (2 - d0)> (%i)
  %v = memref.load %x[%from] : memref<3xf32, strided<[1], offset: ?>>
  %w = arith.addf %v, %v : f32
  memref.store %w, %z[%i] : memref<3xf32, strided<[1], offset: ?>>
}
"""
UPDATED = """
loop.for %i = 0 to 3 {
  %v = memref.load %x[%i] : memref<3xf32, strided<[1], offset: ?>>
  %w = memref.load %z[%i] : memref<3xf32, strided<[1], offset: ?>>
  %u = arith.addf %v, %w : f32
  memref.store %u, %z[%i] : memref<3xf32, strided<[1], offset: ?>>
}
"""
"""Code whose buffers are planned by its loads and stores."""


def _intrinsic(as_text):
    x = te.placeholder((BLOCK,), name="x")
    z = te.compute((BLOCK,), lambda i: x[i] + 1, name="z")

    def body(ins, outs):
        reset = te.call_packed(zero, *outs)
        if as_text:
            return REVERSED, reset, UPDATED
        return te.call_packed(scan, *ins, *outs), reset, te.call_packed(add_to, *ins, *outs)

    return te.decl_tensor_intrin(z.op, body)


@st.composite
def schedules(draw):
    """A producer, blocks of it, and a reader of shifted elements, with a schedule."""
    rows, steps = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    columns = steps * BLOCK
    A = te.placeholder((rows, columns), name="A")
    P = te.compute((rows, columns), lambda i, j: A[i, j] * 2, name="P")
    block, k = _intrinsic(draw(st.booleans())), te.reduce_axis((0, steps), "k")

    def slice_of(i, step):
        return P[i, step * BLOCK : step * BLOCK + BLOCK]

    if draw(st.booleans()):
        shape, of = (rows, BLOCK), lambda i, j: (i, j % BLOCK)
        C = te.compute(shape, lambda i: block(slice_of(i, k), reduce_axis=k), name="C")
    else:
        shape, of = (rows, steps, BLOCK), lambda i, j: (i, j // BLOCK, j % BLOCK)
        C = te.compute(shape, lambda i, j: block(slice_of(i, j)), name="C")
    down = draw(st.integers(0, rows - 1))
    D = te.compute((rows - down, columns), lambda i, j: C[of(i + down, j)] + 1, name="D")
    s = te.create_schedule(D)
    if draw(st.booleans()):
        axes = list(D.op.axis)
        outer, inner = s[D].split(axes.pop(draw(st.integers(0, 1))), factor=draw(sizes()))
        order = draw(st.permutations([outer, inner, *axes]))
        s[D].reorder(*order)
        at = draw(st.integers(0, len(order) - 1))
        s[C].compute_at(s[D], order[at])
        if draw(st.booleans()):
            s[C].store_at(s[D], order[at - 1]) if at else s[C].store_root()
    leaves = [*C.op.axis, *C.op.reduce_axis]
    chosen = draw(st.integers(0, len(leaves) - 1))
    leaves[chosen : chosen + 1] = s[C].split(leaves[chosen], factor=draw(sizes()))
    order = draw(st.permutations(leaves))
    s[C].reorder(*order)
    if draw(st.booleans()):
        s[draw(st.sampled_from([C, P]))].set_scope("shared")
    s[C].unroll(draw(st.sampled_from(order)))
    if draw(st.booleans()):
        s[P].compute_at(s[C], draw(st.sampled_from(order)))
    return A, D, s


def sizes():
    return st.integers(1, 4)


def check(program) -> None:
    A, D, s = program
    shape = tuple(int(extent.value) for extent in A.shape)
    a = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    d = np.empty(tuple(int(extent.value) for extent in D.shape), "float32")
    teloom.build(s, [A, D], name="f")(a, d)
    (expected,) = interpret(s.module, "main", [a], (), s.program.externals)
    assert (d == expected).all()


@settings(max_examples=EXAMPLES // 2)
@given(schedules())
def test_as_the_interpreter(program):
    check(program)
