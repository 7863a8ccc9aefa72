"""Divisions in branches of a loop, by what no iteration changes, in front of the loop.

LLVM 22 computes such a division once for a vector of iterations, and only where the first of them
takes the branch; others that take it then get no value. A division is right for all numbers here,
so it may stand where the branch is not taken.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teloom.dialects.bodies.preorder import ops_in
from teloom.passes.code.code_motion import DIVISIONS, can_compute_before, compute_before


def divide_early(module: ModuleOp) -> None:
    """Moves divisions in front of the innermost loop around the branch that they are in."""
    for op in ops_in(module, *DIVISIONS):
        loop = _loop_around_branch(op)
        if loop is not None and can_compute_before(op.results[0], loop):
            compute_before(op.results[0], loop)


def _loop_around_branch(op: Operation) -> scf.ForOp | None:
    """The innermost loop around an op, if the op is in a branch in it."""
    is_in_branch, around = False, op.parent_op()
    while around is not None and not isinstance(around, scf.ForOp):
        is_in_branch |= isinstance(around, scf.IfOp)
        around = around.parent_op()
    return around if is_in_branch else None
