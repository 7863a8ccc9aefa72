"""Sorted elements, and the first ones of them."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, an_axis, one_of, shown, wrong
from teloom.topi.dtypes import of_numbers
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, same
from teloom.topi.points import Place, each_line, over_buffers
from teloom.topi.sorting.orders import is_before, sorted_positions
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.positions import positions

MOST_KEPT = 16
"""The most elements that are kept sorted while others pass."""


def _at_order(name: str, data: te.Tensor, order: te.Tensor, along: int, extent: Any) -> te.Tensor:
    """The elements at the first `extent` positions of an order."""
    shape = [extent if k == along else one for k, one in enumerate(data.shape)]

    def value(*at: Any) -> Any:
        place = te.bounded(order(*at), 0, data.shape[along])
        return data(*(place if k == along else one for k, one in enumerate(at)))

    return computed(name, shape, value, INJECTIVE)


def sort(data: te.Tensor, axis: int = -1, is_ascend: int = 1) -> te.Tensor:
    """The elements along `axis` in ascending order, or in descending order.

    >>> sort(te.placeholder((8, te.var("n")), name="A"))
    Tensor(shape=[8, n], dtype=float32, name=sort)
    """
    along = an_axis("sort", axis, a_tensor("sort", "data", data).ndim)
    order = sorted_positions("sort", data, along, a_flag("sort", "is_ascend", is_ascend))
    return _at_order("sort", data, order, along, data.shape[along])


def argsort(
    data: te.Tensor,
    valid_count: te.Tensor | None = None,
    axis: int = -1,
    is_ascend: int = 1,
    dtype: object = "float32",
) -> te.Tensor:
    """The positions along `axis` of the elements in ascending order, or in descending order.

    Equal elements keep their order. With `valid_count`, integers by the position on the first
    axis, only so many elements along `axis` are sorted, and the others keep their place; the
    positions are int32 then, as TVM's, whatever `dtype` is.

    >>> argsort(te.placeholder((8, 4), name="A"), dtype="int32")
    Tensor(shape=[8, 4], dtype=int32, name=argsort)
    """
    name = "argsort"
    along = an_axis(name, axis, a_tensor(name, "data", data).ndim)
    if valid_count is not None:
        positions(name, "valid_count", a_tensor(name, "valid_count", valid_count, 1))
        if along == 0 or not same(valid_count.shape[0], data.shape[0]):
            problem = f"is {shown(valid_count)}, for axis {along} of {shown(data)}"
            raise wrong(name, "valid_count", problem)
    ascending = a_flag(name, "is_ascend", is_ascend)
    order = sorted_positions(name, data, along, ascending, valid_count)
    given = of_numbers(name, dtype) if valid_count is None else "int32"
    return applied(name, lambda position: position.astype(given), order)


def topk(
    data: te.Tensor,
    k: Any = 1,
    axis: int = -1,
    ret_type: str = "both",
    is_ascend: bool = False,
    dtype: object = "int64",
) -> Any:
    """The `k` greatest elements along `axis`, greatest first, and their positions as `dtype`.

    With `is_ascend`, the least ones, least first. With `k` below 1, all of them. `ret_type` is
    "both", which gives a list of both, "values" or "indices". Of equal elements the first counts.
    A symbolic extent must be at least `k` where these are read, as `n + k` always is.

    >>> topk(te.placeholder((8, 10), name="A"), 3, ret_type="indices")
    Tensor(shape=[8, 3], dtype=int64, name=topk_indices)
    """
    name = "topk"
    along = an_axis(name, axis, a_tensor(name, "data", data).ndim)
    one_of(name, "ret_type", ret_type, ("both", "values", "indices"))
    of_numbers(name, dtype)
    extent = data.shape[along]
    (count,) = as_extents(name, "k", [extent if isinstance(k, int) and k < 1 else k])
    if (te.least_over_sizes(count - extent) or 0) > 0:
        raise wrong(name, "k", f"is {count}, more than the extent of axis {along} of {shown(data)}")
    values, order = _first(name, data, along, a_flag(name, "is_ascend", is_ascend), count)
    results = []
    if ret_type != "indices":
        results.append(values)
    if ret_type != "values":
        shape = [count if axis == along else one for axis, one in enumerate(data.shape)]
        results.append(
            computed("topk_indices", shape, lambda *at: order(*at).astype(dtype), INJECTIVE)
        )
    return results if ret_type == "both" else results[0]


def _first(
    name: str, data: te.Tensor, along: int, ascending: bool, count: Any
) -> tuple[te.Tensor, te.Tensor]:
    """The first `count` elements along an axis in the order of the elements, and positions.

    Few of them are kept sorted while all others pass; for more, all are sorted.
    """
    extent = data.shape[along]
    is_known = isinstance(count, int) and isinstance(extent, int)
    if not is_known or not 0 < count <= MOST_KEPT:
        first = count if is_known else None
        order = sorted_positions(name, data, along, ascending, first=first)
        return _at_order(name, data, order, along, count), order
    shape = [count if k == along else one for k, one in enumerate(data.shape)]

    @over_buffers
    def body(ib: Any, keys: Any, values: Any, order: Any) -> None:
        def select_line(place: Place) -> None:
            _keep_first(ib, _KeptLine(keys, values, order, place), extent, count, ascending)

        each_line(ib, data.shape, along, select_line)

    dtypes = [data.dtype, "int32"]
    values, order = te.extern([shape, shape], [data], body, name=f"{name}_order", dtype=dtypes)
    return computed(name, shape, lambda *at: values(*at), INJECTIVE), order


class _KeptLine:
    """The elements along an axis, and the first ones of them so far with their positions."""

    def __init__(self, keys: Any, values: Any, order: Any, place: Place):
        self._keys, self._values, self._order, self._place = keys, values, order, place

    def key(self, k: Any) -> Any:
        return self._keys[self._place(k)]

    def kept(self, k: Any) -> Any:
        return self._values[self._place(k)]

    def position(self, k: Any) -> Any:
        return self._order[self._place(k)]

    def keep(self, k: Any, value: Any, position: Any) -> None:
        self._values[self._place(k)], self._order[self._place(k)] = value, position


def _keep_first(ib: Any, line: _KeptLine, extent: int, count: int, ascending: bool) -> None:
    with ib.for_range(0, count, "k") as k:
        _insert(ib, line, k, k, ascending)
    # The last one is kept in a register, too.
    last = ib.allocate(line.key(0).dtype, (), name="last")
    last[()] = line.kept(count - 1)
    with ib.for_range(count, extent, "k") as k:
        with ib.if_scope(is_before(line.key(k), last[()], ascending)):
            _insert(ib, line, k, count - 1, ascending)
            last[()] = line.kept(count - 1)


def _insert(ib: Any, line: _KeptLine, number: Any, end: Any, ascending: bool) -> None:
    """Puts an element among those kept before place `end`, behind its equals."""
    new = ib.let("new", line.key(number))
    line.keep(end, new, number)
    with ib.for_range(0, end, "back") as back:
        place = end - back
        other = ib.let("other", line.kept(place - 1))
        position = ib.let("at", line.position(place - 1))
        with ib.if_scope(is_before(new, other, ascending)):
            line.keep(place, other, position)
            line.keep(place - 1, new, number)
