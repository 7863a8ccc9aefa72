"""A matrix product in tiles that a function in C multiplies.

The function is compiled when the program is made, by the system's compiler, and called at its
address. Run it by `python examples/c_tiles.py --size 512x512x512`.
"""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from example import Example, Program, main, random

from teloom import te

MISSING = None if shutil.which("cc") else "there is no C compiler"
"""Why the example does not run here."""

ROWS, COLUMNS, TERMS = 8, 16, 32

SOURCE = f"""
#include <stdint.h>
void add_product(const float *a, int32_t sa, const float *b, int32_t sb, float *c, int32_t sc) {{
  for (int i = 0; i < {ROWS}; i++) {{
    float sums[{COLUMNS}];
    for (int j = 0; j < {COLUMNS}; j++) sums[j] = c[i * sc + j];
    for (int k = 0; k < {TERMS}; k++)
      for (int j = 0; j < {COLUMNS}; j++) sums[j] += a[i * sa + k] * b[k * sb + j];
    for (int j = 0; j < {COLUMNS}; j++) c[i * sc + j] = sums[j];
  }}
}}
void clear(float *c, int32_t sc) {{
  for (int i = 0; i < {ROWS}; i++)
    for (int j = 0; j < {COLUMNS}; j++) c[i * sc + j] = 0;
}}
"""


@cache
def compiled() -> ctypes.CDLL:
    """The functions in C, as a library of this process."""
    folder = Path(tempfile.mkdtemp())
    (folder / "tile.c").write_text(SOURCE)
    command = "cc -O3 -march=native -shared -fPIC tile.c -o tile.so".split()
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "tile.so"))


def tile() -> te.TensorIntrin:
    """What the functions compute: a product is added to a tile, or a tile is cleared."""
    x = te.placeholder((ROWS, TERMS), "float32", name="x")
    y = te.placeholder((TERMS, COLUMNS), "float32", name="y")
    k = te.reduce_axis((0, TERMS), "k")
    z = te.compute((ROWS, COLUMNS), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), name="z")
    strides = {one: te.var(f"{one.name}_stride") for one in (x, y, z)}
    binds = {
        one: te.decl_buffer(one.shape, name=one.name, strides=[stride, 1], offset_factor=1)
        for one, stride in strides.items()
    }

    def code(ins: list, outs: list):
        library, (out,) = compiled(), outs
        pairs = [(buffer.access_ptr("r"), buffer.strides[0]) for buffer in ins]
        given = [argument for pair in pairs for argument in pair]
        written = (out.access_ptr("rw"), out.strides[0])
        clear = te.call_extern("int32", library.clear, *written)
        add = te.call_extern("int32", library.add_product, *given, *written)
        return [clear, add], clear, add

    return te.decl_tensor_intrin(z.op, code, "add_product", binds=binds)


def c_tiles(m: int, n: int, k: int) -> Program:
    """The product of an m x k and a k x n matrix."""
    A = te.placeholder((m, k), "float32", name="A")
    B = te.placeholder((k, n), "float32", name="B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C)
    i_outer, j_outer, i_inner, j_inner = s[C].tile(*C.op.axis, ROWS, COLUMNS)
    r_outer, r_inner = s[C].split(r, factor=TERMS)
    s[C].reorder(i_outer, j_outer, r_outer, i_inner, j_inner, r_inner)
    s[C].tensorize(i_inner, tile())
    return s, [A, B, C]


def arrays(rng: np.random.Generator, m: int, n: int, k: int) -> list[np.ndarray]:
    return [random(rng, m, k), random(rng, k, n)]


# Sums of float32 differ by their order.
EXAMPLE = Example(c_tiles, arrays, np.matmul, (512, 512, 512), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
