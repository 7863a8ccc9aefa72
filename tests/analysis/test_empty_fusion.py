"""Stages in loops of symbolic fusions that can be empty: what is read there is computed.

What holds of axes that a loop does not fix, as 0 <= l < n, is no fact about the place.
"""

import pytest
from analysis.loop_runner import run_loops
from xdsl.dialects import func

import teloom
from teloom import te

pytestmark = pytest.mark.filterwarnings("ignore::teloom.errors.Remark")

n = te.size_var("n")
A = te.placeholder((4,), "int64", name="A")
B = te.compute((4,), lambda i: A[i] + 1, name="B")
C = te.compute((4,), lambda i: B[i] + 1, name="C")


def run_empty(s: te.Schedule, output: te.Tensor) -> None:
    module = teloom.lower(s, [n, A, output], level="loop")
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    run_loops(function, [0], [lambda index: 1])


def test_an_empty_reduction_starts_from_what_is_computed():
    k, m = te.reduce_axis((0, n), "k"), te.reduce_axis((0, n), "m")
    S = te.compute((4,), lambda i: te.sum(A[i], axis=[k, m], init=C[i]), name="S")
    s = te.create_schedule(S)
    s[S].fuse(k, m)
    s[C].compute_at(s[S], S.op.axis[0])
    run_empty(s, S)


def test_parts_of_an_empty_fusion():
    E = te.compute((4, n), lambda i, j: C[i], name="E")
    s = te.create_schedule(E)
    outer, _ = s[E].split(s[E].fuse(*E.op.axis), nparts=3)
    s[C].compute_at(s[E], outer)
    run_empty(s, E)
