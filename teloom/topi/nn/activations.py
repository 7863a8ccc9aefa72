"""Activations: a function of each element, or of the elements along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_number, a_tensor, an_axis
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import expect_same, is_one
from teloom.topi.folds import folded, summed
from teloom.topi.tag import BROADCAST

SOFTMAX = "softmax_output"
LOG_SOFTMAX = "log_softmax_output"


def relu(x: te.Tensor) -> te.Tensor:
    """`x` where it is above 0, else 0; NaN stays.

    >>> relu(te.placeholder((8, 4), name="A"))
    Tensor(shape=[8, 4], dtype=float32, name=relu)
    """
    a_tensor("nn.relu", "x", x)
    return applied("nn.relu", lambda value: te.max(value, te.const(0, x.dtype)), x)


def leaky_relu(x: te.Tensor, alpha: float) -> te.Tensor:
    """`x` where it is above 0, else `alpha * x`.

    >>> leaky_relu(te.placeholder((8, 4), name="A"), 0.1)
    Tensor(shape=[8, 4], dtype=float32, name=leaky_relu)
    """
    name = "nn.leaky_relu"
    of_kind(name, "x", a_tensor(name, "x", x), "float")
    factor = a_number(name, "alpha", alpha, x.dtype)
    return applied(name, lambda value: te.select(value > 0, value, value * factor), x)


def prelu(x: te.Tensor, slope: te.Tensor, axis: int = 1) -> te.Tensor:
    """`x` where it is above 0, else `slope * x`, with a slope for each position on `axis`, or one.

    >>> prelu(te.placeholder((8, 4), name="A"), te.placeholder((4,), name="slope"))
    Tensor(shape=[8, 4], dtype=float32, name=prelu)
    """
    name = "nn.prelu"
    along = an_axis(name, axis, a_tensor(name, "x", x).ndim)
    a_tensor(name, "slope", slope, 1)
    single = is_one(slope.shape[0])
    if not single:
        expect_same(name, {"x": x, "slope": slope}, {"x": along, "slope": 0})

    def value(*at: Any) -> Any:
        return te.select(x(*at) > 0, x(*at), x(*at) * slope(0 if single else at[along]))

    return computed(name, x.shape, value, BROADCAST)


def _below_greatest(
    name: str, x: te.Tensor, axis: int, function: Callable[[Any], Any], stage: str
) -> tuple[te.Tensor, int]:
    """`function` of the differences to the greatest element along `axis`; and that axis."""
    along = an_axis(name, axis, of_kind(name, "x", a_tensor(name, "x", x), "float").ndim)
    greatest = folded(f"{name}_max", x, [along], True, lambda v, k: te.max(v, axis=k))
    return applied(f"{name}_{stage}", lambda v, m: function(v - m), x, greatest), along


def softmax(x: te.Tensor, axis: int = -1) -> te.Tensor:
    """The exponentials of the elements over their sum, along `axis`.

    They are those of differences to the greatest element, so that none is infinite. The dtype
    stays. Raises `teloom.Error` for a dtype that is no float. As ONNX's Softmax.

    >>> softmax(te.placeholder((8, 4), name="A"))
    Tensor(shape=[8, 4], dtype=float32, name=softmax)
    """
    return _softmax("nn.softmax", x, axis)


def fast_softmax(x: te.Tensor, axis: int = -1) -> te.Tensor:
    """The same as `softmax`: `build(..., math="fast")` chooses the faster code, for both.

    >>> fast_softmax(te.placeholder((8, 4), name="A"), axis=0)
    Tensor(shape=[8, 4], dtype=float32, name=fast_softmax)
    """
    return _softmax("nn.fast_softmax", x, axis)


def softmax_common(x: te.Tensor, axis: int, use_fast_exp: bool) -> te.Tensor:
    """`fast_softmax` with `use_fast_exp`, else `softmax`, along `axis`.

    >>> softmax_common(te.placeholder((8, 4), name="A"), -1, False)
    Tensor(shape=[8, 4], dtype=float32, name=softmax)
    """
    is_fast = a_flag("nn.softmax_common", "use_fast_exp", use_fast_exp)
    return fast_softmax(x, axis) if is_fast else softmax(x, axis)


def _softmax(name: str, x: te.Tensor, axis: int) -> te.Tensor:
    exponentials, along = _below_greatest(name, x, axis, te.exp, "exp")
    total = summed(name, exponentials, [along], precise(x.dtype))
    # The sum is 1 at least: one division of a row, and products, are right but for a rounding.
    share = applied(f"{name}_share", lambda s: te.const(1, s.dtype) / s, total)
    return applied(
        name,
        lambda v, s: (v.astype(s.dtype) * s).astype(v.dtype),
        exponentials,
        share,
        tag=SOFTMAX,
    )


def log_softmax(x: te.Tensor, axis: int = -1) -> te.Tensor:
    """The logarithm of `softmax`, without that of a number that is rounded to 0.

    >>> log_softmax(te.placeholder((8, 4), name="A"), axis=0)
    Tensor(shape=[8, 4], dtype=float32, name=log_softmax)
    """
    name = "nn.log_softmax"
    shifted, along = _below_greatest(name, x, axis, lambda value: value, "shifted")
    total = summed(name, shifted, [along], precise(x.dtype), te.exp)
    return applied(
        name,
        lambda v, s: (v.astype(s.dtype) - te.log(s)).astype(v.dtype),
        shifted,
        total,
        tag=LOG_SOFTMAX,
    )
