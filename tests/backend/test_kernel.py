"""Calling a kernel: what it accepts, and the words in which it refuses."""

import gc
import re

import ml_dtypes
import numpy as np
import pytest
from standard_kernels import compile_text, declared

import teloom
from teloom import te
from teloom.backend.call.kernel import Kernel
from teloom.errors import CallError, Error

MATMUL = """
    func.func @mm(%m: index, %n: index, %k: index,
        %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) attributes {te.signature = {
          sizes = ["m", "n", "k"], arrays = [
            {name = "A", dtype = "float32", shape = affine_map<()[s0, s1, s2] -> (s0, s2)>},
            {name = "B", dtype = "float32", shape = affine_map<()[s0, s1, s2] -> (s2, s1)>},
            {name = "C", dtype = "float32", shape = affine_map<()[s0, s1, s2] -> (s0, s1)>, output}
          ]}} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      scf.for %i = %c0 to %m step %c1 {
        %row = arith.muli %i, %n : index
        %arow = arith.muli %i, %k : index
        scf.for %j = %c0 to %n step %c1 {
          %sum = scf.for %r = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
            %ai = arith.addi %arow, %r : index
            %a = memref.load %A[%ai] : memref<?xf32>
            %brow = arith.muli %r, %n : index
            %bi = arith.addi %brow, %j : index
            %b = memref.load %B[%bi] : memref<?xf32>
            %p = arith.mulf %a, %b : f32
            %t = arith.addf %s, %p : f32
            scf.yield %t : f32
          }
          %ci = arith.addi %row, %j : index
          memref.store %sum, %C[%ci] : memref<?xf32>
        }
      }
      func.return
    }"""


@pytest.fixture(scope="module")
def mm() -> Kernel:
    return compile_text(MATMUL)


def zeros(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.zeros(shape, dtype)


def with_shapes(names: str, shapes: list[str], order: str = "") -> Kernel:
    """A kernel that does nothing, with `names` as sizes and arrays of the given shapes."""
    sizes = [f"%{name}: index" for name in names.split()]
    arrays = [f"%A{i}: memref<?xf32>" for i in range(len(shapes))]
    said = declared(names, [f"A{i}: float32 {shape}" for i, shape in enumerate(shapes)], order)
    return compile_text(f"func.func @f({', '.join(sizes + arrays)}){said} {{ func.return }}")


@pytest.mark.parametrize(("m", "n", "k"), [(3, 4, 5), (1, 1, 1), (0, 4, 5), (3, 4, 0), (17, 33, 9)])
def test_a_matmul_of_any_size(mm, m, n, k):
    rng = np.random.default_rng(0)
    a, b = rng.random((m, k), "float32"), rng.random((k, n), "float32")
    c = np.full((m, n), np.nan, "float32")
    mm(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((zeros(3, 5), zeros(5, 4)), "mm takes 3 arguments (A, B, C), got 2"),
        (
            (zeros(2, 3), zeros(4, 5), zeros(2, 5)),
            "mm: argument B has shape (4, 5), expected (3, 5): "
            "its axis 0 must equal k = 3, taken from A",
        ),
        (
            (zeros(2, 3), zeros(3, 5), zeros(2, 6)),
            "mm: argument C has shape (2, 6), expected (2, 5): "
            "its axis 1 must equal n = 5, taken from B",
        ),
        (
            (zeros(2, 3), zeros(3, 5, dtype="float64"), zeros(2, 5)),
            "mm: argument B has dtype float64, expected float32",
        ),
        (
            (zeros(2, 3), zeros(15), zeros(2, 5)),
            "mm: argument B has 1 axes, shape (15,), expected 2 axes",
        ),
        (
            (zeros(3, 2).T, zeros(3, 5), zeros(2, 5)),
            "mm: argument A is strided: shape (2, 3), strides (4, 8); "
            "use np.ascontiguousarray, or declare strides",
        ),
        (
            (zeros(2, 3).astype(">f4"), zeros(3, 5), zeros(2, 5)),
            "mm: argument A has the byte order of another machine; "
            "use array.astype(array.dtype.newbyteorder('='))",
        ),
        (
            (zeros(2, 3), [[1.0]], zeros(2, 5)),
            "mm: argument B is of type list, expected an array",
        ),
        (
            (zeros(2, 3), zeros(3, 5).astype(str), zeros(2, 5)),
            "mm: argument B has dtype <U32, expected float32",
        ),
        (
            (zeros(2, 3), zeros(3, 5, dtype=[("x", "f4")]), zeros(2, 5)),
            "mm: argument B has dtype [('x', '<f4')], expected float32",
        ),
        (
            (zeros(2, 3), np.ma.masked_less(zeros(3, 5), 1), zeros(2, 5)),
            "mm: argument B is a masked array, and compiled code takes no masks; pass what its "
            "filled() gives, or its data",
        ),
        ((zeros(2, 3), None, zeros(2, 5)), "mm: argument B is of type NoneType"),
    ],
)
def test_wrong_arrays_are_refused_with_their_values(mm, arguments, words):
    with pytest.raises(CallError, match=re.escape(words)):
        mm(*arguments)


def test_an_output_must_be_writable(mm):
    c = zeros(2, 5)
    c.flags.writeable = False
    with pytest.raises(CallError, match="mm: argument C is written, but is read-only"):
        mm(zeros(2, 3), zeros(3, 5), c)


def test_an_input_may_be_read_only_and_passed_twice(mm):
    a = np.ones((3, 3), "float32")
    a.flags.writeable = False
    mm(a, a, c := zeros(3, 3))
    assert (c == 3).all()


def test_an_output_may_not_share_memory_with_another_array(mm):
    room = zeros(100)
    a, c = room[:6].reshape(2, 3), room[4:14].reshape(2, 5)
    words = "mm: argument C is written, but shares 8 bytes with argument A; pass a copy of one"
    with pytest.raises(CallError, match=words):
        mm(a, zeros(3, 5), c)
    mm(a, zeros(3, 5), room[6:16].reshape(2, 5))


def test_empty_arrays_share_nothing(mm):
    room = zeros(10)
    mm(room[5:5].reshape(0, 3), zeros(3, 5), room[:0].reshape(0, 5))
    mm(room.reshape(2, 5), room[5:5].reshape(5, 0), room[3:3].reshape(2, 0))


def test_misaligned_memory_is_refused(mm):
    room = np.zeros(4 * 6 + 1, "uint8")
    a = room[1:].view("float32").reshape(2, 3)
    words = r"mm: argument A is at address 0x\w+, which is not aligned to its 4-byte elements"
    with pytest.raises(CallError, match=words):
        mm(a, zeros(3, 5), zeros(2, 5))


def test_axes_of_extent_one_may_have_any_stride(mm):
    a = zeros(4, 3)[::4]
    assert a.strides == (48, 4)
    mm(a, zeros(3, 5), zeros(1, 5))


def test_other_objects_lend_their_memory(mm):
    class Interface:
        def __init__(self, array):
            self.__array_interface__ = array.__array_interface__

    class Dlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    a, b = np.ones((2, 3), "float32"), np.ones((3, 5), "float32")
    for lend in (Interface, Dlpack):
        c = zeros(2, 5)
        mm(lend(a), lend(b), lend(c))
        assert (c == 3).all()


def test_an_object_that_cannot_lend_its_memory_is_refused(mm):
    class Elsewhere:
        def __dlpack__(self, **options):
            raise BufferError("it is on a device")

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(CallError, match="argument A gives no memory: it is on a device"):
        mm(Elsewhere(), zeros(3, 5), zeros(2, 5))


def test_a_refused_call_is_refused_again(mm):
    for _ in range(2):
        with pytest.raises(CallError, match="axis 0 must equal k"):
            mm(zeros(2, 3), zeros(4, 5), zeros(2, 5))


def test_sizes_are_solved_from_sums_and_products():
    f = with_shapes("n m", ["(s0 * 8 + 2, s0 + s1)", "(s1 floordiv 2)"])
    f(zeros(26, 10), zeros(3))
    with pytest.raises(
        CallError, match=re.escape("axis 0 must equal n * 8 + 2 = 26, with n = 3 taken from A0")
    ):
        f(zeros(27, 10), zeros(3))
    with pytest.raises(
        CallError, match=re.escape("axis 0 must equal m floordiv 2 = 3, with m = 7 taken from A0")
    ):
        f(zeros(26, 10), zeros(4))


def test_an_extent_below_0_counts_as_0():
    f = with_shapes("n", ["(s0 * 2 - 1)"])
    f(zeros(0))
    f(zeros(9))
    f = with_shapes("n m", ["(s0, s1)", "(s0 * 2 - s1)"])
    f(zeros(0, 3), zeros(0))
    words = "shape (2,), expected (0,): its axis 0 must equal max(0, n * 2 - m) = 0, with n = 1"
    with pytest.raises(CallError, match=re.escape(words)):
        f(zeros(1, 3), zeros(2))


def test_a_size_that_no_shape_gives_is_refused():
    f = with_shapes("n", ["(s0 floordiv 4)"])
    with pytest.raises(CallError, match="the size n does not follow from the arrays"):
        f(zeros(3))


def test_a_size_may_be_passed():
    f = with_shapes("n", ["(s0 floordiv 4)"], order="1, 0")
    f(zeros(3), 13)
    f(zeros(3), np.int64(15))
    with pytest.raises(CallError, match="f: argument A0 has shape \\(3,\\), expected \\(4,\\)"):
        f(zeros(3), 16)
    with pytest.raises(CallError, match="f: size n is 'x', expected an integer"):
        f(zeros(3), "x")
    with pytest.raises(CallError, match="f: size n is -1; sizes go from 0 to 1099511627776"):
        f(zeros(3), -1)


def test_a_scalar_array_has_no_axes():
    f = with_shapes("", ["()"])
    f(np.zeros((), "float32"))


def test_many_shapes_are_remembered_but_not_all(mm):
    for n in range(300):
        mm(zeros(1, 1), zeros(1, n), zeros(1, n))
    assert len(mm._checked) <= 256


def test_the_kernel_outlives_what_compiled_it():
    mm = compile_text(MATMUL)
    gc.collect()
    mm(np.ones((2, 3), "float32"), np.ones((3, 5), "float32"), c := zeros(2, 5))
    assert (c == 3).all()


def test_sources(mm):
    assert "define" in mm.source("llvm-ir")
    assert "mm:" in mm.source("asm")
    with pytest.raises(Error, match="a kernel has no level 'loops'; levels: llvm-ir, asm"):
        mm.source("loops")


def test_a_bfloat_scalar_of_another_library():
    s, A = te.placeholder((), "bfloat16", name="s"), te.placeholder((3,), name="A")
    B = te.compute((3,), lambda i: A[i] * s(), name="B")
    teloom.build([s, A, B])(
        ml_dtypes.bfloat16(2), np.ones(3, "float32"), b := np.zeros(3, "float32")
    )
    assert b.tolist() == [2, 2, 2]


def test_bfloat_arrays_of_another_library():
    kernel = compile_text("""
        func.func @twice(%A: memref<4xbf16> {llvm.readonly}, %B: memref<4xbf16>) {
          %c0 = arith.constant 0 : index
          %a = vector.load %A[%c0] : memref<4xbf16>, vector<4xbf16>
          %b = arith.addf %a, %a : vector<4xbf16>
          vector.store %b, %B[%c0] : memref<4xbf16>, vector<4xbf16>
          func.return
        }""")
    a = np.array([1, 2, 3, 4], ml_dtypes.bfloat16)
    kernel(a, b := np.zeros_like(a))
    assert b.tolist() == [2, 4, 6, 8]
    with pytest.raises(CallError, match="has dtype float16, expected bfloat16"):
        kernel(a.astype("float16"), b)


def test_truth_values_of_numpy_are_numbers():
    b, k = te.placeholder((), "bool", name="b"), te.placeholder((), "int32", name="k")
    C = te.compute((2,), lambda i: te.if_then_else(b(), k(), 0), name="C")
    f = teloom.build([C], [b, k, C])
    for truth, number in ((np.True_, 5), (True, np.True_), (np.float32(3) > 2, np.int8(5))):
        c = np.zeros(2, "int32")
        f(truth, number, c)
        assert c.tolist() == [int(number)] * 2
