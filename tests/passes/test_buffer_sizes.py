"""How large and how aligned buffers are: for sizes at which 64 bits are not enough, too."""

from itertools import product

import numpy as np
import pytest
from loop_kernels import compile_loops

from teloom.analysis.memory.storage import alignment_for
from teloom.errors import CallError, OutOfMemoryError

CUBE = """
    func.func @cube(%n: index, %m: index, %k: index, %C: memref<1xTYPE>) {
      %c = loop.bind %C [0 : 1] : memref<1xTYPE>
      %t = loop.realize "t" [0 : %n, 0 : %m, 0 : %k] PLACING : !loop.tensor<3, TYPE>
      %one = arith.constant 1 : TYPE
      loop.for %i = max(0, %n - 1) to %n {
        loop.for %j = max(0, %m - 1) to %m {
          loop.for %l = max(0, %k - 1) to %k {
            loop.store %one, %t[%i, %j, %l] : TYPE
            %v = loop.load %t[%i, %j, %l] : TYPE
            loop.store %v, %c[0] : TYPE
          }
        }
      }
      func.return
    }"""


GAPS = "aligned axis 0 factor 3 offset 1"
DIMENSIONS = "layout affine_map<(d0, d1, d2) -> (d0, d1, d2)> separators [1, 2]"


@pytest.fixture(scope="module", params=[*product(["i8", "i64"], ["", GAPS, DIMENSIONS])])
def cube(request):
    type, placing = request.param
    kernel = compile_loops(CUBE.replace("PLACING", placing).replace("TYPE", type))
    dtype = type.replace("i", "int")

    def call(*sizes: int) -> int:
        c = np.zeros(1, dtype)
        kernel(*sizes, c)
        return int(c[0])

    return call


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 4, 5), (2**20, 1, 3), (1, 2**20, 1)])
def test_sizes_that_fit(cube, sizes: tuple[int, int, int]):
    assert cube(*sizes) == 1


@pytest.mark.parametrize(
    "sizes",
    [
        (2**32, 2**32, 1),  # as many elements as wrap to 0
        (2**32, 2**16, 2**16),
        (2**40, 2**40, 2**40),
        (2**22, 2**22, 2**20),
        (2**40, 2**24, 1),
        (1, 2**40, 2**24),
        (2**31, 2**31, 1),  # 2**62
        (3, 2**40, 2**21),  # less than 2**63 bytes, but what system has these
        (6700417 * 641, 2**32 - 1, 1),  # 2**64 - 1
    ],
)
def test_sizes_that_do_not_fit_are_refused_before_any_write(cube, sizes: tuple[int, int, int]):
    with pytest.raises(
        OutOfMemoryError, match=r"cube needs [0-9]+ bytes or more for temporary buffers"
    ):
        cube(*sizes)


# Where the outermost axis is not the empty one, a gap of an element may lie in each row.
@pytest.mark.parametrize("sizes", [(0, 2**40, 2**40), (2**10, 0, 2**40), (2**10, 2**40, 0)])
def test_nothing_is_allocated_for_nothing(cube, sizes: tuple[int, int, int]):
    assert cube(*sizes) == 0


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (-1, "size n is -1; sizes go from 0 to 1099511627776"),
        (2**40 + 1, "size n is 1099511627777; sizes go from 0 to 1099511627776"),
        (2**70, "size n is 1180591620717411303424; sizes go from 0 to"),
    ],
)
def test_sizes_that_no_array_has(cube, size: int, words: str):
    with pytest.raises(CallError, match=words):
        cube(size, 1, 1)


@pytest.mark.parametrize(
    ("size", "width", "most", "expected"),
    [
        (16, 4, 64, 16),
        (4096, 4, 64, 64),
        (None, 4, 64, 64),
        (12, 4, 64, 8),
        (63, 1, 64, 32),
        (64, 1, 64, 64),
        (4, 4, 64, 4),
        (0, 8, 64, 8),
        (127, 1, 128, 64),
        (128, 1, 128, 128),
        (None, 8, 2, 8),
    ],
)
def test_alignment(size: int | None, width: int, most: int, expected: int):
    assert alignment_for(size, width, most) == expected
