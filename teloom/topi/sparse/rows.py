"""Matrices of which only some elements are stored, row by row (CSR), or blocks of them (BSR).

Row i has the elements `data[k]` in the columns `indices[k]`, for k from `indptr[i]` up to, not
including, `indptr[i + 1]`; a block row has blocks `data[k, :, :]` in block columns. That these are
positions of the tensors is the caller's to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_tensor, one_of, shown, wrong
from teloom.topi.extents import as_extents, same
from teloom.topi.transform.positions import positions


class CSR(NamedTuple):
    """A matrix by its rows."""

    data: te.Tensor
    """Its elements, row by row."""
    indices: te.Tensor
    """Their columns."""
    indptr: te.Tensor
    """Where in both a row begins, and behind the last one where that ends."""
    shape: list[Any]

    @property
    def dtype(self) -> str:
        """That of the elements."""
        return self.data.dtype


def placeholder(
    shape: Any,
    nonzeros: Any = None,
    dtype: Any = None,
    name: str = "placeholder",
    stype: str | None = None,
) -> CSR:
    """A sparse matrix that is given at the call: as three arrays, of which two are of int32.

    `nonzeros` is the number of elements that are stored, 0 by default, `stype` is "csr". Source:
    TVM's contrib.sparse.placeholder.

    >>> A = placeholder((te.var("n"), 8), te.var("count"), name="A")
    >>> A.indptr
    Tensor(shape=[(n + 1)], dtype=int32, name=A_indptr)
    """
    operator = "sparse.placeholder"
    extents = as_extents(operator, "shape", shape)
    one_of(operator, "stype", "csr" if stype is None else stype, ("csr",))
    if len(extents) != 2:
        raise wrong(operator, "shape", f"is {extents}, but must have 2 extents")
    (count,) = as_extents(operator, "nonzeros", [0 if nonzeros is None else nonzeros])
    return CSR(
        te.placeholder((count,), dtype, f"{name}_data"),
        te.placeholder((count,), "int32", f"{name}_indices"),
        te.placeholder((extents[0] + 1,), "int32", f"{name}_indptr"),
        extents,
    )


class Rows(NamedTuple):
    """The rows of a sparse matrix: of elements (CSR), or in blocks of them (BSR).

    `data` is (stored,), (stored, rows of a block) or (stored, rows, columns of a block).
    """

    data: te.Tensor
    indices: te.Tensor
    indptr: te.Tensor

    @property
    def height(self) -> Any:
        """How many rows there are."""
        return (self.indptr.shape[0] - 1) * self._block(1)

    @property
    def width(self) -> Any:
        """How many columns a block has."""
        return self._block(2)

    def _block(self, axis: int) -> Any:
        return self.data.shape[axis] if self.data.ndim > axis else 1

    def product(self, i: Any, element: Callable[[Any], Any], columns: Any, dtype: str) -> Any:
        """The sum over row i of what is stored times `element` of its column, one of `columns`."""
        block = self._block(1)
        k = te.reduce_axis((self.indptr(i // block), self.indptr(i // block + 1)), "k")
        over, place = [k], [k, *[i % block][: self.data.ndim - 1]]
        column = self.indices(k) * self.width
        if self.data.ndim == 3:
            over.append(te.reduce_axis((0, self.width), "c"))
            place, column = [*place, over[1]], column + over[1]
        factor = element(te.bounded(column, 0, columns))
        return te.sum(self.data(*place).astype(dtype) * factor.astype(dtype), axis=over)


def rows_of(operator: str, arguments: Sequence[str], parts: Sequence[Any], most: int = 3) -> Rows:
    """The three tensors of a sparse matrix, `arguments` by name; data has up to `most` axes.

    Raises `teloom.Error` for what is no such matrix.
    """
    data = a_tensor(operator, arguments[0], parts[0])
    if not 1 <= data.ndim <= most:
        raise wrong(operator, arguments[0], f"is {shown(data)}, but must have 1 to {most} axes")
    for argument, one in zip(arguments[1:], parts[1:], strict=True):
        a_tensor(operator, argument, positions(operator, argument, one), 1)
    if not same(data.shape[0], parts[1].shape[0]):
        raise wrong(operator, arguments[1], f"is {shown(parts[1])}, for {shown(data)}")
    return Rows(*parts)
