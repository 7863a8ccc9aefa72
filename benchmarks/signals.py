"""Programs on signals: what runs along rows, mixes channels, or writes as much as it computes."""

import numpy as np
from polybench.kernel import Kernel, Program, matrices, prange

from teloom import te


def running_sums(rows: int, times: int) -> Program:
    """The sums along each row, in place."""
    A = te.placeholder((rows, times), name="A")
    i, t = te.reduce_axis((0, rows), "i"), te.reduce_axis((1, times), "t")
    sums = te.update(A, (i, t), lambda S, i, t: ((i, t), S[i, t - 1] + S[i, t]), name="sums")
    return [A], [sums]


def running_sums_loops(A, out):
    rows, times = A.shape
    for i in prange(rows):
        total = np.float32(0)
        for t in range(times):
            total += A[i, t]
            out[i, t] = total


def scanned(rows: int, times: int, first, step) -> Program:
    """A scan of each row; its state has time as the first axis, as states of scans have."""
    A = te.placeholder((rows, times), name="A")
    state = te.placeholder((times, rows), name="state")
    begin = te.compute((1, rows), lambda _, i: first(A[i, 0]), name="begin")
    follow = te.compute((times, rows), lambda t, i: step(state[t - 1, i], A[i, t]), name="follow")
    S = te.scan(begin, follow, state, name="S")
    return [A], [te.compute((rows, times), lambda i, t: S[t, i], name="result")]


def running_maxima(rows: int, times: int) -> Program:
    return scanned(rows, times, lambda x: x, te.max)


def running_maxima_loops(A, out):
    rows, times = A.shape
    for i in prange(rows):
        most = A[i, 0]
        for t in range(times):
            most = max(most, A[i, t])
            out[i, t] = most


def smoothed(rows: int, times: int) -> Program:
    """An exponential mean along each row."""
    return scanned(rows, times, lambda x: x, lambda before, x: before * 0.75 + x * 0.25)


def smoothed_loops(A, out):
    rows, times = A.shape
    for i in prange(rows):
        mean = A[i, 0]
        out[i, 0] = mean
        for t in range(1, times):
            mean = mean * np.float32(0.75) + A[i, t] * np.float32(0.25)
            out[i, t] = mean


def wavelets(rows: int, columns: int) -> Program:
    """One level of Haar's wavelets: sums and differences of 2 x 2 elements, in four planes."""
    A = te.placeholder((2 * rows, 2 * columns), name="A")

    def sign(condition):
        return te.if_then_else(condition, 1.0, -1.0)

    def element(c, i, j):
        above, below = (
            A[2 * i + k, 2 * j] + sign(c % 2 == 0) * A[2 * i + k, 2 * j + 1] for k in (0, 1)
        )
        return (above + sign(c < 2) * below) * 0.5

    return [A], [te.compute((4, rows, columns), element, name="planes")]


def wavelets_loops(A, out):
    half = np.float32(0.5)
    for i in prange(out.shape[1]):
        for j in range(out.shape[2]):
            a, b, c, d = (
                A[2 * i, 2 * j],
                A[2 * i, 2 * j + 1],
                A[2 * i + 1, 2 * j],
                A[2 * i + 1, 2 * j + 1],
            )
            out[0, i, j] = (a + b + c + d) * half
            out[1, i, j] = (a - b + c - d) * half
            out[2, i, j] = (a + b - c - d) * half
            out[3, i, j] = (a - b - c + d) * half


def mixed(height: int, width: int) -> Program:
    """Channels that are sums of channels, by a matrix of 3 x 3."""
    image, mixing = (
        te.placeholder((height, width, 3), name="image"),
        te.placeholder((3, 3), name="M"),
    )

    def element(y, x, c):
        return sum(
            (mixing[c, k] * image[y, x, k] for k in range(1, 3)), mixing[c, 0] * image[y, x, 0]
        )

    return [image, mixing], [te.compute((height, width, 3), element, name="mixed")]


def mixed_loops(image, mixing, out):
    height, width, _ = image.shape
    for y in prange(height):
        for x in range(width):
            a, b, c = image[y, x, 0], image[y, x, 1], image[y, x, 2]
            for k in range(3):
                out[y, x, k] = mixing[k, 0] * a + mixing[k, 1] * b + mixing[k, 2] * c


def product(rows: int, columns: int, terms: int) -> Program:
    A = te.placeholder((rows, terms), name="A")
    B = te.placeholder((terms, columns), name="B")
    k = te.reduce_axis((0, terms), "k")
    C = te.compute((rows, columns), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return [A, B], [C]


def product_loops(A, B, out):
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for k in range(A.shape[1]):
                total += A[i, k] * B[k, j]
            out[i, j] = total


def complex_product(rows: int, columns: int) -> Program:
    """A product of complex matrices; real and imaginary parts are tensors of their own."""
    a_real, a_imaginary, b_real, b_imaginary = (
        te.placeholder((one, two), name=name)
        for name, one, two in (
            ("a", rows, rows),
            ("b", rows, rows),
            ("c", rows, columns),
            ("d", rows, columns),
        )
    )
    k, zero = te.reduce_axis((0, rows), "k"), te.const(0, "float32")
    both = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] + y[1]), lambda *_: (zero, zero), name="both"
    )

    def terms(i, j):
        a, b, c, d = a_real[i, k], a_imaginary[i, k], b_real[k, j], b_imaginary[k, j]
        return a * c - b * d, a * d + b * c

    results = te.compute((rows, columns), lambda i, j: both(terms(i, j), axis=k), name="C")
    return [a_real, a_imaginary, b_real, b_imaginary], [*results]


def complex_product_loops(a_real, a_imaginary, b_real, b_imaginary, real, imaginary):
    for i in prange(real.shape[0]):
        for j in range(real.shape[1]):
            real[i, j] = imaginary[i, j] = 0
        for k in range(a_real.shape[1]):
            a, b = a_real[i, k], a_imaginary[i, k]
            for j in range(real.shape[1]):
                real[i, j] += a * b_real[k, j] - b * b_imaginary[k, j]
                imaginary[i, j] += a * b_imaginary[k, j] + b * b_real[k, j]


def complex_product_numpy(a_real, a_imaginary, b_real, b_imaginary):
    product = (a_real + 1j * a_imaginary) @ (b_real + 1j * b_imaginary)
    return product.real, product.imag


def singles(*shapes):
    doubles = matrices(*shapes)
    return lambda rng, *sizes: [one.astype("float32") for one in doubles(rng, *sizes)]


def grid(n, m):
    return n, m


SIZES, SMALL = (1024, 2048), (12, 17)
SQUARE = (256, 256)


def product_of(terms: int) -> Kernel:
    arrays = singles(lambda n, m, k: (n, k), lambda n, m, k: (k, m))
    sizes, small = (2048, 2048, terms), (*SMALL, terms)
    return Kernel(product, arrays, product_loops, sizes, small, np.matmul, 1e-5)


KERNELS = {
    "running sums": Kernel(
        running_sums, singles(grid), running_sums_loops, SIZES, SMALL, lambda A: A.cumsum(1), 1e-5
    ),
    "running maxima": Kernel(
        running_maxima,
        singles(grid),
        running_maxima_loops,
        SIZES,
        SMALL,
        lambda A: np.maximum.accumulate(A, 1),
    ),
    "smoothed": Kernel(smoothed, singles(grid), smoothed_loops, SIZES, SMALL, None, 1e-5),
    "wavelets": Kernel(
        wavelets,
        singles(lambda n, m: (2 * n, 2 * m)),
        wavelets_loops,
        (512, 512),
        SMALL,
        None,
        1e-5,
    ),
    "mixed": Kernel(
        mixed,
        singles(lambda n, m: (n, m, 3), lambda n, m: (3, 3)),
        mixed_loops,
        SIZES,
        SMALL,
        lambda image, mixing: image @ mixing.T,
        1e-5,
    ),
    "outer product": product_of(1),
    "thin product": product_of(4),
    "complex product": Kernel(
        complex_product,
        singles(lambda n, m: (n, n), lambda n, m: (n, n), grid, grid),
        complex_product_loops,
        SQUARE,
        SMALL,
        complex_product_numpy,
        1e-4,
    ),
}
