"""ONNX's folds over axes, by those of topi."""

from collections.abc import Callable
from typing import Any

from topi.onnx_nodes.cases import Adapter, NodeCase

from teloom import te, topi
from teloom.topi import nn


def reduction(fold: Callable[[te.Tensor, Any, bool], te.Tensor]) -> Adapter:
    """A fold of a tensor over axes, which are an attribute or an input."""

    def adapter(case: NodeCase) -> te.Tensor:
        axes = case.attribute("axes", case.value(1))
        keepdims = bool(case.attribute("keepdims", 1))
        if not axes:
            axes = [] if case.attribute("noop_with_empty_axes", 0) else None
        return fold(case.tensor(0), None if axes is None else [*axes], keepdims)

    return adapter


def sum_of(function: Callable[[te.Tensor], te.Tensor]) -> Any:
    return lambda x, axes, keepdims: topi.sum(function(x), axes, keepdims)


def mean(x: te.Tensor, axes: Any, keepdims: bool) -> te.Tensor:
    count = 1
    for axis in range(x.ndim) if axes is None else axes:
        count = count * x.shape[axis]
    return topi.sum(x, axes, keepdims) / count


def log_sum_exp(x: te.Tensor, axes: Any, keepdims: bool) -> te.Tensor:
    if axes == []:
        return topi.identity(x)
    greatest = topi.max(x, axes, True)
    finite = topi.where(topi.isfinite(greatest), greatest, 0.0)
    total = topi.sum(topi.exp(x - finite), axes, True)
    found = topi.log(total) + finite
    return found if keepdims else topi.squeeze(found, axes)


def position(fold: Callable[..., te.Tensor]) -> Adapter:
    def adapter(case: NodeCase) -> te.Tensor:
        found = fold(
            case.tensor(0),
            case.attribute("axis", 0),
            bool(case.attribute("keepdims", 1)),
            bool(case.attribute("select_last_index", 0)),
        )
        return topi.cast(found, "int64")

    return adapter


def running(fold: Callable[..., te.Tensor]) -> Adapter:
    def adapter(case: NodeCase) -> te.Tensor:
        x, axis = case.tensor(0), case.value(1)
        axis = axis[0] if isinstance(axis, list) else axis
        exclusive = bool(case.attribute("exclusive", 0))
        if not case.attribute("reverse", 0):
            return fold(x, axis, exclusive=exclusive)
        return topi.flip(fold(topi.flip(x, axis), axis, exclusive=exclusive), axis)

    return adapter


def hardmax(case: NodeCase) -> te.Tensor:
    x, axis = case.tensor(0), case.attribute("axis", -1)
    return topi.one_hot(topi.argmax(x, axis), 1, 0, x.shape[axis], axis, x.dtype)


def lp_normalization(case: NodeCase) -> te.Tensor:
    x, axis = case.tensor(0), case.attribute("axis", -1)
    if case.attribute("p", 2) == 1:
        norm = topi.sum(topi.abs(x), axis, True)
    else:
        norm = topi.sqrt(topi.sum(x * x, axis, True))
    return topi.where(topi.equal(norm, 0), 0.0, x / norm)


def mean_variance(case: NodeCase) -> te.Tensor:
    x, axes = case.tensor(0), list(case.attribute("axes", [0, 2, 3]))
    shifted = x - mean(x, axes, True)
    return shifted / (topi.sqrt(mean(shifted * shifted, axes, True)) + 1e-9)


FOLDS: dict[str, Adapter] = {
    "ArgMax": position(topi.argmax),
    "ArgMin": position(topi.argmin),
    "CumProd": running(topi.cumprod),
    "CumSum": running(topi.cumsum),
    "Hardmax": hardmax,
    "LogSoftmax": lambda case: nn.log_softmax(case.tensor(0), case.attribute("axis", -1)),
    "LpNormalization": lp_normalization,
    "MeanVarianceNormalization": mean_variance,
    "ReduceL1": reduction(sum_of(topi.abs)),
    "ReduceL2": reduction(lambda x, axes, keep: topi.sqrt(topi.sum(x * x, axes, keep))),
    "ReduceLogSum": reduction(lambda x, axes, keep: topi.log(topi.sum(x, axes, keep))),
    "ReduceLogSumExp": reduction(log_sum_exp),
    "ReduceMax": reduction(topi.max),
    "ReduceMean": reduction(mean),
    "ReduceMin": reduction(topi.min),
    "ReduceProd": reduction(topi.prod),
    "ReduceSum": reduction(topi.sum),
    "ReduceSumSquare": reduction(sum_of(lambda x: x * x)),
    "Softmax": lambda case: nn.softmax(case.tensor(0), case.attribute("axis", -1)),
}
