"""Positions in sorted tensors, and distinct elements."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, shown, wrong
from teloom.topi.dtypes import of_numbers
from teloom.topi.points import each_point, kind_for, over_buffers
from teloom.topi.sorting.orders import is_before, sorted_positions


def _steps(extent: Any) -> int:
    """How often an extent can be halved before it is 0."""
    return int(extent).bit_length() if isinstance(extent, int) else 41


def searchsorted(
    sorted_sequence: te.Tensor, values: te.Tensor, right: bool = False, out_dtype: object = "int64"
) -> te.Tensor:
    """Where each of `values` can be put into an ascending sequence, so that this stays ascending.

    The place is before all equal elements, or behind them with `right`. The sequence is the last
    axis; axes before it are also the first ones of `values`. As NumPy's searchsorted, by halving.

    >>> s, v = te.placeholder((100,), name="s"), te.placeholder((8, 4), name="v")
    >>> searchsorted(s, v)
    Tensor(shape=[8, 4], dtype=int64, name=searchsorted)
    """
    name = "searchsorted"
    a_tensor(name, "sorted_sequence", sorted_sequence)
    a_tensor(name, "values", values)
    rows = sorted_sequence.ndim - 1
    known = sorted_sequence.dtype == values.dtype and 0 <= rows <= values.ndim
    if not known or not te.same_extents(sorted_sequence.shape[:-1], values.shape[:rows]):
        raise wrong(name, "values", f"is {shown(values)}, for {shown(sorted_sequence)}")
    extent, right = sorted_sequence.shape[-1], a_flag(name, "right", right)
    dtype = of_numbers(name, out_dtype, "out_dtype")

    @over_buffers
    def body(ib: Any, ordered: Any, wanted: Any, found: Any) -> None:
        def search(at: list[Any]) -> None:
            low, high = (ib.allocate("int64", (), name=end) for end in ("low", "high"))
            low[()] = 0
            high[()] = te.multiply(extent, 1).astype("int64")
            with ib.for_range(0, _steps(extent), "turn"), ib.if_scope(low[()] < high[()]):
                middle = ib.let("middle", (low[()] + high[()]) // 2)
                here, value = ordered[(*at[:rows], middle)], wanted[tuple(at)]
                behind = ~is_before(value, here) if right else is_before(here, value)
                with ib.if_scope(behind):
                    low[()] = middle + 1
                with ib.else_scope():
                    high[()] = middle
            found[tuple(at)] = low[()].astype(dtype)

        each_point(ib, list(values.shape), search, kind=kind_for(values.shape))

    return te.extern(values.shape, [sorted_sequence, values], body, name=name, dtype=dtype)


def unique(data: te.Tensor, is_sorted: bool = True, return_counts: bool = False) -> list[te.Tensor]:
    """The distinct elements of a tensor with one axis.

    A list: the elements, ascending, or, without `is_sorted`, in the order in which they first
    occur; where each one first occurs; for each of `data`, which of them it is; how many there
    are, as a tensor of one element; and, with `return_counts`, how often each occurs. All but the
    fourth are as long as `data`; the first, second and fifth are 0 from the fourth on. Positions
    and numbers are int32.

    >>> [one.shape for one in unique(te.placeholder((8,), "int32", name="A"), return_counts=True)]
    [(8,), (8,), (8,), (1,), (8,)]
    """
    name = "unique"
    extent = a_tensor(name, "data", data, 1).shape[0]
    is_sorted = a_flag(name, "is_sorted", is_sorted)
    return_counts = a_flag(name, "return_counts", return_counts)
    order = sorted_positions(name, data, 0, ascending=True)

    @over_buffers
    def body(ib: Any, elements: Any, sequence: Any, *outputs: Any) -> None:
        distinct, places, which, number, *counted = outputs
        first_of, numbers = (ib.allocate("int32", (extent,), name=n) for n in ("first", "numbers"))
        first = ib.allocate("int32", (), name="first_of_run")
        number[0] = 0
        first[()] = 0

        def count_if_first(position: Any) -> None:
            numbers[position] = number[0]
            number[0] = number[0] + 1

        with ib.for_range(0, extent, "k") as k:
            for one in (distinct, places, *counted):
                one[k] = te.const(0, one.dtype)
            position = ib.let("position", sequence[k])
            differs = ib.allocate("bool", (), name="differs")
            differs[()] = k == 0
            with ib.if_scope(k > 0):
                differs[()] = is_before(elements[sequence[k - 1]], elements[position])
            with ib.if_scope(differs[()]):
                first[()] = position
                if is_sorted:
                    count_if_first(position)
            first_of[position] = first[()]
        if not is_sorted:
            with ib.for_range(0, extent, "k") as k, ib.if_scope(first_of[k] == k):
                count_if_first(k)
        with ib.for_range(0, extent, "k") as k:
            one = ib.let("one", numbers[first_of[k]])
            which[k] = one
            for counts in counted:
                counts[one] = counts[one] + 1
            with ib.if_scope(first_of[k] == k):
                distinct[one], places[one] = elements[k], k

    shapes = [(extent,), (extent,), (extent,), (1,), *[(extent,)] * bool(return_counts)]
    kinds = [data.dtype, *["int32"] * (len(shapes) - 1)]
    return [*te.extern(shapes, [data, order], body, name=name, dtype=kinds)]
