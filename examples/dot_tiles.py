"""A product of matrices of bytes, whose tile is one instruction for dot products.

With VNNI, `vpdpbusd` adds four products of bytes to each lane; a target without it has the same
tile in a few instructions. One factor is packed: four rows of a column are neighbours.
Run it by `python examples/dot_tiles.py --size 256x256x256`.
"""

from typing import Any

import numpy as np
from example import LANES, Example, Program, main

from teloom import te

GROUP = 4
"""The products that are added to a lane."""

BUFFER = "memref<{}x{}, strided<[1], offset: ?>>"
ROW = BUFFER.format(GROUP, "i8")
PANEL = BUFFER.format(GROUP * LANES, "i8")
SUMS = BUFFER.format(LANES, "i32")
FACTORS, LANE_SUMS = f"vector<{GROUP * LANES}xi8>", f"vector<{LANES}xi32>"
REPEATED = ", ".join([*map(str, range(GROUP))] * LANES)

UPDATE = f"""
%zero = arith.constant 0 : index
%four = vector.load %x[%zero] : {ROW}, vector<{GROUP}xi8>
%a = vector.shuffle %four, %four [{REPEATED}] : vector<{GROUP}xi8>, vector<{GROUP}xi8>
%b = vector.load %y[%zero] : {PANEL}, {FACTORS}
%old = vector.load %z[%zero] : {SUMS}, {LANE_SUMS}
%new = loop.dot unsigned %a, %b into %old : {FACTORS}, {FACTORS}, {LANE_SUMS}
vector.store %new, %z[%zero] : {SUMS}, {LANE_SUMS}
"""

BODY = UPDATE.replace(
    f"vector.load %z[%zero] : {SUMS}, {LANE_SUMS}", f"arith.constant dense<0> : {LANE_SUMS}"
)


def dot() -> te.TensorIntrin:
    """A lane for each column: the sum of the products of four numbers of a row and of it."""
    x = te.placeholder((GROUP,), "uint8", name="x")
    y = te.placeholder((LANES * GROUP,), "int8", name="y")
    k = te.reduce_axis((0, GROUP), "k")
    z = te.compute(
        (LANES,),
        lambda j: te.sum(x[k].astype("int32") * y[j * GROUP + k].astype("int32"), axis=k),
        name="z",
    )
    return te.decl_tensor_intrin(z.op, lambda ins, outs: (BODY, None, UPDATE), "dot")


def dot_tiles(m: Any, n: Any, k: Any) -> Program:
    """The product of an m x k matrix of uint8 and a packed k x n matrix of int8, as int32."""
    A = te.placeholder((m, k), "uint8", name="A")
    B = te.placeholder((n // LANES, k // GROUP, LANES * GROUP), "int8", name="B")
    ro, ri = te.reduce_axis((0, k // GROUP), "ro"), te.reduce_axis((0, GROUP), "ri")

    def product(i, panel, j):
        a = A[i, ro * GROUP + ri].astype("int32")
        return te.sum(a * B[panel, ro, j * GROUP + ri].astype("int32"), axis=[ro, ri])

    C = te.compute((m, n // LANES, LANES), product, name="C")
    s = te.create_schedule(C)
    i, panel, j = C.op.axis
    s[C].reorder(panel, i, ro, j, ri)
    s[C].tensorize(j, dot())
    return s, [A, B, C]


def arrays(rng: np.random.Generator, m: int, n: int, k: int) -> list[np.ndarray]:
    a = rng.integers(0, 256, (m, k)).astype("uint8")
    b = rng.integers(-128, 128, (n // LANES, k // GROUP, LANES * GROUP)).astype("int8")
    return [a, b]


def numpy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    panels = b.reshape(*b.shape[:2], LANES, GROUP)
    wide = a.reshape(len(a), -1, GROUP).astype("int32")
    return np.einsum("irk,prjk->ipj", wide, panels.astype("int32")).astype("int32")


EXAMPLE = Example(dot_tiles, arrays, numpy, (256, 256, 256), 0)

if __name__ == "__main__":
    main(EXAMPLE)
