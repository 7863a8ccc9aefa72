"""A product of matrices of bfloat16 with sums in float32, whose tile is one instruction.

With AVX512_BF16, `vdpbf16ps` adds two products of bfloat16 to each lane of float32; a target
without it has the same tile in a few instructions. One factor is packed: two rows of a column are
neighbours. The instruction takes subnormal numbers for 0, so no loop becomes one by itself.
Run it by `python examples/dot_tiles_bf16.py --size 256x256x256`.
"""

from typing import Any

import ml_dtypes
import numpy as np
from example import LANES, Example, Program, main, random

from teloom import te

PAIR = 2
"""The products that are added to a lane."""

BUFFER = "memref<{}x{}, strided<[1], offset: ?>>"
ROW = BUFFER.format(PAIR, "bf16")
PANEL = BUFFER.format(PAIR * LANES, "bf16")
SUMS = BUFFER.format(LANES, "f32")
FACTORS, LANE_SUMS = f"vector<{PAIR * LANES}xbf16>", f"vector<{LANES}xf32>"
REPEATED = ", ".join([*map(str, range(PAIR))] * LANES)

UPDATE = f"""
%zero = arith.constant 0 : index
%two = vector.load %x[%zero] : {ROW}, vector<{PAIR}xbf16>
%a = vector.shuffle %two, %two [{REPEATED}] : vector<{PAIR}xbf16>, vector<{PAIR}xbf16>
%b = vector.load %y[%zero] : {PANEL}, {FACTORS}
%old = vector.load %z[%zero] : {SUMS}, {LANE_SUMS}
%new = loop.dot %a, %b into %old : {FACTORS}, {FACTORS}, {LANE_SUMS}
vector.store %new, %z[%zero] : {SUMS}, {LANE_SUMS}
"""

BODY = UPDATE.replace(
    f"vector.load %z[%zero] : {SUMS}, {LANE_SUMS}", f"arith.constant dense<0.0> : {LANE_SUMS}"
)


def dot() -> te.TensorIntrin:
    """A lane for each column: the sum of the products of two numbers of a row and of it."""
    x = te.placeholder((PAIR,), "bfloat16", name="x")
    y = te.placeholder((LANES * PAIR,), "bfloat16", name="y")
    k = te.reduce_axis((0, PAIR), "k")
    z = te.compute(
        (LANES,),
        lambda j: te.sum(x[k].astype("float32") * y[j * PAIR + k].astype("float32"), axis=k),
        name="z",
    )
    return te.decl_tensor_intrin(z.op, lambda ins, outs: (BODY, None, UPDATE), "dot")


def dot_tiles_bf16(m: Any, n: Any, k: Any) -> Program:
    """The product of an m x k matrix and a packed k x n matrix of bfloat16, as float32."""
    A = te.placeholder((m, k), "bfloat16", name="A")
    B = te.placeholder((n // LANES, k // PAIR, LANES * PAIR), "bfloat16", name="B")
    ro, ri = te.reduce_axis((0, k // PAIR), "ro"), te.reduce_axis((0, PAIR), "ri")

    def product(i, panel, j):
        a = A[i, ro * PAIR + ri].astype("float32")
        return te.sum(a * B[panel, ro, j * PAIR + ri].astype("float32"), axis=[ro, ri])

    C = te.compute((m, n // LANES, LANES), product, name="C")
    s = te.create_schedule(C)
    i, panel, j = C.op.axis
    s[C].reorder(panel, i, ro, j, ri)
    s[C].tensorize(j, dot())
    return s, [A, B, C]


def arrays(rng: np.random.Generator, m: int, n: int, k: int) -> list[np.ndarray]:
    a = random(rng, m, k)
    b = random(rng, n // LANES, k // PAIR, LANES * PAIR)
    return [one.astype(ml_dtypes.bfloat16) for one in (a, b)]


def numpy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    panels = b.reshape(*b.shape[:2], LANES, PAIR).astype("float32")
    wide = a.reshape(len(a), -1, PAIR).astype("float32")
    return np.einsum("irk,prjk->ipj", wide, panels)


EXAMPLE = Example(dot_tiles_bf16, arrays, numpy, (256, 256, 256), 1e-5)

if __name__ == "__main__":
    main(EXAMPLE)
