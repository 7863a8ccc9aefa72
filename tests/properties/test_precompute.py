"""Equations are the same with parts that are computed first, over any of their axes.

All numbers are integers that float64 has, so that the order of operations makes no difference.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.generate_programs import terms

import teloom
from teloom import te
from teloom.frontend.expr.expressions import Expr

N = 5

Axes = tuple[te.IterVar, te.IterVar, te.IterVar]
Term = Callable[[te.Tensor, te.Tensor, Axes], Expr]
"""An element of a matrix and of integers between 0 and N, at three axes."""

LEAVES: tuple[Term, ...] = (
    lambda X, D, axes: X[axes[0], axes[2]],
    lambda X, D, axes: X[axes[2], axes[1]],
    lambda X, D, axes: X[(axes[0] + axes[1]) % N, 0],
    lambda X, D, axes: X[te.max(te.min(D[axes[0]] - 1, N - 1), 0), axes[1]],
    lambda X, D, axes: (D[axes[2]] * 2 + 1).astype("float64"),
    lambda X, D, axes: (axes[1] - axes[2]).astype("float64"),
    lambda X, D, axes: te.const(3, "float64"),
)

OPERATIONS: tuple[Callable[[Expr, Expr], Expr], ...] = (
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: te.abs(a - b),
    te.max,
    lambda a, b: te.if_then_else(a < b, a * b, 2.0 + b),
    lambda a, b: te.select(a == b, a + 1.0, b),
)

FOLDS = (te.sum, te.max, None)


def equation(X: te.Tensor, D: te.Tensor, term: Term, fold: Callable | None, name: str) -> te.Tensor:
    if fold is None:
        return te.compute((N, N, N), lambda *axes: term(X, D, axes), name=name)
    k = te.reduce_axis((1, N), "k")
    return te.compute((N, N), lambda i, j: fold(term(X, D, (i, j, k)), axis=k), name=name)


def test_parts_that_are_computed_first_are_the_same():
    count = Counter()

    @settings(max_examples=EXAMPLES)
    @given(
        terms(LEAVES, OPERATIONS, 3),
        st.sampled_from(FOLDS),
        st.permutations(range(3)),
        st.integers(1, 3),
    )
    def check(term: Term, fold: Callable | None, order: list[int], number: int):
        X, D = te.placeholder((N, N), "float64", name="X"), te.placeholder((N,), "int32", name="D")
        plain, parted = (equation(X, D, term, fold, name) for name in ("plain", "parted"))
        s = te.create_schedule([plain, parted])
        axes = [*parted.op.axis, *parted.op.reduce_axis]
        try:
            s.precompute(parted, [axes[k] for k in order[:number]])
        except teloom.ScheduleError:
            count["has no part"] += 1
            return
        count["has parts"] += 1
        rng = np.random.default_rng(0)
        x, i = rng.integers(-9, 9, (N, N)).astype("f8"), rng.integers(0, N + 1, N, "i4")
        expected, found = np.empty((2, *map(int, plain.shape)))
        teloom.build(s, [X, D, plain, parted])(x, i, expected, found)
        np.testing.assert_array_equal(found, expected)

    check()
    assert count["has parts"]
    assert count["has no part"]
