"""Products of a sparse matrix and a whole one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, shown, wrong
from teloom.topi.dtypes import common
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, expect_same, same
from teloom.topi.sparse.rows import CSR, Rows, rows_of
from teloom.topi.tag import BROADCAST


def csrmv(a: Any, x: te.Tensor, y: te.Tensor | None = None) -> te.Tensor:
    """`a` times the column `x`, plus `y`: (m, k), (k, 1) and (m,) give (m, 1).

    `a` has the attributes of `CSR`.

    >>> from teloom.topi import sparse
    >>> A = sparse.placeholder((4, 8), te.var("count"), name="A")
    >>> csrmv(A, te.placeholder((8, 1), name="x"))
    Tensor(shape=[4, 1], dtype=float32, name=csrmv)
    """
    name = "sparse.csrmv"
    if not same(a_tensor(name, "x", x, 2).shape[1], 1):
        raise wrong(name, "x", f"is {shown(x)}, but must have one column")
    return _product(name, a, ("x", x), ("y", y), "csrmv")


def csrmm(a: Any, b: te.Tensor, c: te.Tensor | None = None) -> te.Tensor:
    """`a` times `b`, plus `c` by rows: (m, k), (k, n) and (m,) give (m, n).

    `a` has the attributes of `CSR`.

    >>> from teloom.topi import sparse
    >>> A = sparse.placeholder((4, 8), te.var("count"), name="A")
    >>> csrmm(A, te.placeholder((8, te.var("n")), name="B"))
    Tensor(shape=[4, n], dtype=float32, name=csrmm)
    """
    name = "sparse.csrmm"
    return _product(name, a, ("b", a_tensor(name, "b", b, 2)), ("c", c), "csrmm")


def _matrix(name: str, argument: str, value: Any) -> tuple[Rows, list[Any]]:
    """The rows of a sparse matrix, by its attributes, and its shape."""
    if not all(hasattr(value, one) for one in CSR._fields):
        raise wrong(name, argument, f"is {value!r}, not a sparse matrix")
    parts = [f"{argument}.{one}" for one in CSR._fields]
    found = rows_of(name, parts[:3], [value.data, value.indices, value.indptr], 1)
    extents = as_extents(name, parts[3], list(value.shape))
    if len(extents) != 2 or not same(found.height, extents[0]):
        problem = f"is {shown(found.indptr)}, for a matrix of shape {tuple(extents)}"
        raise wrong(name, parts[2], problem)
    return found, extents


def _check_columns(
    name: str, of_full: str, full: te.Tensor, axis: int, of_sparse: str, extents: Sequence[Any]
) -> None:
    """Refuses another number of columns than the sparse matrix has.

    A size alone is no other number: no array has it, so what it is, is not known at the call.
    """
    extent, columns = full.shape[axis], extents[1]
    if isinstance(extent, int) and isinstance(columns, int) and extent != columns:
        problem = f"is {shown(full)}, but {of_sparse} is of shape {tuple(extents)}"
        raise wrong(name, of_full, problem)


def _product(
    name: str,
    a: Any,
    right: tuple[str, te.Tensor],
    summand: tuple[str, te.Tensor | None],
    tag: str,
) -> te.Tensor:
    """A sparse matrix times another, plus a summand by rows; these two with their names."""
    (of_b, b), (of_bias, bias) = right, summand
    rows, extents = _matrix(name, "a", a)
    _check_columns(name, of_b, b, 0, "a", extents)
    dtype = common([rows.data.dtype, b.dtype])

    def value(i: Any, j: Any) -> Any:
        return rows.product(i, lambda column: b(column, j), b.shape[0], dtype)

    product = computed(name, [extents[0], b.shape[1]], value, tag)
    if bias is None:
        return product
    if not te.same_extents(a_tensor(name, of_bias, bias, 1).shape, extents[:1]):
        raise wrong(name, of_bias, f"is {shown(bias)}, for {extents[0]} rows")
    return computed(f"{name}_bias", product.shape, lambda i, j: product(i, j) + bias(i), BROADCAST)


def dense(data: Any, weight: Any, bias: te.Tensor | None = None) -> te.Tensor:
    """`data` times the transposed `weight`, plus `bias`: (m, k), (n, k) and (n,) give (m, n).

    One of `data` and `weight` is sparse, with the attributes of `CSR`.

    >>> from teloom.topi import sparse
    >>> W = sparse.placeholder((4, 8), te.var("count"), name="W")
    >>> dense(te.placeholder((3, 8), name="A"), W)
    Tensor(shape=[3, 4], dtype=float32, name=dense)
    """
    name = "sparse.dense"
    of_sparse, of_dense = ("weight", "data") if isinstance(data, te.Tensor) else ("data", "weight")
    pair = (weight, data) if of_sparse == "weight" else (data, weight)
    rows, extents = _matrix(name, of_sparse, pair[0])
    full = a_tensor(name, of_dense, pair[1], 2)
    _check_columns(name, of_dense, full, 1, of_sparse, extents)
    product = transposed_product(name, full, rows, of_sparse == "data", "dense")
    if bias is None:
        return product
    given = {"product": product, "bias": a_tensor(name, "bias", bias, 1)}
    expect_same(name, given, {"product": 1, "bias": 0})
    return applied(f"{name}_bias", lambda x, y: x + y, product, bias)


def transposed_product(
    name: str, full: te.Tensor, rows: Rows, sparse_is_left: bool, tag: str
) -> te.Tensor:
    """The products of each row of a matrix with each of a sparse one.

    The rows of the result are those of the sparse one, if that is left, else its columns are.
    """
    order = -1 if sparse_is_left else 1
    dtype = common([full.dtype, rows.data.dtype])

    def value(*at: Any) -> Any:
        r, i = at[::order]
        return rows.product(i, lambda column: full(r, column), full.shape[1], dtype)

    return computed(name, [full.shape[0], rows.height][::order], value, tag)
