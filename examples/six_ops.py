"""A chain of six operations on each number, in one pass over memory.

Run it by `python examples/six_ops.py --size 4194304`.
"""

import numpy as np
from example import Example, Program, main, random

from teloom import te

PART = 2**14
"""Numbers that a thread takes at once."""


def six_ops(n: int) -> Program:
    """Six stages, each of which reads the one before; all but the last are inlined."""
    X = te.placeholder((n,), "float32", name="X")
    Y = te.placeholder((n,), "float32", name="Y")
    two, half = te.const(2, "float32"), te.const(0.5, "float32")
    product = te.compute((n,), lambda i: X[i] * Y[i], name="product")
    total = te.compute((n,), lambda i: product[i] + X[i], name="total")
    twice = te.compute((n,), lambda i: total[i] * two, name="twice")
    less = te.compute((n,), lambda i: twice[i] - Y[i], name="less")
    size = te.compute((n,), lambda i: te.abs(less[i]), name="size")
    Z = te.compute((n,), lambda i: size[i] * half, name="Z")
    s = te.create_schedule(Z)
    for stage in (product, total, twice, less, size):
        s[stage].compute_inline()
    outer, inner = s[Z].split(Z.op.axis[0], factor=PART)
    s[Z].parallel(outer)
    s[Z].vectorize(inner)
    s[Z].stream_stores()
    return s, [X, Y, Z]


def six_ops_numpy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.abs((x * y + x) * np.float32(2) - y) * np.float32(0.5)


def arrays(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    return [random(rng, n), random(rng, n)]


# A product may be rounded once with the sum behind it.
EXAMPLE = Example(six_ops, arrays, six_ops_numpy, (4194304,), 1e-6)

if __name__ == "__main__":
    main(EXAMPLE)
