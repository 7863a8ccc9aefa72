"""`tvm.contrib.cblas`: products of matrices by the BLAS that NumPy calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.frontend.extern.externs import extern
from teloom.frontend.tensor.tensors import Tensor
from teloom.tvm_compat.runtime.registry import call_packed, register_func

MATMUL = "tvm.contrib.cblas.matmul"


@register_func(MATMUL, override=True)
def multiply(lhs: Any, rhs: Any, out: Any, transa: Any = False, transb: Any = False) -> None:
    """Writes the product of two matrices, each transposed if it is asked for, to `out`."""
    np.matmul(lhs.T if transa else lhs, rhs.T if transb else rhs, out=out)


def matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False) -> Any:
    """The product of two matrices as an extern. Source: TVM's contrib.cblas.matmul.

    >>> from teloom import te
    >>> matmul(te.placeholder((3, 4)), te.placeholder((5, 4)), transb=True).shape
    (3, 5)
    """
    shape = (lhs.shape[1 if transa else 0], rhs.shape[0 if transb else 1])
    return extern(
        shape,
        [lhs, rhs],
        lambda ins, outs: call_packed(MATMUL, ins[0], ins[1], outs[0], transa, transb),
        name="C",
        dtype=lhs.dtype,
    )
