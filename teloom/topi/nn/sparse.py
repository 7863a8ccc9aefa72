"""Layers whose weights, or data, are sparse: see `sparse.rows` for how they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import common
from teloom.topi.elementwise import computed
from teloom.topi.extents import same
from teloom.topi.points import over_buffers
from teloom.topi.sparse.products import transposed_product
from teloom.topi.sparse.rows import Rows, rows_of


def sparse_dense_sp_rhs(
    data: te.Tensor, weight_data: te.Tensor, weight_indices: te.Tensor, weight_indptr: te.Tensor
) -> te.Tensor:
    """`data` times a transposed sparse matrix: (m, k) and a sparse (n, k) give (m, n).

    >>> A, W = te.placeholder((8, 16), name="A"), te.placeholder((te.var("z"),), name="W")
    >>> at = te.placeholder(W.shape, "int32", name="at")
    >>> sparse_dense_sp_rhs(A, W, at, te.placeholder((5,), "int32", name="rows"))
    Tensor(shape=[8, 4], dtype=float32, name=sparse_dense_sp_rhs)
    """
    arguments = "weight_data", "weight_indices", "weight_indptr"
    parts = weight_data, weight_indices, weight_indptr
    return _dense("nn.sparse_dense_sp_rhs", "data", data, arguments, parts, False)


def sparse_dense_sp_lhs(
    data_data: te.Tensor, data_indices: te.Tensor, data_indptr: te.Tensor, weight: te.Tensor
) -> te.Tensor:
    """A sparse matrix times the transposed `weight`: a sparse (m, k) and (n, k) give (m, n).

    >>> W, A = te.placeholder((8, 16), name="W"), te.placeholder((te.var("z"),), name="A")
    >>> at = te.placeholder(A.shape, "int32", name="at")
    >>> sparse_dense_sp_lhs(A, at, te.placeholder((5,), "int32", name="rows"), W)
    Tensor(shape=[4, 8], dtype=float32, name=sparse_dense_sp_lhs)
    """
    arguments = "data_data", "data_indices", "data_indptr"
    parts = data_data, data_indices, data_indptr
    return _dense("nn.sparse_dense_sp_lhs", "weight", weight, arguments, parts, True)


def sparse_dense(
    dense_data: te.Tensor,
    sparse_data: te.Tensor,
    sparse_indices: te.Tensor,
    sparse_indptr: te.Tensor,
    sparse_lhs: bool = False,
) -> te.Tensor:
    """The transposed sparse matrix is on the right, or, with `sparse_lhs`, the dense one.

    >>> A, W = te.placeholder((8, 16), name="A"), te.placeholder((6, 2, 4), name="W")
    >>> at, rows = (te.placeholder((k,), "int32", name=str(k)) for k in (6, 3))
    >>> sparse_dense(A, W, at, rows), sparse_dense(A, W, at, rows, sparse_lhs=True).shape
    (Tensor(shape=[8, 4], dtype=float32, name=sparse_dense), (4, 8))
    """
    arguments = "sparse_data", "sparse_indices", "sparse_indptr"
    parts = sparse_data, sparse_indices, sparse_indptr
    return _dense("nn.sparse_dense", "dense_data", dense_data, arguments, parts, sparse_lhs)


def _dense(
    name: str, of_full: str, full: te.Tensor, arguments: Any, parts: Any, sparse_is_left: bool
) -> te.Tensor:
    rows = rows_of(name, arguments, parts)
    _check_width(name, of_full, a_tensor(name, of_full, full, 2), 1, rows)
    form = "csrmm" if rows.data.ndim == 1 else "bsrmm"
    tag = f"sparse_dense_sp_{'lhs' if sparse_is_left else 'rhs'}_{form}"
    return transposed_product(name, full, rows, sparse_is_left, tag)


def _check_width(name: str, argument: str, full: te.Tensor, axis: int, rows: Rows) -> None:
    """Refuses an axis of the dense tensor that has no whole blocks."""
    extent = full.shape[axis]
    if not same(extent // rows.width * rows.width, extent):
        problem = f"is {shown(full)}, whose axis {axis} has no whole blocks of"
        raise wrong(name, argument, f"{problem} {shown(rows.data)}")


def sparse_conv2d(
    dense_data: te.Tensor,
    sparse_data: te.Tensor,
    sparse_indices: te.Tensor,
    sparse_indptr: te.Tensor,
    layout: str = "NHWC",
    kernel_size: int = 1,
) -> te.Tensor:
    """A convolution of one tap, with a sparse matrix of weights (O, I), of the layout NHWC or NCHW.

    `kernel_size` is 1. The weights may have blocks of rows alone, (stored, rows).

    >>> A, W = te.placeholder((1, 8, 8, 16), name="A"), te.placeholder((6, 2, 4), name="W")
    >>> at, rows = (te.placeholder((k,), "int32", name=str(k)) for k in (6, 3))
    >>> sparse_conv2d(A, W, at, rows)
    Tensor(shape=[1, 8, 8, 4], dtype=float32, name=sparse_conv2d)
    """
    name = "nn.sparse_conv2d"
    a_tensor(name, "dense_data", dense_data, 4)
    axis = one_of(name, "layout", layout, ("NHWC", "NCHW")).index("C")
    if an_integer(name, "kernel_size", kernel_size) != 1:
        raise wrong(name, "kernel_size", f"is {kernel_size}, but must be 1")
    arguments = "sparse_data", "sparse_indices", "sparse_indptr"
    rows = rows_of(name, arguments, (sparse_data, sparse_indices, sparse_indptr))
    _check_width(name, "dense_data", dense_data, axis, rows)
    dtype = common([dense_data.dtype, rows.data.dtype])

    def value(*at: Any) -> Any:
        def element(channel: Any) -> Any:
            return dense_data(*(channel if k == axis else one for k, one in enumerate(at)))

        return rows.product(at[axis], element, dense_data.shape[axis], dtype)

    shape = [rows.height if k == axis else one for k, one in enumerate(dense_data.shape)]
    return computed(name, shape, value, "sparse_conv2d_sp_bsrmm")


def sparse_add(
    dense_data: te.Tensor,
    sparse_data: te.Tensor,
    sparse_indices: te.Tensor,
    sparse_indptr: te.Tensor,
) -> te.Tensor:
    """`dense_data` plus a sparse matrix of its shape; an element may be stored in several parts.

    >>> A, W = te.placeholder((8, 16), name="A"), te.placeholder((te.var("z"),), name="W")
    >>> at, rows = te.placeholder(W.shape, "int32"), te.placeholder((9,), "int32")
    >>> sparse_add(A, W, at, rows)
    Tensor(shape=[8, 16], dtype=float32, name=sparse_add)
    """
    name = "nn.sparse_add"
    arguments = "sparse_data", "sparse_indices", "sparse_indptr"
    rows = rows_of(name, arguments, (sparse_data, sparse_indices, sparse_indptr), 1)
    height, width = a_tensor(name, "dense_data", dense_data, 2).shape
    if not same(rows.height, height) or sparse_data.dtype != dense_data.dtype:
        problem = f"is {shown(dense_data)}, for {shown(sparse_data)} in {rows.height} rows"
        raise wrong(name, "dense_data", problem)

    @over_buffers
    def body(ib: Any, full: Any, data: Any, columns: Any, begins: Any, total: Any) -> None:
        with ib.for_range(0, height, "i") as i:
            with ib.for_range(0, width, "j") as j:
                total[i, j] = full[i, j]
            with ib.for_range(begins[i], begins[i + 1], "k") as k:
                column = ib.let("column", columns[k])
                total[i, column] = total[i, column] + data[k]

    return te.extern(
        dense_data.shape,
        [dense_data, *rows],
        body,
        name="sparse_add",
        dtype=dense_data.dtype,
        tag="sparse_add_csr",
    )


def sparse_transpose(
    sparse_data: te.Tensor, sparse_indices: te.Tensor, sparse_indptr: te.Tensor
) -> list[te.Tensor]:
    """The three tensors of the transposed matrix of elements, which is square.

    >>> W, at = te.placeholder((10,), name="W"), te.placeholder((10,), "int32", name="at")
    >>> [one.shape for one in sparse_transpose(W, at, te.placeholder((5,), "int32"))]
    [(10,), (10,), (5,)]
    """
    name = "nn.sparse_transpose"
    arguments = "sparse_data", "sparse_indices", "sparse_indptr"
    rows = rows_of(name, arguments, (sparse_data, sparse_indices, sparse_indptr), 1)

    @over_buffers
    def body(ib: Any, *parts: Any) -> None:
        _transpose(ib, parts, rows.height, rows.indices.dtype)

    return te.extern(
        [one.shape for one in rows],
        [*rows],
        body,
        name="sparse_transpose",
        dtype=[one.dtype for one in rows],
        tag="sparse_transpose_csr",
    )


def _transpose(ib: Any, parts: Sequence[Any], count: Any, index: str) -> None:
    """Counts columns, sums the counts, and puts each element behind those before it."""
    data, columns, begins, new_data, new_columns, new_begins = parts
    with ib.for_range(0, count + 1, "column") as column:
        new_begins[column] = 0
    # One place further, so that the begin of a column is that of the next after all are put.
    with ib.for_range(0, count, "i") as i:
        with ib.for_range(begins[i], begins[i + 1], "k") as k:
            behind = ib.let("behind", columns[k] + 2)
            with ib.if_scope(behind <= count):
                new_begins[behind] = new_begins[behind] + 1
    with ib.for_range(2, count + 1, "column") as column:
        new_begins[column] = new_begins[column] + new_begins[column - 1]
    with ib.for_range(0, count, "i") as i:
        with ib.for_range(begins[i], begins[i + 1], "k") as k:
            column = ib.let("column", columns[k] + 1)
            place = ib.let("place", new_begins[column])
            new_data[place] = data[k]
            new_columns[place] = i.astype(index)
            new_begins[column] = place + 1
