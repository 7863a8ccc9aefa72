"""Scheduled programs whose bounds take work to infer: matrix products, networks, images.

Extents may be sizes: every program that takes some is measured with numbers and with
`te.size_var`s.
"""

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te

Extent = Any
"""An integer, or an expression of sizes."""


# --- matrix products and convolutions -----------------------------------------------------


def matmul(m: Extent, n: Extent, k: Extent) -> te.Schedule:
    """C = A B in tiles of three levels; what a tile reads of A and B is copied first."""
    A = te.placeholder((m, k), name="A")
    B = te.placeholder((k, n), name="B")
    a = te.compute((m, k), lambda i, j: A[i, j], name="a")
    b = te.compute((k, n), lambda i, j: B[i, j], name="b")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    i_outer, j_outer, i_middle, j_middle = s[C].tile(i, j, 64, 64)
    i_middle, j_middle, i_inner, j_inner = s[C].tile(i_middle, j_middle, 16, 16)
    r_outer, r_inner = s[C].split(r, factor=32)
    s[C].reorder(i_outer, j_outer, r_outer, i_middle, j_middle, r_inner, i_inner, j_inner)
    s[C].vectorize(j_inner)
    for copy in (a, b):
        s[copy].compute_at(s[C], r_outer)
    return s


def conv2d(batch: Extent, height: Extent, width: Extent, channels: int = 64) -> te.Schedule:
    """A 3x3 convolution over seven axes, tiled twice, with its padded input at a tile."""
    A = te.placeholder((batch, channels, height, width), name="A")
    W = te.placeholder((channels, channels, 3, 3), name="W")
    padded = padding(A, "padded")
    c = te.reduce_axis((0, channels), "c")
    p, q = te.reduce_axis((0, 3), "p"), te.reduce_axis((0, 3), "q")
    C = te.compute(
        (batch, channels, height, width),
        lambda n, f, y, x: te.sum(padded[n, c, y + p, x + q] * W[f, c, p, q], axis=[c, p, q]),
        name="C",
    )
    s = te.create_schedule(C)
    n, f, y, x = C.op.axis
    y_outer, x_outer, y_middle, x_middle = s[C].tile(y, x, 28, 28)
    y_middle, x_middle, y_inner, x_inner = s[C].tile(y_middle, x_middle, 4, 7)
    f_outer, f_inner = s[C].split(f, factor=16)
    c_outer, c_inner = s[C].split(c, factor=8)
    outer = [n, f_outer, y_outer, x_outer, c_outer]
    s[C].reorder(*outer, y_middle, x_middle, c_inner, p, q, y_inner, x_inner, f_inner)
    s[C].vectorize(f_inner)
    s[padded].compute_at(s[C], c_outer)
    return s


def padding(tensor: te.Tensor, name: str) -> te.Tensor:
    """The tensor with a border of one zero around its last two axes."""
    *outer, height, width = tensor.shape

    def element(*axes):
        *others, y, x = axes
        inside = te.all(y >= 1, y < height + 1, x >= 1, x < width + 1)
        return te.if_then_else(inside, tensor[(*others, y - 1, x - 1)], te.const(0, "float32"))

    return te.compute((*outer, height + 2, width + 2), element, name=name)


def residual_block(height: Extent, width: Extent, channels: int = 64) -> te.Schedule:
    """Two padded 3x3 convolutions and the way around them, nine stages, all at a tile."""
    A = te.placeholder((channels, height, width), name="A")

    def convolution(tensor, name):
        W = te.placeholder((channels, channels, 3, 3), name=f"W_{name}")
        padded = padding(tensor, f"padded_{name}")
        c = te.reduce_axis((0, channels), "c")
        p, q = te.reduce_axis((0, 3), "p"), te.reduce_axis((0, 3), "q")
        sums = te.compute(
            (channels, height, width),
            lambda f, y, x: te.sum(padded[c, y + p, x + q] * W[f, c, p, q], axis=[c, p, q]),
            name=name,
        )
        bias = te.placeholder((channels,), name=f"bias_{name}")
        biased = te.compute(
            (channels, height, width),
            lambda f, y, x: sums[f, y, x] + bias[f],
            name=f"biased_{name}",
        )
        return [padded, sums, biased]

    zero = te.const(0, "float32")
    shape = (channels, height, width)
    first = convolution(A, "first")
    active = te.compute(shape, lambda f, y, x: te.max(first[-1][f, y, x], zero), name="active")
    second = convolution(active, "second")
    added = te.compute(shape, lambda f, y, x: second[-1][f, y, x] + A[f, y, x], name="added")
    out = te.compute(shape, lambda f, y, x: te.max(added[f, y, x], zero), name="out")
    return at_tile([*first, active, *second, added], out, (14, 14))


def network(stages: int, height: Extent, width: Extent, channels: int = 16) -> te.Schedule:
    """`stages` equations, by turns a padded 3x3 convolution and three elementwise, in tiles."""
    shape = (channels, height, width)
    zero = te.const(0, "float32")

    def convolution(t, _, name):
        W = te.placeholder((channels, channels, 3, 3), name=f"W_{name}")
        c = te.reduce_axis((0, channels), "c")
        p, q = te.reduce_axis((0, 3), "p"), te.reduce_axis((0, 3), "q")

        def sums(f, y, x):
            row, column = y + p - 1, x + q - 1
            inside = te.all(row >= 0, row < height, column >= 0, column < width)
            pixel = te.if_then_else(inside, t[c, row, column], zero)
            return te.sum(pixel * W[f, c, p, q], axis=[c, p, q])

        return te.compute(shape, sums, name=name)

    def scaled(t, _, name):
        return te.compute(shape, lambda f, y, x: t[f, y, x] * 0.5, name=name)

    def added(t, before, name):
        return te.compute(shape, lambda f, y, x: t[f, y, x] + before[f, y, x], name=name)

    def active(t, _, name):
        return te.compute(shape, lambda f, y, x: te.max(t[f, y, x], zero), name=name)

    tensors = [te.placeholder(shape, name="A")]
    for number in range(stages):
        kind = (convolution, scaled, added, active)[number % 4]
        before = tensors[max(number - 3, 0)]
        tensors.append(kind(tensors[-1], before, f"{kind.__name__}{number}"))
    s = te.create_schedule(tensors[-1])
    for tensor in tensors[1:]:
        _, y, x = tensor.op.axis
        s[tensor].tile(y, x, 8, 8)
    return s


def flattened(factor: int) -> te.Schedule:
    """Four axes as one, in parts; each element reads one and its neighbour to the right."""
    shape = (4, 64, 57, 53)
    A = te.placeholder((4, 64, 57, 54), name="A")
    B = te.compute(A.shape, lambda n, c, y, x: A[n, c, y, x] * 2, name="B")
    C = te.compute(shape, lambda n, c, y, x: B[n, c, y, x] + B[n, c, y, x + 1], name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=factor)
    s[B].compute_at(s[C], outer)
    return s


# --- a copy of the input in loops that are not nested as the axes are -----------------------


def copied(shape: Sequence[Extent]) -> tuple[te.Schedule, te.Tensor, te.Tensor]:
    """C = B + 1, where B = 2 A."""
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda *at: A[at] * 2, name="B")
    C = te.compute(shape, lambda *at: B[at] + 1, name="C")
    return te.create_schedule(C), B, C


def fused_columns(at_row: bool) -> te.Schedule:
    """8x6 in blocks of four rows, blocks and columns as one axis; B there, or at each row."""
    s, B, C = copied((8, 6))
    i, j = C.op.axis
    i_outer, i_inner = s[C].split(i, factor=4)
    s[C].reorder(i_outer, j, i_inner)
    fused = s[C].fuse(i_outer, j)
    s[B].compute_at(s[C], i_inner if at_row else fused)
    return s


def fused_tiles(shape: tuple[int, int], tile: tuple[int, int], inner=None) -> te.Schedule:
    """Tiles as one axis, B at each of their rows, and itself in tiles if `inner` is given."""
    s, B, C = copied(shape)
    y_outer, x_outer, y_inner, _ = s[C].tile(*C.op.axis, *tile)
    s[C].fuse(y_outer, x_outer)
    s[B].compute_at(s[C], y_inner)
    if inner:
        s[B].tile(*B.op.axis, *inner)
    return s


def fused_rows(factor: int) -> te.Schedule:
    """1024x30522 as one axis in parts, B there: a row or two, of which a part is needed."""
    s, B, C = copied((1024, 30522))
    outer, _ = s[C].split(s[C].fuse(*C.op.axis), factor=factor)
    s[B].compute_at(s[C], outer)
    s[B].fold_storage(B.op.axis[1])
    return s


def fused_channels() -> te.Schedule:
    """A 3x3 convolution of 32 channels in blocks of 8, blocks and rows as one axis."""
    A = te.placeholder((32, 30, 30), name="A")
    W = te.placeholder((32, 32, 3, 3), name="W")
    c = te.reduce_axis((0, 32), "c")
    p, q = te.reduce_axis((0, 3), "p"), te.reduce_axis((0, 3), "q")
    C = te.compute(
        (32, 28, 28),
        lambda f, y, x: te.sum(A[c, y + p, x + q] * W[f, c, p, q], axis=[c, p, q]),
        name="C",
    )
    s = te.create_schedule(C)
    sums = s.cache_write(C, "local")
    f, y, x = C.op.axis
    f_outer, f_inner = s[C].split(f, factor=8)
    s[C].reorder(f_outer, y, x, f_inner)
    s[sums].compute_at(s[C], s[C].fuse(f_outer, y))
    return s


def strided(extent: int, factor: int, inner: int) -> te.Schedule:
    """An axis split twice, its innermost part outermost, B at that."""
    s, B, C = copied((extent,))
    outer, rest = s[C].split(C.op.axis[0], factor=factor)
    middle, inner_axis = s[C].split(rest, factor=inner)
    s[C].reorder(inner_axis, outer, middle)
    s[B].compute_at(s[C], inner_axis)
    return s


# --- images -------------------------------------------------------------------------------


def at_tile(stages: Sequence[te.Tensor], out: te.Tensor, tile: tuple[int, int]) -> te.Schedule:
    """All stages computed at a tile of the last two axes of `out`."""
    s = te.create_schedule(out)
    *others, y, x = out.op.axis
    y_outer, x_outer, y_inner, x_inner = s[out].tile(y, x, *tile)
    s[out].reorder(y_outer, x_outer, *others, y_inner, x_inner)
    for stage in stages:
        s[stage].compute_at(s[out], x_outer)
    return s


def harris(height: Extent, width: Extent) -> te.Schedule:
    """Corners: derivatives, their products, sums of 3x3 of these, and a measure; eleven stages."""
    A = te.placeholder((height + 4, width + 4), name="A")
    stages: list[te.Tensor] = []

    def stage(name: str, border: int, value: Callable) -> te.Tensor:
        stages.append(te.compute((height + border, width + border), value, name=name))
        return stages[-1]

    def derivative(y, x):
        return (
            (A[y, x] - A[y, x + 2])
            + (A[y + 1, x] - A[y + 1, x + 2]) * 2
            + (A[y + 2, x] - A[y + 2, x + 2])
        )

    def derivative_down(y, x):
        return (
            (A[y, x] - A[y + 2, x])
            + (A[y, x + 1] - A[y + 2, x + 1]) * 2
            + (A[y, x + 2] - A[y + 2, x + 2])
        )

    def sum3x3(t):
        def nine(y, x):
            total = t[y, x]
            for dy in range(3):
                for dx in range(3):
                    if dy or dx:
                        total = total + t[y + dy, x + dx]
            return total

        return nine

    Ix = stage("Ix", 2, derivative)
    Iy = stage("Iy", 2, derivative_down)
    Ixx = stage("Ixx", 2, lambda y, x: Ix[y, x] * Ix[y, x])
    Iyy = stage("Iyy", 2, lambda y, x: Iy[y, x] * Iy[y, x])
    Ixy = stage("Ixy", 2, lambda y, x: Ix[y, x] * Iy[y, x])
    Sxx = stage("Sxx", 0, sum3x3(Ixx))
    Syy = stage("Syy", 0, sum3x3(Iyy))
    Sxy = stage("Sxy", 0, sum3x3(Ixy))
    det = stage("det", 0, lambda y, x: Sxx[y, x] * Syy[y, x] - Sxy[y, x] * Sxy[y, x])
    trace = stage("trace", 0, lambda y, x: Sxx[y, x] + Syy[y, x])
    out = te.compute(
        (height, width), lambda y, x: det[y, x] - trace[y, x] * trace[y, x] * 0.04, name="out"
    )
    return at_tile(stages, out, (32, 64))


def unsharp(height: Extent, width: Extent) -> te.Schedule:
    """Sharpens a colour image by its blurred grey, ten stages."""
    A = te.placeholder((3, height, width), name="A")
    stages: list[te.Tensor] = []

    def stage(name: str, shape: tuple, value: Callable) -> te.Tensor:
        stages.append(te.compute(shape, value, name=name))
        return stages[-1]

    def taps(at: Callable):
        total = at(0)
        for number in range(1, 7):
            total = total + at(number) * (1 / 7)
        return total

    def bordered(c, y, x):
        inside = te.all(y >= 3, y < height + 3, x >= 3, x < width + 3)
        return te.if_then_else(inside, A[c, y - 3, x - 3], te.const(0, "float32"))

    border = stage("border", (3, height + 6, width + 6), bordered)
    gray = stage(
        "gray",
        (height + 6, width + 6),
        lambda y, x: border[0, y, x] * 0.3 + border[1, y, x] * 0.6 + border[2, y, x] * 0.1,
    )
    down = stage("down", (height, width + 6), lambda y, x: taps(lambda k: gray[y + k, x]))
    blurred = stage("blurred", (height, width), lambda y, x: taps(lambda k: down[y, x + k]))
    detail = stage("detail", (height, width), lambda y, x: gray[y + 3, x + 3] - blurred[y, x])
    strength = stage("strength", (height, width), lambda y, x: te.abs(detail[y, x]))
    weighted = stage("weighted", (height, width), lambda y, x: detail[y, x] * strength[y, x])
    sharp = stage("sharp", (height, width), lambda y, x: gray[y + 3, x + 3] + weighted[y, x])
    ratio = stage("ratio", (height, width), lambda y, x: sharp[y, x] / gray[y + 3, x + 3])
    out = te.compute(
        (3, height, width), lambda c, y, x: border[c, y + 3, x + 3] * ratio[y, x], name="out"
    )
    return at_tile(stages, out, (32, 64))


def pyramid(levels: int, height: int, width: int) -> te.Schedule:
    """A Laplacian pyramid taken apart and put together, all at a tile of the result.

    Each level is half the one above; what goes up again reads rows y // 2 and (y + 1) // 2.
    """
    shapes = [(height, width)]
    for _ in range(levels - 1):
        shapes.append(tuple(extent // 2 + 1 for extent in shapes[-1]))
    wider = [shapes[-1]]
    for shape in reversed(shapes[:-1]):
        wider.append(
            tuple(max(own, 2 * below + 2) for own, below in zip(shape, wider[-1], strict=True))
        )
    wider.reverse()

    def halved(t):
        p, q = te.reduce_axis((0, 4), "p"), te.reduce_axis((0, 4), "q")
        return lambda y, x: te.sum(t[2 * y + p, 2 * x + q] * (1 / 16), axis=[p, q])

    def doubled(t, y, x):
        upper, lower = y // 2, (y + 1) // 2
        left, right = x // 2, (x + 1) // 2
        return (t[upper, left] + t[upper, right] + t[lower, left] + t[lower, right]) * 0.25

    A = te.placeholder(wider[0], name="A")
    g = [te.compute(wider[0], lambda y, x: A[y, x] * 0.5, name="g0")]
    for level in range(1, levels):
        g.append(te.compute(wider[level], halved(g[-1]), name=f"g{level}"))
    stages, out = list(g), g[-1]
    for level in reversed(range(levels - 1)):
        detail = te.compute(
            shapes[level],
            lambda y, x, t=g[level], u=g[level + 1]: t[y, x] - doubled(u, y, x),
            name=f"detail{level}",
        )
        out = te.compute(
            shapes[level],
            lambda y, x, t=detail, u=out: t[y, x] * 1.5 + doubled(u, y, x),
            name=f"out{level}",
        )
        stages += [detail, out]
    return at_tile(stages[:-1], out, (64, 64))


def windows() -> te.Schedule:
    """Two stacked 3x3 windows over 64x64 in strips of 16 rows, each row computed once a strip."""
    A = te.placeholder((68, 68), name="A")
    first = te.compute((68, 68), lambda y, x: A[y, x] * 2, name="S0")

    def sums(t: te.Tensor) -> Callable:
        def nine(y, x):
            total = t[y, x]
            for tap in range(1, 9):
                total = total + t[y + tap // 3, x + tap % 3]
            return total

        return nine

    second = te.compute((66, 66), sums(first), name="S1")
    out = te.compute((64, 64), sums(second), name="S2")
    s = te.create_schedule(out)
    y_outer, y_inner = s[out].split(out.op.axis[0], factor=16)
    for stage in (first, second):
        s[stage].compute_at(s[out], y_inner)
        s[stage].store_at(s[out], y_outer)
        s[stage].fold_storage(stage.op.axis[0])
    return s
