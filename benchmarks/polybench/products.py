"""Products of matrices: whole ones, symmetric ones, and triangles."""

import numpy as np

from polybench.kernel import Kernel, Program, matrices, prange
from teloom import te

ALPHA, BETA = 1.5, 1.2


def matrix(rows: int, columns: int, name: str) -> te.Tensor:
    return te.placeholder((rows, columns), "float64", name=name)


def product(left: te.Tensor, right: te.Tensor, name: str) -> te.Tensor:
    r = te.reduce_axis((0, left.shape[1]), "r")
    return te.compute(
        (left.shape[0], right.shape[1]),
        lambda i, j: te.sum(left[i, r] * right[r, j], axis=r),
        name=name,
    )


def gemm(m: int, n: int, k: int) -> Program:
    """alpha A B + beta C."""
    a, b, c = matrix(m, k, "A"), matrix(k, n, "B"), matrix(m, n, "C")
    ab = product(a, b, "AB")
    out = te.compute((m, n), lambda i, j: ALPHA * ab[i, j] + BETA * c[i, j], name="out")
    return [a, b, c], [out]


def gemm_loops(a, b, c, out):
    m, n = out.shape
    for i in prange(m):
        for j in range(n):
            out[i, j] = c[i, j] * BETA
        for k in range(a.shape[1]):
            for j in range(n):
                out[i, j] += ALPHA * a[i, k] * b[k, j]


def two_products(m: int, n: int, k: int, p: int) -> Program:
    """alpha A B C + beta D."""
    a, b, c, d = matrix(m, k, "A"), matrix(k, n, "B"), matrix(n, p, "C"), matrix(m, p, "D")
    ab = product(a, b, "AB")
    scaled = te.compute((m, n), lambda i, j: ALPHA * ab[i, j], name="scaled")
    abc = product(scaled, c, "ABC")
    out = te.compute((m, p), lambda i, j: abc[i, j] + BETA * d[i, j], name="out")
    return [a, b, c, d], [out]


def two_products_loops(a, b, c, d, out):
    m, p = out.shape
    n = b.shape[1]
    ab = np.zeros((m, n))
    for i in prange(m):
        for k in range(a.shape[1]):
            for j in range(n):
                ab[i, j] += ALPHA * a[i, k] * b[k, j]
    for i in prange(m):
        for j in range(p):
            out[i, j] = d[i, j] * BETA
        for k in range(n):
            for j in range(p):
                out[i, j] += ab[i, k] * c[k, j]


def three_products(m: int, n: int, k: int, p: int, q: int) -> Program:
    """(A B) (C D)."""
    a, b, c, d = matrix(m, k, "A"), matrix(k, n, "B"), matrix(n, q, "C"), matrix(q, p, "D")
    return [a, b, c, d], [product(product(a, b, "E"), product(c, d, "F"), "G")]


def multiply_loops(a, b, out):
    for i in prange(out.shape[0]):
        for k in range(a.shape[1]):
            for j in range(out.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


def three_products_loops(a, b, c, d, out):
    m, n, p = a.shape[0], b.shape[1], d.shape[1]
    e, f = np.zeros((m, n)), np.zeros((n, p))
    for i in prange(m):
        for k in range(a.shape[1]):
            for j in range(n):
                e[i, j] += a[i, k] * b[k, j]
    for i in prange(n):
        for k in range(c.shape[1]):
            for j in range(p):
                f[i, j] += c[i, k] * d[k, j]
    for i in prange(m):
        for k in range(n):
            for j in range(p):
                out[i, j] += e[i, k] * f[k, j]


def symm(m: int, n: int) -> Program:
    """alpha A B + beta C, where A is symmetric and its lower triangle is stored."""
    a, b, c = matrix(m, m, "A"), matrix(m, n, "B"), matrix(m, n, "C")
    whole = te.compute((m, m), lambda i, j: te.if_then_else(j <= i, a[i, j], a[j, i]), name="whole")
    ab = product(whole, b, "AB")
    out = te.compute((m, n), lambda i, j: ALPHA * ab[i, j] + BETA * c[i, j], name="out")
    return [a, b, c], [out]


def symm_loops(a, b, c, out):
    m, n = out.shape
    for i in prange(m):
        for j in range(n):
            out[i, j] = BETA * c[i, j]
        for k in range(m):
            element = a[i, k] if k <= i else a[k, i]
            for j in range(n):
                out[i, j] += ALPHA * element * b[k, j]


def symm_numpy(a, b, c):
    return ALPHA * ((np.tril(a) + np.tril(a, -1).T) @ b) + BETA * c


def syrk(n: int, m: int) -> Program:
    """The lower triangle of alpha A A' + beta C."""
    a, c = matrix(n, m, "A"), matrix(n, n, "C")
    r = te.reduce_axis((0, m), "r")
    aa = te.compute(
        (n, n),
        lambda i, j: te.sum(a[i, r] * a[j, r], axis=r),
        name="AA",
        domain=lambda i, j: j <= i,
    )
    out = te.compute(
        (n, n),
        lambda i, j: ALPHA * aa[i, j] + BETA * c[i, j],
        name="out",
        domain=lambda i, j: j <= i,
    )
    return [a, c], [out]


def syrk_loops(a, c, out):
    for i in prange(out.shape[0]):
        for j in range(i + 1):
            out[i, j] = c[i, j] * BETA
        for k in range(a.shape[1]):
            for j in range(i + 1):
                out[i, j] += ALPHA * a[i, k] * a[j, k]


def syr2k(n: int, m: int) -> Program:
    """The lower triangle of alpha (A B' + B A') + beta C."""
    a, b, c = matrix(n, m, "A"), matrix(n, m, "B"), matrix(n, n, "C")
    r = te.reduce_axis((0, m), "r")
    ab = te.compute(
        (n, n),
        lambda i, j: te.sum(a[j, r] * b[i, r] + b[j, r] * a[i, r], axis=r),
        name="AB",
        domain=lambda i, j: j <= i,
    )
    out = te.compute(
        (n, n),
        lambda i, j: ALPHA * ab[i, j] + BETA * c[i, j],
        name="out",
        domain=lambda i, j: j <= i,
    )
    return [a, b, c], [out]


def syr2k_loops(a, b, c, out):
    for i in prange(out.shape[0]):
        for j in range(i + 1):
            out[i, j] = c[i, j] * BETA
        for k in range(a.shape[1]):
            for j in range(i + 1):
                out[i, j] += ALPHA * (a[j, k] * b[i, k] + b[j, k] * a[i, k])


def syr2k_numpy(a, b, c):
    ab = a @ b.T
    return np.tril(ALPHA * (ab + ab.T) + BETA * c)


def trmm(m: int, n: int) -> Program:
    """alpha A' B, where A is a lower triangle with ones on its diagonal."""
    a, b = matrix(m, m, "A"), matrix(m, n, "B")

    def below(i, j):
        k = te.reduce_axis((i + 1, m), "k")
        return te.sum(a[k, i] * b[k, j], axis=k)

    ab = te.compute((m, n), below, name="AB")
    out = te.compute((m, n), lambda i, j: ALPHA * (b[i, j] + ab[i, j]), name="out")
    return [a, b], [out]


def trmm_loops(a, b, out):
    m, n = out.shape
    for i in prange(m):
        for j in range(n):
            out[i, j] = b[i, j]
        for k in range(i + 1, m):
            for j in range(n):
                out[i, j] += a[k, i] * b[k, j]
        for j in range(n):
            out[i, j] *= ALPHA


def trmm_numpy(a, b):
    return ALPHA * (b + np.tril(a, -1).T @ b)


def doitgen(r: int, q: int, p: int) -> Program:
    """A tensor of three axes, of which a matrix multiplies the last."""
    a = te.placeholder((r, q, p), "float64", name="A")
    c4 = matrix(p, p, "C4")
    s = te.reduce_axis((0, p), "s")
    out = te.compute((r, q, p), lambda i, j, k: te.sum(a[i, j, s] * c4[s, k], axis=s), name="out")
    return [a, c4], [out]


def doitgen_loops(a, c4, out):
    r, q, p = out.shape
    for i in prange(r):
        for j in range(q):
            for s in range(p):
                for k in range(p):
                    out[i, j, k] += a[i, j, s] * c4[s, k]


KERNELS = {
    "gemm": Kernel(
        gemm,
        matrices(lambda m, n, k: (m, k), lambda m, n, k: (k, n), lambda m, n, k: (m, n)),
        gemm_loops,
        (500, 550, 600),
        (7, 9, 5),
        lambda a, b, c: ALPHA * (a @ b) + BETA * c,
    ),
    "2mm": Kernel(
        two_products,
        matrices(
            lambda m, n, k, p: (m, k),
            lambda m, n, k, p: (k, n),
            lambda m, n, k, p: (n, p),
            lambda m, n, k, p: (m, p),
        ),
        two_products_loops,
        (400, 450, 500, 550),
        (7, 5, 6, 9),
        lambda a, b, c, d: (ALPHA * (a @ b)) @ c + BETA * d,
    ),
    "3mm": Kernel(
        three_products,
        matrices(
            lambda m, n, k, p, q: (m, k),
            lambda m, n, k, p, q: (k, n),
            lambda m, n, k, p, q: (n, q),
            lambda m, n, k, p, q: (q, p),
        ),
        three_products_loops,
        (400, 450, 500, 550, 600),
        (7, 5, 6, 9, 4),
        lambda a, b, c, d: (a @ b) @ (c @ d),
    ),
    "symm": Kernel(
        symm,
        matrices(lambda m, n: (m, m), lambda m, n: (m, n), lambda m, n: (m, n)),
        symm_loops,
        (500, 600),
        (7, 9),
        symm_numpy,
    ),
    "syrk": Kernel(
        syrk,
        matrices(lambda n, m: (n, m), lambda n, m: (n, n)),
        syrk_loops,
        (600, 500),
        (9, 7),
        lambda a, c: np.tril(ALPHA * (a @ a.T) + BETA * c),
    ),
    "syr2k": Kernel(
        syr2k,
        matrices(lambda n, m: (n, m), lambda n, m: (n, m), lambda n, m: (n, n)),
        syr2k_loops,
        (600, 500),
        (9, 7),
        syr2k_numpy,
    ),
    "trmm": Kernel(
        trmm,
        matrices(lambda m, n: (m, m), lambda m, n: (m, n)),
        trmm_loops,
        (500, 600),
        (7, 9),
        trmm_numpy,
    ),
    "doitgen": Kernel(
        doitgen,
        matrices(lambda r, q, p: (r, q, p), lambda r, q, p: (p, p)),
        doitgen_loops,
        (70, 70, 80),
        (3, 4, 9),
        lambda a, c4: a @ c4,
    ),
}
