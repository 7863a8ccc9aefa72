"""`tvm.contrib.sparse`: matrices of which only some elements are stored, by their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.errors import Error
from teloom.topi.sparse import placeholder
from teloom.tvm_compat.runtime import ndarray
from teloom.tvm_compat.runtime.device import Device

__all__ = ["CSRNDArray", "array", "placeholder"]


class CSRNDArray:
    """The three arrays of a sparse matrix, of a whole one, or of what is given.

    Raises `teloom.Error` for what is no matrix, and for three arrays without a `shape`.

    >>> a = CSRNDArray(np.array([[0.0, 2], [0, 0], [3, 4]]))
    >>> a.data, a.indices, a.indptr
    (NDArray([2., 3., 4.]), NDArray([1, 0, 1], dtype=int32), NDArray([0, 1, 1, 3], dtype=int32))
    """

    stype = "csr"

    def __init__(self, arg1: Any, device: Device | None = None, shape: Any = None) -> None:
        if isinstance(arg1, tuple):
            if len(arg1) != 3 or shape is None:
                raise Error("a sparse matrix is (data, indices, indptr) and its shape, or a matrix")
            parts, self.shape = arg1, tuple(shape)
        else:
            whole = np.asarray(arg1)
            if whole.ndim != 2:
                raise Error(f"an array of shape {whole.shape} is no matrix")
            rows, columns = whole.nonzero()
            counts = np.bincount(rows, minlength=len(whole))
            begins = np.concatenate([[0], np.cumsum(counts)])
            parts = whole[rows, columns], columns.astype("int32"), begins.astype("int32")
            self.shape = whole.shape
        self.data, self.indices, self.indptr = (ndarray.array(one, device) for one in parts)

    @property
    def dtype(self) -> Any:
        """That of the elements."""
        return self.data.dtype

    def numpy(self) -> np.ndarray[Any, Any]:
        """The whole matrix.

        >>> CSRNDArray(np.eye(2, 3)).numpy().shape
        (2, 3)
        """
        whole = np.zeros(self.shape, self.dtype)
        rows = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        whole[rows, self.indices] = self.data
        return whole

    asnumpy = numpy


def array(
    source_array: Any, device: Device | None = None, shape: Any = None, stype: str = "csr"
) -> CSRNDArray:
    """A sparse matrix of a whole one, or of (data, indices, indptr) and a shape.

    Raises `teloom.Error` for another `stype` than "csr". Source: TVM's contrib.sparse.array.

    >>> array(np.eye(3)).indptr
    NDArray([0, 1, 2, 3], dtype=int32)
    """
    if stype != "csr":
        raise Error(f"stype is {stype!r}; known is 'csr'")
    return CSRNDArray(source_array, device, shape)
