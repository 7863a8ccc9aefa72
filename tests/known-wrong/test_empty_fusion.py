"""A stage in a loop of one that fuses symbolic axes is computed as if these were never empty.

What is known of axes that the loop does not fix, here that 0 <= l < n, is projected onto the
place: there n >= 1 counts as a fact. So what the stage reads is computed for n >= 1 only, but
the stage itself always, from elements that nothing has written. See `_place` in
`teloom/analysis/regions.py`: of those facts only the ones about fixed axes hold at the place.
"""

import pytest
from analysis.loop_runner import WrongAccess, run_loops
from xdsl.dialects import func

import teloom
from teloom import te

pytestmark = [
    pytest.mark.xfail(strict=True, raises=WrongAccess, reason="the place assumes n >= 1"),
    pytest.mark.filterwarnings("ignore::teloom.errors.Remark"),
]

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
