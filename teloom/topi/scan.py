"""Running folds along an axis: element k is made of the elements up to k.

They are updates (`te.update`), whose other axes a schedule may split, move and run in parallel.
Along the first axis, of which the extent is known, they are scans (`te.scan`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom import te
from teloom.errors import Error
from teloom.topi.arguments import (
    a_dtype,
    a_flag,
    a_number,
    a_tensor,
    an_axis,
    check_defined,
    wrong,
)
from teloom.topi.elementwise import computed
from teloom.topi.tag import ELEMWISE
from teloom.topi.transform.shapes import reshape


def scanop(
    data: te.Tensor,
    binop: Callable[[Any, Any], Any],
    identity_value: object,
    op_name: str,
    axis: int | None = None,
    dtype: object = None,
    exclusive: bool | None = None,
) -> te.Tensor:
    """Element k is `binop` of element k - 1 and element k of `data`, along `axis`, in order.

    Without an axis, `data` is one row of its elements. The result has `dtype`, or that of `data`.
    With `exclusive`, element k is made of the elements before it, and the first is
    `identity_value`.

    >>> A = te.placeholder((8, te.var("n")), name="A")
    >>> scanop(A, te.maximum, float("-inf"), "cummax", axis=1)
    Tensor(shape=[8, n], dtype=float32, name=cummax)
    """
    a_tensor(op_name, "data", data)
    if not callable(binop):
        raise wrong(op_name, "binop", f"is {binop!r}, which is no function")
    of = data.dtype if dtype is None else a_dtype(op_name, dtype)
    check_defined(op_name, data, binop, of)
    if axis is None:
        try:
            data, axis = reshape(data, (-1,)), 0
        except Error as error:
            raise wrong(op_name, "axis", f"is None: {error}") from error
    along, exclusive = an_axis(op_name, axis, data.ndim), a_flag(op_name, "exclusive", exclusive)
    extent = data.shape[along]
    first = a_number(op_name, "identity_value", identity_value, of)

    def start(*indices: Any) -> Any:
        if not exclusive:
            return data(*indices).astype(of)
        before = [one - 1 if k == along else one for k, one in enumerate(indices)]
        return te.if_then_else(indices[along] == 0, first, data(*before).astype(of))

    is_known = isinstance(extent, int)
    if is_known and extent > 1 and along == 0 and data.ndim > 1:
        given = data, first, exclusive
        return _along_first(op_name, given, binop, of)
    begin = computed(f"{op_name}_start", data.shape, start, ELEMWISE)
    if is_known and extent < 2:
        return begin
    points = [te.reduce_axis((int(k == along), end), f"k{k}") for k, end in enumerate(data.shape)]

    def step(state: te.Tensor, *at: Any) -> Any:
        before = [one - 1 if k == along else one for k, one in enumerate(at)]
        return at, binop(state(*before), state(*at))

    return te.update(begin, points, step, name=op_name)


def _along_first(
    name: str, given: tuple[te.Tensor, Any, bool], binop: Callable[[Any, Any], Any], dtype: Any
) -> te.Tensor:
    """The fold as a scan: each row is made of the row before it, while that is near."""
    data, identity, exclusive = given
    state = te.placeholder(data.shape, dtype, name=f"{name}_state")

    def first(time: Any, *at: Any) -> Any:
        return identity if exclusive else data(0, *at).astype(dtype)

    def step(time: Any, *at: Any) -> Any:
        read = data(time - 1 if exclusive else time, *at)
        return binop(state(time - 1, *at), read.astype(dtype))

    begin = computed(name, (1, *data.shape[1:]), first, name=f"{name}_first")
    rows = computed(name, data.shape, step, name=f"{name}_row")
    return te.scan(begin, rows, state, name=name)


def cumsum(
    data: te.Tensor, axis: int | None = None, dtype: object = None, exclusive: bool | None = None
) -> te.Tensor:
    """The running sum along `axis`, as `scanop` says; as NumPy's, but dtypes stay.

    >>> cumsum(te.placeholder((8, 4), "int8", name="A"), axis=0, dtype="int32")
    Tensor(shape=[8, 4], dtype=int32, name=cumsum)
    """
    return scanop(data, te.add, 0, "cumsum", axis, dtype, exclusive)


def cumprod(
    data: te.Tensor, axis: int | None = None, dtype: object = None, exclusive: bool | None = None
) -> te.Tensor:
    """The running product along `axis`, as `scanop` says; as NumPy's, but dtypes stay.

    >>> cumprod(te.placeholder((8, 4), name="A"))
    Tensor(shape=[32], dtype=float32, name=cumprod)
    """
    return scanop(data, te.multiply, 1, "cumprod", axis, dtype, exclusive)
