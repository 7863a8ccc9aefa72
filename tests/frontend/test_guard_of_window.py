"""Guards of stages that keep windows of others stand where nothing is read that is not there."""

import numpy as np

import teloom
from teloom import te


def test_bounds_from_data_are_read_behind_the_guard():
    """A block has more places than rows; those behind the last row have no bounds."""
    m = te.size_var("m")
    A = te.placeholder((m,), "float32", name="A")
    E = te.placeholder((m,), "int32", name="E")
    P = te.compute((m,), lambda i: A[i] * 2.0, name="P")

    def row(i):
        k = te.reduce_axis((0, E[i]), "k")
        return te.sum(P[k], axis=k)

    R = te.compute((m,), row, name="R")
    (k,) = R.op.reduce_axis
    C = te.compute((m,), lambda i: R[i] + 1.0, name="C")
    s = te.create_schedule(C.op)
    block, place = s[R].transform_layout(lambda i: [i // 8, te.AXIS_SEPARATOR, i % 8])
    s[R].fuse(block, s[R].reverse(place))
    s[P].compute_at(s[R], k)
    s[P].rolling_buffer()
    a, e = np.arange(4, dtype="float32"), np.array([1, 3, 0, 4], "int32")
    c = np.zeros(4, "float32")
    teloom.build(s, [A, E, C])(a, e, c)
    assert c.tolist() == [1 + 2 * a[:count].sum() for count in e]
