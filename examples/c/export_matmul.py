"""Writes the product of two matrices of any sizes as a library for C.

python examples/c/export_matmul.py mm.so
cc -I. examples/c/matmul.c ./mm.so -o matmul && ./matmul
"""

import sys

import teloom
from teloom import te


def product() -> list[te.Tensor]:
    """The factors, and the product."""
    m, k, n = te.size_var("m"), te.size_var("k"), te.size_var("n")
    A = te.placeholder((m, k), name="A")
    B = te.placeholder((k, n), name="B")
    r = te.reduce_axis((0, k), name="r")
    C = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    return [A, B, C]


if __name__ == "__main__":
    mm = teloom.build(product(), name="mm")
    library = sys.argv[1] if len(sys.argv) > 1 else "mm.so"
    for file in mm.export(library, ["x86-64-v4", "x86-64-v3", "x86-64"]):
        print(file)
