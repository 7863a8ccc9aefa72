"""`tvm.contrib.cblas`: products of matrices by the BLAS that NumPy calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.errors import Error
from teloom.frontend.extern.externs import extern
from teloom.frontend.tensor.shape_forms import same_extents
from teloom.frontend.tensor.tensors import Tensor
from teloom.tvm_compat.runtime.registry import call_packed, register_func

MATMUL = "tvm.contrib.cblas.matmul"


@register_func(MATMUL, override=True)
def multiply(lhs: Any, rhs: Any, out: Any, transa: Any = False, transb: Any = False) -> None:
    """Writes the product of two matrices, each transposed if it is asked for, to `out`."""
    np.matmul(lhs.T if transa else lhs, rhs.T if transb else rhs, out=out)


def matmul(
    lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False, **kwargs: Any
) -> Any:
    """The product of two matrices as an extern, for which `kwargs` are.

    Raises `teloom.Error` for what are no two matrices of one dtype with a common extent. Source:
    TVM's contrib.cblas.matmul.

    >>> from teloom import te
    >>> matmul(te.placeholder((3, 4)), te.placeholder((5, 4)), transb=True).shape
    (3, 5)
    """
    if len(lhs.shape) != 2 or len(rhs.shape) != 2 or lhs.dtype != rhs.dtype:
        raise Error(f"cblas.matmul wants two matrices of one dtype, not {lhs} and {rhs}")
    (rows, inner), (same, columns) = (
        one.shape[::-1] if is_turned else one.shape
        for one, is_turned in ((lhs, transa), (rhs, transb))
    )
    if not same_extents([inner], [same]):
        raise Error(f"cblas.matmul sums over {inner} and {same}, of {lhs} and {rhs}")
    return extern(
        (rows, columns),
        [lhs, rhs],
        lambda ins, outs: call_packed(MATMUL, ins[0], ins[1], outs[0], transa, transb),
        **{"name": "C", "dtype": lhs.dtype, **kwargs},
    )
