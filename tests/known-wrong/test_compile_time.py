"""Programs that take LLVM minutes, or hours, to compile."""

import os
import subprocess
import sys

import pytest

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


@pytest.mark.xfail(
    raises=subprocess.TimeoutExpired,
    strict=True,
    reason="LLVM 22's VPBlendRecipe::usesFirstLaneOnly asks each user of a blend again, which is "
    "exponential in a chain of blends; -enable-if-conversion=false avoids it, and with it that "
    "LLVM makes vectors of loops with guards",
)
def test_guards_in_unrolled_loops():
    subprocess.run(
        [sys.executable, "-c", GUARDED_PRODUCT],
        env=os.environ | {"TELOOM_CACHE": "0"},
        timeout=8,
        check=True,
    )
