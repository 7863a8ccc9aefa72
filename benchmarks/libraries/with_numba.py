"""Numba: loops over NumPy arrays, compiled with `fastmath`; without what it hands to BLAS."""

import numba
import numpy as np
from numba import njit, prange

from libraries import Program, Runner, Task

VERSION = numba.__version__

GREY = np.float32(0.299), np.float32(0.587), np.float32(0.114)


def gemv(a, x, y):
    for i in prange(a.shape[0]):
        total = np.float32(0)
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = total


def row_sum(x, y):
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


def blur(a, out):
    height, width = out.shape
    third = np.float32(1 / 3)
    strip = 32
    for block in prange((height + strip - 1) // strip):
        rows = np.empty((3, width), np.float32)
        first, last = block * strip, min(block * strip + strip, height)
        for y in range(first, last + 2):
            row = rows[y % 3]
            for x in range(width):
                row[x] = (a[y, x] + a[y, x + 1] + a[y, x + 2]) * third
            if y >= first + 2:
                before, middle = rows[(y - 2) % 3], rows[(y - 1) % 3]
                for x in range(width):
                    out[y - 2, x] = (before[x] + middle[x] + row[x]) * third


def blur_integers(a, out):
    height, width = out.shape
    strip = 32
    three = np.uint16(3)
    for block in prange((height + strip - 1) // strip):
        rows = np.empty((3, width), np.uint16)
        first, last = block * strip, min(block * strip + strip, height)
        for y in range(first, last + 2):
            row = rows[y % 3]
            for x in range(width):
                row[x] = np.uint16(a[y, x] + a[y, x + 1] + a[y, x + 2]) // three
            if y >= first + 2:
                before, middle = rows[(y - 2) % 3], rows[(y - 1) % 3]
                for x in range(width):
                    out[y - 2, x] = np.uint16(before[x] + middle[x] + row[x]) // three


def harris(a, out):
    height, width = out.shape
    two, twelfth, k = np.float32(2), np.float32(1 / 12), np.float32(0.04)
    red, green, blue = GREY
    strip = 32
    for block in prange((height + strip - 1) // strip):
        first, last = block * strip, min(block * strip + strip, height)
        rows = last - first
        gray = np.empty((rows + 4, width + 4), np.float32)
        for y in range(rows + 4):
            for x in range(width + 4):
                gray[y, x] = (
                    a[0, first + y, x] * red
                    + a[1, first + y, x] * green
                    + a[2, first + y, x] * blue
                )
        ix = np.empty((rows + 2, width + 2), np.float32)
        iy = np.empty((rows + 2, width + 2), np.float32)
        for y in range(rows + 2):
            for x in range(width + 2):
                iy[y, x] = (
                    (gray[y + 2, x] - gray[y, x])
                    + (gray[y + 2, x + 1] - gray[y, x + 1]) * two
                    + (gray[y + 2, x + 2] - gray[y, x + 2])
                ) * twelfth
                ix[y, x] = (
                    (gray[y, x + 2] - gray[y, x])
                    + (gray[y + 1, x + 2] - gray[y + 1, x]) * two
                    + (gray[y + 2, x + 2] - gray[y + 2, x])
                ) * twelfth
        for y in range(rows):
            for x in range(width):
                xx = yy = xy = np.float32(0)
                for dy in range(3):
                    for dx in range(3):
                        u, v = ix[y + dy, x + dx], iy[y + dy, x + dx]
                        xx += u * u
                        yy += v * v
                        xy += u * v
                trace = xx + yy
                out[first + y, x] = xx * yy - xy * xy - k * trace * trace


def depthwise(a, w, out):
    height, width, channels = a.shape
    for y in prange(height):
        for x in range(width):
            for c in range(channels):
                out[y, x, c] = np.float32(0)
            for dy in range(max(0, 1 - y), min(3, height + 1 - y)):
                for dx in range(max(0, 1 - x), min(3, width + 1 - x)):
                    for c in range(channels):
                        out[y, x, c] += a[y + dy - 1, x + dx - 1, c] * w[dy, dx, c]


def softmax(x, out):
    for i in prange(x.shape[0]):
        largest = x[i, 0]
        for j in range(x.shape[1]):
            largest = max(largest, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            power = np.exp(x[i, j] - largest)
            out[i, j] = power
            total += power
        share = np.float32(1) / total
        for j in range(x.shape[1]):
            out[i, j] *= share


def layer_norm(x, gamma, beta, out):
    columns = x.shape[1]
    share = np.float32(1) / np.float32(columns)
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(columns):
            total += x[i, j]
        mean = total * share
        squares = np.float32(0)
        for j in range(columns):
            squares += (x[i, j] - mean) * (x[i, j] - mean)
        scale = np.float32(1) / np.sqrt(squares * share + np.float32(1e-5))
        for j in range(columns):
            out[i, j] = (x[i, j] - mean) * scale * gamma[j] + beta[j]


def six_ops(x, y, out):
    two, half = np.float32(2), np.float32(0.5)
    for i in prange(x.shape[0]):
        out[i] = abs((x[i] * y[i] + x[i]) * two - y[i]) * half


def transpose(x, out):
    rows, columns = out.shape
    tile = 16
    for block in prange((rows + tile - 1) // tile):
        for first in range(0, columns, tile):
            for i in range(block * tile, min(block * tile + tile, rows)):
                for j in range(first, min(first + tile, columns)):
                    out[i, j] = x[j, i]


def compiled(function) -> Program:
    def prepare(task: Task) -> Runner:
        numba.set_num_threads(task.threads)
        run = njit(function, fastmath=True, parallel=task.threads > 1)
        return Runner(lambda: run(*task.inputs, task.result), lambda _: task.result)

    return prepare


PROGRAMS: dict[str, Program] = {
    "gemv": compiled(gemv),
    "row_sum": compiled(row_sum),
    "blur": compiled(blur),
    "blur_integers": compiled(blur_integers),
    "harris": compiled(harris),
    "depthwise": compiled(depthwise),
    "softmax": compiled(softmax),
    "layer_norm": compiled(layer_norm),
    "six_ops": compiled(six_ops),
    "transpose": compiled(transpose),
}
