"""Schedules by rules of stages whose rows slide along those of their readers."""

import numpy as np
import pytest
from budget import pairs

import teloom
from teloom import te

V3 = teloom.target("x86-64-v3")


def gradients(gray: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
    """The differences of neighbours below and beside each element, inside."""
    n, m = gray.shape
    inner = n - 2, m - 2
    down = te.compute(inner, lambda y, x: gray[y + 2, x] - gray[y, x + 1], name="down")
    right = te.compute(inner, lambda y, x: gray[y, x + 2] - gray[y + 1, x], name="right")
    return down, right


def around(stage: te.Tensor, y, x):
    return stage[y, x] + stage[y + 1, x] + stage[y, x + 1] + stage[y + 2, x + 2]


def windows_of(A: te.Tensor, of) -> te.Tensor:
    """Sums of windows of what `of` gives of squares, multiplied by each other."""
    gray = te.compute(A.shape, lambda y, x: A[y, x] * A[y, x], name="gray")
    down, right = of(gray)
    n, m = down.shape
    return te.compute(
        (n - 2, m - 2), lambda y, x: around(down, y, x) * around(right, y, x), name="C"
    )


def one_after_the_other(gray: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
    """Differences, and what reads these and the same squares as they do."""
    n, m = gray.shape
    inner = n - 2, m - 2
    down = te.compute(inner, lambda y, x: gray[y + 2, x] - gray[y, x + 1], name="down")
    right = te.compute(inner, lambda y, x: gray[y, x + 2] - down[y, x], name="right")
    return down, right


def scheduled(of, shape, threads: int):
    A = te.placeholder(shape, name="A")
    C = windows_of(A, of)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3, num_threads=threads)
    return s, A, C, reasons


def expected(of, a: np.ndarray) -> np.ndarray:
    gray = a * a
    down = gray[2:, :-2] - gray[:-2, 1:-1]
    right = gray[:-2, 2:] - (gray[1:-1, :-2] if of is gradients else down)
    parts = [one[:-2, :-2] + one[1:-1, :-2] + one[:-2, 1:-1] + one[2:, 2:] for one in (down, right)]
    return parts[0] * parts[1]


@pytest.mark.parametrize(
    ("threads", "of", "shape"),
    pairs([1, 2], [gradients, one_after_the_other], [(5, 5), (100, 131), (70, 1000)]),
)
def test_windows(of, shape, threads: int):
    s, A, C, _ = scheduled(of, shape, threads)
    a = np.random.default_rng(0).random(shape, "float32")
    teloom.build(s, [A, C], num_threads=threads)(a, c := np.empty([*map(int, C.shape)], "float32"))
    np.testing.assert_allclose(c, expected(of, a), rtol=1e-3, atol=1e-6)


def test_rows_of_what_reads_the_same_are_computed_in_one_pass():
    said = "in the pass over"
    assert [one for one in scheduled(gradients, (100, 131), 1)[3] if said in one] == [
        "down: in the pass over right, which reads the same"
    ]
    assert not [one for one in scheduled(one_after_the_other, (100, 131), 1)[3] if said in one]


def filtered(A: te.Tensor, W: te.Tensor) -> te.Tensor:
    """Each channel of windows of 3 x 3, with weights of its own."""
    n, m, k = A.shape
    dy, dx = te.reduce_axis((0, 3), "dy"), te.reduce_axis((0, 3), "dx")
    return te.compute(
        (n - 2, m - 2, k),
        lambda y, x, c: te.sum(A[y + dy, x + dx, c] * W[dy, dx, c], axis=[dy, dx]),
        name="C",
    )


@pytest.mark.parametrize("shape", [(10, 14, 16), (5, 9, 15), (3, 3, 1), (4, 8, 33)])
def test_pixels_that_read_the_same_weights_are_computed_together(shape):
    A, W = te.placeholder(shape, name="A"), te.placeholder((3, 3, shape[2]), name="W")
    C = filtered(A, W)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    if shape[:1] == (10,):
        said = "C.global: tiles of 4 x 16 elements of C stay in registers for all terms"
        assert said in reasons
    rng = np.random.default_rng(0)
    a, w = rng.random(shape, "float32"), rng.random((3, 3, shape[2]), "float32")
    teloom.build(s, [A, W, C])(a, w, c := np.empty([*map(int, C.shape)], "float32"))
    taken = np.lib.stride_tricks.sliding_window_view(a, (3, 3), (0, 1))
    np.testing.assert_allclose(c, np.einsum("yxcij,ijc->yxc", taken, w), rtol=1e-5)
