"""What `symmetrize` takes for symmetric is so; what is made symmetric it takes.

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

N, TERMS = 9, 3

Term = Callable[[te.Tensor, te.IterVar, te.IterVar, te.IterVar], Expr]

LEAVES: tuple[Term, ...] = (
    lambda X, k, i, j: X[k, i],
    lambda X, k, i, j: X[k, j],
    lambda X, k, i, j: X[0, (2 * i + j) // 3],
    lambda X, k, i, j: X[k, (i + j) // 2],
    lambda X, k, i, j: i.astype("float64"),
    lambda X, k, i, j: te.const(3, "float64"),
)

OPERATIONS: tuple[Callable[[Expr, Expr], Expr], ...] = (
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b,
    lambda a, b: (a - b) * (a - b),
    lambda a, b: te.abs(a - b),
    te.max,
    lambda a, b: te.if_then_else(a < b, a, 2.0),
    lambda a, b: te.if_then_else(a == b, 5.0, a * b),
)

MIRRORED = {"sum": OPERATIONS[0], "product": OPERATIONS[1], "square": OPERATIONS[3]}
"""Ways to make a symmetric term of any one and of its opposite."""

WAYS = {**MIRRORED, "difference": OPERATIONS[2], "choice": OPERATIONS[6]}


READERS: dict[str, Callable[[te.Tensor, te.Tensor, te.IterVar, te.IterVar], Expr]] = {
    "itself": lambda S, X, i, j: S[i, j],
    "scaled": lambda S, X, i, j: S[i, j] * (X[0, i] + X[0, j]),
    "exchanged": lambda S, X, i, j: te.max(S[j, i], X[1, i] * X[1, j]),
    "both": lambda S, X, i, j: S[i, j] + 2 * S[j, i],
    "moved": lambda S, X, i, j: S[i, j] - X[0, i],
    "corner": lambda S, X, i, j: S[i, (i + j) // 2],
}
"""What reads the sums; those of the first four are symmetric if these are."""

SYMMETRIC = [*READERS][:4]


def program(term: Term, way: str | None, reader: str) -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    """An argument, and twice what reads sums of a term; the second is to be a triangle."""
    X = te.placeholder((TERMS, N), "float64", name="X")

    def whole(name: str) -> te.Tensor:
        k = te.reduce_axis((0, TERMS), "k")

        def fold(i: te.IterVar, j: te.IterVar) -> Expr:
            found = term(X, k, i, j)
            if way is not None:
                found = WAYS[way](found, term(X, k, j, i))
            return te.sum(found, axis=k)

        sums = te.compute((N, N), fold, name=f"{name}_sums")
        return te.compute((N, N), lambda i, j: READERS[reader](sums, X, i, j), name=name)

    return X, whole("plain"), whole("half")


def test_what_is_taken_for_symmetric_is():
    count = Counter()

    @settings(max_examples=EXAMPLES)
    @given(
        terms(LEAVES, OPERATIONS, 2), st.sampled_from((None, *WAYS)), st.sampled_from([*READERS])
    )
    def check(term: Term, way: str | None, reader: str):
        X, plain, half = program(term, way, reader)
        s = te.create_schedule([plain, half])
        s.symmetrize(half, *half.op.axis)
        try:
            run = teloom.build(s, [X, plain, half])
        except teloom.ScheduleError:
            assert way not in MIRRORED or reader not in SYMMETRIC
            count["refused"] += 1
            return
        count["taken"] += 1
        x = np.random.default_rng(0).integers(-9, 9, (TERMS, N)).astype("f8")
        expected, found = np.empty((2, N, N))
        run(x, expected, found)
        np.testing.assert_array_equal(found, expected)

    check()
    assert count["taken"]
    assert count["refused"]
