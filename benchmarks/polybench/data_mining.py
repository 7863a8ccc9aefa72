"""Covariances and correlations of the columns of a matrix."""

import numpy as np

from polybench.kernel import Kernel, Program, matrices, prange
from polybench.products import matrix
from teloom import te

EPSILON = 0.1
"""A deviation up to which a column counts as constant."""


def mean_of_columns(data: te.Tensor, name: str) -> te.Tensor:
    count = data.shape[0]
    r = te.reduce_axis((0, count), "r")
    total = te.compute((data.shape[1],), lambda j: te.sum(data[r, j], axis=r), name="total")
    return te.compute((data.shape[1],), lambda j: total[j] / float(count), name=name)


def products_of_columns(data: te.Tensor) -> te.Tensor:
    """The lower triangle of D' D."""
    n, m = data.shape
    k = te.reduce_axis((0, n), "k")
    return te.compute(
        (m, m),
        lambda i, j: te.sum(data[k, i] * data[k, j], axis=k),
        name="products",
        domain=lambda i, j: j <= i,
    )


def covariance(n: int, m: int) -> Program:
    data = matrix(n, m, "data")
    mean = mean_of_columns(data, "mean")
    centred = te.compute((n, m), lambda i, j: data[i, j] - mean[j], name="centred")
    lower = products_of_columns(centred)
    out = te.compute(
        (m, m),
        lambda i, j: te.if_then_else(j <= i, lower[i, j], lower[j, i]) / float(n - 1),
        name="cov",
    )
    return [data], [out]


def covariance_loops(data, cov):
    n, m = data.shape
    mean = np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += data[i, j]
    centred = np.empty((n, m))
    for i in prange(n):
        for j in range(m):
            centred[i, j] = data[i, j] - mean[j] / n
    for i in prange(m):
        for k in range(n):
            for j in range(i, m):
                cov[i, j] += centred[k, i] * centred[k, j]
        for j in range(i, m):
            cov[i, j] /= n - 1
    for i in prange(m):
        for j in range(i):
            cov[i, j] = cov[j, i]


def covariance_numpy(data):
    centred = data - data.mean(axis=0)
    return centred.T @ centred / (data.shape[0] - 1)


def correlation(n: int, m: int) -> Program:
    data = matrix(n, m, "data")
    mean = mean_of_columns(data, "mean")
    r = te.reduce_axis((0, n), "r")
    squares = te.compute(
        (m,),
        lambda j: te.sum((data[r, j] - mean[j]) * (data[r, j] - mean[j]), axis=r),
        name="squares",
    )
    found = te.compute((m,), lambda j: te.sqrt(squares[j] / float(n)), name="found")
    deviation = te.compute(
        (m,), lambda j: te.if_then_else(found[j] <= EPSILON, 1.0, found[j]), name="deviation"
    )
    scaled = te.compute(
        (n, m),
        lambda i, j: (data[i, j] - mean[j]) / (float(n) ** 0.5 * deviation[j]),
        name="scaled",
    )
    lower = products_of_columns(scaled)

    def element(i, j):
        other = te.if_then_else(j < i, lower[i, j], lower[j, i])
        return te.if_then_else(te.all(i <= j, j <= i), 1.0, other)

    return [data], [te.compute((m, m), element, name="corr")]


def correlation_loops(data, corr):
    n, m = data.shape
    mean, deviation = np.zeros(m), np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += data[i, j]
    for j in range(m):
        mean[j] /= n
    for i in range(n):
        for j in range(m):
            deviation[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
    for j in range(m):
        deviation[j] = np.sqrt(deviation[j] / n)
        if deviation[j] <= EPSILON:
            deviation[j] = 1.0
    scaled = np.empty((n, m))
    for i in prange(n):
        for j in range(m):
            scaled[i, j] = (data[i, j] - mean[j]) / (np.sqrt(n) * deviation[j])
    for i in prange(m):
        for k in range(n):
            for j in range(i + 1, m):
                corr[i, j] += scaled[k, i] * scaled[k, j]
        corr[i, i] = 1.0
    for i in prange(m):
        for j in range(i):
            corr[i, j] = corr[j, i]


def correlation_numpy(data):
    deviation = data.std(axis=0)
    deviation[deviation <= EPSILON] = 1.0
    scaled = (data - data.mean(axis=0)) / (np.sqrt(data.shape[0]) * deviation)
    corr = scaled.T @ scaled
    np.fill_diagonal(corr, 1.0)
    return corr


KERNELS = {
    "correlation": Kernel(
        correlation,
        matrices(lambda n, m: (n, m)),
        correlation_loops,
        (600, 500),
        (11, 7),
        correlation_numpy,
    ),
    "covariance": Kernel(
        covariance,
        matrices(lambda n, m: (n, m)),
        covariance_loops,
        (600, 500),
        (11, 7),
        covariance_numpy,
    ),
}
