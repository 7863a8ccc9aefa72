"""`teloom.empty` and `teloom.zeros`: arrays on a boundary."""

import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.call.array_memory import bytes_before


@pytest.mark.parametrize("make", [teloom.empty, teloom.zeros])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (1000, 1001), (4, 0)])
def test_arrays_begin_on_a_boundary(make, shape):
    for alignment in (64, 1, 4096):
        array = make(shape, "float64", alignment)
        assert array.ctypes.data % alignment == 0
        assert (array.shape, array.dtype.name) == (shape, "float64")
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert bytes_before(array) == 0
        array[...] = 3
        assert (array == 3).all()


def test_dtypes_and_zeros():
    assert teloom.empty(3).dtype == "float32"
    assert not teloom.zeros((100, 7), bool).any()
    assert teloom.zeros(3, ml_dtypes.bfloat16).dtype == ml_dtypes.bfloat16
    assert teloom.zeros([np.int64(3), 2]).shape == (3, 2)  # pyright: ignore


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1,), "the extent of axis 0 is -1; it must be at least 0"),
        (((2, 1.5),), "the extent of axis 1 must be an integer, got 1.5"),
        ((3, "float3"), "'float3' is no dtype of NumPy"),
        ((3, te.var("n")), "n is no dtype of NumPy"),
        ((3, object), "an array of object holds Python objects"),
        ((3, "float32", 48), "the alignment, 48, is no power of two"),
        (((2**31, 2**31),), r"no array of shape \(2147483648, 2147483648\) and dtype float32: "),
    ],
)
def test_wrong_arrays_are_refused(arguments, words):
    for make in (teloom.empty, teloom.zeros):
        with pytest.raises(teloom.Error, match=words):
            make(*arguments)


SHORT = """
import sys
import numpy as np
import teloom
from teloom import te
sys.modules["ml_dtypes"] = None  # as if it were not installed
A = te.placeholder((8,), "bfloat16", name="A")
B = te.compute((8,), lambda i: A[i] + A[i], name="B")
teloom.build([A, B], name="twice").export(sys.argv[1])
D = te.extern((8,), [A], lambda ins, outs: te.call_packed(print, *ins, *outs), dtype="bfloat16")
for request in (lambda: teloom.zeros(3, "bfloat16"), lambda: teloom.build([A, D])):
    try:
        request()
    except teloom.Error as error:
        print(error)
del sys.modules["ml_dtypes"]
x = teloom.zeros(8, "bfloat16")
print(x.dtype)
half = te.compute((8,), lambda i: A[i] * 0.5, name="half")
D = te.extern(
    (8,), [half], lambda ins, outs: te.call_packed(np.copyto, outs[0], ins[0]), dtype="bfloat16"
)
y = teloom.zeros(8, "bfloat16")
x[:] = 3
teloom.build([A, D])(x, y)
print(y[0])
"""


def test_bfloat16_with_and_without_the_package_that_gives_it(tmp_path: Path):
    """Only what makes an array of NumPy needs the package."""
    command = [sys.executable, "-c", SHORT, tmp_path / "short.o"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lacks = (
        "arrays of bfloat16 need the Python package ml_dtypes, which gives NumPy the dtype; "
        "install it"
    )
    assert said.splitlines() == [lacks, lacks, "bfloat16", "1.5"]
    assert "const uint16_t *A" in (tmp_path / "short.h").read_text()
