"""Normalizations: differences to a mean over the root of a variance, scaled and shifted.

The variance is the mean of squared differences to the mean. Floats of 16 bits are computed in
float32, and rounded at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, an_axis, an_integer, axes_of, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import expect_same, is_one, same
from teloom.topi.folds import summed
from teloom.topi.nn.padding import pad
from teloom.topi.tag import BROADCAST
from teloom.topi.transform.shapes import reshape


def _floats(name: str, data: object) -> te.Tensor:
    return of_kind(name, "data", a_tensor(name, "data", data), "float")


def _mean(name: str, data: te.Tensor, axes: Sequence[int]) -> te.Tensor:
    """The mean over axes, which stay with the extent 1."""
    dtype = precise(data.dtype)
    count: Any = te.const(1, dtype)
    for axis in axes:
        count = count * te.multiply(data.shape[axis], 1).astype(dtype)
    total = summed(name, data, axes, dtype)
    return applied(f"{name}_mean", lambda value: value / count, total)


def _moments(name: str, data: te.Tensor, axes: Sequence[int]) -> tuple[te.Tensor, te.Tensor]:
    """Mean and variance over axes, which stay with the extent 1."""
    mean = _mean(name, data, axes)
    squares = applied(f"{name}_squares", lambda x, m: (x - m) * (x - m), data, mean)
    return mean, _mean(f"{name}_variance", squares, axes)


def _normalized(
    name: str,
    data: te.Tensor,
    moments: tuple[te.Tensor, te.Tensor],
    factors: Mapping[str, te.Tensor | None],
    places: Sequence[int],
    epsilon: float,
) -> te.Tensor:
    """The data, normalized; scaled and shifted by gamma and beta at the positions on `places`."""
    mean, variance = moments
    for argument, factor in factors.items():
        if factor is not None:
            a_tensor(name, argument, factor)
            if not te.same_extents(factor.shape, [data.shape[place] for place in places]):
                problem = f"is {shown(factor)}, for the axes {list(places)} of {shown(data)}"
                raise wrong(name, argument, problem)
    gamma, beta = factors["gamma"], factors["beta"]

    def value(*at: Any) -> Any:
        of_all = [
            0 if is_one(extent) and not is_one(data.shape[k]) else at[k]
            for k, extent in enumerate(mean.shape)
        ]
        there = [at[place] for place in places]
        result = (data(*at) - mean(*of_all)) * te.rsqrt(variance(*of_all) + epsilon)
        result = result if gamma is None else result * gamma(*there)
        result = result if beta is None else result + beta(*there)
        return result.astype(data.dtype)

    return computed(name, data.shape, value, BROADCAST)


def batch_norm(
    data: te.Tensor,
    gamma: te.Tensor,
    beta: te.Tensor,
    moving_mean: te.Tensor,
    moving_var: te.Tensor,
    axis: int | None = None,
    epsilon: float | None = None,
    center: bool | None = None,
    scale: bool | None = None,
    training: bool | None = None,
    momentum: float | None = None,
) -> list[te.Tensor]:
    """`data`, normalized at each position on `axis`, 1 by default; the mean; and the variance.

    They are the moving ones, which are given back. With `training` they are those of the data, and
    the moving ones come `momentum` (0.1) nearer to these. `gamma` scales unless `scale` is False,
    `beta` is added unless `center` is False; `epsilon` (1e-5) is added to the variance. All but
    `data` have one axis. As ONNX's BatchNormalization, whose momentum is 1 less that.

    >>> b = te.placeholder((3,), name="b")
    >>> batch_norm(te.placeholder((2, 3, 8), name="A"), b, b, b, b)[0]
    Tensor(shape=[2, 3, 8], dtype=float32, name=batch_norm)
    """
    name = "nn.batch_norm"
    along = an_axis(name, 1 if axis is None else axis, _floats(name, data).ndim)
    moving = {"moving_mean": moving_mean, "moving_var": moving_var}
    for argument, one in moving.items():
        given = {"data": data, argument: a_tensor(name, argument, one, 1)}
        expect_same(name, given, {"data": along, argument: 0})
    share = 0.1 if momentum is None else momentum
    if not 0 <= share <= 1:
        raise wrong(name, "momentum", f"is {share}, outside of 0..1")
    shape = [extent if k == along else 1 for k, extent in enumerate(data.shape)]
    if training:
        others = [k for k in range(data.ndim) if k != along]
        mean, variance = _moments(name, data, others)
        news = [
            applied(f"{argument}_out", lambda old, new: old * (1 - share) + new * share, one, flat)
            for (argument, one), flat in zip(
                moving.items(),
                (reshape(found, (shape[along],)) for found in (mean, variance)),
                strict=True,
            )
        ]
    else:
        mean, variance = (_spread(name, one, along, shape) for one in moving.values())
        news = [applied(f"{key}_out", lambda old: old, one) for key, one in moving.items()]
    factors = {
        "gamma": None if scale is False else gamma,
        "beta": None if center is False else beta,
    }
    small = 1e-5 if epsilon is None else epsilon
    return [_normalized(name, data, (mean, variance), factors, [along], small), *news]


def _spread(name: str, one: te.Tensor, along: int, shape: list[Any]) -> te.Tensor:
    return computed(f"{name}_{one.name}", shape, lambda *at: one(at[along]), BROADCAST)


def layer_norm(
    data: te.Tensor,
    gamma: te.Tensor,
    beta: te.Tensor | None,
    axis: Any,
    epsilon: float = 1e-5,
) -> te.Tensor:
    """`data`, normalized over the axes `axis`; `gamma` and `beta` have the extents of these.

    As ONNX's LayerNormalization.

    >>> A, b = te.placeholder((2, 8, 16), name="A"), te.placeholder((16,), name="b")
    >>> layer_norm(A, b, b, -1)
    Tensor(shape=[2, 8, 16], dtype=float32, name=layer_norm)
    """
    name = "nn.layer_norm"
    axes = axes_of(name, axis, _floats(name, data).ndim)
    factors = {"gamma": gamma, "beta": beta}
    return _normalized(name, data, _moments(name, data, axes), factors, axes, epsilon)


def instance_norm(
    data: te.Tensor, gamma: te.Tensor, beta: te.Tensor, axis: Any, epsilon: float = 1e-5
) -> te.Tensor:
    """`data`, normalized over the axes `axis`; `gamma` and `beta` are by the position on axis 1.

    As ONNX's InstanceNormalization, whose `axis` are all from 2 on. If axis 1 is among them,
    `gamma` and `beta` are by the positions on all of `axis`, as those of `layer_norm`.

    >>> A, b = te.placeholder((2, 3, 8, 8), name="A"), te.placeholder((3,), name="b")
    >>> instance_norm(A, b, b, [2, 3])
    Tensor(shape=[2, 3, 8, 8], dtype=float32, name=instance_norm)
    """
    name = "nn.instance_norm"
    axes = axes_of(name, axis, _floats(name, data).ndim)
    factors = {"gamma": gamma, "beta": beta}
    by = [1] if 1 not in axes and data.ndim > 1 else axes
    return _normalized(name, data, _moments(name, data, axes), factors, by, epsilon)


def group_norm(
    data: te.Tensor,
    gamma: te.Tensor,
    beta: te.Tensor,
    num_groups: int,
    channel_axis: int,
    axes: Any,
    epsilon: float = 1e-5,
) -> te.Tensor:
    """`data`, normalized over `axes` and each of `num_groups` equal parts of `channel_axis`.

    `gamma` and `beta` are by the position on `channel_axis`. As ONNX's GroupNormalization.

    >>> A, b = te.placeholder((2, 6, 8, 8), name="A"), te.placeholder((6,), name="b")
    >>> group_norm(A, b, b, 3, 1, [2, 3])
    Tensor(shape=[2, 6, 8, 8], dtype=float32, name=group_norm)
    """
    name = "nn.group_norm"
    channel = an_axis(name, channel_axis, _floats(name, data).ndim, "channel_axis")
    over = axes_of(name, axes, data.ndim, "axes")
    groups = an_integer(name, "num_groups", num_groups, 1)
    extent = data.shape[channel]
    if channel in over or not same(extent // groups * groups, extent):
        problem = f"is {groups}, for axis {channel} of {shown(data)}, and the axes {over}"
        raise wrong(name, "num_groups", problem)
    parts = [*data.shape[:channel], groups, extent // groups, *data.shape[channel + 1 :]]
    apart = reshape(data, parts)
    inner = sorted([*(k + (k > channel) for k in over), channel + 1])
    mean, variance = _moments(name, apart, inner)
    each = extent // groups

    def channelwise(which: str, moment: te.Tensor) -> te.Tensor:
        """By channels again, each with that of its group."""
        kept = [1 if k in over else one for k, one in enumerate(data.shape)]

        def value(*at: Any) -> Any:
            return moment(*at[:channel], at[channel] // each, 0, *at[channel + 1 :])

        return computed(f"{name}_{which}", kept, value, BROADCAST)

    moments = channelwise("means", mean), channelwise("variances", variance)
    factors = {"gamma": gamma, "beta": beta}
    return _normalized(name, data, moments, factors, [channel], epsilon)


def rms_norm(data: te.Tensor, weight: te.Tensor, axis: Any, epsilon: float = 1e-5) -> te.Tensor:
    """`data` over the root of the mean of its squares over the axes `axis`, times `weight`.

    `weight` has the extents of these axes.

    >>> A, w = te.placeholder((2, 8, 16), name="A"), te.placeholder((16,), name="w")
    >>> rms_norm(A, w, -1)
    Tensor(shape=[2, 8, 16], dtype=float32, name=rms_norm)
    """
    name = "nn.rms_norm"
    axes = axes_of(name, axis, _floats(name, data).ndim)
    a_tensor(name, "weight", weight)
    if not te.same_extents(weight.shape, [data.shape[k] for k in axes]):
        raise wrong(name, "weight", f"is {shown(weight)}, for the axes {axes} of {shown(data)}")
    dtype = precise(data.dtype)
    squares = applied(f"{name}_squares", lambda x: x.astype(dtype) * x.astype(dtype), data)
    mean = _mean(name, squares, axes)

    def value(*at: Any) -> Any:
        of_all = [0 if k in axes else one for k, one in enumerate(at)]
        scaled = data(*at) * te.rsqrt(mean(*of_all) + epsilon) * weight(*(at[k] for k in axes))
        return scaled.astype(data.dtype)

    return computed(name, data.shape, value, BROADCAST)


def lrn(
    data: te.Tensor,
    size: int,
    axis: int = 1,
    alpha: float = 0.0001,
    beta: float = 0.75,
    bias: float = 2,
) -> te.Tensor:
    """`data` over `(bias + alpha / size * sum) ** beta`: a local response normalization.

    The sum is that of the squares of the `size` elements around each along `axis`, which has as
    many before it as behind it, or one less. As ONNX's LRN, whose bias is 1 by default.

    >>> lrn(te.placeholder((1, 16, 8, 8), name="A"), 5)
    Tensor(shape=[1, 16, 8, 8], dtype=float32, name=lrn)
    """
    name = "nn.lrn"
    along = an_axis(name, axis, _floats(name, data).ndim)
    count = an_integer(name, "size", size, 1)
    dtype = precise(data.dtype)
    share, power, offset = (
        a_number(name, argument, one, dtype)
        for argument, one in (("alpha", alpha), ("beta", beta), ("bias", bias))
    )
    before, after = [0] * data.ndim, [0] * data.ndim
    before[along], after[along] = (count - 1) // 2, count // 2
    padded = pad(data, before, after, name="lrn_padded")
    k = te.reduce_axis((0, count), "k")

    def squares(*at: Any) -> Any:
        here = padded(*(one + k if place == along else one for place, one in enumerate(at)))
        return te.sum(here.astype(dtype) * here.astype(dtype), axis=k)

    total = computed(f"{name}_sum", data.shape, squares)

    def value(x: Any, sum_of_squares: Any) -> Any:
        scale = te.power(offset + share / count * sum_of_squares, power)
        return (x.astype(dtype) / scale).astype(data.dtype)

    return applied(name, value, data, total)
