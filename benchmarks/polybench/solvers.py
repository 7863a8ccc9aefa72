"""Factorizations, and the solution of linear equations."""

import numpy as np

from polybench.kernel import Kernel, Program, prange
from polybench.products import matrix
from polybench.vectors import vector
from teloom import te


def positive_definite(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    a = rng.random((n, n))
    return [a @ a.T + n * np.eye(n)]


def eliminated(a: te.Tensor, element, first) -> te.Tensor:
    """Each row of the rest of a matrix without a multiple of the row of each pivot."""
    n = a.shape[0]
    k = te.reduce_axis((0, n), "k")
    i = te.reduce_axis((k + 1, n), "i")
    j = te.reduce_axis(first(k, i), "j")
    return te.update(a, (k, i, j), element, name="eliminated")


def lu_of(a: te.Tensor) -> te.Tensor:
    """L below the diagonal, U from the diagonal on."""
    n = a.shape[0]
    rest = eliminated(
        a,
        lambda e, k, i, j: ((i, j), e[i, j] - e[i, k] / e[k, k] * e[k, j]),
        lambda k, i: (k + 1, n),
    )
    return te.compute(
        (n, n),
        lambda i, j: te.if_then_else(j < i, rest[i, j] / rest[j, j], rest[i, j]),
        name="lu",
    )


def lu(n: int) -> Program:
    """A = L U, without pivots."""
    a = matrix(n, n, "A")
    return [a], [lu_of(a)]


def lu_loops(a, out):
    n = a.shape[0]
    for i in prange(n):
        for j in range(n):
            out[i, j] = a[i, j]
    for k in range(n):
        for i in prange(k + 1, n):
            out[i, k] /= out[k, k]
            factor = out[i, k]
            for j in range(k + 1, n):
                out[i, j] -= factor * out[k, j]


def forward(low: te.Tensor, b: te.Tensor, is_unit: bool) -> te.Tensor:
    """The solution of L x = b."""
    n = low.shape[0]
    state = te.placeholder((n,), "float64", name="x_state")
    first = te.compute((1,), lambda i: b[i] if is_unit else b[i] / low[i, i], name="x_first")

    def known(i):
        k = te.reduce_axis((0, i), "k")
        return te.sum(low[i, k] * state[k], axis=k)

    before = te.compute((n,), known, name="before")
    x = te.compute(
        (n,),
        lambda i: b[i] - before[i] if is_unit else (b[i] - before[i]) / low[i, i],
        name="x_next",
    )
    return te.scan(first, x, state, name="x")


def backward(up: te.Tensor, b: te.Tensor) -> te.Tensor:
    """The solution of U x = b, from the last element to the first."""
    n = up.shape[0]
    state = te.placeholder((n,), "float64", name="turned_state")
    first = te.compute((1,), lambda t: b[n - 1 - t] / up[n - 1 - t, n - 1 - t], name="last")

    def known(t):
        k = te.reduce_axis((0, t), "k")
        return te.sum(up[n - 1 - t, n - 1 - k] * state[k], axis=k)

    behind = te.compute((n,), known, name="behind")
    x = te.compute(
        (n,),
        lambda t: (b[n - 1 - t] - behind[t]) / up[n - 1 - t, n - 1 - t],
        name="turned_next",
    )
    turned = te.scan(first, x, state, name="turned")
    return te.compute((n,), lambda i: turned[n - 1 - i], name="solution")


def ludcmp(n: int) -> Program:
    """The solution of A x = b."""
    a, b = matrix(n, n, "A"), vector(n, "b")
    factors = lu_of(a)
    return [a, b], [backward(factors, forward(factors, b, is_unit=True))]


def ludcmp_loops(a, b, x):
    n = a.shape[0]
    factors = a.copy()
    for k in range(n):
        for i in prange(k + 1, n):
            factors[i, k] /= factors[k, k]
            factor = factors[i, k]
            for j in range(k + 1, n):
                factors[i, j] -= factor * factors[k, j]
    y = np.zeros(n)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= factors[i, j] * y[j]
        y[i] = total
    for i in range(n - 1, -1, -1):
        total = y[i]
        for j in range(i + 1, n):
            total -= factors[i, j] * x[j]
        x[i] = total / factors[i, i]


def cholesky(n: int) -> Program:
    """A = L L': the rows of the eliminated upper triangle, divided by the roots of their pivots."""
    a = matrix(n, n, "A")
    rest = eliminated(
        a,
        lambda e, k, i, j: ((i, j), e[i, j] - e[k, i] / e[k, k] * e[k, j]),
        lambda k, i: (i, n),
    )
    out = te.compute(
        (n, n),
        lambda i, j: rest[j, i] / te.sqrt(rest[j, j]),
        name="L",
        domain=lambda i, j: j <= i,
    )
    return [a], [out]


def cholesky_loops(a, out):
    n = a.shape[0]
    for i in prange(n):
        for j in range(i + 1):
            out[i, j] = a[i, j]
    for k in range(n):
        root = np.sqrt(out[k, k])
        for i in prange(k, n):
            out[i, k] /= root
        for i in prange(k + 1, n):
            factor = out[i, k]
            for j in range(k + 1, i + 1):
                out[i, j] -= factor * out[j, k]


def trisolv(n: int) -> Program:
    """L x = b."""
    low, b = matrix(n, n, "L"), vector(n, "b")
    return [low, b], [forward(low, b, is_unit=False)]


def trisolv_loops(low, b, x):
    for i in range(b.shape[0]):
        total = b[i]
        for j in range(i):
            total -= low[i, j] * x[j]
        x[i] = total / low[i, i]


def low_arrays(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    return [np.tril(rng.random((n, n))) / n + np.eye(n), rng.random(n)]


def durbin(n: int) -> Program:
    """Levinson and Durbin's solution of the equations of Yule and Walker.

    A step has the solution for the first k equations; its last element is the remaining error.
    """
    r = vector(n, "r")
    state = te.placeholder((n, n + 1), "float64", name="state")
    first = te.compute((1, n + 1), lambda t, i: te.if_then_else(i < 1, -r[0], 1.0), name="first")
    error = te.compute(
        (n,),
        lambda k: (1.0 - state[k - 1, k - 1] * state[k - 1, k - 1]) * state[k - 1, n],
        name="error",
    )

    def known(k):
        i = te.reduce_axis((0, k), "i")
        return te.sum(r[k - i - 1] * state[k - 1, i], axis=i)

    before = te.compute((n,), known, name="before")
    alpha = te.compute((n,), lambda k: -(r[k] + before[k]) / error[k], name="alpha")

    def element(k, i):
        known = state[k - 1, i] + alpha[k] * state[k - 1, k - 1 - i]
        new = te.if_then_else(i >= n, error[k], alpha[k])
        return te.if_then_else(i < k, known, new)

    following = te.compute((n, n + 1), element, name="following")
    solution = te.scan(first, following, state, name="solution")
    return [r], [te.compute((n,), lambda i: solution[n - 1, i], name="y")]


def durbin_loops(r, y):
    n = r.shape[0]
    z = np.zeros(n)
    alpha, beta = -r[0], 1.0
    y[0] = alpha
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        total = r[k]
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha


def reflections(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """Autocorrelations of a process of the first order, disturbed a little."""
    return [0.5 ** np.arange(1, n + 1) + 0.01 * rng.random(n) / n]


def gramschmidt(m: int, n: int) -> Program:
    """A = Q R, by the method of Gram and Schmidt: a step makes a column orthogonal to all before.

    It does so twice, which is as exact as one column after the other (Giraud and others, 2005).
    """
    a = matrix(m, n, "A")
    columns = te.compute((n, m), lambda k, i: a[i, k], name="columns")
    state = te.placeholder((n, m), "float64", name="state")

    def length(column: te.Tensor, name: str) -> te.Tensor:
        i = te.reduce_axis((0, m), "i")
        squares = te.compute(
            (n,), lambda k: te.sum(column[k, i] * column[k, i], axis=i), name=f"{name}_squares"
        )
        return te.compute((n,), lambda k: te.sqrt(squares[k]), name=name)

    def orthogonal(column: te.Tensor, name: str) -> te.Tensor:
        i = te.reduce_axis((0, m), "i")
        along = te.compute(
            (n, n),
            lambda k, p: te.sum(state[p, i] * column[k, i], axis=i),
            name=f"{name}_along",
            domain=lambda k, p: p < k,
        )

        def part(k, i):
            p = te.reduce_axis((0, k), "p")
            return te.sum(along[k, p] * state[p, i], axis=p)

        parts = te.compute((n, m), part, name=f"{name}_parts")
        return te.compute((n, m), lambda k, i: column[k, i] - parts[k, i], name=name)

    first_length = length(columns, "first_length")
    first = te.compute((1, m), lambda t, i: columns[0, i] / first_length[0], name="first")
    rest = orthogonal(orthogonal(columns, "once"), "twice")
    rest_length = length(rest, "rest_length")
    following = te.compute((n, m), lambda k, i: rest[k, i] / rest_length[k], name="following")
    turned = te.scan(first, following, state, name="turned")
    q = te.compute((m, n), lambda i, j: turned[j, i], name="Q")
    s = te.reduce_axis((0, m), "s")
    upper = te.compute(
        (n, n),
        lambda k, j: te.sum(q[s, k] * a[s, j], axis=s),
        name="R",
        domain=lambda k, j: j >= k,
    )
    return [a], [q, upper]


def gramschmidt_loops(a, q, r):
    m, n = a.shape
    rest = a.copy()
    for k in range(n):
        total = 0.0
        for i in range(m):
            total += rest[i, k] * rest[i, k]
        r[k, k] = np.sqrt(total)
        for i in range(m):
            q[i, k] = rest[i, k] / r[k, k]
        for i in range(m):
            for j in range(k + 1, n):
                r[k, j] += q[i, k] * rest[i, j]
        for i in prange(m):
            for j in range(k + 1, n):
                rest[i, j] -= q[i, k] * r[k, j]


def gramschmidt_numpy(a):
    q, r = np.linalg.qr(a)
    signs = np.sign(np.diag(r))
    return q * signs, r * signs[:, None]


KERNELS = {
    "cholesky": Kernel(
        cholesky, positive_definite, cholesky_loops, (500,), (11,), np.linalg.cholesky
    ),
    "durbin": Kernel(durbin, reflections, durbin_loops, (1500,), (11,)),
    "gramschmidt": Kernel(
        gramschmidt,
        lambda rng, m, n: [rng.random((m, n)) + np.eye(m, n)],
        gramschmidt_loops,
        (240, 200),
        (9, 6),
        gramschmidt_numpy,
        1e-8,
    ),
    "lu": Kernel(lu, positive_definite, lu_loops, (500,), (11,)),
    "ludcmp": Kernel(
        ludcmp,
        lambda rng, n: [*positive_definite(rng, n), rng.random(n)],
        ludcmp_loops,
        (500,),
        (11,),
        np.linalg.solve,
    ),
    "trisolv": Kernel(trisolv, low_arrays, trisolv_loops, (1500,), (11,)),
}
