"""Folds over axes. `axis` is one or several, also counted from the end; None are all.

With `keepdims`, an axis that is folded stays with the extent 1. A fold of no axes, as of a tensor
without any, is the tensor. Dtypes stay, as in TVM and ONNX: a sum of int8 wraps as an int8.

>>> A = te.placeholder((8, 4, te.var("n")), name="A")
>>> sum(A, axis=(0, -1)), max(A, axis=1, keepdims=True)
(Tensor(shape=[4], dtype=float32, name=sum), Tensor(shape=[8, 1, n], dtype=float32, name=max))
>>> argmax(A, axis=1)
Tensor(shape=[8, n], dtype=int32, name=argmax)
>>> sum(A, axis=3)
Traceback (most recent call last):
...
teloom.errors.Error: topi.sum: axis is 3, outside of -3..2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, axes_of, check_defined, shown, wrong
from teloom.topi.docstrings import docstring
from teloom.topi.dtypes import as_bool
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, is_one, same
from teloom.topi.folds import folded
from teloom.topi.places import place_of_extreme
from teloom.topi.tag import COMM_REDUCE


class ReductionOperator(Protocol):
    """A fold of a tensor over axes."""

    __name__: str

    def __call__(self, data: te.Tensor, axis: Any = None, keepdims: bool = False) -> te.Tensor: ...


_RULES = """{detail} Over no elements it is {empty}. `axis` is one axis or several, also counted
from the end; without it, all are folded. With `keepdims`, a folded axis stays with the extent 1.
{rule} Raises `teloom.Error` for an axis that is not there{refused}."""

_SESSION = """>>> A = te.placeholder((8, 4, te.var("n")), "int8", name="A")
>>> {name}(A, axis=(0, -1)), {name}(A, axis=1, keepdims=True).shape
(Tensor(shape=[4], dtype={result}, name={name}), (8, 1, n))
"""


class _Kind(NamedTuple):
    """What folds of one kind make of elements, and what they give: in words, and of int8."""

    prepare: Callable[[Any], Any]
    rule: str
    result: str
    refused: str = ""
    combine: Callable[[Any, Any], Any] | None = None
    """What has to be defined on two elements."""


_ORDERED = _Kind(lambda value: value, "The dtype stays.", "int8")
_SUMS = _ORDERED._replace(refused=", and for bool", combine=te.add)
_PRODUCTS = _SUMS._replace(combine=te.multiply)
_TRUTHS = _Kind(as_bool, "The dtype is bool.", "bool")


def _reduction(
    name: str,
    reducer: Callable[..., Any],
    kind: _Kind,
    meaning: str,
    empty: str,
    detail: str = "",
) -> ReductionOperator:
    """A fold, which gives `empty`, in words, for no elements."""
    prepare = kind.prepare

    def operator(data: te.Tensor, axis: Any = None, keepdims: bool = False) -> te.Tensor:
        axes = axes_of(name, axis, a_tensor(name, "data", data).ndim)
        if kind.combine is not None:
            check_defined(name, data, kind.combine)
        if not axes:
            return applied(name, prepare, data)
        kept = a_flag(name, "keepdims", keepdims)
        return folded(name, data, axes, kept, lambda v, at: reducer(prepare(v), axis=at))

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = docstring(
        "{meaning}, over `axis`, as NumPy's {name}.",
        _RULES,
        _SESSION,
        meaning=meaning,
        name=name,
        detail=detail,
        empty=empty,
        rule=kind.rule,
        refused=kind.refused,
        result=kind.result,
    )
    return operator


def _of_bools(reducer: Callable[..., Any], of_bools: Callable[..., Any]) -> Callable[..., Any]:
    """A reducer of numbers, and another one of truth values."""
    return lambda value, axis: (of_bools if value.dtype == "bool" else reducer)(value, axis=axis)


_WRAPS = "Integers wrap, as those of their dtype do."
sum = _reduction("sum", te.sum, _SUMS, "The sum", "0", _WRAPS)
prod = _reduction("prod", te.prod, _PRODUCTS, "The product", "1", _WRAPS)
max = _reduction(
    "max",
    _of_bools(te.maximum, te.any),
    _ORDERED,
    "The greatest, of bools `any`",
    "the least integer, minus infinity, or false",
    "It is NaN if one is NaN.",
)
min = _reduction(
    "min",
    _of_bools(te.minimum, te.all),
    _ORDERED,
    "The least, of bools `all`",
    "the greatest integer, infinity, or true",
    "It is NaN if one is NaN.",
)
all = _reduction("all", te.all, _TRUTHS, "Whether no element is 0", "true")
any = _reduction("any", te.any, _TRUTHS, "Whether an element is not 0", "false")


def argmax(
    data: te.Tensor, axis: Any = None, keepdims: bool = False, select_last_index: bool = False
) -> te.Tensor:
    """The position of the greatest element on `axis`, as int32; of all axes, in row-major order.

    Of several it is the first, or, with `select_last_index`, the last. NaN counts as the greatest.
    Where a call has no elements on `axis`, it is no position: the greatest int32, or the least with
    `select_last_index`. Raises `teloom.Error` for an axis without elements, as NumPy does, and for
    bool.

    >>> argmax(te.placeholder((8, 4, te.var("n")), name="A"), axis=1)
    Tensor(shape=[8, n], dtype=int32, name=argmax)
    """
    return _arg("argmax", data, axis, keepdims, select_last_index, te.maximum)


def argmin(
    data: te.Tensor, axis: Any = None, keepdims: bool = False, select_last_index: bool = False
) -> te.Tensor:
    """The position of the least element on `axis`, as `argmax` gives that of the greatest.

    >>> argmin(te.placeholder((8, 4), "int8", name="A"), axis=-1, keepdims=True)
    Tensor(shape=[8, 1], dtype=int32, name=argmin)
    """
    return _arg("argmin", data, axis, keepdims, select_last_index, te.minimum)


def _arg(
    name: str,
    data: te.Tensor,
    axis: object,
    keepdims: bool,
    last: bool,
    extreme: Callable[..., Any],
) -> te.Tensor:
    axes = axes_of(name, axis, a_tensor(name, "data", data).ndim)
    if data.dtype == "bool":
        raise wrong(name, "data", f"is {shown(data)}; cast it to an integer first")
    empty = next((one for one in axes if same(data.shape[one], 0)), None)
    if empty is not None:
        raise wrong(name, "data", f"is {shown(data)}, of which axis {empty} has no elements")
    if not axes:
        return applied(name, lambda value: te.const(0, "int32"), data)
    kept, is_last = a_flag(name, "keepdims", keepdims), a_flag(name, "select_last_index", last)
    return place_of_extreme(name, data, axes, kept, lambda one, at: extreme(one, axis=at), is_last)


def collapse_sum(data: te.Tensor, target_shape: object) -> te.Tensor:
    """The sum over the axes along which a tensor of `target_shape` is repeated to that of `data`.

    Raises `teloom.Error` if it cannot be repeated to that.

    >>> collapse_sum(te.placeholder((8, 4, 3), name="A"), (4, 1))
    Tensor(shape=[4, 1], dtype=float32, name=collapse_sum)
    """
    name = "collapse_sum"
    a_tensor(name, "data", data)
    target = as_extents(name, "target_shape", target_shape)
    behind = data.ndim - len(target)
    for axis, extent in enumerate(target):
        if behind < 0 or not (is_one(extent) or same(extent, data.shape[behind + axis])):
            problem = f"is {tuple(target)}, which cannot be repeated to that of {shown(data)}"
            raise wrong(name, "target_shape", problem)
    over = {
        axis: te.reduce_axis((0, extent), f"k{axis}")
        for axis, extent in enumerate(data.shape)
        if axis < behind or (is_one(target[axis - behind]) and not is_one(extent))
    }
    if not over:
        return applied(name, lambda value: value, data)

    def value(*indices: te.IterVar) -> Any:
        at = [over[axis] if axis in over else indices[axis - behind] for axis in range(data.ndim)]
        return te.sum(data(*at), axis=[*over.values()])

    return computed(name, target, value, COMM_REDUCE)
