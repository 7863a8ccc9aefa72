"""Products of numbers of few bits, as counts of the bits that two words have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_axis, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import is_integer, of_kind
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import expect_same, same, with_extents
from teloom.topi.nn.convolutions.direct import padded
from teloom.topi.windows import counts, windows

_WORDS = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def bitpack(
    data: te.Tensor,
    bits: int,
    pack_axis: int,
    bit_axis: int,
    pack_type: str,
    name: str = "QuantizeInput",
) -> te.Tensor:
    """The lowest `bits` bits of integers, in words of `pack_type` along `pack_axis`.

    Bit b of so many elements as a word has bits is one word, at position b of a new axis
    `bit_axis`; the first element is the highest bit of the word.

    >>> bitpack(te.placeholder((2, 64), "int32", name="A"), 2, 1, 1, "uint32")
    Tensor(shape=[2, 2, 2], dtype=uint32, name=QuantizeInput)
    """
    return _words("nn.bitpack", data, (bits, pack_axis, bit_axis), pack_type, name)


def _words(
    operator: str,
    data: te.Tensor,
    how: tuple[Any, Any, Any],
    dtype: str,
    name: str = "QuantizeInput",
    called: tuple[str, str, str] = ("data", "bits", "pack_type"),
) -> te.Tensor:
    """`bitpack`, in an operator that has other names for the integers, the bits and the dtype."""
    bits, pack_axis, bit_axis = how
    argument, of_bits, of_dtype = called
    of_kind(operator, argument, a_tensor(operator, argument, data), "integer")
    count = an_integer(operator, of_bits, bits, 1)
    along = an_axis(operator, pack_axis, data.ndim, "pack_axis")
    place = an_axis(operator, bit_axis, data.ndim + 1, "bit_axis")
    one_of(operator, of_dtype, dtype, tuple(_WORDS))
    if count > int(data.dtype.lstrip("uint")):
        raise wrong(operator, of_bits, f"is {count}, more than those of {shown(data)}")

    def bit(x: Any, b: Any) -> Any:
        return x >> b.astype(x.dtype) & te.const(1, x.dtype)

    return _packed(operator, data, bit, (count, along, place), dtype, (name, "bitpack", argument))


def _packed(
    operator: str,
    data: te.Tensor,
    bit: Callable[[Any, Any], Any],
    how: tuple[int, int, int | None],
    dtype: str,
    called: tuple[str, str, str],
) -> te.Tensor:
    """Words of `bit(element, b)` for each b below the first of `how`.

    The others are the axis of the words, and that of the bits; None if there is only one.
    `called` are the name of the stage, its tag, and the argument that `data` is.
    """
    name, tag, argument = called
    count, along, place = how
    width = _WORDS[dtype]
    shape = [*data.shape]
    if not same(shape[along] // width * width, shape[along]):
        problem = f"is {shown(data)}, whose axis {along} has no whole words of {width} elements"
        raise wrong(operator, argument, problem)
    shape[along] = shape[along] // width
    if place is not None:
        shape.insert(place, count)
    k = te.reduce_axis((0, width), "k")

    def value(*at: Any) -> Any:
        there = [one for axis, one in enumerate(at) if axis != place]
        there[along] = there[along] * width + k
        b = te.const(0, "int32") if place is None else at[place]
        found = bit(data(*there), b).astype(dtype)
        return te.sum(found << (width - 1 - k).astype(dtype), axis=k)

    return computed(operator, shape, value, tag, name)


def binarize_pack(data: te.Tensor, axis: int | None = None, name: str = "PackedInput") -> te.Tensor:
    """Whether elements are at least 0, as bits of words of 32 along `axis`, by default the last.

    >>> binarize_pack(te.placeholder((8, 64), name="A"))
    Tensor(shape=[8, 2], dtype=uint32, name=PackedInput)
    """
    operator = "nn.binarize_pack"
    along = an_axis(operator, -1 if axis is None else axis, a_tensor(operator, "data", data).ndim)
    how = 1, along, None
    called = name, "binarize_pack", "data"
    return _packed(operator, data, lambda x, b: x >= 0, how, "uint32", called)


def binary_dense(data: te.Tensor, weight: te.Tensor) -> te.Tensor:
    """The product of matrices of 1 and -1, as words of `binarize_pack`, in float32.

    (m, k / 32) and (n, k / 32), in uint32, give (m, n).

    >>> A, W = (te.placeholder((k, 2), "uint32", name=n) for k, n in ((8, "A"), (4, "W")))
    >>> binary_dense(A, W)
    Tensor(shape=[8, 4], dtype=float32, name=binary_dense)
    """
    name = "nn.binary_dense"
    given = {"data": a_tensor(name, "data", data, 2), "weight": a_tensor(name, "weight", weight, 2)}
    for argument, one in given.items():
        if one.dtype != "uint32":
            raise wrong(name, argument, f"is {shown(one)}, but must be uint32")
    words = expect_same(name, given, {"data": 1, "weight": 1})
    k = te.reduce_axis((0, words), "k")

    def differing(i: Any, j: Any) -> Any:
        return te.sum(te.popcount(data(i, k) ^ weight(j, k)).astype("int32"), axis=k)

    shape = [data.shape[0], weight.shape[0]]
    bits = te.multiply(words * 32, 1).astype("int32")
    number = computed(f"{name}_differing", shape, differing, "binary_dense")
    return applied(name, lambda count: (bits - count * 2).astype("float32"), number)


def bitserial_dense(
    data: te.Tensor,
    weight: te.Tensor,
    data_bits: int,
    weight_bits: int,
    pack_dtype: str = "uint32",
    out_dtype: str = "int16",
    unipolar: bool = True,
) -> te.Tensor:
    """`dense` of integers without a sign, of so many bits: (m, k) and (n, k) give (m, n).

    With `unipolar`, a bit b of a weight counts as 2^b if it is 1, and as -2^b if it is 0; else as
    2^b and 0. Weights may be packed: by `bitpack(weight, weight_bits, 1, 1, pack_dtype)`.

    >>> A, W = (te.placeholder((k, 64), "int32", name=n) for k, n in ((8, "A"), (4, "W")))
    >>> bitserial_dense(A, W, 2, 1)
    Tensor(shape=[8, 4], dtype=int16, name=bitserial_dense)
    """
    name = "nn.bitserial_dense"
    a_tensor(name, "data", data, 2)
    words = _words(name, data, (data_bits, 1, 1), pack_dtype, called=_called("data", "data"))
    if a_tensor(name, "weight", weight).ndim == 2:
        called = _called("weight", "weight")
        weight = _words(name, weight, (weight_bits, 1, 1), pack_dtype, called=called)
    given = {"data": words, "weight": a_tensor(name, "weight", weight, 3)}
    _check_words(name, "weight", weight, 1, weight_bits, pack_dtype, out_dtype)
    k = te.reduce_axis((0, expect_same(name, given, {"data": 2, "weight": 2})), "k")
    of_data, of_weight = _bits(data_bits, weight_bits)

    def value(i: Any, j: Any) -> Any:
        here, factor = words(i, of_data, k), weight(j, of_weight, k)
        term = _common(here, factor, of_data + of_weight, out_dtype, unipolar)
        return te.sum(term, axis=[of_weight, of_data, k])

    tag = "bitserial_dense_unipolar" if unipolar else "bitserial_dense"
    return computed(name, [data.shape[0], weight.shape[0]], value, tag)


def _bits(*counts_of: int) -> list[te.IterVar]:
    return [te.reduce_axis((0, count), f"b{k}") for k, count in enumerate(counts_of)]


def _common(word: Any, weight: Any, power: Any, dtype: str, unipolar: bool) -> Any:
    """How many bits of a word the weights have, less those that they have not, times 2^power."""
    count = te.popcount(word & weight).astype(dtype)
    if unipolar:
        count = count - te.popcount(word & ~weight).astype(dtype)
    return count << power.astype(dtype)


def _called(argument: str, bits: str) -> tuple[str, str, str]:
    return argument, f"{bits}_bits", "pack_dtype"


def _check_words(
    name: str,
    argument: str,
    weight: te.Tensor,
    axis: int,
    bits: int,
    pack_dtype: str,
    out_dtype: str,
) -> None:
    if weight.dtype != pack_dtype or not same(weight.shape[axis], bits):
        problem = f"is {shown(weight)}, but must be {pack_dtype}, with {bits} bits on axis {axis}"
        raise wrong(name, argument, problem)
    if not is_integer(out_dtype):
        raise wrong(name, "out_dtype", f"is {out_dtype!r}, but must be integer")


def bitserial_conv2d_nchw(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    activation_bits: int,
    weight_bits: int,
    pack_dtype: str = "uint32",
    out_dtype: str = "int16",
    unipolar: bool = True,
) -> te.Tensor:
    """`conv2d_nchw` of integers without a sign, of so many bits; see `bitserial_dense`.

    The channels are whole words. Weights may be packed: by
    `bitpack(kernel, weight_bits, 1, 4, pack_dtype)`.

    >>> A, W = (te.placeholder((1, 32, k, k), "int32", name=n) for k, n in ((8, "A"), (3, "W")))
    >>> bitserial_conv2d_nchw(A, W, 1, 1, 2, 1)
    Tensor(shape=[1, 1, 8, 8], dtype=int16, name=bitserial_conv2d_nchw)
    """
    how = stride, padding, activation_bits, weight_bits, pack_dtype, out_dtype, unipolar
    return _convolution("nn.bitserial_conv2d_nchw", data, kernel, how, "NCHW", "OIHW")


def bitserial_conv2d_nhwc(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    activation_bits: int,
    weight_bits: int,
    pack_dtype: str = "uint32",
    out_dtype: str = "int16",
    unipolar: bool = True,
) -> te.Tensor:
    """`bitserial_conv2d_nchw` of NHWC and HWIO.

    Weights may be packed: by `bitpack(kernel, weight_bits, 2, 4, pack_dtype)`.

    >>> A, W = te.placeholder((1, 8, 8, 32), "int32"), te.placeholder((3, 3, 32, 4), "int32")
    >>> bitserial_conv2d_nhwc(A, W, 1, 1, 2, 1)
    Tensor(shape=[1, 8, 8, 4], dtype=int16, name=bitserial_conv2d_nhwc)
    """
    how = stride, padding, activation_bits, weight_bits, pack_dtype, out_dtype, unipolar
    return _convolution("nn.bitserial_conv2d_nhwc", data, kernel, how, "NHWC", "HWIO")


def _convolution(
    name: str,
    data: te.Tensor,
    kernel: te.Tensor,
    how: Sequence[Any],
    layout: str,
    kernel_layout: str,
) -> te.Tensor:
    """The bits of data and weights are an axis behind the others."""
    stride, padding, activation_bits, weight_bits, pack_dtype, out_dtype, unipolar = how
    a_tensor(name, "data", data, 4)
    channel, space = layout.index("C"), [layout.index("H"), layout.index("W")]
    called = _called("data", "activation")
    words = _words(name, data, (activation_bits, channel, 4), pack_dtype, called=called)
    place = {letter: axis for axis, letter in enumerate(kernel_layout)}
    if a_tensor(name, "kernel", kernel).ndim == 4:
        called = _called("kernel", "weight")
        kernel = _words(name, kernel, (weight_bits, place["I"], 4), pack_dtype, called=called)
    given = {"data": words, "kernel": a_tensor(name, "kernel", kernel, 5)}
    _check_words(name, "kernel", kernel, 4, weight_bits, pack_dtype, out_dtype)
    i = te.reduce_axis((0, expect_same(name, given, {"data": channel, "kernel": place["I"]})), "i")
    moved = windows(name, [kernel.shape[place[one]] for one in "HW"], stride, padding, 1)
    numbers = counts(name, words, space, moved)
    shape = with_extents(data.shape, [*space, channel], [*numbers, kernel.shape[place["O"]]])
    source = padded(name, words, space, moved)
    taps = [te.reduce_axis((0, one.size), f"k{k}") for k, one in enumerate(moved)]
    of_data, of_weight = _bits(activation_bits, weight_bits)

    def value(*at: Any) -> Any:
        there = list(at)
        there[channel] = i
        for axis, one, tap in zip(space, moved, taps, strict=True):
            there[axis] = one.place(at[axis], tap) + one.before
        parts = {"O": at[channel], "I": i, "H": taps[0], "W": taps[1]}
        weight = kernel(*(parts[letter] for letter in kernel_layout), of_weight)
        term = _common(source(*there, of_data), weight, of_data + of_weight, out_dtype, unipolar)
        return te.sum(term, axis=[i, *taps, of_weight, of_data])

    return computed(name, shape, value, name.partition(".")[2])
