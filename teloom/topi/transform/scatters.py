"""Elements put at positions that are data.

They are updates (`te.update`), one point after another: of several values for one element, the
last one stays. A position outside is the caller's mistake, which compiled code does not check; a
negative one counts from the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom import te
from teloom.topi.arguments import (
    a_list,
    a_tensor,
    an_axis,
    an_integer,
    check_defined,
    listed,
    one_of,
    shown,
    wrong,
)
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, same
from teloom.topi.points import each_point, over_buffers
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.fills import full
from teloom.topi.transform.positions import count_of, from_front, positions

_MODES: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda old, new: new,
    "add": te.add,
    "mul": te.multiply,
    "min": te.minimum,
    "max": te.maximum,
    "mean": lambda old, new: te.div(old + new, 2),
}


def _over(extents: Any) -> list[te.IterVar]:
    """Reduce axes over a box; a box of one point has one of extent 1."""
    listed = list(extents) or [1]
    return [te.reduce_axis((0, extent), f"k{k}") for k, extent in enumerate(listed)]


def scatter_elements(
    data: te.Tensor,
    indices: te.Tensor,
    updates: te.Tensor,
    axis: int = 0,
    reduction: str = "update",
) -> te.Tensor:
    """`data`, with each of `updates` at its own place, but at the position of `indices` on `axis`.

    `reduction` says what becomes of the element that is there: update, add, mul, min or max, as in
    ONNX's ScatterElements, or mean, half the sum of both, as in TVM.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((2, 4), "int32", name="at")
    >>> scatter_elements(A, at, te.placeholder((2, 4), name="B"), 0, "add")
    Tensor(shape=[8, 4], dtype=float32, name=scatter_elements)
    """
    name = "scatter_elements"
    along = an_axis(name, axis, a_tensor(name, "data", data).ndim)
    positions(name, "indices", indices)
    _same_dtype(name, updates, data)
    combine = _MODES[one_of(name, "reduction", reduction, tuple(_MODES))]
    check_defined(name, data, combine)
    if indices.ndim != data.ndim or not te.same_extents(indices.shape, updates.shape):
        problem = f"is {shown(updates)}, with the indices {shown(indices)} for {shown(data)}"
        raise wrong(name, "updates", problem)

    def point(state: te.Tensor, *at: Any) -> Any:
        place = from_front(indices(*at), data.shape[along])
        target = tuple(place if k == along else one for k, one in enumerate(at))
        return target, combine(state(*target), updates(*at))

    return te.update(_start(name, data), _over(indices.shape), point, name=name)


def scatter_nd(
    data: te.Tensor, indices: te.Tensor, updates: te.Tensor, mode: str = "update"
) -> te.Tensor:
    """`data`, with parts at the positions that the first axis of `indices` lists.

    `updates` has the other axes of `indices`, and then those axes of `data` on which no position
    is given. `mode` is as `reduction` of `scatter_elements`. As ONNX's ScatterND, but with the
    first axis of `indices` in the place of the last.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((1, 5), "int32", name="at")
    >>> scatter_nd(A, at, te.placeholder((5, 4), name="B"), "add")
    Tensor(shape=[8, 4], dtype=float32, name=scatter_nd)
    """
    name = "scatter_nd"
    a_tensor(name, "data", data)
    _same_dtype(name, updates, data)
    count = count_of(name, positions(name, "indices", indices), data)
    combine = _MODES[one_of(name, "mode", mode, tuple(_MODES))]
    check_defined(name, data, combine)
    rest = indices.ndim - 1
    if not te.same_extents(updates.shape, [*indices.shape[1:], *data.shape[count:]]):
        problem = f"is {shown(updates)}, with the indices {shown(indices)} for {shown(data)}"
        raise wrong(name, "updates", problem)

    def point(state: te.Tensor, *at: Any) -> Any:
        places = (from_front(indices(k, *at[:rest]), data.shape[k]) for k in range(count))
        target = (*places, *at[rest : updates.ndim])
        return target, combine(state(*target), updates(*at[: updates.ndim]))

    return te.update(_start(name, data), _over(updates.shape), point, name=name)


def _start(name: str, data: te.Tensor) -> te.Tensor:
    return applied(f"{name}_start", lambda value: value, data)


def _same_dtype(name: str, updates: object, data: te.Tensor) -> None:
    tensor = a_tensor(name, "updates", updates)
    if tensor.dtype != data.dtype:
        raise wrong(name, "updates", f"is {shown(tensor)}, but data is {shown(data)}; cast one")


def sparse_to_dense(
    sparse_indices: te.Tensor, output_shape: Any, sparse_values: te.Tensor, default_value: Any = 0
) -> te.Tensor:
    """A tensor of `output_shape` with `sparse_values` at `sparse_indices`, else `default_value`.

    The indices are of shape (values, axes); those of one axis also (values,), and one alone has no
    axis. The values have one axis, or none for a value that stands everywhere.

    >>> at, v = te.placeholder((5, 2), "int32", name="at"), te.placeholder((5,), name="v")
    >>> sparse_to_dense(at, (8, 4), v)
    Tensor(shape=[8, 4], dtype=float32, name=sparse_to_dense)
    """
    name = "sparse_to_dense"
    positions(name, "sparse_indices", sparse_indices)
    a_tensor(name, "sparse_values", sparse_values)
    shape = as_extents(name, "output_shape", output_shape)
    listed = sparse_indices.ndim
    columns = sparse_indices.shape[1] if listed == 2 else 1
    if listed > 2 or not same(columns, len(shape)):
        raise wrong(name, "sparse_indices", f"is {shown(sparse_indices)}, for {len(shape)} axes")
    count = sparse_indices.shape[0] if listed else 1
    if sparse_values.ndim > 1 or (sparse_values.ndim and not same(sparse_values.shape[0], count)):
        raise wrong(name, "sparse_values", f"is {shown(sparse_values)}, for {count} indices")

    def point(state: te.Tensor, k: Any) -> Any:
        row = [k, 0][:listed]
        places = [
            from_front(sparse_indices(*row[:1], *[axis] * (listed == 2)), extent)
            for axis, extent in enumerate(shape)
        ]
        return tuple(places), sparse_values(*[k] * sparse_values.ndim)

    start = full(shape, sparse_values.dtype, default_value)
    return te.update(start, _over([count]), point, name=name)


def invert_permutation(data: te.Tensor) -> te.Tensor:
    """Where each position stands in `data`, which has each of them once.

    >>> invert_permutation(te.placeholder((8,), "int32", name="order"))
    Tensor(shape=[8], dtype=int32, name=invert_permutation)
    """
    name = "invert_permutation"
    a_tensor(name, "data", positions(name, "data", data), 1)
    start = full(data.shape, data.dtype, 0)

    def point(state: te.Tensor, k: Any) -> Any:
        return from_front(data(k), data.shape[0]), k.astype(data.dtype)

    return te.update(start, _over(data.shape), point, name=name)


def matrix_set_diag(
    data: te.Tensor, diagonal: te.Tensor, k: Any = 0, align: str = "RIGHT_LEFT"
) -> te.Tensor:
    """`data` with other diagonals of its last two axes: `k`, or those from `k[0]` to `k[1]`.

    Of one, `diagonal` has the axes of `data` but the last, with the length of the diagonal. Of
    several, it has one axis more: from the highest diagonal on, each padded to the longest. `align`
    says on which side those above the main one, and then those below it, are: LEFT or RIGHT.
    As TensorFlow's matrix_set_diag.

    >>> A, d = te.placeholder((2, 4, 5), name="A"), te.placeholder((2, 4), name="d")
    >>> matrix_set_diag(A, d, k=1)
    Tensor(shape=[2, 4, 5], dtype=float32, name=matrix_set_diag)
    """
    name = "matrix_set_diag"
    if a_tensor(name, "data", data).ndim < 2:
        a_tensor(name, "data", data, 2)
    diagonals = [an_integer(name, "k", one) for one in listed(k)]
    if len(diagonals) not in (1, 2):
        raise wrong(name, "k", f"is {k!r}, neither one diagonal nor the first and the last one")
    low, high = diagonals[0], diagonals[-1]
    rows, columns = data.shape[-2:]
    if not (isinstance(rows, int) and isinstance(columns, int)):
        raise wrong(name, "data", f"is {shown(data)}, whose last two extents must be constant")
    if not -rows < low <= high < columns:
        raise wrong(name, "k", f"is {(low, high)}, outside of the diagonals of {shown(data)}")
    sides = one_of(name, "align", align, [f"{a}_{b}" for a in _SIDES for b in _SIDES]).split("_")
    longest = min(rows + min(high, 0), columns - max(low, 0))
    several = [high - low + 1] if low != high else []
    a_tensor(name, "diagonal", diagonal)
    if diagonal.dtype != data.dtype or not te.same_extents(
        diagonal.shape, [*data.shape[:-2], *several, longest]
    ):
        problem = f"is {shown(diagonal)}; for diagonals {low}..{high} of {shown(data)} it has"
        raise wrong(name, "diagonal", f"{problem} {[*several, longest]} as its last extents")

    def value(*at: Any) -> Any:
        row, column = at[-2:]
        which = column - row
        # The number on its diagonal, and how much that is shorter than the longest one.
        number = te.min(row, column)
        missing = longest - te.min(te.min(rows + which, columns - which), te.min(rows, columns))
        above, below = (number + missing if side == "RIGHT" else number for side in sides)
        place = te.if_then_else(which >= 0, above, below) if several else number
        other = diagonal(*at[:-2], *[high - which] * len(several), te.bounded(place, 0, longest))
        return te.if_then_else((which >= low) & (which <= high), other, data(*at))

    return computed(name, data.shape, value, INJECTIVE)


_SIDES = ("LEFT", "RIGHT")


def argwhere(output_shape: Any, condition: te.Tensor) -> te.Tensor:
    """The indices of the elements of `condition` that are not 0, in row-major order.

    `output_shape` is (at most so many, axes of `condition`), or a tensor of that shape, of which
    nothing else is used, as in TVM: rows from the number of such elements on are 0, and elements
    for which there is no row are left out. As NumPy's argwhere.

    >>> argwhere((te.var("count"), 2), te.placeholder((8, 4), "bool", name="A"))
    Tensor(shape=[count, 2], dtype=int32, name=argwhere)
    """
    name = "argwhere"
    ndim = a_tensor(name, "condition", condition).ndim
    if not ndim:
        raise wrong(name, "condition", f"is {shown(condition)}, which has no axes")
    asked = output_shape.shape if isinstance(output_shape, te.Tensor) else output_shape
    given = a_list(name, "output_shape", asked)
    rows, columns = as_extents(name, "output_shape", given) if len(given) == 2 else (0, 0)
    if not same(columns, ndim):
        raise wrong(name, "output_shape", f"is {given}, but must be (rows, {ndim})")

    @over_buffers
    def body(ib: Any, tests: Any, found: Any) -> None:
        count = ib.allocate("int64", (), name="count")
        with ib.for_range(0, rows) as row, ib.for_range(0, ndim) as column:
            found[row, column] = 0
        count[()] = 0
        each_point(ib, list(tests.shape), lambda at: note(ib, tests, found, count, at))

    def note(ib: Any, tests: Any, found: Any, count: Any, at: list[Any]) -> None:
        with ib.if_scope((tests[tuple(at)] != 0) & (count[()] < rows)):
            row = ib.let("row", count[()])
            for column, one in enumerate(at):
                found[row, column] = one
            count[()] = row + 1

    return te.extern((rows, ndim), [condition], body, name=name, dtype="int32")
