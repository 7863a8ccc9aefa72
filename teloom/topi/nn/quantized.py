"""Numbers as integers: `(q - zero point) * scale`.

Scales and zero points are numbers, or tensors: of one element, or by the position on an axis. The
names and arguments of `quantize`, `dequantize` and `requantize` are those of TVM's relay.qnn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, an_axis, one_of, shown, wrong
from teloom.topi.dtypes import of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import is_one, same
from teloom.topi.tag import BROADCAST
from teloom.topi.transform.positions import positions

SQNN_DISABLE, SQNN_INT8, SQNN_UINT8, SQNN_INT32 = range(4)

SQNN_DTYPE_TO_CODE = {
    "disable": SQNN_DISABLE,
    "int8": SQNN_INT8,
    "uint8": SQNN_UINT8,
    "int32": SQNN_INT32,
}
"""The numbers by which `simulated_quantize` and `simulated_dequantize` know dtypes."""

SQNN_CODE_TO_DTYPE = {code: dtype for dtype, code in SQNN_DTYPE_TO_CODE.items()}

_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")
_FLOATS = ("float16", "float32", "float64")

Parameter = Callable[[Sequence[Any]], Any]


def quantize(
    data: te.Tensor,
    output_scale: Any,
    output_zero_point: Any,
    axis: int = -1,
    out_dtype: str = "int8",
) -> te.Tensor:
    """`data / scale`, rounded, plus the zero point, as the nearest number of `out_dtype`.

    Halves are rounded to the even integer, as ONNX's QuantizeLinear does.

    >>> quantize(te.placeholder((8, 4), name="A"), 0.1, 3)
    Tensor(shape=[8, 4], dtype=int8, name=quantize)
    """
    name = "nn.quantize"
    of_kind(name, "data", a_tensor(name, "data", data), "float")
    one_of(name, "out_dtype", out_dtype, _INTEGERS)
    along = _channels(name, data, axis)
    scale = _parameter(name, "output_scale", output_scale, data, along, data.dtype)
    zero = _parameter(name, "output_zero_point", output_zero_point, data, along, "int32")

    def value(*at: Any) -> Any:
        return _saturated(te.nearbyint(data(*at) / scale(at)), zero(at), out_dtype)

    return computed(name, data.shape, value, BROADCAST)


def dequantize(
    data: te.Tensor,
    input_scale: Any,
    input_zero_point: Any,
    axis: int = -1,
    out_dtype: str = "float32",
) -> te.Tensor:
    """`(data - zero point) * scale`, in `out_dtype`; as ONNX's DequantizeLinear.

    >>> dequantize(te.placeholder((8, 4), "int8", name="A"), 0.1, 3)
    Tensor(shape=[8, 4], dtype=float32, name=dequantize)
    """
    name = "nn.dequantize"
    positions(name, "data", data)
    one_of(name, "out_dtype", out_dtype, _FLOATS)
    along = _channels(name, data, axis)
    scale = _parameter(name, "input_scale", input_scale, data, along, out_dtype)
    zero = _parameter(name, "input_zero_point", input_zero_point, data, along, "int32")

    def value(*at: Any) -> Any:
        return (_wide(data(*at)) - _wide(zero(at))).astype(out_dtype) * scale(at)

    return computed(name, data.shape, value, BROADCAST)


def requantize(
    data: te.Tensor,
    input_scale: Any,
    input_zero_point: Any,
    output_scale: Any,
    output_zero_point: Any,
    axis: int = -1,
    rounding: str = "None",
    compute_dtype: str = "None",
    out_dtype: str = "int8",
) -> te.Tensor:
    """Integers of one scale and zero point as those of another, the nearest of `out_dtype`.

    Halves are rounded up with `rounding` "UPWARD", which "None" is, and away from zero with
    "TONEAREST". The numbers between are of `compute_dtype`, float64 by default. The input's scale
    and zero point may be by the position on `axis`. Source: TVM's relay.qnn.requantize, which
    computes in fixed point.

    >>> requantize(te.placeholder((8, 4), "int32", name="A"), 0.1, 0, 0.5, 3)
    Tensor(shape=[8, 4], dtype=int8, name=requantize)
    """
    name = "nn.requantize"
    positions(name, "data", data)
    one_of(name, "rounding", rounding, ("None", "UPWARD", "TONEAREST"))
    one_of(name, "compute_dtype", compute_dtype, ("None", "float32", "float64"))
    one_of(name, "out_dtype", out_dtype, _INTEGERS)
    between = "float64" if compute_dtype == "None" else compute_dtype
    along = _channels(name, data, axis)
    scales = [
        _parameter(name, argument, one, data, along, between)
        for argument, one in (("input_scale", input_scale), ("output_scale", output_scale))
    ]
    zeros = [
        _parameter(name, argument, one, data, along, "int32")
        for argument, one in (
            ("input_zero_point", input_zero_point),
            ("output_zero_point", output_zero_point),
        )
    ]

    def value(*at: Any) -> Any:
        old, new = (scale(at) for scale in scales)
        number = (_wide(data(*at)) - _wide(zeros[0](at))).astype(between) * (old / new)
        found = te.round(number) if rounding == "TONEAREST" else _halves_up(number)
        return _saturated(found, zeros[1](at), out_dtype)

    return computed(name, data.shape, value, BROADCAST)


def _halves_up(number: Any) -> Any:
    """The nearest integer, from that of a half.

    A product plus a half may be one operation, which does not round the product: what is a half
    would depend on the machine. Twice a product is a product.
    """
    return te.floor((te.floor(number * 2) + 1) / 2)


def _channels(name: str, data: te.Tensor, axis: Any) -> int:
    """The axis of channels; a tensor without axes has none, and no parameters by them."""
    return an_axis(name, axis, data.ndim) if data.ndim else 0


def _wide(value: Any) -> Any:
    """An integer in a dtype in which differences of it are exact."""
    return value.astype(
        "int64" if value.dtype in ("int32", "uint32", "int64", "uint64") else "int32"
    )


def _saturated(number: Any, zero: Any, dtype: str) -> Any:
    """An integer that is a float plus a zero point, as the nearest number of `dtype`."""
    wide = "float64" if dtype == "int32" or number.dtype == "float64" else "float32"
    low, high = (one(dtype).astype(wide) for one in (te.min_value, te.max_value))
    total = number.astype(wide) + zero.astype(wide)
    return te.max(te.min(total, high), low).astype(dtype)


def _parameter(
    name: str, argument: str, value: Any, data: te.Tensor, along: int, dtype: str
) -> Parameter:
    """A scale, or a zero point, at a position of the data."""
    if not isinstance(value, te.Tensor):
        number = a_number(name, argument, value, dtype)
        if "float" in dtype and isinstance(value, int | float) and not value > 0:
            raise wrong(name, argument, f"is {value}, but must be above 0")
        return lambda at: number
    kind = "integer" if "int" in dtype else "float"
    tensor = of_kind(name, argument, a_tensor(name, argument, value), kind)
    extent = data.shape[along] if data.ndim else 1
    if not tensor.ndim:
        return lambda at: tensor().astype(dtype)
    if tensor.ndim == 1 and is_one(tensor.shape[0]):
        return lambda at: tensor(0).astype(dtype)
    if tensor.ndim > 1 or not same(tensor.shape[0], extent):
        problem = f"is {shown(tensor)}, but must have one element, or {extent}, as on axis {along}"
        raise wrong(name, argument, f"{problem} of {shown(data)}")
    return lambda at: tensor(at[along]).astype(dtype)


def simulated_quantize(
    data: te.Tensor,
    out_dtype: te.Tensor,
    output_scale: te.Tensor | None = None,
    output_zero_point: te.Tensor | None = None,
    axis: int = -1,
) -> te.Tensor:
    """`quantize` in the dtype of `data`, to a dtype that is known at the call.

    `out_dtype` is a tensor without axes: one of `SQNN_DTYPE_TO_CODE`, of which "disable" gives
    `data`. Scales and zero points have one axis, by the position on `axis` of the data, modulo
    their extent.

    >>> A, code = te.placeholder((8, 4), name="A"), te.placeholder((), "int32", name="code")
    >>> s, z = te.placeholder((4,), name="s"), te.placeholder((4,), "int32", name="z")
    >>> simulated_quantize(A, code, s, z)
    Tensor(shape=[8, 4], dtype=float32, name=simulated_quantize)
    """
    name = "nn.simulated_quantize"
    given = ("out_dtype", out_dtype), ("output_scale", output_scale)
    scale, zero = _simulated(name, data, given, ("output_zero_point", output_zero_point), axis)

    def value(*at: Any) -> Any:
        here, code = data(*at), out_dtype()
        whole = te.nearbyint(here / scale(at)) + zero(at)
        found = here
        for dtype in ("int8", "uint8", "int32"):
            low, high = (one(dtype).astype(data.dtype) for one in (te.min_value, te.max_value))
            clipped = te.max(te.min(whole, high), low)
            found = te.if_then_else(code == SQNN_DTYPE_TO_CODE[dtype], clipped, found)
        return found

    return computed(name, data.shape, value, BROADCAST)


def simulated_dequantize(
    data: te.Tensor,
    in_dtype: te.Tensor,
    input_scale: te.Tensor | None = None,
    input_zero_point: te.Tensor | None = None,
    axis: int = -1,
) -> te.Tensor:
    """`dequantize` in the dtype of `data`, of integers whose dtype is known at the call.

    The arguments are as those of `simulated_quantize`.

    >>> A, code = te.placeholder((8, 4), name="A"), te.placeholder((), "int32", name="code")
    >>> s, z = te.placeholder((4,), name="s"), te.placeholder((4,), "int32", name="z")
    >>> simulated_dequantize(A, code, s, z)
    Tensor(shape=[8, 4], dtype=float32, name=simulated_dequantize)
    """
    name = "nn.simulated_dequantize"
    given = ("in_dtype", in_dtype), ("input_scale", input_scale)
    scale, zero = _simulated(name, data, given, ("input_zero_point", input_zero_point), axis)

    def value(*at: Any) -> Any:
        here = data(*at)
        number = (here - zero(at)) * scale(at)
        return te.if_then_else(in_dtype() == SQNN_DISABLE, here, number)

    return computed(name, data.shape, value, BROADCAST)


def _simulated(
    name: str,
    data: te.Tensor,
    given: Sequence[tuple[str, Any]],
    zero_point: tuple[str, Any],
    axis: Any,
) -> list[Parameter]:
    """Scale and zero point at a position of the data, in its dtype."""
    of_kind(name, "data", a_tensor(name, "data", data), "float")
    (argument, code), scale = given
    of_kind(name, argument, a_tensor(name, argument, code, 0), "integer")
    along = an_axis(name, axis, data.ndim)
    found = []
    for (argument, one), kind in ((scale, "float"), (zero_point, "integer")):
        tensor = of_kind(name, argument, a_tensor(name, argument, one, 1), kind)
        found.append(_repeated(tensor, along, data))
    return found


def _repeated(tensor: te.Tensor, along: int, data: te.Tensor) -> Parameter:
    extent = tensor.shape[0]
    if same(extent, data.shape[along]):
        return lambda at: tensor(at[along]).astype(data.dtype)
    return lambda at: tensor(at[along] % extent).astype(data.dtype)
