"""Programs of many stages, whose time to compile is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise

import workloads
from matmul import matmul

from teloom import te

Scheduled = tuple[te.Schedule, list[te.Tensor]]

ELEMENTS = 1024


def chain(count: int) -> tuple[te.Schedule, list[te.Tensor]]:
    """Stages at the root, each computed from the one before; the arguments, and all stages."""
    tensors = [te.placeholder((ELEMENTS,), "float32", name="A")]
    for k in range(count):
        before, term = tensors[-1], float(k % 7)
        body = partial(lambda i, before, term: before[i] * 1.5 + term, before=before, term=term)
        tensors.append(te.compute((ELEMENTS,), lambda i, body=body: body(i), name=f"s{k}"))
    return te.create_schedule(tensors[-1]), tensors


def at_root(count: int) -> Scheduled:
    s, (first, *_, last) = chain(count)
    return s, [first, last]


def inlined(count: int) -> Scheduled:
    """Each stage is inlined into the next."""
    s, (first, *stages, last) = chain(count)
    for stage in stages:
        s[stage].compute_inline()
    return s, [first, last]


def nested(count: int) -> Scheduled:
    """Each stage is computed in the loop of the next."""
    s, (first, *stages) = chain(count)
    for stage, reader in pairwise(stages):
        s[stage].compute_at(s[reader], reader.op.axis[0])
    return s, [first, stages[-1]]


ROWS, WIDTH, HIDDEN, HEADS = 64, 128, 256, 4
DEPTH = WIDTH // HEADS


class Encoder:
    """The encoder of a transformer (Vaswani et al. 2017), of 34 stages a layer.

    Stages are kept by their kind, which is all that `scheduled` looks at.
    """

    def __init__(self) -> None:
        self.input = te.placeholder((ROWS, WIDTH), "float32", name="x")
        self.weights: list[te.Tensor] = []
        self.products: list[te.Tensor] = []
        self.pointwise: list[te.Tensor] = []

    def weight(self, *shape: int) -> te.Tensor:
        self.weights.append(te.placeholder(shape, "float32", name=f"w{len(self.weights)}"))
        return self.weights[-1]

    def each(self, name: str, shape: Sequence[int], body: Callable[..., te.Expr]) -> te.Tensor:
        self.pointwise.append(te.compute(shape, body, name=name))
        return self.pointwise[-1]

    def total(
        self,
        name: str,
        shape: Sequence[int],
        body: Callable[..., te.Expr],
        reduction: Callable[..., te.Expr] = te.sum,
    ) -> te.Tensor:
        """A reduction along the last axis."""
        r = te.reduce_axis((0, shape[-1]), "r")
        return te.compute(shape[:-1], lambda *at: reduction(body(*at, r), axis=r), name=name)

    def product(self, name: str, x: te.Tensor, inner: int, width: int) -> te.Tensor:
        w, b, r = self.weight(inner, width), self.weight(width), te.reduce_axis((0, inner), "r")
        y = te.compute((ROWS, width), lambda i, j: te.sum(x[i, r] * w[r, j], axis=r), name=name)
        self.products.append(y)
        return self.each(f"{name}_bias", (ROWS, width), lambda i, j: y[i, j] + b[j])

    def norm(self, name: str, x: te.Tensor) -> te.Tensor:
        shape, g, b = (ROWS, WIDTH), self.weight(WIDTH), self.weight(WIDTH)
        total = self.total(f"{name}_total", shape, lambda i, r: x[i, r])
        square = self.total(f"{name}_square", shape, lambda i, r: x[i, r] * x[i, r])
        mean = self.each(f"{name}_mean", (ROWS,), lambda i: total[i] / WIDTH)
        spread = self.each(
            f"{name}_spread", (ROWS,), lambda i: square[i] / WIDTH - mean[i] * mean[i] + 1e-5
        )
        scale = self.each(f"{name}_scale", (ROWS,), lambda i: 1 / te.sqrt(spread[i]))
        return self.each(
            f"{name}_out", shape, lambda i, j: (x[i, j] - mean[i]) * scale[i] * g[j] + b[j]
        )

    def attention(self, name: str, x: te.Tensor) -> te.Tensor:
        q, k, v = (self.product(f"{name}_{one}", x, WIDTH, WIDTH) for one in "qkv")
        r, t = te.reduce_axis((0, DEPTH), "r"), te.reduce_axis((0, ROWS), "t")
        shape = (HEADS, ROWS, ROWS)
        score = te.compute(
            shape,
            lambda h, i, j: te.sum(q[i, h * DEPTH + r] * k[j, h * DEPTH + r], axis=r),
            name=f"{name}_score",
        )
        scaled = self.each(f"{name}_scaled", shape, lambda h, i, j: score[h, i, j] * DEPTH**-0.5)
        top = self.total(f"{name}_top", shape, lambda h, i, s: scaled[h, i, s], te.max)
        power = self.each(
            f"{name}_power", shape, lambda h, i, j: te.exp(scaled[h, i, j] - top[h, i])
        )
        total = self.total(f"{name}_total", shape, lambda h, i, s: power[h, i, s])
        share = self.each(f"{name}_share", shape, lambda h, i, j: power[h, i, j] / total[h, i])
        mixed = te.compute(
            (ROWS, WIDTH),
            lambda i, j: te.sum(share[j // DEPTH, i, t] * v[t, j], axis=t),
            name=f"{name}_mixed",
        )
        self.products += [score, mixed]
        return self.product(f"{name}_joined", mixed, WIDTH, WIDTH)

    def layer(self, name: str, x: te.Tensor) -> te.Tensor:
        shape, attended = (ROWS, WIDTH), self.attention(name, x)
        a = self.each(f"{name}_a", shape, lambda i, j: x[i, j] + attended[i, j])
        a = self.norm(f"{name}_first", a)
        hidden = self.product(f"{name}_hidden", a, WIDTH, HIDDEN)
        zero = te.const(0, "float32")
        h = self.each(f"{name}_h", (ROWS, HIDDEN), lambda i, j: te.max(hidden[i, j], zero))
        fed = self.product(f"{name}_fed", h, HIDDEN, WIDTH)
        b = self.each(f"{name}_b", shape, lambda i, j: a[i, j] + fed[i, j])
        return self.norm(f"{name}_second", b)

    def scheduled(self, output: te.Tensor) -> Scheduled:
        """Products in tiles of 4 by 16, the rows of a sum unrolled; all else in vectors of 16."""
        s = te.create_schedule(output)
        for stage in self.products:
            rows, columns, inner_rows, inner_columns = s[stage].tile(*stage.op.axis[-2:], 4, 16)
            s[stage].reorder(rows, columns, *stage.op.reduce_axis, inner_rows, inner_columns)
            s[stage].unroll(inner_rows)
            s[stage].vectorize(inner_columns)
        for stage in self.pointwise:
            s[stage].vectorize(s[stage].split(stage.op.axis[-1], factor=16)[1])
        return s, [self.input, *self.weights, output]


def transformer(layers: int) -> Scheduled:
    encoder = Encoder()
    output = encoder.input
    for number in range(layers):
        output = encoder.layer(f"l{number}", output)
    return encoder.scheduled(output)


PROGRAMS: Mapping[str, Callable[[], Scheduled]] = {
    "matmul 512": partial(matmul, 512, 512, 512),
    "100 stages at the root": partial(at_root, 100),
    "1000 stages at the root": partial(at_root, 1000),
    "1000 inlined stages": partial(inlined, 1000),
    "100 stages in one another": partial(nested, 100),
    "300 stages in one another": partial(nested, 300),
    "transformer, 8 layers": partial(transformer, 8),
}
"""By the names of the rows of the table."""


def compared(row: workloads.Row, known: bool) -> Scheduled:
    """A program of the comparison with other libraries, for the sizes of a row or for all."""
    sizes = row.sizes if known else [te.size_var(f"n{axis}") for axis in range(len(row.sizes))]
    return row.example.program(*sizes)


def _first_row(program: str) -> workloads.Row:
    return next(row for row in workloads.ROWS.values() if row.program == program)


COMPARED: Mapping[str, Callable[[], Scheduled]] = {
    f"{row.program} {'x'.join(map(str, row.sizes)) if known else 'of all sizes'}": partial(
        compared, row, known
    )
    for row in map(_first_row, workloads.PROGRAMS)
    for known in (True, False)
}
"""The programs of the comparison, each twice."""
