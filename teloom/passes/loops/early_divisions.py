"""Divisions in branches of a loop: in front of the loop, if no iteration changes them.

LLVM 22 computes a division by what no iteration changes once for a vector of iterations, and only
where the first of them takes the branch; others that take it then get no value. A division is right
for all numbers here, so it may stand where the branch is not taken. What the iterations change may
be what they do not change in the branch, which tests for it: such loops LLVM must not vectorize.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, UNROLLED, LoopAnnotationAttr, annotate
from teloom.passes.code.code_motion import DIVISIONS, can_compute_before, compute_before

_SCALAR = LoopAnnotationAttr.not_vectorized()


def divide_early(module: ModuleOp) -> None:
    """Moves divisions in front of the innermost loop around the branch that they are in.

    Keeps LLVM from making vectors of loops in which others stay.
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
    """Says that LLVM makes no vectors of a loop, nor of those of which it is an unrolled part."""
    around: Operation | None = loop
    while around is not None:
        said = around.attributes.get(LOOP_ANNOTATION)
        if isinstance(around, scf.ForOp):
            annotate(around, _SCALAR)
            if said != UNROLLED:
                return
        around = around.parent_op()


def _loop_around_branch(op: Operation) -> scf.ForOp | None:
    """The innermost loop around an op, if the op is in a branch in it."""
    is_in_branch, around = False, op.parent_op()
    while around is not None and not isinstance(around, scf.ForOp):
        is_in_branch |= isinstance(around, scf.IfOp)
        around = around.parent_op()
    return around if is_in_branch else None
