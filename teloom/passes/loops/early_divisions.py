"""Moves loop-invariant divisions out of the branches of a loop, to a place in front of it.

This avoids a bug of LLVM 22. When its loop vectorizer meets a division by a loop-invariant number
in a branch, it computes the quotient once for a vector of iterations, and only if the first of
these iterations takes the branch. Other iterations that take the branch get no value. Our divisions
are defined for all operands, so they may run where the branch is not taken. A divisor can also be
invariant in the branch alone, because the branch tests that it equals an invariant value. LLVM must
not vectorize such loops.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, UNROLLED, LoopAnnotationAttr, annotate
from teloom.passes.code.code_motion import DIVISIONS, can_compute_before, compute_before

_SCALAR = LoopAnnotationAttr.not_vectorized()


def divide_early(module: ModuleOp) -> None:
    """Moves divisions in branches in front of the innermost loop around the branch.

    Keeps LLVM from vectorizing the loops in which a division stays in a branch.
    """
    for op in ops_in(module, *DIVISIONS):
        loop = _loop_around_branch(op)
        if loop is None:
            continue
        if can_compute_before(op.results[0], loop):
            compute_before(op.results[0], loop)
        else:
            _keep_scalar(loop)


def _keep_scalar(loop: scf.ForOp) -> None:
    """Tells LLVM not to vectorize a loop, nor the loops around it into which it is unrolled."""
    for around in (loop, *ops_around(loop)):
        said = around.attributes.get(LOOP_ANNOTATION)
        if isinstance(around, scf.ForOp):
            annotate(around, _SCALAR)
            if said != UNROLLED:
                return


def _loop_around_branch(op: Operation) -> scf.ForOp | None:
    """The innermost loop around an op, if the op is in a branch in it."""
    is_in_branch, around = False, op.parent_op()
    while around is not None and not isinstance(around, scf.ForOp):
        is_in_branch |= isinstance(around, scf.IfOp)
        around = around.parent_op()
    return around if is_in_branch else None
