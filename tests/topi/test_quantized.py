"""Numbers of few bits: quantized ones, and words of bits."""

import numpy as np
import pytest
from layers_by_hand import RNG, Arrays, normal

from teloom import te
from teloom.topi import nn


def limits(dtype):
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def quantized(x, scale, zero, dtype):
    return np.clip(np.rint(x / scale) + zero, *limits(dtype)).astype(dtype)


def test_quantize_and_dequantize(both):
    given = Arrays()
    x = (normal(2, 3, 4) * 40).astype("float32")
    # Halves, both limits, and what lies behind them.
    x[0, 0] = [0.25, 0.75, -0.25, -0.75]
    x[0, 1] = [1e6, -1e6, 1e30, -1e30]
    scales = np.array([0.5, 0.25, 2], "float32")
    zeros = np.array([-3, 0, 7], "int32")
    data, scale, zero = given(x), given(scales), given(zeros)
    by = (slice(None), None)
    q = quantized(x, np.float32(0.5), 3, "int8")
    wide = RNG.integers(*limits("int32"), (3, 4)).astype("int32")
    wanted = [
        (nn.quantize(data, 0.5, 3), q),
        (nn.quantize(data, scale, zero, 1, "uint8"), quantized(x, scales[by], zeros[by], "uint8")),
        (nn.quantize(data, 0.5, zero, -2, "int32"), quantized(x / 1.0, 0.5, zeros[by], "int32")),
        (nn.dequantize(given(q), 0.5, 3), (q.astype("f") - 3) * np.float32(0.5)),
        (
            nn.dequantize(given(q), scale, zero, 1, "float64"),
            (q.astype("int64") - zeros[by]) * scales[by].astype("float64"),
        ),
        (
            nn.dequantize(given(wide), 0.5, -(2**31), out_dtype="float64"),
            (wide.astype("int64") + 2**31) * 0.5,
        ),
    ]
    both(given, wanted)


def requantized(q, zero, ratio, new_zero, dtype, rounds):
    return np.clip(rounds((q.astype("int64") - zero) * ratio) + new_zero, *limits(dtype))


def test_requantize(both):
    given = Arrays()
    q = RNG.integers(-3000, 3000, (4, 5)).astype("int32")
    q[0] = [-15, -5, 5, 15, 25]
    scales = np.array([0.1, 0.5, 1, 2], "float32")
    data, scale = given(q), given(scales)
    by_row = (scales.astype("float64") / 0.5)[:, None]

    def away(x):
        return np.sign(x) * np.floor(np.abs(x) + 0.5)

    def up(x):
        return np.floor(x + 0.5)

    wanted = [
        (nn.requantize(data, 0.05, 0, 0.5, 3), requantized(q, 0, 0.05 / 0.5, 3, "int8", up)),
        (
            nn.requantize(data, 0.25, -5, 5.0, 0, rounding="TONEAREST", out_dtype="uint8"),
            requantized(q, -5, 0.25 / 5.0, 0, "uint8", away),
        ),
        (
            nn.requantize(data, scale, 1, 0.5, 0, 0, out_dtype="int32"),
            requantized(q, 1, by_row, 0, "int32", up),
        ),
        (
            nn.requantize(data, 0.5, 0, 1.0, 0, compute_dtype="float32"),
            requantized(q, 0, 0.5, 0, "int8", up),
        ),
    ]
    both(given, [(tensor, array.astype(tensor.dtype)) for tensor, array in wanted])


def test_halves_do_not_depend_on_the_place_in_a_vector(compile_once):
    """A product plus a half is one operation in some parts of a loop and two in others."""
    A = te.placeholder((67,), "int32", name="A")
    run = compile_once([A], [nn.requantize(A, 0.05, 0, 0.5, 3)])
    for number, wanted in ((-5, 3), (5, 4), (-15, 2)):
        (found,) = run([np.full(67, number, "int32")], [A.shape])
        np.testing.assert_array_equal(found, wanted)


def test_simulated(compile_once):
    """One program for all dtypes, and for scales of a channel or of all."""
    a, code = te.placeholder((2, 4), name="a"), te.placeholder((), "int32", name="code")
    s, z = (te.placeholder((te.var(f"n{d}"),), d, d) for d in ("float32", "int32"))
    outputs = [nn.simulated_quantize(a, code, s, z), nn.simulated_dequantize(a, code, s, z)]
    run = compile_once([a, code, s, z], outputs)
    x = np.array([[0.25, 0.75, -300, 1e4], [-0.25, 3, 1e6, -1e6]], "float32")
    for channels in (1, 4):
        scales = np.array([0.5, 0.25, 2, 1], "float32")[:channels]
        zeros = np.array([1, -2, 0, 5], "int32")[:channels]
        for dtype, number in nn.SQNN_DTYPE_TO_CODE.items():
            found = run([x, np.array(number, "int32"), scales, zeros], [x.shape] * 2)
            if dtype == "disable":
                expected = [x, x]
            else:
                expected = [quantized(x, scales, zeros, dtype), (x - zeros) * scales]
            for one, wanted in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, wanted.astype("float32"), rtol=1e-6)
    assert nn.SQNN_CODE_TO_DTYPE[nn.SQNN_UINT8] == "uint8"


def test_words_of_bits(both):
    given = Arrays()
    x = RNG.integers(0, 4, (3, 16)).astype("int16")
    w = RNG.integers(0, 8, (2, 16)).astype("int32")
    signs, others = normal(2, 64), normal(3, 64)
    signs[0, 0] = 0
    data, weight = given(x), given(w)
    bits = np.stack([x >> b & 1 for b in range(2)], 1).astype("uint8")
    words = np.packbits(bits, axis=2)
    counts_of = np.sum([((w >> b & 1) * 2 - 1) << b for b in range(3)], 0)
    packed = nn.bitpack(weight, 3, 1, 1, "uint16")
    plus = [np.where(one >= 0, 1, -1) for one in (signs, others)]
    of_signs = [nn.binarize_pack(given(one)) for one in (signs, others)]
    first_axis = np.packbits(signs.T >= 0, axis=0, bitorder="big")
    as_words = first_axis.reshape(2, 4, 2).transpose(0, 2, 1).copy().view(">u4")[..., 0]
    wanted = [
        (nn.bitpack(data, 2, 1, 1, "uint8"), words),
        (nn.bitpack(data, 2, -1, -1, "uint8"), words.swapaxes(1, 2)),
        (nn.bitserial_dense(data, weight, 2, 3, "uint16"), x @ counts_of.T),
        (nn.bitserial_dense(data, packed, 2, 3, "uint16", "int32", False), x @ w.T),
        (nn.binarize_pack(given(signs.T), 0), as_words.astype("uint32")),
        (nn.binary_dense(*of_signs), (plus[0] @ plus[1].T).astype("float32")),
    ]
    both(given, wanted)


A, I = te.placeholder((8, 4), name="A"), te.placeholder((8, 4), "int8", name="I")  # noqa: E741
S, Z = te.placeholder((3,), name="S"), te.placeholder((3,), "int32", name="Z")
C, U = te.placeholder((), "int32", name="C"), te.placeholder((8, 32), "uint32", name="U")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: nn.quantize(I, 0.5, 0),
            "topi.nn.quantize: data is I of shape (8, 4) and dtype int8",
        ),
        (
            lambda: nn.quantize(A, S, 0),
            "output_scale is S of shape (3,) and dtype float32, but must have one element, or 4",
        ),
        (
            lambda: nn.quantize(A, Z, 0),
            "output_scale is Z of shape (3,) and dtype int32, but must be",
        ),
        (
            lambda: nn.quantize(A, 0.0, 1),
            "topi.nn.quantize: output_scale is 0.0, but must be above",
        ),
        (lambda: nn.quantize(A, 0.5, 0.5), "output_zero_point is 0.5: 0.5 is not an integer"),
        (lambda: nn.quantize(A, 0.5, 0, 2), "topi.nn.quantize: axis is 2, outside of -2..1"),
        (lambda: nn.quantize(A, 0.5, 0, out_dtype="float32"), "out_dtype is 'float32'; known are"),
        (lambda: nn.dequantize(A, 0.5, 0), "topi.nn.dequantize: data is A of shape (8, 4)"),
        (lambda: nn.requantize(I, 0.5, 0, 1, 0, rounding="EVEN"), "rounding is 'EVEN'; known are"),
        (lambda: nn.requantize(I, 0.5, 0, 1, 0, compute_dtype="int64"), "compute_dtype is 'int64'"),
        (
            lambda: nn.simulated_quantize(A, S, S, Z),
            "out_dtype is S of shape (3,) and dtype float32",
        ),
        (lambda: nn.simulated_quantize(A, C), "output_scale is None, not a tensor"),
        (lambda: nn.simulated_dequantize(I, C, S, Z), "data is I of shape (8, 4) and dtype int8"),
        (
            lambda: nn.binarize_pack(A),
            "data is A of shape (8, 4) and dtype float32, whose axis 1 has",
        ),
        (
            lambda: nn.binary_dense(U, A),
            "topi.nn.binary_dense: weight is A of shape (8, 4) and dtype",
        ),
        (
            lambda: nn.bitserial_dense(U, te.placeholder((8, 2, 1), "uint32", name="W"), 1, 1),
            "weight is W of shape (8, 2, 1) and dtype uint32, but must be uint32, with 1 bits",
        ),
        (
            lambda: nn.bitserial_dense(U, U, 1, 1, out_dtype="float32"),
            "out_dtype is 'float32', but",
        ),
        (lambda: nn.bitserial_dense(A, U, 1, 1), "topi.nn.bitserial_dense: data is A of shape"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
