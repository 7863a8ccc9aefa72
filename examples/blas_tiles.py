"""A convolution whose sums over channels are products of matrices, by the BLAS of NumPy.

Run it by `python examples/blas_tiles.py --size 58x58x64x64`.
"""

import ctypes
from functools import cache
from pathlib import Path

import numpy as np
from example import Example, Program, main, random

from teloom import te

ROW_MAJOR, AS_IT_IS = 101, 111
"""How CBLAS calls a matrix by rows, and one that is not transposed."""

LIBRARIES = [*(Path(np.__file__).parent.parent / "numpy.libs").glob("libscipy_openblas*.so*")]

MISSING = None if LIBRARIES else "this NumPy brings no OpenBLAS"
"""Why the example does not run here."""


@cache
def sgemm():
    """CBLAS' product of matrices of float32; its integers have 64 bits where its name says so."""
    (library, *_) = LIBRARIES
    suffix = "64_" if "openblas64" in library.name else ""
    return getattr(ctypes.CDLL(str(library)), f"scipy_cblas_sgemm{suffix}"), bool(suffix)


def rows_times_matrix(rows: int, columns: int, depth: int) -> te.TensorIntrin:
    """The product of some rows and a matrix, which BLAS computes or adds."""
    x = te.placeholder((rows, depth), "float32", name="x")
    y = te.placeholder((depth, columns), "float32", name="y")
    k = te.reduce_axis((0, depth), "k")
    z = te.compute((rows, columns), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), name="z")
    wide = sgemm()[1]
    index = "int64" if wide else "int32"
    binds = {
        one: te.decl_buffer(
            one.shape, name=one.name, strides=[te.var(f"{one.name}_stride"), 1], offset_factor=1
        )
        for one in (x, y, z)
    }

    def code(ins: list, outs: list):
        a, b, c = *ins, *outs

        def product(beta: float):
            kinds = [te.const(one, "int32") for one in (ROW_MAJOR, AS_IT_IS, AS_IT_IS)]
            sizes = [te.const(one, index) for one in (rows, columns, depth)]
            strides = [one.strides[0].astype(index) for one in (a, b, c)]
            one, scale = te.const(1, "float32"), te.const(beta, "float32")
            given = (a.access_ptr("r"), strides[0], b.access_ptr("r"), strides[1], scale)
            written = (c.access_ptr("rw"), strides[2])
            return te.call_extern("int32", sgemm()[0], *kinds, *sizes, one, *given, *written)

        return product(0), None, product(1)

    return te.decl_tensor_intrin(z.op, code, "sgemm", binds=binds)


def blas_tiles(height: int, width: int, channels: int, filters: int) -> Program:
    """A 3 x 3 convolution of channels behind each other."""
    A = te.placeholder((height, width, channels), "float32", name="A")
    W = te.placeholder((3, 3, channels, filters), "float32", name="W")
    r, q = te.reduce_axis((0, 3), "r"), te.reduce_axis((0, 3), "q")
    c = te.reduce_axis((0, channels), "c")
    C = te.compute(
        (height - 2, width - 2, filters),
        lambda y, x, f: te.sum(A[y + r, x + q, c] * W[r, q, c, f], axis=[r, q, c]),
        name="C",
    )
    s = te.create_schedule(C)
    y, x, f = C.op.axis
    s[C].reorder(y, r, q, x, f, c)
    s[C].tensorize(x, rows_times_matrix(width - 2, filters, channels))
    return s, [A, W, C]


def arrays(rng: np.random.Generator, h: int, w: int, c: int, f: int) -> list[np.ndarray]:
    return [random(rng, h, w, c), random(rng, 3, 3, c, f)]


def numpy(a: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3), (0, 1))
    return np.ascontiguousarray(np.einsum("yxcrq,rqcf->yxf", windows, w, optimize=True))


# Sums of float32 differ by their order.
EXAMPLE = Example(blas_tiles, arrays, numpy, (58, 58, 64, 64), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
