"""A write beside an array is seen, whatever code makes it."""

import ctypes

import numpy as np
import pytest
from standard_kernels import compile_text

from teloom.backend.call.array_memory import bytes_reached
from teloom.backend.call.guarded_memory import GUARD, CallArray, guarded
from teloom.errors import WrongAccessError


def given(array: np.ndarray, output: bool = True, before: int = 0) -> CallArray:
    return CallArray(
        "f: argument A", array, array.ctypes.data - before, before, bytes_reached(array), 1, output
    )


def write(array: np.ndarray, output: bool, at: int, before: int = 0) -> None:
    """Writes another value into a byte of a guarded copy, counted from the start of memory."""
    with guarded([given(array, output, before)]) as (_, (address,)):
        around = np.ctypeslib.as_array((ctypes.c_uint8 * (2 * GUARD)).from_address(address - GUARD))
        around[GUARD + at] ^= 1


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (40, "f: argument A is written 1 bytes behind its end"),
        (45, "f: argument A is written 6 bytes behind its end"),
        (-1, "f: argument A is written 1 bytes in front of its start"),
        (-8, "f: argument A is written 8 bytes in front of its start"),
    ],
)
@pytest.mark.parametrize("output", [False, True])
def test_a_byte_beside_an_array(at, words, output):
    a = np.arange(10, dtype="float32")
    with pytest.raises(WrongAccessError, match=f"^{words}$"):
        write(a, output, at)
    np.testing.assert_array_equal(a, np.arange(10))


def test_a_byte_of_an_array_that_is_only_read():
    a = np.arange(10, dtype="float32")
    words = "argument A is written at byte 3, though it is only read"
    with pytest.raises(WrongAccessError, match=words):
        write(a, False, 3)
    np.testing.assert_array_equal(a, np.arange(10))


def test_a_byte_between_elements():
    a = np.arange(20, dtype="float32")[::2]
    with pytest.raises(WrongAccessError, match="argument A is written between its elements, at"):
        write(a, True, 4)


def test_a_byte_in_front_of_the_first_element():
    a = np.arange(20, dtype="float32")[5:]
    with pytest.raises(WrongAccessError, match="argument A is written between its elements, at"):
        write(a, True, 3, before=20)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (7,), (2, 3)])
def test_what_is_written_is_given_back(shape):
    a = np.zeros(shape, "int16")
    with guarded([given(a)]) as ((copy,), (address,)):
        assert copy.ctypes.data == address
        assert address % 64 == a.ctypes.data % 64
        copy[...] = 5
    assert (a == 5).all()


@pytest.mark.parametrize("n", [0, 1, 5])
def test_code_that_writes_one_element_too_many_is_found(n):
    """The check is another compilation; here it does not see what the code itself does."""
    kernel = compile_text("""
        func.func @f(%n: index, %B: memref<?xf32>) attributes {
            te.signature = {sizes = ["n"], arrays = [
              {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
          %0 = arith.constant 0 : index
          %1 = arith.constant 1 : index
          %x = arith.constant 42.0 : f32
          %more = arith.addi %n, %1 : index
          scf.for %i = %0 to %more step %1 {
            memref.store %x, %B[%i] : memref<?xf32>
          }
          func.return
        }""")
    kernel.check = lambda sizes, arrays, addresses, lengths: None
    with pytest.raises(
        WrongAccessError, match=r"^f: argument B is written 4 bytes behind its end$"
    ):
        kernel(np.zeros(n, "float32"))
