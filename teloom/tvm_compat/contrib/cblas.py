"""`tvm.contrib.cblas`: products of matrices by the BLAS that NumPy calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.errors import Error
from teloom.frontend.extern.externs import extern
from teloom.frontend.tensor.shape_forms import same_extents
from teloom.frontend.tensor.tensors import Tensor
from teloom.tvm_compat.runtime.registry import call_packed, register_func

MATMUL, BATCH_MATMUL = "tvm.contrib.cblas.matmul", "tvm.contrib.cblas.batch_matmul"


@register_func(BATCH_MATMUL, override=True)
@register_func(MATMUL, override=True)
def multiply(lhs: Any, rhs: Any, out: Any, transa: Any = False, transb: Any = False) -> None:
    """Writes the products of matrices, each transposed if it is asked for, to `out`."""
    left, right = (
        np.swapaxes(one, -1, -2) if is_turned else one
        for one, is_turned in ((lhs, transa), (rhs, transb))
    )
    np.matmul(left, right, out=out)


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
    return _product(MATMUL, 2, lhs, rhs, transa, transb, kwargs)


def batch_matmul(
    lhs: Tensor,
    rhs: Tensor,
    transa: bool = False,
    transb: bool = False,
    iterative: bool = False,
    **kwargs: Any,
) -> Any:
    """The products of as many matrices as an extern; one of them may be that of all others.

    What is raised is as in `matmul`. One way serves, whatever `iterative` says. Source: TVM's
    contrib.cblas.batch_matmul.

    >>> from teloom import te
    >>> batch_matmul(te.placeholder((2, 3, 4)), te.placeholder((2, 4, 5))).shape
    (2, 3, 5)
    """
    return _product(BATCH_MATMUL, 3, lhs, rhs, transa, transb, kwargs)


def _product(
    function: str,
    axes: int,
    lhs: Tensor,
    rhs: Tensor,
    transa: bool,
    transb: bool,
    options: dict[str, Any],
) -> Any:
    name = function.removeprefix("tvm.contrib.")
    if len(lhs.shape) != axes or len(rhs.shape) != axes or lhs.dtype != rhs.dtype:
        raise Error(
            f"{name} wants two tensors of {axes} axes and of one dtype, not {lhs} and {rhs}"
        )
    (rows, inner), (same, columns) = (
        one.shape[-2:][::-1] if is_turned else one.shape[-2:]
        for one, is_turned in ((lhs, transa), (rhs, transb))
    )
    if not same_extents([inner], [same]):
        raise Error(f"{name} sums over {inner} and {same}, of {lhs} and {rhs}")
    counts = [one.shape[: axes - 2] for one in (lhs, rhs)]
    batches = counts[1] if [*counts[0]] == [1] else counts[0]
    if not all([*count] == [1] or same_extents(count, batches) for count in counts):
        raise Error(f"{name} takes as many matrices of both, not {lhs} and {rhs}")
    return extern(
        (*batches, rows, columns),
        [lhs, rhs],
        lambda ins, outs: call_packed(function, ins[0], ins[1], outs[0], transa, transb),
        **{"name": "C", "dtype": lhs.dtype, **options},
    )
