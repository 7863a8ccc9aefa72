"""Losses: how far predictions are from what was to be predicted."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import of_kind
from teloom.topi.elementwise import applied, computed
from teloom.topi.folds import folded
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.positions import positions


def nll_loss(
    predictions: te.Tensor,
    targets: te.Tensor,
    weights: te.Tensor,
    reduction: str,
    ignore_index: int,
) -> te.Tensor:
    """`-predictions * weights` at the class that `targets` says, for each element of `targets`.

    Axis 1 of `predictions` are the classes, its other axes are those of `targets`; or both are of
    one element, without these. `weights` are by class. `reduction` is "none", "sum", or "mean",
    which is the sum over that of the weights. What has the class `ignore_index` counts as 0, with
    the weight 0. As ONNX's NegativeLogLikelihoodLoss.

    >>> P, T = te.placeholder((8, 5), name="P"), te.placeholder((8,), "int32", name="T")
    >>> nll_loss(P, T, te.placeholder((5,), name="w"), "mean", -100)
    Tensor(shape=[], dtype=float32, name=nll_loss)
    """
    name = "nn.nll_loss"
    one_of(name, "reduction", reduction, ("mean", "sum", "none"))
    number = an_integer(name, "ignore_index", ignore_index)
    ignored = a_number(name, "ignore_index", number, "int64")
    axis = _axis_of_classes(name, predictions, targets, weights)
    classes, zero = predictions.shape[axis], te.const(0, predictions.dtype)

    def counts(target: Any) -> Any:
        return target.astype("int64") != ignored

    def place(target: Any) -> Any:
        """The class of a target, and one of the classes for what is ignored."""
        known = te.select(counts(target), target, te.const(0, target.dtype))
        return te.bounded(known, 0, classes)

    def loss(*at: Any) -> Any:
        target = targets(*at)
        here = predictions(*at[:axis], place(target), *at[axis:])
        return te.if_then_else(counts(target), -here * weights(place(target)), zero)

    def weight(target: Any) -> Any:
        return te.if_then_else(counts(target), weights(place(target)), zero)

    if reduction == "none":
        return computed(name, targets.shape, loss, INJECTIVE)
    total = _total(
        name if reduction == "sum" else f"{name}_sum",
        computed(f"{name}_each", targets.shape, loss, INJECTIVE),
    )
    if reduction == "sum":
        return total
    of_weights = _total(f"{name}_weight", applied(f"{name}_weights", weight, targets))
    return applied(name, lambda x, w: x / w, total, of_weights)


def _axis_of_classes(
    name: str, predictions: te.Tensor, targets: te.Tensor, weights: te.Tensor
) -> int:
    of_kind(name, "predictions", a_tensor(name, "predictions", predictions), "float")
    positions(name, "targets", targets)
    axis = 1 if predictions.ndim > 1 else 0
    others = [extent for k, extent in enumerate(predictions.shape) if k != axis]
    if not predictions.ndim or not te.same_extents(targets.shape, others):
        problem = f"is {shown(targets)}, for the predictions {shown(predictions)}"
        raise wrong(name, "targets", problem)
    a_tensor(name, "weights", weights, 1)
    alike = te.same_extents(weights.shape, [predictions.shape[axis]])
    if weights.dtype != predictions.dtype or not alike:
        problem = f"is {shown(weights)}, for the predictions {shown(predictions)}"
        raise wrong(name, "weights", problem)
    return axis


def _total(name: str, data: te.Tensor) -> te.Tensor:
    if not data.ndim:
        return applied(name, lambda value: value, data)
    return folded(name, data, range(data.ndim), False, lambda v, k: te.sum(v, axis=k))


def cross_entropy(predictions: te.Tensor, targets: te.Tensor) -> te.Tensor:
    """The sum of `-log(predictions) * targets`, over the extent of the first axis.

    Both are shares of classes, of the same shape. Source: TVM's relay.nn.cross_entropy.

    >>> P, T = te.placeholder((8, 5), name="P"), te.placeholder((8, 5), name="T")
    >>> cross_entropy(P, T)
    Tensor(shape=[], dtype=float32, name=cross_entropy)
    """
    return _cross_entropy("nn.cross_entropy", predictions, targets, te.log)


def cross_entropy_with_logits(predictions: te.Tensor, targets: te.Tensor) -> te.Tensor:
    """`cross_entropy` of logarithms of shares, such as those of `log_softmax`.

    >>> P, T = te.placeholder((8, 5), name="P"), te.placeholder((8, 5), name="T")
    >>> cross_entropy_with_logits(P, T)
    Tensor(shape=[], dtype=float32, name=cross_entropy_with_logits)
    """
    return _cross_entropy("nn.cross_entropy_with_logits", predictions, targets, lambda x: x)


def _cross_entropy(name: str, predictions: te.Tensor, targets: te.Tensor, logarithm: Any) -> Any:
    of_kind(name, "predictions", a_tensor(name, "predictions", predictions), "float")
    a_tensor(name, "targets", targets)
    alike = te.same_extents(predictions.shape, targets.shape)
    if not alike or predictions.dtype != targets.dtype or not predictions.ndim:
        problem = f"is {shown(targets)}, for the predictions {shown(predictions)}"
        raise wrong(name, "targets", problem)
    each = applied(f"{name}_each", lambda x, y: logarithm(x) * y, predictions, targets)
    count = te.multiply(predictions.shape[0], 1).astype(predictions.dtype)
    return applied(name, lambda total: -total / count, _total(f"{name}_sum", each))
