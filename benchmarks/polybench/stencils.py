"""Stencils that are applied again and again."""

import numpy as np

from polybench.kernel import Kernel, Program, matrices, prange
from polybench.products import matrix
from teloom import te


def inside(indices, extents):
    """Whether a point is none of the border."""
    return te.all(*(one > 0 for one in indices), *(one < n - 1 for one, n in zip(indices, extents)))


def repeated(a: te.Tensor, steps: int, stencil) -> Program:
    """A stencil of the inside, `steps` times; the border stays."""
    extents = a.shape
    state = te.placeholder((steps + 1, *extents), "float64", name="state")
    first = te.compute((1, *extents), lambda t, *at: a[at], name="first")

    def element(t, *at):
        def before(*distances):
            return state[(t - 1, *(one + far for one, far in zip(at, distances)))]

        still = before(*[0] * len(at))
        return te.if_then_else(inside(at, extents), stencil(before), still)

    following = te.compute((steps + 1, *extents), element, name="following")
    grid = te.scan(first, following, state, name="grid")
    return [a], [te.compute(extents, lambda *at: grid[(steps, *at)], name="out")]


def jacobi_1d(steps: int, n: int) -> Program:
    a = te.placeholder((n,), "float64", name="A")
    return repeated(a, 2 * steps, lambda u: 0.33333 * (u(-1) + u(0) + u(1)))


def jacobi_1d_loops(steps, a, out):
    n = a.shape[0]
    b = a.copy()
    out[:] = a
    for _ in range(steps):
        for i in range(1, n - 1):
            b[i] = 0.33333 * (out[i - 1] + out[i] + out[i + 1])
        for i in range(1, n - 1):
            out[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])


def jacobi_1d_numpy(steps, a):
    a, b = a.copy(), a.copy()
    for _ in range(2 * steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a, b = b, a
    return a


def jacobi_2d(steps: int, n: int) -> Program:
    return repeated(
        matrix(n, n, "A"),
        2 * steps,
        lambda u: 0.2 * (u(0, 0) + u(0, -1) + u(0, 1) + u(1, 0) + u(-1, 0)),
    )


def jacobi_2d_loops(steps, a, out):
    n = a.shape[0]
    b = a.copy()
    out[:] = a
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.2 * (
                    out[i, j] + out[i, j - 1] + out[i, j + 1] + out[i + 1, j] + out[i - 1, j]
                )
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                out[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])


def jacobi_2d_numpy(steps, a):
    a, b = a.copy(), a.copy()
    for _ in range(2 * steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a, b = b, a
    return a


def heat_3d(steps: int, n: int) -> Program:
    def stencil(u):
        def bend(*far):
            return 0.125 * (u(*far) - 2.0 * u(0, 0, 0) + u(*(-one for one in far)))

        return bend(1, 0, 0) + bend(0, 1, 0) + bend(0, 0, 1) + u(0, 0, 0)

    return repeated(te.placeholder((n, n, n), "float64", name="A"), 2 * steps, stencil)


def heat_3d_loops(steps, a, out):
    n = a.shape[0]
    b = a.copy()
    out[:] = a
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    u = out[i, j, k]
                    b[i, j, k] = (
                        0.125 * (out[i + 1, j, k] - 2.0 * u + out[i - 1, j, k])
                        + 0.125 * (out[i, j + 1, k] - 2.0 * u + out[i, j - 1, k])
                        + 0.125 * (out[i, j, k + 1] - 2.0 * u + out[i, j, k - 1])
                        + u
                    )
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    u = b[i, j, k]
                    out[i, j, k] = (
                        0.125 * (b[i + 1, j, k] - 2.0 * u + b[i - 1, j, k])
                        + 0.125 * (b[i, j + 1, k] - 2.0 * u + b[i, j - 1, k])
                        + 0.125 * (b[i, j, k + 1] - 2.0 * u + b[i, j, k - 1])
                        + u
                    )


def fdtd_2d(steps: int, nx: int, ny: int) -> Program:
    """Electric and magnetic fields, step by step; a source drives the first row."""
    given = [matrix(nx, ny, name) for name in ("ex", "ey", "hz")]
    source = te.placeholder((steps,), "float64", name="source")
    shape = (steps + 1, nx, ny)
    ex, ey, hz = (te.placeholder(shape, "float64", name=f"{one.name}_state") for one in given)
    firsts = [
        te.compute((1, nx, ny), lambda t, i, j, of=one: of[i, j], name=f"{one.name}_first")
        for one in given
    ]

    def of_y(t, i, j):
        moved = ey[t - 1, i, j] - 0.5 * (hz[t - 1, i, j] - hz[t - 1, i - 1, j])
        return te.if_then_else(i > 0, moved, source[t - 1])

    def of_x(t, i, j):
        moved = ex[t - 1, i, j] - 0.5 * (hz[t - 1, i, j] - hz[t - 1, i, j - 1])
        return te.if_then_else(j > 0, moved, ex[t - 1, i, j])

    new_y = te.compute(shape, of_y, name="ey_next")
    new_x = te.compute(shape, of_x, name="ex_next")

    def of_z(t, i, j):
        around = new_x[t, i, j + 1] - new_x[t, i, j] + new_y[t, i + 1, j] - new_y[t, i, j]
        moved = hz[t - 1, i, j] - 0.7 * around
        return te.if_then_else(te.all(i < nx - 1, j < ny - 1), moved, hz[t - 1, i, j])

    new_z = te.compute(shape, of_z, name="hz_next")
    fields = te.scan(firsts, [new_x, new_y, new_z], [ex, ey, hz], name="fields")
    outs = [
        te.compute((nx, ny), lambda i, j, of=field: of[steps, i, j], name=f"{one.name}_out")
        for field, one in zip(fields, given)
    ]
    return [*given, source], outs


def fdtd_2d_loops(steps, ex, ey, hz, source, ex_out, ey_out, hz_out):
    nx, ny = ex.shape
    ex_out[:, :] = ex
    ey_out[:, :] = ey
    hz_out[:, :] = hz
    for t in range(steps):
        for j in range(ny):
            ey_out[0, j] = source[t]
        for i in prange(1, nx):
            for j in range(ny):
                ey_out[i, j] -= 0.5 * (hz_out[i, j] - hz_out[i - 1, j])
        for i in prange(nx):
            for j in range(1, ny):
                ex_out[i, j] -= 0.5 * (hz_out[i, j] - hz_out[i, j - 1])
        for i in prange(nx - 1):
            for j in range(ny - 1):
                hz_out[i, j] -= 0.7 * (
                    ex_out[i, j + 1] - ex_out[i, j] + ey_out[i + 1, j] - ey_out[i, j]
                )


def fdtd_2d_numpy(steps, ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for value in source:
        ey[0] = value
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def seidel_2d(steps: int, n: int) -> Program:
    """The mean of nine, in place: half of them are of the same step."""
    a = matrix(n, n, "A")
    t = te.reduce_axis((0, steps), "t")
    i, j = te.reduce_axis((1, n - 1), "i"), te.reduce_axis((1, n - 1), "j")

    def point(g, t, i, j):
        rows = (g[i + up, j - 1] + g[i + up, j] + g[i + up, j + 1] for up in (-1, 0, 1))
        return (i, j), sum(rows) / 9.0

    return [a], [te.update(a, (t, i, j), point, name="relaxed")]


def seidel_2d_loops(steps, a, out):
    n = a.shape[0]
    out[:, :] = a
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                out[i, j] = (
                    out[i - 1, j - 1]
                    + out[i - 1, j]
                    + out[i - 1, j + 1]
                    + out[i, j - 1]
                    + out[i, j]
                    + out[i, j + 1]
                    + out[i + 1, j - 1]
                    + out[i + 1, j]
                    + out[i + 1, j + 1]
                ) / 9.0


A, B, C, D, F = -0.4, 1.8, -0.4, -0.3, -0.3
E = 1.6
"""Coefficients of the two tridiagonal systems: A, B, C by columns; D, E, F by rows."""


def factors(n: int, low: float, middle: float, high: float, name: str) -> list[te.Tensor]:
    """What Thomas' algorithm multiplies by: p backwards, and w forwards."""
    state = te.placeholder((n,), "float64", name=f"{name}_state")
    first = te.compute((1,), lambda j: te.const(0.0, "float64"), name=f"{name}_first")
    following = te.compute(
        (n,), lambda j: -high / (low * state[j - 1] + middle), name=f"{name}_next"
    )
    p = te.scan(first, following, state, name=name)
    return [p, te.compute((n,), lambda j: p[j] / -high, name=f"{name}_w")]


def adi(steps: int, n: int) -> Program:
    """Alternating directions: tridiagonal systems of all columns, then of all rows.

    A phase is a sweep: columns forwards and backwards, then rows. The border is 1.
    """
    given = matrix(n, n, "u0")
    one = te.compute((n, n), lambda i, j: te.const(1.0, "float64"), name="one")
    (p, w), (p_row, w_row) = factors(n, A, B, C, "p"), factors(n, D, E, F, "p_row")
    t, phase = te.reduce_axis((0, steps), "t"), te.reduce_axis((0, 4), "phase")
    x, y = te.reduce_axis((1, n - 1), "x"), te.reduce_axis((1, n - 1), "y")

    def point(u, v, q, t, phase, x, y):
        down, right = n - 1 - x, n - 1 - y
        forwards = -D * u[x, y - 1] + (1 + 2 * D) * u[x, y] - F * u[x, y + 1] - A * q[x - 1, y]
        backwards = p[down] * v[down + 1, y] + q[down, y]
        along = -A * v[x - 1, y] + (1 + 2 * A) * v[x, y] - C * v[x + 1, y] - D * q[x, y - 1]
        back = p_row[right] * u[x, right + 1] + q[x, right]
        return [
            ((x, y), (None, None, forwards * w[x]), te.all(phase < 1)),
            ((down, y), (None, backwards, None), te.all(phase > 0, phase < 2)),
            ((x, y), (None, None, along * w_row[y]), te.all(phase > 1, phase < 3)),
            ((x, right), (back, None, None), te.all(phase > 2)),
        ]

    u, _, _ = te.update([given, one, one], (t, phase, x, y), point, name="fields")
    return [given], [u]


def adi_loops(steps, u0, u):
    n = u.shape[0]
    p, w, p_row, w_row = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for j in range(1, n):
        w[j] = 1.0 / (A * p[j - 1] + B)
        p[j] = -C * w[j]
        w_row[j] = 1.0 / (D * p_row[j - 1] + E)
        p_row[j] = -F * w_row[j]
    v, q = np.ones((n, n)), np.ones((n, n))
    u[:, :] = u0
    for _ in range(steps):
        for part in prange(4):
            first, last = 1 + part * (n - 2) // 4, 1 + (part + 1) * (n - 2) // 4
            for i in range(1, n - 1):
                for j in range(first, last):
                    q[i, j] = (
                        -D * u[i, j - 1] + (1 + 2 * D) * u[i, j] - F * u[i, j + 1] - A * q[i - 1, j]
                    ) * w[i]
            for i in range(n - 2, 0, -1):
                for j in range(first, last):
                    v[i, j] = p[i] * v[i + 1, j] + q[i, j]
        for i in prange(1, n - 1):
            q[i, 0] = 1.0
            for j in range(1, n - 1):
                q[i, j] = (
                    -A * v[i - 1, j] + (1 + 2 * A) * v[i, j] - C * v[i + 1, j] - D * q[i, j - 1]
                ) * w_row[j]
            for j in range(n - 2, 0, -1):
                u[i, j] = p_row[j] * u[i, j + 1] + q[i, j]


def bordered(rng: np.random.Generator, steps: int, n: int) -> list[np.ndarray]:
    u = np.ones((n, n))
    u[1:-1, 1:-1] = rng.random((n - 2, n - 2))
    return [u]


def cube(steps: int, n: int) -> tuple[int, int, int]:
    return n, n, n


def plane(steps: int, n: int) -> tuple[int, int]:
    return n, n


def fields(steps: int, nx: int, ny: int) -> tuple[int, int]:
    return nx, ny


KERNELS = {
    "adi": Kernel(adi, bordered, adi_loops, (20, 500), (2, 9), steps=True),
    "fdtd-2d": Kernel(
        fdtd_2d,
        matrices(fields, fields, fields, lambda steps, nx, ny: (steps,)),
        fdtd_2d_loops,
        (40, 500, 600),
        (3, 7, 9),
        fdtd_2d_numpy,
        steps=True,
    ),
    "heat-3d": Kernel(heat_3d, matrices(cube), heat_3d_loops, (20, 80), (2, 7), steps=True),
    "jacobi-1d": Kernel(
        jacobi_1d,
        matrices(lambda steps, n: (n,)),
        jacobi_1d_loops,
        (200, 4000),
        (3, 13),
        jacobi_1d_numpy,
        steps=True,
    ),
    "jacobi-2d": Kernel(
        jacobi_2d, matrices(plane), jacobi_2d_loops, (20, 700), (3, 9), jacobi_2d_numpy, steps=True
    ),
    "seidel-2d": Kernel(seidel_2d, matrices(plane), seidel_2d_loops, (10, 400), (3, 9), steps=True),
}
