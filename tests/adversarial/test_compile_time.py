"""Programs that once took minutes, or hours, to compile."""

import multiprocessing

import pytest
from budget import chosen

# 36 guarded factors of one product: LLVM unrolls the loops over them inside that over j, and
# makes of each guard a blend of the values before it.
GUARDED_PRODUCT = """\
import teloom
from teloom import te

n = te.var("n")
A = te.placeholder((n,), "int32", name="A")
r, q = te.reduce_axis((0, 4), "r"), te.reduce_axis((0, 9), "q")
last = q - n + 1
at_r = te.if_then_else(r < n, A[r], 0).astype("bool")
at_last = te.if_then_else((last >= 0) & (last < n), A[last], 3).astype("bool")
B = te.compute(
    (9, 9),
    lambda j, i: te.prod(
        te.if_then_else(i < n, A[i], 1) + q, axis=[r, q], where=at_r ^ at_last
    ),
    name="B",
)
s = te.create_schedule(B)
j, i = B.op.axis
s[B].reorder(q, i, r, j)
s[B].unroll(r)
teloom.build(s, [A, B])
"""


# Each of 40 skews has the terms of both axes, and may name both: by the last, Fibonacci's numbers.
SKEWS_IN_TURN = """\
import teloom
from teloom import te

n, m = te.var("n"), te.var("m")
A = te.placeholder((n, m), name="A")
B = te.compute((n, m), lambda i, j: A[i, j] + 1, name="B")
s = te.create_schedule(B)
i, j = B.op.axis
for _ in range(40):
    i, j = j, s[B].skew(i, along=j, factor=1)
teloom.build(s, [A, B])
"""


# Lanes of a tile of a fused and shifted axis of a packed cache: isl takes minutes to tell which
# elements of the cache extra iterations would write.
LANES_OF_A_LAYOUT = """\
import teloom
from teloom import te

m = te.size_var("m")
A = te.placeholder((13, m), "int8", name="A")
B = te.compute((11, m), lambda i, j: A[i, j] + A[i + 2, j], name="B")
s = te.create_schedule(B)
cache = s.cache_write(B, "local")
s[B].skew(B.op.axis[0], B.op.axis[1], 1)
s[cache].compute_root()
block, row, column = s[cache].transform_layout(
    lambda i, j: [j // 5, i, te.AXIS_SEPARATOR, j % 5]
)
fused = s[cache].fuse(block, s[cache].shift(row, -17))
outer, _, _, lanes = s[cache].tile(fused, column, 16, 2)
s[cache].vectorize(lanes)
s[cache].parallel(outer, "dynamic")
teloom.build(s, [A, B])
"""


# A band in skewed tiles, whose rows roll through skewed and fused tiles: isl takes minutes to tell
# whether readers find what is written, and each of its operations longer than the one before.
ROWS_OF_A_BAND = """\
import teloom
from teloom import te

def band(i, j):
    return te.all(i - j <= 1, j - i <= 2)

n = te.size_var("n")
A = te.placeholder((n, n), "float32", name="A")
B = te.compute((n, n), lambda i, j: A[i, j] * 2, name="B", domain=band)
C = te.compute((n, n), lambda i, j: te.if_then_else(band(i, j), B[i, j], 0.0), name="C")
s = te.create_schedule(C)
i, j = C.op.axis
outer, inner = s[C].split(i, factor=8)
outer, unrolled, _, last = s[C].tile(outer, inner, 5, 4)
s[C].partition(s[C].skew(outer, last, -1), "never")
s[C].vectorize(s[C].split(j, factor=2, tail="cut")[1])
s[C].unroll(unrolled)
s[B].compute_at(s[C], unrolled)
s[B].rolling_buffer()
i, j = B.op.axis
s[B].split(s[B].fuse(s[B].skew(i, j, 1), j), nparts=3, tail="round_up")
teloom.build(s, [n, A, C])
"""


FAST = GUARDED_PRODUCT, SKEWS_IN_TURN, LANES_OF_A_LAYOUT


@pytest.mark.parametrize("program", chosen([*FAST, ROWS_OF_A_BAND], FAST))
def test_takes_seconds(program: str, monkeypatch: pytest.MonkeyPatch):
    """In a process that can be ended, without the check of accesses, which takes as long again."""
    monkeypatch.setenv("TELOOM_CACHE", "0")
    monkeypatch.setenv("TELOOM_SANITIZE", "")
    process = multiprocessing.get_context("fork").Process(target=exec, args=(program, {}))
    process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 0
