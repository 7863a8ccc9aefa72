"""Where LLVM's optimizer makes IR that is not valid, a program is still right."""

import numpy as np

import teloom
from teloom import te


def test_parts_of_a_buffer_stored_last_part_first() -> None:
    """LLVM 22 joins the two stores, and puts the joined vector before what it is made of."""
    A = te.placeholder((4,), "float32", "A")
    C = te.compute((4,), lambda i: A[3 - i], "C")
    s = te.create_schedule(C.op)
    written = s.cache_write(C, "local")
    parts = s.cache_write(written, "local")
    outer, inner = s[parts].split(s[parts].reverse(s[parts].leaf_iter_vars[0]), nparts=2)
    s[parts].vectorize(inner)
    s[parts].unroll(outer)
    s[written].vectorize(s[written].op.axis[0])
    a, c = np.arange(4, dtype="float32"), np.zeros(4, "float32")
    teloom.build(s, [A, C])(a, c)
    assert c.tolist() == [3, 2, 1, 0]
