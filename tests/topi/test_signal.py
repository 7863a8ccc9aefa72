"""Fourier transforms, beside NumPy's."""

import numpy as np
import pytest

from teloom import te
from teloom.topi import signal

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dft(dtype, both):
    given, wanted = {}, []
    for shape in ((7,), (2, 3, 8), (3, 1), (2, 0))[: 4 if dtype == "float32" else 2]:
        data = RNG.normal(size=shape) + 1j * RNG.normal(size=shape)
        parts = [np.ascontiguousarray(one).astype(dtype) for one in (data.real, data.imag)]
        real, imag = (te.placeholder(shape, dtype, name) for name in "RI")
        given |= {real: parts[0], imag: parts[1]}
        whole = parts[0].astype("float64") + 1j * parts[1]
        for inverse, transform in ((False, np.fft.fft), (True, np.fft.ifft)):
            expected = transform(whole) if shape[-1] else whole
            found = signal.dft(real, imag, inverse)
            wanted += zip(found, (expected.real, expected.imag), strict=True)
    both(given, [(one, array.astype(dtype)) for one, array in wanted])


def transformed(data, size, step, window, normalized, onesided):
    frames = np.lib.stride_tricks.sliding_window_view(data, size, -1)[..., ::step, :]
    begin = (size - len(window)) // 2
    weights = np.pad(window, (begin, size - len(window) - begin))
    found = np.fft.fft(frames * weights)[..., : size // 2 + 1 if onesided else size]
    found = found / np.sqrt(size) if normalized else found
    return np.stack([found.real, found.imag], -1).swapaxes(-2, -3)


def test_stft(both):
    x, w, v = RNG.normal(size=(2, 37)), RNG.random(8), RNG.random(5)
    x, w, v = (one.astype("float32") for one in (x, w, v))
    X, W, V = (te.placeholder(one.shape, name=name) for one, name in zip((x, w, v), "XWV"))
    line = te.placeholder((8,), name="line")
    wanted = [
        (signal.stft(X, 8, 3, 8, W, False, True), transformed(x, 8, 3, w, False, True)),
        (signal.stft(X, 8, 5, 5, V, True, False), transformed(x, 8, 5, v, True, False)),
        (signal.stft(line, 8, 3, 8, W, True, True), transformed(w[None], 8, 3, w, True, True)),
    ]
    given = {X: x, W: w, V: v, line: w}
    both(given, [(one, array.astype("float32")) for one, array in wanted])


def test_sizes_at_the_call(symbolic):
    def make(b, n):
        X, W = te.placeholder((b, n), name="X"), te.placeholder((4,), name="W")
        real, imag = signal.dft(X, X, False)
        return [X, W], [
            (real, lambda x, w: (np.fft.fft(x) * (1 + 1j)).real.astype("float32")),
            (imag, lambda x, w: (np.fft.fft(x) * (1 + 1j)).imag.astype("float32")),
            (
                signal.stft(X, 4, 2, 4, W, False, True),
                lambda x, w: transformed(x, 4, 2, w, False, True).astype("float32"),
            ),
        ]

    symbolic(make, "b n", [(2, 9), (1, 4), (3, 16)])


A, W = te.placeholder((2, 37), name="A"), te.placeholder((8,), name="W")
I = te.placeholder((2, 37), "int32", name="I")  # noqa: E741


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: signal.dft(A, I, False),
            "topi.signal.dft: im_data is I of shape (2, 37) and dtype",
        ),
        (lambda: signal.dft(A, W, False), "im_data is W of shape (8,) and dtype float32, but re_"),
        (
            lambda: signal.stft(A, 8, 2, 9, W, False, True),
            "topi.signal.stft: win_length is 9, more than n_fft, 8",
        ),
        (
            lambda: signal.stft(A, 8, 2, 7, W, False, True),
            "window is W of shape (8,) and dtype float32, but win_length is 7",
        ),
        (
            lambda: signal.stft(A, 38, 2, 8, W, False, True),
            "data is A of shape (2, 37) and dtype float32, shorter than n_fft, 38",
        ),
        (
            lambda: signal.stft(A, 8, 0, 8, W, False, True),
            "hop_length is 0, but must be at least 1",
        ),
        (
            lambda: signal.stft(A, 8, 1, 8, W, False, True, (2, 5, 30, 3)),
            "output_shape is (2, 5, 30, 3), but the result has (2, 5, 30, 2)",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
