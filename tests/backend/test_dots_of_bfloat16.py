"""`loop.dot` of bf16: the same bits by the instruction and by arithmetic, as the op says them."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import teloom
from teloom.errors import Error

PROGRAM = """
func.func @sums(%a: memref<{factors}xbf16>, %b: memref<{factors}xbf16>, %c: memref<{lanes}xf32>) {{
  %zero = arith.constant 0 : index
  %x = vector.load %a[%zero] : memref<{factors}xbf16>, vector<{factors}xbf16>
  %y = vector.load %b[%zero] : memref<{factors}xbf16>, vector<{factors}xbf16>
  %s = vector.load %c[%zero] : memref<{lanes}xf32>, vector<{lanes}xf32>
  %t = loop.dot %x, %y into %s : vector<{factors}xbf16>, vector<{factors}xbf16>, vector<{lanes}xf32>
  vector.store %t, %c[%zero] : memref<{lanes}xf32>, vector<{lanes}xf32>
  func.return
}}"""

LARGE = 3.0e38


def expected(a: np.ndarray, b: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """The last neighbour's product is added first; each sum is rounded to float32 once."""
    lanes, found = len(sums), sums
    left, right = (one.astype("float64").reshape(lanes, -1) for one in (a, b))
    for k in reversed(range(left.shape[1])):
        found = (found.astype("float64") + left[:, k] * right[:, k]).astype("float32")
    return found


def numbers(rng: np.random.Generator, count: int) -> np.ndarray:
    """Of many sizes, so that sums round in float32, and do not in float64; none is subnormal."""
    scale = 2.0 ** rng.integers(-6, 6, count)
    return (rng.uniform(-2, 2, count) * scale).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("cpu", ["x86-64-v3", "native"])
@pytest.mark.parametrize(("group", "lanes"), [(2, 4), (2, 8), (2, 16), (4, 4), (1, 3)])
def test_bits(cpu: str, group: int, lanes: int):
    """`native` is the instruction where the machine has it."""
    factors = group * lanes
    f = compiled(PROGRAM.format(factors=factors, lanes=lanes), cpu)
    rng = np.random.default_rng(group * lanes)
    for _ in range(50):
        a, b = numbers(rng, factors), numbers(rng, factors)
        sums = (rng.integers(-4096, 4096, lanes) / 1024).astype("float32")
        c = sums.copy()
        f(a, b, c)
        np.testing.assert_array_equal(c, expected(a, b, sums))


@pytest.mark.parametrize("cpu", ["x86-64-v3", "native"])
def test_numbers_that_are_none_and_infinities(cpu: str):
    f = compiled(PROGRAM.format(factors=8, lanes=4), cpu)
    a = np.array([1, np.nan, np.inf, 1, 1, 2, LARGE, 1], ml_dtypes.bfloat16)
    c = np.array([1, 1, 1, 1], "float32")
    f(a, np.array([1, 1, 1, 1, 1, 1, LARGE, 1], ml_dtypes.bfloat16), c)
    np.testing.assert_array_equal(c, [np.nan, np.inf, 4, np.inf])


def compiled(text: str, cpu: str) -> Callable[..., None]:
    try:
        return teloom.compile(text, target=cpu)
    except Error as error:
        pytest.skip(str(error))


def test_numbers_that_may_be_zero():
    """A factor below 2^-126 may count as 0, in no other case is the result another one."""
    f = compiled(PROGRAM.format(factors=8, lanes=4), "native")
    a = np.array([1e-39, 0, 2.0**-126, 0, 2.0**-100, 0, 1, 2], ml_dtypes.bfloat16)
    b = np.array([1e38, 0, 2.0**126, 0, 2.0**-40, 0, 1, 2], ml_dtypes.bfloat16)
    c = np.zeros(4, "float32")
    f(a, b, c)
    exact = expected(a, b, np.zeros(4, "float32"))
    assert c[0] in (0, exact[0])
    assert c[2] in (0, exact[2])
    np.testing.assert_array_equal(c[[1, 3]], exact[[1, 3]])
