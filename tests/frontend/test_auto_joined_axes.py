"""Schedules by rules of products some axes of which are one, as the pixels of an image."""

from itertools import product

import numpy as np
import pytest
from budget import chosen

import teloom
from teloom import te, topi
from teloom.topi import nn

V3, V4 = "x86-64-v3", "x86-64-v4"
ARE_ONE = "i2, i3 are one axis, which tiles fill better"


def given(*shape, dtype="float32", name="A"):
    """A placeholder, and numbers for it whose products and sums are exact."""
    numbers = np.random.default_rng(len(name) + shape[0]).integers(-4, 5, shape).astype(dtype)
    return te.placeholder(shape, dtype, name=name), numbers


def image(channels, height, width, filters, batch=1, dtype="float32"):
    """An image and filters of 1 x 1, the numbers of both, and the convolution."""
    A, a = given(batch, channels, height, width, dtype=dtype)
    W, w = given(filters, channels, 1, 1, dtype=dtype, name="W")
    expected = np.einsum("nchw,oc->nohw", a, w[:, :, 0, 0])
    return [A, W], [a, w], nn.conv2d_nchw(A, W, 1, 0, 1), expected


def reasons_of(out, target=V4):
    s = te.create_schedule(out)
    return s, te.auto_schedule(s, target)


def check(s, inputs, numbers, out, expected):
    run = teloom.build(s, [*inputs, out])
    run(*numbers, found := np.full(expected.shape, 77, out.dtype))
    np.testing.assert_array_equal(found, expected)


def test_pixels_of_a_convolution_by_one_are_columns_of_a_matrix():
    inputs, numbers, out, expected = image(64, 7, 9, 32)
    s, reasons = reasons_of(out)
    assert reasons[0] == f"conv2d_nchw: {ARE_ONE}"
    assert "tiles of" in reasons[1]
    assert s[out].leaf_iter_vars[-1].name == "i2.i3.fused.inner"
    check(s, inputs, numbers, out, expected)


SHAPES = [(1, 7, 7), (3, 1, 9), (17, 5, 11), (40, 13, 17), (65, 9, 2)]


@pytest.mark.parametrize(
    ("shape", "batch", "target"),
    chosen(
        list(product(SHAPES, (1, 3), (V3, V4))),
        [
            (shape, batch, target)
            for shape, batch, target in zip(
                SHAPES, (1, 3, 3, 1, 3), (V3, V4, V3, V4, V4), strict=True
            )
        ],
    ),
)
def test_numbers_of_all_shapes(shape, batch, target):
    inputs, numbers, out, expected = image(*shape, 33, batch)
    check(reasons_of(out, target)[0], inputs, numbers, out, expected)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
def test_numbers_of_dtypes(dtype):
    inputs, numbers, out, expected = image(24, 7, 9, 32, dtype=dtype)
    s, reasons = reasons_of(out)
    assert ARE_ONE in reasons[0]
    check(s, inputs, numbers, out, expected)


def test_what_is_packed_has_one_dimension_for_the_pixels():
    inputs, numbers, out, expected = image(64, 28, 28, 64)
    s, reasons = reasons_of(out)
    assert reasons[2].startswith("A.global.global: a panel is packed by the first tile")
    (panel,) = (stage for stage in s.stages if stage.name == "A.global.global")
    assert [int(extent) for extent in panel.op.output(0).shape] == [1, 64, 28 * 28]
    check(s, inputs, numbers, out, expected)


def test_an_epilogue_runs_over_the_pixels_as_one_axis():
    (A, W), (a, w), product, expected = image(64, 7, 9, 32)
    bias, b = given(32, name="bias")
    rest, r = given(1, 32, 7, 9, name="rest")
    out = te.compute(
        product.shape,
        lambda *at: te.max(product[at] + bias[at[1]], 0.0) + rest[at],
        name="out",
    )
    s, reasons = reasons_of(out)
    assert f"conv2d_nchw: {ARE_ONE}" in reasons
    assert s[out].leaf_iter_vars[-1].name == "i2.i3.fused.inner"
    expected = np.maximum(expected + b[:, None, None], 0) + r
    check(s, [A, W, bias, rest], [a, w, b, r], out, expected)


def test_an_epilogue_that_tells_rows_apart_keeps_its_axes():
    (A, W), (a, w), product, expected = image(64, 7, 9, 32)
    row, r = given(7, name="row")
    out = te.compute(product.shape, lambda n, o, h, w: product[n, o, h, w] * row[h], name="out")
    s, reasons = reasons_of(out)
    assert not any(ARE_ONE in reason for reason in reasons)
    check(s, [A, W, row], [a, w, r], out, expected * r[:, None])


def test_axes_whose_tiles_are_full_stay():
    _, reasons = reasons_of(image(64, 32, 64, 48)[2])
    assert not any(ARE_ONE in reason for reason in reasons)


def test_a_window_over_pixels_keeps_its_axes():
    A, _ = given(1, 64, 9, 9)
    W, _ = given(32, 64, 3, 3, name="W")
    _, reasons = reasons_of(nn.conv2d_nchw(A, W, 1, 0, 1))
    assert not any(ARE_ONE in reason for reason in reasons)


def test_part_of_an_image_keeps_its_axes():
    A, a = given(64, 9, 11)
    W, w = given(32, 64, name="W")
    k = te.reduce_axis((0, 64), "k")
    out = te.compute((32, 9, 7), lambda o, i, j: te.sum(A[k, i, j] * W[o, k], axis=k), name="out")
    s, reasons = reasons_of(out)
    assert not any("one axis" in reason for reason in reasons)
    check(s, [A, W], [a, w], out, np.einsum("khw,ok->ohw", a[:, :, :7], w))


def test_three_axes_are_one():
    A, a = given(1, 32, 5, 3, 7)
    W, w = given(48, 32, 1, 1, 1, name="W")
    out = nn.conv3d_ncdhw(A, W, 1, 0, 1, 1)
    s, reasons = reasons_of(out)
    assert reasons[0] == "conv3d_ncdhw: i2, i3, i4 are one axis, which tiles fill better"
    check(s, [A, W], [a, w], out, np.einsum("ncdhw,oc->nodhw", a, w[:, :, 0, 0, 0]))


def test_rows_are_one_axis_too():
    A, a = given(5, 2, 64)
    B, b = given(64, 48, name="B")
    k = te.reduce_axis((0, 64), "k")
    out = te.compute((5, 2, 48), lambda n, i, j: te.sum(A[n, i, k] * B[k, j], axis=k), name="out")
    s, reasons = reasons_of(out, V3)
    assert reasons[0] == "out: n, i are one axis, which tiles fill better"
    check(s, [A, B], [a, b], out, a @ b)


def test_a_tensor_that_is_read_twice_is_read_over_one_axis_twice():
    A, a = given(33, 9, 11)
    W, w = given(50, 33, name="W")
    k = te.reduce_axis((0, 33), "k")
    out = te.compute(
        (50, 9, 11),
        lambda o, i, j: te.sum(A[k, i, j] * W[o, k] * A[32 - k, i, j], axis=k),
        name="out",
    )
    s, reasons = reasons_of(out)
    assert reasons[0] == "out: i, j are one axis, which tiles fill better"
    check(s, [A, W], [a, w], out, np.einsum("khw,ok,khw->ohw", a, w, a[::-1]))


@pytest.mark.parametrize("target", [V3, V4])
@pytest.mark.parametrize(
    ("axis", "axes", "inner"),
    [(0, "i0, i1, i2", "i0.i1.i2.fused"), (1, "i1, i2", "i1.i2.fused")],
)
def test_a_sum_over_an_axis_adds_long_rows(axis, axes, inner, target):
    A, a = given(40, 30, 5, 7)
    out = topi.sum(A, axis)
    s, reasons = reasons_of(out, target)
    assert reasons[0] == f"sum: {axes} are one axis, which tiles fill better"
    assert s[out].leaf_iter_vars[-1].name.startswith(inner)
    check(s, [A], [a], out, a.sum(axis))


def test_a_sum_of_what_is_inlined_adds_long_rows():
    A, a = given(20, 5, 7)
    out = topi.sum(topi.multiply(A, A), 0)
    s, reasons = reasons_of(out)
    assert "sum: i0, i1 are one axis, which tiles fill better" in reasons
    check(s, [A], [a], out, (a * a).sum(0))


def test_a_sum_over_the_axis_between_keeps_the_axes_around():
    A, a = given(20, 30, 7)
    out = topi.sum(A, 1)
    s, reasons = reasons_of(out)
    assert not any("one axis" in reason for reason in reasons)
    check(s, [A], [a], out, a.sum(1))


def test_what_reads_one_of_the_axes_alone_keeps_them():
    A, a = given(20, 5, 7)
    B, b = given(20, 7, name="B")
    k = te.reduce_axis((0, 20), "k")
    out = te.compute((5, 7), lambda i, j: te.sum(A[k, i, j] - B[k, j], axis=k), name="out")
    s, reasons = reasons_of(out)
    assert not any("one axis" in reason for reason in reasons)
    check(s, [A, B], [a, b], out, (a - b[:, None]).sum(0))


@pytest.mark.parametrize("target", [V3, V4])
def test_a_tensor_that_is_read_over_the_axes_in_two_ways_keeps_them(target):
    A, a = given(12, 12, 12)
    B, b = given(100, 12, name="B")
    k = te.reduce_axis((0, 12), "k")
    out = te.compute(
        (100, 12, 12),
        lambda o, i, j: te.sum(A[k, i, j] * A[i, j, k] * B[o, k], axis=k),
        name="out",
    )
    s, reasons = reasons_of(out, target)
    assert not any("one axis" in reason for reason in reasons)
    check(s, [A, B], [a, b], out, np.einsum("kij,ijk,ok->oij", a, a, b))


def test_a_tensor_that_is_read_with_and_without_the_axes_keeps_them():
    A, a = given(300, 5, 7)
    B, b = given(300, name="B")
    k = te.reduce_axis((0, 300), "k")
    out = te.compute(
        (5, 7, 5, 7),
        lambda n, o, i, j: te.sum(A[k, n, o] * A[k, i, j] * B[k], axis=k),
        name="out",
    )
    s, _ = reasons_of(out, V3)
    check(s, [A, B], [a, b], out, np.einsum("kno,kij,k->noij", a, a, b))


def test_axes_that_are_too_long_together_stay():
    A = te.placeholder((64, 46341, 46341), name="A")
    B, k = te.placeholder((64, 64), name="B"), te.reduce_axis((0, 64), "k")
    out = te.compute(
        (64, 46341, 46341), lambda o, i, j: te.sum(A[k, i, j] * B[o, k], axis=k), name="out"
    )
    assert not any("one axis" in reason for reason in reasons_of(out)[1])


def test_axes_of_long_programs_and_of_long_terms_stay():
    outputs = [image(64, 7, 9, 32)[2] for _ in range(10)]
    reasons = te.auto_schedule(te.create_schedule(outputs), V4)
    assert not any("one axis" in reason for reason in reasons)
    A, B = te.placeholder((8, 3, 3), name="A"), te.placeholder((32, 8), name="B")
    k = te.reduce_axis((0, 8), "k")
    out = te.compute(
        (32, 3, 3),
        lambda o, i, j: te.sum(sum(A[k, i, j] * B[o, k] * x for x in range(40)), axis=k),
        name="out",
    )
    assert not any("one axis" in reason for reason in reasons_of(out)[1])


def test_groups_of_narrow_products_keep_their_axes():
    A, a = given(1, 64, 7, 9, dtype="int8")
    W, w = given(32, 64, 1, 1, dtype="int8", name="W")
    out = nn.conv2d_nchw(A, W, 1, 0, 1, "int32")
    expected = np.einsum("nchw,oc->nohw", a.astype("int32"), w[:, :, 0, 0].astype("int32"))
    s, reasons = reasons_of(out, "cascadelake")
    assert not any(ARE_ONE in reason for reason in reasons)
    s = topi.schedule(out)
    check(s, [A, W], [a, w], out, expected)


def test_an_unknown_batch():
    n = te.var("n")
    A, W = te.placeholder((n, 64, 7, 9), name="A"), te.placeholder((32, 64, 1, 1), name="W")
    out = nn.conv2d_nchw(A, W, 1, 0, 1)
    s, reasons = reasons_of(out)
    assert ARE_ONE in reasons[0]
    run = teloom.build(s, [A, W, out])
    for batch in 0, 1, 4:
        _, (a, w), _, expected = image(64, 7, 9, 32, batch or 1)
        run(a[:batch], w, found := np.zeros((batch, 32, 7, 9), "float32"))
        np.testing.assert_array_equal(found, expected[:batch])
