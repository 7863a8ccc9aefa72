"""Orders of elements: sorting, the greatest ones, positions in sorted tensors, distinct elements.

Sorting is stable. NaN counts as greater than every number, as in NumPy. Positions are int32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_axis, one_of, shown, wrong
from teloom.topi.dtypes import is_float
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, same
from teloom.topi.orders import sorted_positions
from teloom.topi.points import each_point
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.positions import positions

MOST_KEPT = 16
"""The most elements that are kept sorted while others pass."""


def _before(x: Any, y: Any, ascending: bool = True) -> Any:
    """Whether an element stands before another one that is not equal to it."""
    first, second = (x, y) if ascending else (y, x)
    less = first < second
    return less | ~te.isnan(first) & te.isnan(second) if is_float(first.dtype) else less


def _steps(extent: Any) -> int:
    """How often an extent can be halved before it is 0."""
    return int(extent).bit_length() if isinstance(extent, int) else 41


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
    order = sorted_positions("sort", data, along, bool(is_ascend))
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
    axis, only so many elements along `axis` are sorted, and the others keep their place.

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
    order = sorted_positions(name, data, along, bool(is_ascend), valid_count)
    return applied(name, lambda position: position.astype(dtype), order)


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

    >>> topk(te.placeholder((8, 10), name="A"), 3, ret_type="indices")
    Tensor(shape=[8, 3], dtype=int64, name=topk_indices)
    """
    name = "topk"
    along = an_axis(name, axis, a_tensor(name, "data", data).ndim)
    one_of(name, "ret_type", ret_type, ("both", "values", "indices"))
    extent = data.shape[along]
    (count,) = as_extents(name, "k", [extent if isinstance(k, int) and k < 1 else k])
    if isinstance(count, int) and isinstance(extent, int) and count > extent:
        raise wrong(name, "k", f"is {count}, more than the extent of axis {along} of {shown(data)}")
    values, order = _first(name, data, along, bool(is_ascend), count)
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
    others = [one for k, one in enumerate(data.shape) if k != along]
    shape = [count if k == along else one for k, one in enumerate(data.shape)]

    def body(ins: Any, outs: Any) -> Any:
        ib = te.ir_builder.create()
        keys, values, order = (ib.buffer_ptr(one) for one in (*ins, *outs))

        def select_line(at: list[Any]) -> None:
            line = _KeptLine(keys, values, order, lambda k: (*at[:along], k, *at[along:]))
            _keep_first(ib, line, extent, count, ascending)

        each_point(ib, others, select_line)
        return ib.get()

    dtypes = [data.dtype, "int32"]
    values, order = te.extern([shape, shape], [data], body, name=f"{name}_order", dtype=dtypes)
    return computed(name, shape, lambda *at: values(*at), INJECTIVE), order


class _KeptLine:
    """The elements along an axis, and the first ones of them so far with their positions."""

    def __init__(self, keys: Any, values: Any, order: Any, place: Callable[[Any], Any]):
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
        with ib.if_scope(_before(line.key(k), last[()], ascending)):
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
        with ib.if_scope(_before(new, other, ascending)):
            line.keep(place, other, position)
            line.keep(place - 1, new, number)


def searchsorted(
    sorted_sequence: te.Tensor, values: te.Tensor, right: bool = False, dtype: object = "int64"
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
    extent = sorted_sequence.shape[-1]

    def body(ins: Any, outs: Any) -> Any:
        ib = te.ir_builder.create()
        ordered, wanted, found = (ib.buffer_ptr(one) for one in (*ins, *outs))
        low, high = (ib.allocate("int64", (), name=end) for end in ("low", "high"))

        def search(at: list[Any]) -> None:
            low[()] = 0
            high[()] = te.multiply(extent, 1).astype("int64")
            with ib.for_range(0, _steps(extent), "turn"), ib.if_scope(low[()] < high[()]):
                middle = ib.let("middle", (low[()] + high[()]) // 2)
                here, value = ordered[(*at[:rows], middle)], wanted[tuple(at)]
                behind = ~_before(value, here) if right else _before(here, value)
                with ib.if_scope(behind):
                    low[()] = middle + 1
                with ib.else_scope():
                    high[()] = middle
            found[tuple(at)] = low[()].astype(dtype)

        each_point(ib, list(values.shape), search)
        return ib.get()

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
    order = sorted_positions(name, data, 0, ascending=True)

    def body(ins: Any, outs: Any) -> Any:
        ib = te.ir_builder.create()
        elements, sequence = (ib.buffer_ptr(one) for one in ins)
        distinct, places, which, number, *counted = (ib.buffer_ptr(one) for one in outs)
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
                differs[()] = _before(elements[sequence[k - 1]], elements[position])
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
        return ib.get()

    shapes = [(extent,), (extent,), (extent,), (1,), *[(extent,)] * bool(return_counts)]
    kinds = [data.dtype, *["int32"] * (len(shapes) - 1)]
    return [*te.extern(shapes, [data, order], body, name=name, dtype=kinds)]
