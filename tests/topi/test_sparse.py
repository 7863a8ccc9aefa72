"""Matrices of which only some elements are stored, against whole ones."""

import numpy as np
import pytest
from layers_by_hand import RNG, Arrays, normal

from teloom import te
from teloom.topi import nn, sparse


def stored(matrix, height=1, width=1):
    """The blocks of a matrix that are not 0, block row by block row: data, indices and indptr."""
    m, k = matrix.shape
    parts = matrix.reshape(m // height, height, k // width, width).swapaxes(1, 2)
    rows, columns = np.nonzero(parts.any((2, 3)))
    counts = np.bincount(rows, minlength=len(parts))
    begins = np.concatenate([[0], np.cumsum(counts)])
    return parts[rows, columns], columns.astype("int32"), begins.astype("int32")


def thinned(*shape, dtype="float32", height=1, width=1):
    """A matrix with few blocks that are not 0, and a row of blocks without any."""
    kept = RNG.random((shape[0] // height, shape[1] // width)) < 0.4
    kept[1], kept[0, 0] = False, True
    whole = RNG.integers(1, 9, shape).astype(dtype)
    return whole * np.kron(kept, np.ones((height, width), "int8")).astype(dtype)


def tensors_of(given, parts):
    data, indices, begins = parts
    return given(data), given(indices), given(begins)


def csr(name, shape, count, dtype="float32"):
    made = sparse.placeholder(shape, count, dtype, name)
    return made, (made.data, made.indices, made.indptr)


def test_products_by_rows(compile_once):
    """One program of every number of rows, of elements, and of columns."""
    n, z, m = te.var("n"), te.var("z"), te.var("m")
    a, parts = csr("a", (n, te.var("columns")), z)
    x, b, y = te.placeholder((5, 1), name="x"), te.placeholder((5, m)), te.placeholder((n,))
    left, bias = te.placeholder((m, 5), name="left"), te.placeholder((n,), name="bias")
    results = [
        sparse.csrmv(a, x, y),
        sparse.csrmm(a, b),
        sparse.dense(left, a, bias),
        sparse.dense(a, left),
    ]
    run = compile_once([*parts, x, b, y, left, bias], results)
    for rows, columns in ((4, 3), (3, 0), (2, 1)):
        whole = thinned(rows, 5)
        data, indices, begins = stored(whole)
        arrays = [normal(5, 1), normal(5, columns), normal(rows), normal(columns, 5), normal(rows)]
        x_, b_, y_, left_, bias_ = arrays
        expected = [
            whole @ x_ + y_[:, None],
            whole @ b_,
            left_ @ whole.T + bias_,
            whole @ left_.T,
        ]
        found = run([data.ravel(), indices, begins, *arrays], [one.shape for one in expected])
        for one, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)


def test_layers_of_elements(compile_once):
    n, z = te.var("n"), te.var("z")
    _, parts = csr("a", (n, 5), z)
    left, full = te.placeholder((2, 5), name="left"), te.placeholder((n, 5), name="full")
    results = [
        nn.sparse_dense(left, *parts),
        nn.sparse_dense(left, *parts, sparse_lhs=True),
        nn.sparse_dense_sp_rhs(left, *parts),
        nn.sparse_dense_sp_lhs(*parts, left),
        nn.sparse_add(full, *parts),
    ]
    run = compile_once([*parts, left, full], results)
    for rows in (4, 2):
        whole = thinned(rows, 5)
        data, indices, begins = stored(whole)
        x, y = normal(2, 5), normal(rows, 5)
        right, other = x @ whole.T, whole @ x.T
        expected = [right, other, right, other, y + whole]
        found = run([data.ravel(), indices, begins, x, y], [one.shape for one in expected])
        for one, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)


def test_layers_of_blocks(both):
    given = Arrays()
    whole = thinned(6, 8, height=2, width=4)
    tall = thinned(6, 8, height=3)
    x, image = normal(3, 8), normal(1, 2, 3, 8)
    blocks = tensors_of(given, stored(whole, 2, 4))
    data, indices, begins = stored(tall, 3)
    columns = tensors_of(given, (data[..., 0], indices, begins))
    left, nhwc = given(x), given(image)
    nchw = given(image.transpose(0, 3, 1, 2))
    wanted = [
        (nn.sparse_dense(left, *blocks), x @ whole.T),
        (nn.sparse_dense_sp_lhs(*blocks, left), whole @ x.T),
        (nn.sparse_conv2d(nhwc, *blocks), image @ whole.T),
        (nn.sparse_conv2d(nchw, *columns, "NCHW"), (image @ tall.T).transpose(0, 3, 1, 2)),
    ]
    both(given, wanted)


def test_integers(both):
    given = Arrays()
    whole = thinned(4, 6, dtype="int16")
    data, indices, begins = stored(whole)
    parts = tensors_of(given, (data.ravel(), indices.astype("int64"), begins))
    x = RNG.integers(-9, 9, (2, 6)).astype("int16")
    both(given, [(nn.sparse_dense(given(x), *parts), x @ whole.T)])


def test_transposed(compile_once):
    n, z = te.var("n"), te.var("z")
    parts = (
        te.placeholder((z,), "int16", "data"),
        te.placeholder((z,), "int64", "indices"),
        te.placeholder((n + 1,), "int32", "begins"),
    )
    run = compile_once(parts, nn.sparse_transpose(*parts))
    for size in (5, 2, 1, 0):
        whole = thinned(size, size) if size > 1 else np.ones((size, size))
        whole = whole.astype("int16")
        data, indices, begins = stored(whole)
        given = [data.ravel(), indices.astype("int64"), begins]
        found = run(given, [one.shape for one in given])
        expected = stored(whole.T)
        for one, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, wanted.reshape(one.shape))


A, Z = te.placeholder((8, 16), name="A"), te.placeholder((10,), name="Z")
AT, P = te.placeholder((10,), "int32", name="at"), te.placeholder((9,), "int32", name="P")
B = te.placeholder((10, 2, 3), name="B")
S = sparse.placeholder((8, 16), 10, name="S")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: nn.sparse_dense(A, Z, P, P),
            "sparse_indices is P of shape (9,) and dtype int32, for",
        ),
        (
            lambda: nn.sparse_dense(A, Z, Z, P),
            "sparse_indices is Z of shape (10,) and dtype float32",
        ),
        (
            lambda: nn.sparse_dense(A, B, AT, P),
            "dense_data is A of shape (8, 16) and dtype float32, whose axis 1 has no whole",
        ),
        (lambda: nn.sparse_conv2d(A, Z, AT, P), "topi.nn.sparse_conv2d: dense_data is A of shape"),
        (
            lambda: nn.sparse_conv2d(te.placeholder((1, 2, 2, 3)), B, AT, P, kernel_size=3),
            "topi.nn.sparse_conv2d: kernel_size is 3, but must be 1",
        ),
        (
            lambda: nn.sparse_add(A, B, AT, P),
            "sparse_data is B of shape (10, 2, 3) and dtype float32, but must have 1 to 1 axes",
        ),
        (
            lambda: nn.sparse_add(A, Z, AT, AT),
            "dense_data is A of shape (8, 16) and dtype float32, for Z of shape (10,) and dtype",
        ),
        (
            lambda: sparse.csrmm(A, A),
            "topi.sparse.csrmm: a is Tensor(shape=[8, 16], dtype=float32, na",
        ),
        (
            lambda: sparse.csrmm(S, A),
            "b is A of shape (8, 16) and dtype float32, but a is of shape",
        ),
        (
            lambda: sparse.csrmv(S, te.placeholder((16, 2), name="x")),
            "x is x of shape (16, 2) and dtype float32, but must have one column",
        ),
        (
            lambda: sparse.dense(A, A),
            "topi.sparse.dense: weight is Tensor(shape=[8, 16], dtype=float",
        ),
        (
            lambda: sparse.dense(S, A, Z),
            "bias has the extent 10 on axis 0, but product has 8 on axis",
        ),
        (
            lambda: sparse.placeholder((8,)),
            "topi.sparse.placeholder: shape is [8], but must have 2",
        ),
        (lambda: sparse.placeholder((8, 8), (1, 1)), "nonzeros is (1, 1), not an integer that is"),
        (lambda: sparse.placeholder((8, 8), stype="coo"), "stype is 'coo'; known are 'csr'"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
