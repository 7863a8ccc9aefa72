"""Halide: the programs and their schedules, for this CPU."""

import math
from importlib import metadata

import halide as hl
from example import LANES  # pyright: ignore[reportMissingImports]
from unsharp import GREY, WEIGHTS  # pyright: ignore[reportMissingImports]

from libraries import Program, Runner, Task

VERSION = metadata.version("halide")

TAIL = hl.TailStrategy.ShiftInwards
"""The last tile of an output moves back where it would not be whole."""

x, y, c, k = hl.Var("x"), hl.Var("y"), hl.Var("c"), hl.Var("k")
xi, yi, xo, yo = hl.Var("xi"), hl.Var("yi"), hl.Var("xo"), hl.Var("yo")

WIDE = 4 if LANES == 16 else 2
"""Vectors in a row of a tile of a matrix product; with 6 rows they fill the registers."""

ROWS = 6
"""Rows of that tile."""


def strips(output, threads: int, rows: int = 32, axis=y) -> None:
    """Splits an output into strips of rows, which run on all threads."""
    output.split(axis, yo, yi, rows, TAIL)
    if threads > 1:
        output.parallel(yo)


def lanes_of(result) -> int:
    return LANES * 4 // (result.type().bits() // 8)


def copied(B):
    """A stage that copies a matrix."""
    panel = hl.Func("panel")
    panel[x, y] = B[x, y]
    return panel


def tiled_product(product, output, panel, r, threads: int) -> None:
    """A panel of B is copied, and a tile of the sum stays in registers."""
    columns = WIDE * LANES
    output.tile(x, y, xo, yo, xi, yi, columns, ROWS, TAIL)
    output.reorder(xi, yi, yo, xo).vectorize(xi, LANES).unroll(xi).unroll(yi)
    if threads > 1:
        output.parallel(xo)
    product.compute_at(output, yo).vectorize(x, LANES).unroll(x).unroll(y)
    product.update().reorder(x, y, r).vectorize(x, LANES).unroll(x).unroll(y).unroll(r, 2)
    panel.compute_at(output, xo).vectorize(x, LANES)


def matmul(threads, A, B):
    r = hl.RDom([(0, A.dim(0).extent())], "r")
    product, output = hl.Func("product"), hl.Func("output")
    panel = copied(B)
    product[x, y] += A[r, y] * panel[x, r]
    output[x, y] = product[x, y]
    tiled_product(product, output, panel, r, threads)
    return output


def dense(threads, A, B, bias):
    r = hl.RDom([(0, A.dim(0).extent())], "r")
    product, output = hl.Func("product"), hl.Func("output")
    panel = copied(B)
    product[x, y] += A[r, y] * panel[x, r]
    output[x, y] = hl.max(product[x, y] + bias[x], hl.f32(0))
    tiled_product(product, output, panel, r, threads)
    return output


def across_lanes(total, output, r, threads: int) -> None:
    """Sums rows in the lanes of four vectors, of four rows at a time."""
    output.split(x, xo, xi, 4, TAIL)
    if threads > 1:
        output.parallel(xo)
    ro, ri, u = hl.RVar("ro"), hl.RVar("ri"), hl.Var("u")
    partial = total.update().split(r, ro, ri, 2 * LANES).rfactor(ri, u)
    partial.compute_at(output, xi).vectorize(u)
    partial.update().reorder(u, ro).vectorize(u)
    total.compute_at(output, xi)


def gemv(threads, A, v):
    r = hl.RDom([(0, A.dim(0).extent())], "r")
    total, output = hl.Func("total"), hl.Func("output")
    total[x] += A[r, x] * v[r]
    output[x] = total[x]
    across_lanes(total, output, r, threads)
    return output


def row_sum(threads, A):
    r = hl.RDom([(0, A.dim(0).extent())], "r")
    total, output = hl.Func("total"), hl.Func("output")
    total[x] += A[r, x]
    output[x] = total[x]
    across_lanes(total, output, r, threads)
    return output


def blurred(A, third):
    bx, by = hl.Func("bx"), hl.Func("by")
    bx[x, y] = third(A[x, y] + A[x + 1, y] + A[x + 2, y])
    by[x, y] = third(bx[x, y] + bx[x, y + 1] + bx[x, y + 2])
    return bx, by


def slide(bx, by, threads: int, lanes: int) -> None:
    strips(by, threads)
    by.vectorize(x, lanes, TAIL)
    bx.store_at(by, yo).compute_at(by, yi).vectorize(x, lanes)


def blur(threads, A):
    bx, by = blurred(A, lambda total: total * hl.f32(1 / 3))
    slide(bx, by, threads, LANES)
    return by


def blur_integers(threads, A):
    bx, by = blurred(A, lambda total: total // hl.u16(3))
    slide(bx, by, threads, 2 * LANES)
    return by


def grey(A):
    gray = hl.Func("gray")
    red, green, blue = map(hl.f32, GREY)
    gray[x, y] = A[x, y, 0] * red + A[x, y, 1] * green + A[x, y, 2] * blue
    return gray


def unsharp(threads, A):
    gray = grey(A)
    down, across, ratio, out = (hl.Func(name) for name in ("down", "across", "ratio", "out"))
    weights = [hl.f32(weight) for weight in WEIGHTS]
    down[x, y] = gray[x, y + 3] * weights[0] + sum(
        (weights[i] * (gray[x, y + 3 - i] + gray[x, y + 3 + i]) for i in (2, 3)),
        weights[1] * (gray[x, y + 2] + gray[x, y + 4]),
    )
    across[x, y] = down[x + 3, y] * weights[0] + sum(
        (weights[i] * (down[x + 3 - i, y] + down[x + 3 + i, y]) for i in (2, 3)),
        weights[1] * (down[x + 2, y] + down[x + 4, y]),
    )
    inner = gray[x + 3, y + 3]
    ratio[x, y] = (hl.f32(2) * inner - across[x, y]) / inner
    out[x, y, c] = ratio[x, y] * A[x + 3, y + 3, c]
    strips(out, threads)
    out.reorder(x, c, yi, yo).vectorize(x, LANES, TAIL)
    out.bound(c, 0, 3).unroll(c)
    ratio.compute_at(out, yi).vectorize(x, LANES)
    down.compute_at(out, yi).vectorize(x, LANES)
    gray.store_at(out, yo).compute_at(out, yi).vectorize(x, LANES)
    return out


def harris(threads, A):
    gray = grey(A)
    ix, iy, out = hl.Func("ix"), hl.Func("iy"), hl.Func("out")
    two, twelfth = hl.f32(2), hl.f32(1 / 12)

    def gradient(at):
        return ((at(2, 0) - at(0, 0)) + (at(2, 1) - at(0, 1)) * two + (at(2, 2) - at(0, 2))) * (
            twelfth
        )

    iy[x, y] = gradient(lambda along, side: gray[x + side, y + along])
    ix[x, y] = gradient(lambda along, side: gray[x + along, y + side])

    def summed(first, second):
        places = [(x + i % 3, y + i // 3) for i in range(9)]
        terms = [first[place] * second[place] for place in places]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    xx, yy, xy = summed(ix, ix), summed(iy, iy), summed(ix, iy)
    out[x, y] = xx * yy - xy * xy - hl.f32(0.04) * (xx + yy) * (xx + yy)
    strips(out, threads)
    out.vectorize(x, LANES, TAIL)
    for stage in (gray, ix, iy):
        stage.store_at(out, yo).compute_at(out, yi).vectorize(x, LANES)
    iy.compute_with(ix, x)
    return out


def with_border(A):
    return hl.BoundaryConditions.constant_exterior(
        A, hl.f32(0), [(0, A.dim(i).extent()) for i in range(3)]
    )


def conv2d(threads, A, W):
    channels = A.dim(0).extent()
    padded, product, out = with_border(A), hl.Func("product"), hl.Func("out")
    r = hl.RDom([(0, channels), (0, 3), (0, 3)], "r")
    product[k, x, y] += padded[r.x, x + r.y - 1, y + r.z - 1] * W[k, r.x, r.y, r.z]
    out[k, x, y] = product[k, x, y]
    ko, ki = hl.Var("ko"), hl.Var("ki")
    out.split(k, ko, ki, WIDE * LANES, TAIL).split(x, xo, xi, ROWS, TAIL)
    out.reorder(ki, xi, xo, ko, y).vectorize(ki, LANES).unroll(ki).unroll(xi)
    if threads > 1:
        out.parallel(y)
    product.compute_at(out, xo).vectorize(k, LANES).unroll(k).unroll(x)
    product.update().reorder(k, x, r.x, r.y, r.z).vectorize(k, LANES).unroll(k).unroll(x)
    padded.compute_at(out, y).vectorize(padded.args()[0], LANES)
    return out


def depthwise(threads, A, W):
    padded, product, out = with_border(A), hl.Func("product"), hl.Func("out")
    r = hl.RDom([(0, 3), (0, 3)], "r")
    product[c, x, y] += padded[c, x + r.x - 1, y + r.y - 1] * W[c, r.x, r.y]
    out[c, x, y] = product[c, x, y]
    out.split(x, xo, xi, 4, TAIL)
    co, ci = hl.Var("co"), hl.Var("ci")
    out.split(c, co, ci, LANES, TAIL)
    out.reorder(ci, xi, co, xo, y).vectorize(ci).unroll(xi)
    if threads > 1:
        out.parallel(y)
    product.compute_at(out, co).vectorize(c, LANES).unroll(x)
    product.update().reorder(c, x, r.x, r.y).vectorize(c, LANES).unroll(x).unroll(r.x).unroll(r.y)
    padded.compute_at(out, y).vectorize(padded.args()[0], LANES)
    return out


def lane_totals(stage, r, at, var) -> None:
    """Computes a reduction at a row of `at` in the lanes of four vectors."""
    ro, ri, u = hl.RVar("ro"), hl.RVar("ri"), hl.Var("u")
    partial = stage.update().split(r, ro, ri, 4 * LANES).rfactor(ri, u)
    partial.compute_at(at, var).vectorize(u, LANES)
    partial.update().reorder(u, ro).vectorize(u, LANES).unroll(u)
    stage.compute_at(at, var)


def softmax(threads, X):
    r = hl.RDom([(0, X.dim(0).extent())], "r")
    largest, power, total, out = (hl.Func(name) for name in ("largest", "power", "total", "out"))
    largest[y] = hl.f32(-math.inf)
    largest[y] = hl.max(largest[y], X[r, y])
    power[x, y] = hl.fast_exp(X[x, y] - largest[y])
    total[y] += power[r, y]
    out[x, y] = power[x, y] / total[y]
    out.vectorize(x, LANES, TAIL)
    if threads > 1:
        out.parallel(y)
    lane_totals(largest, r, out, y)
    power.compute_at(out, y).vectorize(x, LANES)
    lane_totals(total, r, out, y)
    return out


def layer_norm(threads, X, gamma, beta):
    columns = X.dim(0).extent()
    r, q = hl.RDom([(0, columns)], "r"), hl.RDom([(0, columns)], "q")
    total, squares, scale, out = (hl.Func(name) for name in ("total", "squares", "scale", "out"))
    share = hl.f32(1 / columns)
    total[y] += X[r, y]
    centred = X[q, y] - total[y] * share
    squares[y] += centred * centred
    scale[y] = hl.f32(1) / hl.sqrt(squares[y] * share + hl.f32(1e-5))
    out[x, y] = (X[x, y] - total[y] * share) * scale[y] * gamma[x] + beta[x]
    out.vectorize(x, LANES, TAIL)
    if threads > 1:
        out.parallel(y)
    lane_totals(total, r, out, y)
    lane_totals(squares, q, out, y)
    scale.compute_at(out, y)
    return out


def six_ops(threads, X, Y):
    out = hl.Func("out")
    out[x] = hl.abs((X[x] * Y[x] + X[x]) * hl.f32(2) - Y[x]) * hl.f32(0.5)
    out.vectorize(x, LANES, TAIL)
    if threads > 1:
        out.split(x, xo, xi, 1 << 14, TAIL).parallel(xo)
    return out


def transpose(threads, X):
    out = hl.Func("out")
    out[x, y] = X[y, x]
    out.tile(x, y, xo, yo, xi, yi, 16, 16, TAIL).vectorize(xi, LANES, TAIL).unroll(yi)
    if threads > 1:
        out.parallel(yo)
    return out


def compiled(function) -> Program:
    """`function` gives the scheduled output."""

    def prepare(task: Task) -> Runner:
        buffers = [hl.Buffer(array) for array in task.inputs]
        output = function(task.threads, *buffers)
        out = hl.Buffer(task.result)
        output.compile_jit(hl.get_host_target())
        return Runner(lambda: output.realize(out), lambda _: task.result)

    return prepare


PROGRAMS: dict[str, Program] = {
    "matmul": compiled(matmul),
    "dense": compiled(dense),
    "gemv": compiled(gemv),
    "row_sum": compiled(row_sum),
    "blur": compiled(blur),
    "blur_integers": compiled(blur_integers),
    "unsharp": compiled(unsharp),
    "harris": compiled(harris),
    "conv2d": compiled(conv2d),
    "depthwise": compiled(depthwise),
    "softmax": compiled(softmax),
    "layer_norm": compiled(layer_norm),
    "six_ops": compiled(six_ops),
    "transpose": compiled(transpose),
}
