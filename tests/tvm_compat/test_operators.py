"""Operators as TVM's programs call them."""

import numpy as np
import pytest

import teloom.tvm_compat as tvm
from teloom.tvm_compat import te, topi


def computed(outputs, inputs, *arrays):
    """What a function of `inputs` gives, in the default order."""
    s = te.create_schedule([one.op for one in outputs])
    found = [tvm.nd.empty(one.shape, one.dtype) for one in outputs]
    tvm.build(s, [*inputs, *outputs])(*arrays, *found)
    return [one.numpy() for one in found]


def test_tensors_without_elements_have_other_shapes():
    A = te.placeholder((4, 0), name="A")
    outputs = [topi.reshape(A, (2, 0, 2)), topi.reshape(A, (0,)), topi.tile(A, (5,))]
    found = computed(outputs, [A], np.zeros((4, 0), "float32"))
    assert [one.shape for one in found] == [(2, 0, 2), (0,), (4, 0)]


def test_a_tensor_has_another_dtype():
    A, scalar = te.placeholder((3,), name="A"), te.placeholder((), name="scalar")
    B = topi.greater(A, scalar).astype("int8")
    (found,) = computed([B], [A, scalar], np.array([1, 2, 3], "float32"), np.array(1.5, "float32"))
    assert B.dtype == "int8"
    assert found.tolist() == [0, 1, 1]
    assert scalar.astype("int32").dtype == "int32"


def test_a_number_may_be_a_tensor_without_axes():
    at, values = te.placeholder((2,), "int32", name="at"), te.placeholder((2,), name="values")
    usual = te.placeholder((), name="usual")
    dense = topi.sparse_to_dense(at, (4,), values, usual)
    arrays = np.array([3, 0], "int32"), np.array([1, 2], "float32"), np.array(7, "float32")
    (found,) = computed([dense], [at, values, usual], *arrays)
    assert found.tolist() == [2, 7, 7, 1]


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_mean_is_half_the_sum_of_both(dtype):
    A, at = te.placeholder((4,), dtype, name="A"), te.placeholder((3,), "int32", name="at")
    B = te.placeholder((3,), dtype, name="B")
    mean = topi.scatter_elements(A, at, B, 0, "mean")
    rows = topi.scatter_nd(A, topi.reshape(at, (1, 3)), B, "mean")
    arrays = np.array([1, 2, 3, 4], dtype), np.array([1, 3, 1], "int32"), np.array([5, 6, 8], dtype)
    for found in computed([mean, rows], [A, at, B], *arrays):
        assert found.tolist() == [1, 5.75 if dtype == "float32" else 5, 3, 5]


def test_argwhere_takes_the_shape_of_a_tensor():
    A, shape = (
        te.placeholder((4,), "int32", name="A"),
        te.placeholder((2, 1), "int32", name="shape"),
    )
    found = topi.argwhere(shape, A)
    (rows,) = computed([found], [A], np.array([0, 1, 0, 1], "int32"))
    assert rows.tolist() == [[1], [3]]


@pytest.mark.parametrize("name", ["schedule_injective", "schedule_reduce", "schedule_extern"])
def test_schedules_of_operators_are_made_by_rules(name):
    A = te.placeholder((64, 64), name="A")
    B = topi.exp(A) + 1
    with tvm.target.Target("llvm -mcpu=x86-64-v3"):
        s = getattr(topi.generic, name)([B])
        assert s.schedule_record == topi.x86.default_schedule(B).schedule_record
    assert any("vectorize" in command for command in s.schedule_record)
    for more in (topi.generic.schedule_pool([B], "NCHW"), topi.x86.schedule_injective(outs=[B])):
        assert more.schedule_record == s.schedule_record
    assert topi.generic.default_schedule(B, auto_inline=False).schedule_record == []


def test_traverse_inline_inlines_what_is_elementwise():
    A = te.placeholder((8, 8), name="A")
    B = topi.exp(A)
    C = topi.sum(topi.add(B, 1), axis=1)
    D = topi.negative(C)
    s = te.create_schedule(D.op)
    visited = []
    topi.utils.traverse_inline(s, D.op, visited.append)
    assert visited == [D.op, C.op]
    E = topi.add(topi.exp(A), 1)
    s = te.create_schedule(E.op)
    topi.utils.traverse_inline(s, E.op, lambda op: None)
    assert [int(stage.attach_type) for stage in s.stages] == [1, 2, 1]


def test_constants_as_numbers():
    n = te.var("n")
    assert topi.utils.get_const_tuple((te.const(3), 4, n)) == (3, 4, n)
    with pytest.raises(tvm.TVMError, match="n is no constant integer"):
        topi.utils.get_const_int(n)


@pytest.mark.parametrize(
    ("shape", "places"),
    [
        ((3, 2, 2), ([0, 3, 0], [4, 1, 4], [1, -1, 2])),
        ((1, 4, 3), ([1, -1, 0], [4, -5, 3], [2, -1, 1])),
        ((2, 3, 3), ([1, 1], [9, 4], None)),
        ((1, 2, 3), ([1, 1, 0], [2, 3], [1])),
        ((0, 4, 3), ([3, 0, 0], [1, 4, 3], None)),
        ((3, 2, 3), ([-1], [-9], [-1, -2])),
    ],
)
def test_places_of_a_slice_may_be_data(shape, places):
    x = np.arange(36, dtype="float32").reshape(3, 4, 3)
    v = -np.arange(1, np.prod(shape) + 1, dtype="float32").reshape(shape)
    listed = [np.array(one, "int32") for one in places if one is not None]
    A, V = te.placeholder(x.shape, name="A"), te.placeholder(v.shape, name="V")
    data = [te.placeholder(one.shape, "int32", name="p") for one in listed]
    begin, end, strides = ([*(one or []), *[None] * 3][:3] for one in places)
    # NumPy counts -5 from the end once more: behind the front, a slice backwards has no end.
    last = [None if one is not None and one < -4 else one for one in end]
    expected = x.copy()
    expected[tuple(map(slice, begin, last, strides))] = v
    (found,) = computed([topi.strided_set(A, V, *data)], [A, V, *data], x, v, *listed)
    np.testing.assert_array_equal(found, expected)


def test_places_that_no_slice_has():
    A, V = te.placeholder((4,), name="A"), te.placeholder((2,), name="V")
    two = te.placeholder((2,), "int32", name="two")
    with pytest.raises(tvm.TVMError) as error:
        topi.strided_set(A, V, two, two)
    assert str(error.value) == (
        "topi.strided_set: begin is two of shape (2,) and dtype int32, for the 1 axes of A of "
        "shape (4,) and dtype float32"
    )
    one = te.placeholder((1,), "int32", name="one")
    with pytest.raises(tvm.TVMError, match=r"end is \[3\], not a tensor"):
        topi.strided_set(A, V, one, [3])
    with pytest.raises(tvm.TVMError, match="v is V of shape \\(2,\\) and dtype float32, but a is"):
        topi.strided_set(topi.cast(A, "int32"), V, one, one)


def test_a_sparse_matrix_is_given_by_its_rows():
    rows, stored = te.var("rows"), te.var("stored")
    A = tvm.contrib.sparse.placeholder((rows, te.var("columns")), stored, name="A")
    B = te.placeholder((4, 2), name="B")
    C = topi.sparse.csrmm(A, B)
    whole = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 4, 0]], "float32")
    a = tvm.contrib.sparse.array(whole, tvm.cpu(0))
    b, c = tvm.nd.array(np.arange(8, dtype="float32").reshape(4, 2)), tvm.nd.empty((3, 2))
    f = tvm.build(te.create_schedule(C.op), [A.data, A.indices, A.indptr, B, C])
    f(a.data, a.indices, a.indptr, b, c)
    assert c.numpy().tolist() == (whole @ b).tolist()
    assert a.numpy().tolist() == whole.tolist()
    parts = a.data, a.indices, a.indptr
    assert tvm.contrib.sparse.array(parts, shape=a.shape).numpy().tolist() == whole.tolist()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tvm.contrib.sparse.array(np.zeros(3)), "an array of shape (3,) is no matrix"),
        (lambda: tvm.contrib.sparse.array((1, 2, 3)), "is (data, indices, indptr) and its shape"),
        (
            lambda: tvm.contrib.sparse.array(np.eye(2), stype="bsr"),
            "stype is 'bsr'; known is 'csr'",
        ),
    ],
)
def test_what_is_no_sparse_matrix_is_refused(make, words):
    with pytest.raises(tvm.TVMError) as error:
        make()
    assert words in str(error.value)


def test_schedules_that_tests_ask_for():
    assert tvm.topi.testing.dispatch("llvm", {"generic": "any", "cpu": "x86"}) == "x86"
    assert tvm.topi.testing.dispatch("llvm", {"generic": "any", "cuda": "gpu"}) == "any"
    X = te.placeholder((1, 3, 8, 8), name="X")
    W = te.placeholder((4, 3, 3, 3), name="W")
    convolve, schedule = tvm.topi.testing.get_conv2d_nchw_implement("llvm")
    with tvm.target.create("llvm"):
        s = schedule([convolve(X, W, 1, 1, 1)])
    assert len(s.primitive_record) > 1
    with pytest.raises(tvm.TVMError, match="no code for the target 'cuda'"):
        tvm.topi.testing.get_injective_schedule("cuda")


def test_what_has_no_pickle_is_computed_each_time():
    calls = []

    @tvm.contrib.pickle_memoize.memoize("test")
    def called(function):
        calls.append(function)
        return function()

    assert [called(lambda: 1), called(lambda: 2), len(calls)] == [1, 2, 2]
