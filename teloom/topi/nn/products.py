"""Products of matrices, with a bias, in batches, and in another dtype than that of the factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, shown, wrong
from teloom.topi.dtypes import of_results
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, expect_same, is_one, same
from teloom.topi.tag import BROADCAST

Tensors = dict[str, te.Tensor]


def dense(
    data: te.Tensor,
    weight: te.Tensor,
    bias: te.Tensor | None = None,
    out_dtype: Any = None,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """`data` times the transposed `weight`, plus `bias`: (m, k), (n, k) and (n,) give (m, n).

    Factors are cast to `out_dtype`, or to the dtype in which they meet. The last two arguments are
    accepted as TVM's, and say nothing here.

    >>> dense(te.placeholder((8, 16), name="A"), te.placeholder((4, 16), name="W"))
    Tensor(shape=[8, 4], dtype=float32, name=dense)
    """
    given = {"data": data, "weight": weight}
    return _product("nn.dense", given, bias, out_dtype, False, True, "dense")


def matmul(
    tensor_a: te.Tensor,
    tensor_b: te.Tensor,
    bias: te.Tensor | None = None,
    out_dtype: Any = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """The product of two matrices, either of which may be transposed, plus `bias`.

    Dtypes and the last two arguments are as in `dense`.

    >>> matmul(te.placeholder((8, 16), name="A"), te.placeholder((16, 4), name="B"))
    Tensor(shape=[8, 4], dtype=float32, name=matmul)
    """
    given = {"tensor_a": tensor_a, "tensor_b": tensor_b}
    return _product("nn.matmul", given, bias, out_dtype, transpose_a, transpose_b, "matmul")


def _product(
    name: str,
    given: Tensors,
    bias: te.Tensor | None,
    out_dtype: Any,
    transpose_a: bool,
    transpose_b: bool,
    tag: str,
) -> te.Tensor:
    (of_a, a), (of_b, b) = given.items()
    transpose_a = a_flag(name, "transpose_a", transpose_a)
    transpose_b = a_flag(name, "transpose_b", transpose_b)
    a_tensor(name, of_a, a, 2)
    a_tensor(name, of_b, b, 2)
    extent = expect_same(name, given, {of_a: int(not transpose_a), of_b: int(transpose_b)})
    k = te.reduce_axis((0, extent), "k")
    dtype = of_results(name, out_dtype, [a.dtype, b.dtype])

    def value(i: Any, j: Any) -> Any:
        left = a(k, i) if transpose_a else a(i, k)
        right = b(j, k) if transpose_b else b(k, j)
        return te.sum(left.astype(dtype) * right.astype(dtype), axis=k)

    product = computed(name, [a.shape[transpose_a], b.shape[not transpose_b]], value, tag)
    if bias is None:
        return product
    given = {**given, "bias": a_tensor(name, "bias", bias, 1)}
    expect_same(name, given, {of_b: int(not transpose_b), "bias": 0})
    return applied(f"{name}_bias", lambda x, y: x + y.astype(dtype), product, bias)


def dense_pack(
    data: te.Tensor, weight: te.Tensor, bias: te.Tensor | None = None, out_dtype: Any = None
) -> te.Tensor:
    """`dense` of weights in blocks: (m, k), (n / b, k, b) and (n,) give (m, n).

    >>> dense_pack(te.placeholder((8, 16), name="A"), te.placeholder((2, 16, 4), name="W"))
    Tensor(shape=[8, 8], dtype=float32, name=dense_pack)
    """
    name = "nn.dense_pack"
    given = {"data": a_tensor(name, "data", data, 2), "weight": a_tensor(name, "weight", weight, 3)}
    k = te.reduce_axis((0, expect_same(name, given, {"data": 1, "weight": 1})), "k")
    dtype = of_results(name, out_dtype, [data.dtype, weight.dtype])
    block = weight.shape[2]
    columns = weight.shape[0] * block

    def value(i: Any, j: Any) -> Any:
        factor = weight(j // block, k, j % block)
        return te.sum(data(i, k).astype(dtype) * factor.astype(dtype), axis=k)

    product = computed(name, [data.shape[0], columns], value, "dense_pack")
    if bias is None:
        return product
    if not te.same_extents(a_tensor(name, "bias", bias, 1).shape, [columns]):
        raise wrong(name, "bias", f"is {shown(bias)}, for the {columns} columns of the result")
    return applied(f"{name}_bias", lambda x, y: x + y.astype(dtype), product, bias)


def batch_matmul(
    tensor_a: te.Tensor,
    tensor_b: te.Tensor,
    oshape: Any = None,
    out_dtype: Any = None,
    transpose_a: bool = False,
    transpose_b: bool = True,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """The products of the matrices in two batches: (b, m, k) and (b, n, k) give (b, m, n).

    Either may be transposed; `tensor_b` is by default. A batch of one matrix is repeated. Where
    `oshape` is given, the result has to have that shape. Dtypes and the last two arguments are as
    in `dense`.

    >>> batch_matmul(te.placeholder((2, 8, 16), name="A"), te.placeholder((1, 4, 16), name="B"))
    Tensor(shape=[2, 8, 4], dtype=float32, name=batch_matmul)
    """
    name = "nn.batch_matmul"
    given = {"tensor_a": a_tensor(name, "tensor_a", tensor_a, 3)}
    given["tensor_b"] = a_tensor(name, "tensor_b", tensor_b, 3)
    transpose_a = a_flag(name, "transpose_a", transpose_a)
    transpose_b = a_flag(name, "transpose_b", transpose_b)
    inner = {"tensor_a": 2 - transpose_a, "tensor_b": 1 + transpose_b}
    k = te.reduce_axis((0, expect_same(name, given, inner)), "k")
    single = [is_one(one.shape[0]) for one in given.values()]
    if not any(single):
        expect_same(name, given, {"tensor_a": 0, "tensor_b": 0})
    batch = tensor_b.shape[0] if single[0] else tensor_a.shape[0]
    shape = [batch, tensor_a.shape[1 + transpose_a], tensor_b.shape[2 - transpose_b]]
    if oshape is not None and not te.same_extents(as_extents(name, "oshape", oshape), shape):
        raise wrong(name, "oshape", f"is {oshape}, but the result has the shape {tuple(shape)}")
    dtype = of_results(name, out_dtype, (one.dtype for one in given.values()))
    alone = [one and not same(batch, 1) for one in single]

    def value(n: Any, i: Any, j: Any) -> Any:
        at_a, at_b = (0 if one else n for one in alone)
        left = tensor_a(at_a, k, i) if transpose_a else tensor_a(at_a, i, k)
        right = tensor_b(at_b, j, k) if transpose_b else tensor_b(at_b, k, j)
        return te.sum(left.astype(dtype) * right.astype(dtype), axis=k)

    return computed(name, shape, value, "batch_matmul")


def scale_shift_nchw(Input: te.Tensor, Scale: te.Tensor, Shift: te.Tensor) -> te.Tensor:
    """`Input * Scale + Shift`, with one factor and one summand for each position on axis 1.

    >>> b = te.placeholder((3,), name="b")
    >>> scale_shift_nchw(te.placeholder((1, 3, 8, 8), name="A"), b, b)
    Tensor(shape=[1, 3, 8, 8], dtype=float32, name=scale_shift_nchw)
    """
    return _scale_shift("nn.scale_shift_nchw", Input, Scale, Shift, [1], 4)


def scale_shift_nhwc(Input: te.Tensor, Scale: te.Tensor, Shift: te.Tensor) -> te.Tensor:
    """`Input * Scale + Shift`, with one factor and one summand for each position on axis 3.

    >>> b = te.placeholder((3,), name="b")
    >>> scale_shift_nhwc(te.placeholder((1, 8, 8, 3), name="A"), b, b)
    Tensor(shape=[1, 8, 8, 3], dtype=float32, name=scale_shift_nhwc)
    """
    return _scale_shift("nn.scale_shift_nhwc", Input, Scale, Shift, [3], 4)


def scale_shift_nchwc(Input: te.Tensor, Scale: te.Tensor, Shift: te.Tensor) -> te.Tensor:
    """`Input * Scale + Shift`, with one factor and one summand for the positions on axes 1 and 4.

    >>> b = te.placeholder((2, 4), name="b")
    >>> scale_shift_nchwc(te.placeholder((1, 2, 8, 8, 4), name="A"), b, b)
    Tensor(shape=[1, 2, 8, 8, 4], dtype=float32, name=scale_shift_nchwc)
    """
    return _scale_shift("nn.scale_shift_nchwc", Input, Scale, Shift, [1, 4], 5)


def _scale_shift(
    name: str,
    data: te.Tensor,
    scale: te.Tensor,
    shift: te.Tensor,
    axes: Sequence[int],
    ndim: int,
) -> te.Tensor:
    given = {"Input": a_tensor(name, "Input", data, ndim)}
    for argument, one in (("Scale", scale), ("Shift", shift)):
        given[argument] = a_tensor(name, argument, one, len(axes))
        for k, axis in enumerate(axes):
            expect_same(name, given, {"Input": axis, argument: k})

    def value(*at: Any) -> Any:
        there = [at[axis] for axis in axes]
        return data(*at) * scale(*there) + shift(*there)

    return computed(name, data.shape, value, BROADCAST)
