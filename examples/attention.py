"""Attention of several heads: softmax(Q K^T / sqrt(d)) V, some queries at a time.

The scores of a block of queries stay in the nearest caches.

    python examples/attention.py --size 12x512x64
"""

import numpy as np
from example import LANES, ROWS, VECTORS, Example, Program, main, random

from teloom import te

COLUMNS = VECTORS * LANES


def attention(heads: int, length: int, depth: int) -> Program:
    """The attention of Q, K and V, each of heads x length x depth."""
    shape = heads, length, depth
    Q, K, V = (te.placeholder(shape, "float32", name=name) for name in "QKV")
    d, r, q, p = (
        te.reduce_axis((0, extent), name)
        for extent, name in ((depth, "d"), (length, "r"), (length, "q"), (length, "p"))
    )
    scale = te.rsqrt(te.const(1, "float32") * depth)
    columns = te.compute((heads, depth, length), lambda h, e, j: K[h, j, e] * scale, name="columns")
    scores = te.compute(
        (heads, length, length),
        lambda h, i, j: te.sum(Q[h, i, d] * columns[h, d, j], axis=d),
        name="scores",
    )
    largest = te.compute(
        (heads, length), lambda h, i: te.max(scores[h, i, r], axis=r), name="largest"
    )
    power = te.compute(
        (heads, length, length),
        lambda h, i, j: te.exp(scores[h, i, j] - largest[h, i]),
        name="power",
    )
    total = te.compute((heads, length), lambda h, i: te.sum(power[h, i, q], axis=q), name="total")
    product = te.compute(
        shape, lambda h, i, e: te.sum(power[h, i, p] * V[h, p, e], axis=p), name="product"
    )
    C = te.compute(shape, lambda h, i, e: product[h, i, e] / total[h, i], name="C")

    s = te.create_schedule(C)
    h, i, e = C.op.axis
    i_outer, e_outer, i_inner, e_inner = s[C].tile(i, e, ROWS, COLUMNS)
    s[C].parallel(h)
    s[C].unroll(i_inner)
    s[C].vectorize(e_inner)

    s[columns].compute_at(s[C], h)
    s[columns].vectorize(columns.op.axis[2])
    tile = s.cache_write(scores, "global")
    for stage in (scores, largest, power, total):
        s[stage].compute_at(s[C], i_outer)
    _, i, j = s[scores].op.axis
    j_outer, j_inner = s[scores].split(j, factor=COLUMNS)
    s[scores].reorder(j_outer, i, j_inner)
    s[scores].unroll(i)
    s[scores].vectorize(j_inner)
    s[tile].compute_at(s[scores], j_outer)
    _, i, j = s[tile].op.axis
    s[tile].reorder(*s[tile].op.reduce_axis, i, j)
    s[tile].unroll(i)
    s[tile].vectorize(j)
    s[largest].vectorize(r)
    s[power].vectorize(power.op.axis[2])
    s[total].vectorize(q)

    s[product].compute_at(s[C], e_outer)
    _, i, e = product.op.axis
    s[product].reorder(p, i, e)
    s[product].unroll(i)
    s[product].vectorize(e)
    return s, [Q, K, V, C]


def attention_numpy(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.transpose(0, 2, 1) * np.float32(q.shape[-1] ** -0.5)
    power = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return power @ v / power.sum(axis=-1, keepdims=True)


def arrays(rng: np.random.Generator, heads: int, length: int, depth: int) -> list[np.ndarray]:
    return [random(rng, heads, length, depth) for _ in range(3)]


# Sums of float32 differ by their order, and two exponentials in their last bits. An exponential
# that is not a normal float is nothing beside the largest, which is 1.
EXAMPLE = Example(attention, arrays, attention_numpy, (12, 512, 64), 1e-4, math="fast")

if __name__ == "__main__":
    main(EXAMPLE)
