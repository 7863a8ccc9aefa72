"""Products of matrices and vectors."""

from polybench.kernel import Kernel, Program, matrices, prange
from polybench.products import ALPHA, BETA, matrix
from teloom import te

PARTS = 4
"""Parts of the columns, for the threads of loops over rows."""


def vector(n: int, name: str) -> te.Tensor:
    return te.placeholder((n,), "float64", name=name)


def times(a: te.Tensor, x: te.Tensor, name: str) -> te.Tensor:
    """A x."""
    r = te.reduce_axis((0, a.shape[1]), "r")
    return te.compute((a.shape[0],), lambda i: te.sum(a[i, r] * x[r], axis=r), name=name)


def turned_times(a: te.Tensor, x: te.Tensor, name: str) -> te.Tensor:
    """A' x."""
    r = te.reduce_axis((0, a.shape[0]), "r")
    return te.compute((a.shape[1],), lambda j: te.sum(a[r, j] * x[r], axis=r), name=name)


def gemver(n: int) -> Program:
    """B = A + u1 v1' + u2 v2', x = beta B' y + z, w = alpha B x."""
    a = matrix(n, n, "A")
    u1, v1, u2, v2, y, z = (vector(n, name) for name in ("u1", "v1", "u2", "v2", "y", "z"))
    b = te.compute((n, n), lambda i, j: a[i, j] + u1[i] * v1[j] + u2[i] * v2[j], name="B")
    by = turned_times(b, y, "By")
    x = te.compute((n,), lambda i: BETA * by[i] + z[i], name="x")
    bx = times(b, x, "Bx")
    w = te.compute((n,), lambda i: ALPHA * bx[i], name="w")
    return [a, u1, v1, u2, v2, y, z], [b, x, w]


def gemver_loops(a, u1, v1, u2, v2, y, z, b, x, w):
    n = a.shape[0]
    for i in prange(n):
        for j in range(n):
            b[i, j] = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for part in prange(PARTS):
        for i in range(n):
            for j in range(part * n // PARTS, (part + 1) * n // PARTS):
                x[j] += BETA * b[i, j] * y[i]
    for i in prange(n):
        x[i] += z[i]
    for i in prange(n):
        total = 0.0
        for j in range(n):
            total += b[i, j] * x[j]
        w[i] = ALPHA * total


def gemver_numpy(a, u1, v1, u2, v2, y, z):
    b = a + u1[:, None] * v1 + u2[:, None] * v2
    x = BETA * (y @ b) + z
    return b, x, ALPHA * (b @ x)


def gesummv(n: int) -> Program:
    """alpha A x + beta B x."""
    a, b, x = matrix(n, n, "A"), matrix(n, n, "B"), vector(n, "x")
    ax, bx = times(a, x, "Ax"), times(b, x, "Bx")
    return [a, b, x], [te.compute((n,), lambda i: ALPHA * ax[i] + BETA * bx[i], name="y")]


def gesummv_loops(a, b, x, y):
    for i in prange(y.shape[0]):
        one = other = 0.0
        for j in range(x.shape[0]):
            one += a[i, j] * x[j]
            other += b[i, j] * x[j]
        y[i] = ALPHA * one + BETA * other


def atax(m: int, n: int) -> Program:
    """A' (A x)."""
    a, x = matrix(m, n, "A"), vector(n, "x")
    return [a, x], [turned_times(a, times(a, x, "Ax"), "y")]


def atax_loops(a, x, y):
    m, n = a.shape
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += a[i, j] * x[j]
        for j in range(n):
            y[j] += a[i, j] * total


def bicg(m: int, n: int) -> Program:
    """A' r and A p."""
    a, r, p = matrix(m, n, "A"), vector(m, "r"), vector(n, "p")
    return [a, r, p], [turned_times(a, r, "s"), times(a, p, "q")]


def bicg_loops(a, r, p, s, q):
    m, n = a.shape
    for i in range(m):
        total = 0.0
        for j in range(n):
            s[j] += r[i] * a[i, j]
            total += a[i, j] * p[j]
        q[i] = total


def mvt(n: int) -> Program:
    """x1 + A y1 and x2 + A' y2."""
    a = matrix(n, n, "A")
    x1, x2, y1, y2 = (vector(n, name) for name in ("x1", "x2", "y1", "y2"))
    one, other = times(a, y1, "Ay"), turned_times(a, y2, "Aty")
    return [a, x1, x2, y1, y2], [
        te.compute((n,), lambda i: x1[i] + one[i], name="z1"),
        te.compute((n,), lambda i: x2[i] + other[i], name="z2"),
    ]


def mvt_loops(a, x1, x2, y1, y2, z1, z2):
    n = a.shape[0]
    for i in prange(n):
        total = x1[i]
        for j in range(n):
            total += a[i, j] * y1[j]
        z1[i] = total
    z2[:] = x2
    for part in prange(PARTS):
        for i in range(n):
            for j in range(part * n // PARTS, (part + 1) * n // PARTS):
                z2[j] += a[i, j] * y2[i]


def square(n: int) -> tuple[int, int]:
    return n, n


def line(n: int) -> tuple[int]:
    return (n,)


KERNELS = {
    "gemver": Kernel(
        gemver,
        matrices(square, *[line] * 6),
        gemver_loops,
        (1500,),
        (11,),
        gemver_numpy,
    ),
    "gesummv": Kernel(
        gesummv,
        matrices(square, square, line),
        gesummv_loops,
        (1300,),
        (11,),
        lambda a, b, x: ALPHA * (a @ x) + BETA * (b @ x),
    ),
    "atax": Kernel(
        atax,
        matrices(lambda m, n: (m, n), lambda m, n: (n,)),
        atax_loops,
        (1700, 1900),
        (9, 13),
        lambda a, x: (a @ x) @ a,
    ),
    "bicg": Kernel(
        bicg,
        matrices(lambda m, n: (m, n), lambda m, n: (m,), lambda m, n: (n,)),
        bicg_loops,
        (1700, 1900),
        (9, 13),
        lambda a, r, p: (r @ a, a @ p),
    ),
    "mvt": Kernel(
        mvt,
        matrices(square, line, line, line, line),
        mvt_loops,
        (1700,),
        (11,),
        lambda a, x1, x2, y1, y2: (x1 + a @ y1, x2 + y2 @ a),
    ),
}
