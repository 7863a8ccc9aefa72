"""What folds over axes share: which axes are left, and where an element stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.elementwise import computed
from teloom.topi.tag import COMM_REDUCE


def folded(
    name: str,
    data: te.Tensor,
    axes: Sequence[int],
    keepdims: bool,
    fold: Callable[[Any, list[te.IterVar]], Any],
    tag: str = COMM_REDUCE,
) -> Any:
    """The tensor, or several, of `fold(element, reduce axes)` over the other axes of `data`."""
    extents = data.shape
    shape = [
        1 if axis in axes else extent
        for axis, extent in enumerate(extents)
        if keepdims or axis not in axes
    ]
    over = {axis: te.reduce_axis((0, extents[axis]), f"k{axis}") for axis in axes}

    def value(*indices: Any) -> Any:
        kept = iter(
            [one for axis, one in enumerate(indices) if axis not in axes] if keepdims else indices
        )
        at = [over[axis] if axis in over else next(kept) for axis in range(data.ndim)]
        return fold(data(*at), list(over.values()))

    return computed(name, shape, value, tag)


def summed(
    name: str,
    data: te.Tensor,
    axes: Sequence[int],
    dtype: str,
    of_each: Callable[[Any], Any] = lambda value: value,
    tag: str = COMM_REDUCE,
) -> te.Tensor:
    """The sum of a function of each element, in `dtype`, over axes that stay with the extent 1."""
    return folded(
        f"{name}_sum",
        data,
        axes,
        True,
        lambda v, k: te.sum(of_each(v.astype(dtype)), axis=k),
        tag,
    )
