"""Fourier transforms, by the sum that defines them: n^2 products for n elements.

Angles are multiples of a whole turn over n, which are taken from a table of n cosines and sines:
none is larger than a turn, so that long signals are as exact as short ones. Floats of 16 bits are
transformed in float32.
"""

from __future__ import annotations

import math
from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, an_integer, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents, same
from teloom.topi.tag import COMM_REDUCE

__all__ = ["dft", "stft"]


def _turns(name: str, count: Any, dtype: str) -> te.Tensor:
    """The cosines and the sines of all multiples of a turn over `count`, below a turn."""

    def value(part: Any, k: Any) -> Any:
        size = te.multiply(count, 1).astype("float64")
        angle = k.astype("float64") * (te.const(2 * math.pi, "float64") / size)
        return te.select(part == 0, te.cos(angle), te.sin(angle)).astype(dtype)

    return computed(f"{name}_turns", (2, count), value)


def _multiple(k: Any, j: Any, count: Any) -> Any:
    """`k * j` turns over `count`, without whole turns."""
    whole = max(count, 1) if isinstance(count, int) else count
    product = te.multiply(k, 1).astype("int64") * te.multiply(j, 1).astype("int64")
    return te.bounded(product % te.multiply(whole, 1).astype("int64"), 0, count)


def dft(re_data: te.Tensor, im_data: te.Tensor, inverse: bool) -> list[te.Tensor]:
    """The discrete Fourier transform along the last axis, or the inverse one, as NumPy's fft.

    Both the data and the result are real and imaginary parts. The inverse one is divided by the
    number of elements.

    >>> A, B = te.placeholder((4, 16), name="A"), te.placeholder((4, 16), name="B")
    >>> dft(A, B, False)
    [Tensor(shape=[4, 16], dtype=float32, name=dft_real), Tensor(shape=[4, 16], ... name=dft_imag)]
    """
    name = "signal.dft"
    for argument, one in (("re_data", re_data), ("im_data", im_data)):
        of_kind(name, argument, a_tensor(name, argument, one), "float")
    if not re_data.ndim:
        raise wrong(name, "re_data", f"is {shown(re_data)}, which has no axes")
    if im_data.dtype != re_data.dtype or not te.same_extents(im_data.shape, re_data.shape):
        raise wrong(name, "im_data", f"is {shown(im_data)}, but re_data is {shown(re_data)}")
    dtype, count = precise(re_data.dtype), re_data.shape[-1]
    inverse = a_flag(name, "inverse", inverse)
    turns = _turns("dft", count, dtype)

    def part_of(imaginary: bool) -> Any:
        def value(*at: Any) -> Any:
            k = te.reduce_axis((0, count), "k")
            turn = _multiple(at[-1], k, count)
            cosine, sine = turns(0, turn), turns(1, turn)
            sine = sine if inverse else -sine
            real, imag = (one(*at[:-1], k).astype(dtype) for one in (re_data, im_data))
            term = real * sine + imag * cosine if imaginary else real * cosine - imag * sine
            return te.sum(term, axis=k)

        return value

    def scaled(total: te.Tensor, stage: str) -> te.Tensor:
        size = te.multiply(count, 1).astype(dtype)

        def value(*at: Any) -> Any:
            found = total(*at) / size if inverse else total(*at)
            return found.astype(re_data.dtype)

        return computed(name, total.shape, value, name=stage)

    totals = [
        computed(name, re_data.shape, part_of(imaginary), COMM_REDUCE, "dft_sum")
        for imaginary in (False, True)
    ]
    return [scaled(*one) for one in zip(totals, ("dft_real", "dft_imag"), strict=True)]


def stft(
    data: te.Tensor,
    n_fft: int,
    hop_length: int,
    win_length: int,
    window: te.Tensor,
    normalized: bool,
    onesided: bool,
    output_shape: Any = None,
) -> te.Tensor:
    """The Fourier transforms of windows of `n_fft` elements that begin `hop_length` apart.

    `data` has the shape (batch, elements), or (elements,), which counts as a batch of one. The
    result has the shape (batch, frequencies, windows, 2), of real and imaginary parts, and with
    `onesided` only the n_fft // 2 + 1 frequencies of which the others are mirror images. `window`
    has `win_length` weights, in the middle of the n_fft elements, which else weigh 0. With
    `normalized`, the result is divided by the root of n_fft. `output_shape` is accepted as TVM's,
    and has to be the shape of the result. As PyTorch's stft without `center`.

    >>> A, w = te.placeholder((2, 100), name="A"), te.placeholder((16,), name="window")
    >>> stft(A, 16, 4, 16, w, False, True)
    Tensor(shape=[2, 9, 22, 2], dtype=float32, name=stft)
    """
    name = "signal.stft"
    of_kind(name, "data", a_tensor(name, "data", data), "float")
    size = an_integer(name, "n_fft", n_fft, 1)
    step = an_integer(name, "hop_length", hop_length, 1)
    taps = an_integer(name, "win_length", win_length, 1)
    _check_windows(name, data, window, size, taps)
    count, begin = data.shape[-1], (size - taps) // 2
    batch = data.shape[0] if data.ndim == 2 else 1
    is_half = a_flag(name, "onesided", onesided)
    shape = [batch, size // 2 + 1 if is_half else size, (count - size) // step + 1, 2]
    if output_shape is not None and not te.same_extents(
        as_extents(name, "output_shape", output_shape), shape
    ):
        raise wrong(name, "output_shape", f"is {output_shape}, but the result has {tuple(shape)}")
    dtype = precise(data.dtype)
    turns = _turns("stft", size, dtype)

    def value(b: Any, frequency: Any, number: Any, part: Any) -> Any:
        k = te.reduce_axis((0, taps), "k")
        element = data(*[b][: data.ndim - 1], number * step + begin + k).astype(dtype)
        turn = _multiple(frequency, k + begin, size)
        return te.sum(element * window(k).astype(dtype) * turns(part, turn), axis=k)

    total = computed(f"{name}_sum", shape, value, COMM_REDUCE)
    factor = 1 / math.sqrt(size) if a_flag(name, "normalized", normalized) else 1.0

    def signed(b: Any, frequency: Any, number: Any, part: Any) -> Any:
        found = total(b, frequency, number, part) * factor
        return te.select(part == 0, found, -found).astype(data.dtype)

    return computed(name, shape, signed)


def _check_windows(name: str, data: te.Tensor, window: te.Tensor, size: int, taps: int) -> None:
    """Refuses data, weights and lengths of windows that do not fit each other."""
    if data.ndim not in (1, 2):
        raise wrong(name, "data", f"is {shown(data)}, but must have 1 or 2 axes")
    if taps > size:
        raise wrong(name, "win_length", f"is {taps}, more than n_fft, {size}")
    of_kind(name, "window", a_tensor(name, "window", window, 1), "float")
    if not same(window.shape[0], taps):
        raise wrong(name, "window", f"is {shown(window)}, but win_length is {taps}")
    count = data.shape[-1]
    if isinstance(count, int) and count < size:
        raise wrong(name, "data", f"is {shown(data)}, shorter than n_fft, {size}")
