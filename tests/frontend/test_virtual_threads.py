"""Virtual threads: interleaved copies, with storage of their own, that compute the same."""

import numpy as np
import pytest

import teloom
from teloom import te


@pytest.mark.parametrize("n", [32, 37])
def test_a_product_in_virtual_threads(n: int):
    A = te.placeholder((n, 16), name="A")
    B = te.placeholder((16, n), name="B")
    k = te.reduce_axis((0, 16), "k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    CL = s.cache_write(C, "local")
    i, j = C.op.axis
    vy, yi = s[C].split(i, nparts=2)
    vx, xi = s[C].split(j, nparts=2)
    yo, yi = s[C].split(yi, factor=4)
    xo, xi = s[C].split(xi, factor=8)
    s[C].reorder(yo, xo, vy, vx, yi, xi)
    s[C].bind(vy, te.thread_axis("vthread", name="vy"))
    s[C].bind(vx, te.thread_axis("vthread", name="vx"))
    s[CL].compute_at(s[C], vx)
    ci, cj = CL.op.axis
    s[CL].reorder(k, ci, cj)
    s[CL].vectorize(cj)
    s[C].vectorize(xi)
    text = str(teloom.lower(s, [A, B, C], level="loop"))
    assert "vthread" not in text
    if n == 32:  # the sums of all threads are in the loop over k, which none of them has alone
        assert '"C.local" [0 : 2, 0 : 2, 0 : 4, 0 : 8]' in text
        inside = text[text.index("%k = ") :]
        first, second = (inside.index(f"%{axis}.outer_1 = 0 to 2 unrolled") for axis in "ij")
        assert 0 < first < second
    run = teloom.build(s, [A, B, C])
    rng = np.random.default_rng(0)
    a, b = rng.random((n, 16), "float32"), rng.random((16, n), "float32")
    run(a, b, c := np.full((n, n), np.nan, "float32"))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)  # sums of 16 float32


def test_threads_of_no_constant_number_are_copies():
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    s = te.create_schedule(B)
    s[B].bind(B.op.axis[0], te.thread_axis("vthread"))
    with pytest.warns(teloom.Remark, match="not interleaved: their number is not constant"):
        run = teloom.build(s, [A, B])
    run(a := np.arange(5, dtype="float32"), b := np.empty_like(a))
    np.testing.assert_array_equal(b, a + 1)


@pytest.mark.parametrize("far", [0, 1])
def test_what_threads_compute_is_stored_outside_of_their_loop(far: int):
    """Each finds what it computes itself; what another one computes is refused."""
    A = te.placeholder((16, 8), "int32", name="A")
    B = te.compute((16, 8), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((15, 8), lambda i, j: B[i, 7 - j] + B[i + far, j], name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], factor=5)
    s[C].bind(inner, te.thread_axis("vthread"))
    s[B].compute_at(s[C], inner)
    s[B].store_at(s[C], outer)
    if far:
        with pytest.raises(teloom.ScheduleError, match="which is vthread, have no order"):
            teloom.lower(s, [A, C])
        return
    a, c = np.arange(128, dtype="int32").reshape(16, 8), np.zeros((15, 8), "int32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, 2 * (a[:15, ::-1] + a[:15]))
