"""Sparse tensors as lists: the indices of elements, a row for each, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents, same
from teloom.topi.points import over_buffers
from teloom.topi.transform.positions import positions


def _rows(name: str, indices: object) -> te.Tensor:
    tensor = positions(name, "sparse_indices", a_tensor(name, "sparse_indices", indices, 2))
    if not isinstance(tensor.shape[1], int) or tensor.shape[1] < 1:
        raise wrong(name, "sparse_indices", f"is {shown(tensor)}, whose rows must be constant")
    return tensor


def _extents(name: str, argument: str, value: object) -> te.Tensor:
    tensor = positions(name, argument, a_tensor(name, argument, value, 1))
    if not isinstance(tensor.shape[0], int) or tensor.shape[0] < 1:
        raise wrong(name, argument, f"is {shown(tensor)}, whose extent must be constant")
    return tensor


def _product(values: Sequence[Any]) -> Any:
    found: Any = te.const(1, "int64")
    for one in values:
        found = found * one
    return found


def sparse_reshape(
    sparse_indices: te.Tensor,
    prev_shape: te.Tensor,
    new_shape: te.Tensor,
    new_sparse_indices_shape: Any,
    new_shape_shape: Any,
) -> list[te.Tensor]:
    """The indices of the same elements in a tensor of another shape, and that shape.

    `sparse_indices` has a row for each element of a tensor of `prev_shape`; one extent of
    `new_shape` may be -1, and follows from the others. Both shapes are tensors of integers, and
    have as many elements, which compiled code does not check. The last two arguments are the
    shapes of the results. As TensorFlow's sparse.reshape.

    >>> at, old, new = (
    ...     te.placeholder(shape, "int64", name=name)
    ...     for shape, name in (((5, 3), "at"), ((3,), "old"), ((2,), "new"))
    ... )
    >>> [one.shape for one in sparse_reshape(at, old, new, (5, 2), (2,))]
    [(5, 2), (2,)]
    """
    name = "sparse_reshape"
    rank = _rows(name, sparse_indices).shape[1]
    _extents(name, "prev_shape", prev_shape)
    count = _extents(name, "new_shape", new_shape).shape[0]
    if not same(prev_shape.shape[0], rank):
        problem = f"is {shown(prev_shape)}, but sparse_indices is {shown(sparse_indices)}"
        raise wrong(name, "prev_shape", problem)
    for argument, given, wanted in (
        ("new_sparse_indices_shape", new_sparse_indices_shape, [sparse_indices.shape[0], count]),
        ("new_shape_shape", new_shape_shape, [count]),
    ):
        if not te.same_extents(as_extents(name, argument, given), wanted):
            raise wrong(name, argument, f"is {given}, but that result has {tuple(wanted)}")
    old = [prev_shape(k).astype("int64") for k in range(rank)]
    new = [new_shape(k).astype("int64") for k in range(count)]
    known = _product([te.select(one < 0, te.const(1, "int64"), one) for one in new])

    def extent(k: Any) -> Any:
        here = new_shape(k).astype("int64")
        return te.select(here < 0, _product(old) // known, here)

    extents = computed(name, (count,), extent, name="new_shape")

    def value(row: Any, column: Any) -> Any:
        position: Any = te.const(0, "int64")
        for k, one in enumerate(old):
            position = position * one + sparse_indices(row, k).astype("int64")
        found = position
        for k in reversed(range(count)):
            found = te.select(column == k, position % extents(k), found)
            position = position // extents(k)
        return found.astype(sparse_indices.dtype)

    rows = computed(name, [sparse_indices.shape[0], count], value)
    shape = computed(name, (count,), lambda k: extents(k).astype(new_shape.dtype), name="shape")
    return [rows, shape]


def sparse_fill_empty_rows(
    sparse_indices: te.Tensor,
    sparse_values: te.Tensor,
    dense_shape: te.Tensor,
    default_value: Any,
    new_sparse_indices_shape: Any,
    new_sparse_values_shape: Any,
    empty_row_indicator_shape: Any,
) -> list[te.Tensor]:
    """A sparse tensor with one element more for each row without any: `default_value`, in column 0.

    `dense_shape` is a tensor of the extents, of which the first is the number of rows;
    `default_value` is a number, or a tensor of one element. The result is the indices and the
    values, by rows, in which elements keep their order, and whether each row was empty, as bool.
    The last three arguments are the shapes of the results: (elements, axes), (elements,) and
    (rows,). Elements that are not there are 0, and those for which there is no room are left out.
    As TensorFlow's sparse.fill_empty_rows.

    >>> at, v = te.placeholder((5, 2), "int64", name="at"), te.placeholder((5,), name="v")
    >>> shape = te.placeholder((2,), "int64", name="shape")
    >>> filled = sparse_fill_empty_rows(at, v, shape, 0.0, (9, 2), (9,), (4,))
    >>> [one.shape for one in filled]
    [(9, 2), (9,), (4,)]
    """
    name = "sparse_fill_empty_rows"
    _rows(name, sparse_indices)
    a_tensor(name, "sparse_values", sparse_values, 1)
    _extents(name, "dense_shape", dense_shape)
    given = new_sparse_indices_shape, new_sparse_values_shape, empty_row_indicator_shape
    shapes = _filled_shapes(name, (sparse_indices, sparse_values, dense_shape), given)
    inputs = [sparse_indices, sparse_values, dense_shape]
    known: Any = None
    if isinstance(default_value, te.Tensor):
        inputs.append(a_tensor(name, "default_value", default_value))
        if not te.same_extents(default_value.shape, [1] * default_value.ndim):
            problem = f"is {shown(default_value)}, but must have one element"
            raise wrong(name, "default_value", problem)
    else:
        known = a_number(name, "default_value", default_value, sparse_values.dtype)

    @over_buffers
    def body(ib: Any, at: Any, values: Any, extents: Any, *others: Any) -> None:
        default, new = others[:-3], others[-3:]
        instead = default[0][(0,) * inputs[-1].ndim] if default else known
        _fill(ib, (at, values), new, extents[0], instead.astype(sparse_values.dtype))

    kinds = [sparse_indices.dtype, sparse_values.dtype, "bool"]
    return [*te.extern(shapes, inputs, body, name=name, dtype=kinds)]


def _filled_shapes(
    name: str, given: tuple[te.Tensor, te.Tensor, te.Tensor], shapes: tuple[Any, Any, Any]
) -> list[tuple[Any, ...]]:
    """The shapes of indices, values and rows, if they fit the tensors given."""
    indices, values, extents = given
    rank = indices.shape[1]
    if not same(values.shape[0], indices.shape[0]):
        problem = f"is {shown(values)}, but sparse_indices is {shown(indices)}"
        raise wrong(name, "sparse_values", problem)
    if not same(extents.shape[0], rank):
        raise wrong(name, "dense_shape", f"is {shown(extents)}, but there are {rank} axes")
    arguments = ("new_sparse_indices_shape", "new_sparse_values_shape", "empty_row_indicator_shape")
    of_indices, of_values, of_rows = (
        as_extents(name, argument, one) for argument, one in zip(arguments, shapes, strict=True)
    )
    if len(of_indices) != 2 or not same(of_indices[1], rank):
        raise wrong(name, arguments[0], f"is {of_indices}, but must be (n, {rank})")
    if not te.same_extents(of_values, of_indices[:1]):
        raise wrong(name, arguments[1], f"is {of_values}, not {of_indices[:1]}")
    if len(of_rows) != 1:
        raise wrong(name, arguments[2], f"is {of_rows}, not one extent")
    return [tuple(of_indices), tuple(of_values), tuple(of_rows)]


def _fill(ib: Any, old: Sequence[Any], new: Sequence[Any], used: Any, instead: Any) -> None:
    """Writes elements by rows, and `instead` into those of the `used` rows that have none."""
    at, values = old
    new_at, new_values, is_empty = new
    (room, rank), rows, count = new_at.shape, is_empty.shape[0], at.shape[0]
    with ib.for_range(0, room, "k") as k:
        new_values[k] = te.const(0, new_values.dtype)
        with ib.for_range(0, rank, "axis") as axis:
            new_at[k, axis] = te.const(0, new_at.dtype)
    starts = _starts(ib, at, is_empty, (rows, count), used)
    with ib.for_range(0, count, "k") as k:
        row = ib.let("row", at[k, 0].astype("int32"))
        with ib.if_scope((row >= 0) & (row < rows)):
            place = ib.let("place", starts[row])
            starts[row] = place + 1
            with ib.if_scope(place < room):
                new_values[place] = values[k]
                with ib.for_range(0, rank, "axis") as axis:
                    new_at[place, axis] = at[k, axis]
    with ib.for_range(0, rows, "row") as row, ib.if_scope(is_empty[row]):
        with ib.if_scope(starts[row] < room):
            new_values[starts[row]] = instead
            new_at[starts[row], 0] = row.astype(new_at.dtype)


def _starts(ib: Any, at: Any, is_empty: Any, extents: tuple[Any, Any], used: Any) -> Any:
    """Where the elements of each row begin; says which of the rows that are used are empty."""
    rows, count = extents
    starts = ib.allocate("int32", (rows,), name="starts")
    total = ib.allocate("int32", (), name="total")
    with ib.for_range(0, rows, "row") as row:
        starts[row] = 0
    with ib.for_range(0, count, "k") as k:
        row = ib.let("row", at[k, 0].astype("int32"))
        with ib.if_scope((row >= 0) & (row < rows)):
            starts[row] = starts[row] + 1
    total[()] = 0
    with ib.for_range(0, rows, "row") as row:
        number = ib.let("number", starts[row])
        is_empty[row] = (number == 0) & (row < used.astype("int32"))
        starts[row] = total[()]
        total[()] = total[()] + te.select((number == 0) & (row < used.astype("int32")), 1, number)
    return starts
