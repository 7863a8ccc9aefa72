"""The operations of a cache that is laid out by the loops of its stage, and of the copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.ir import Operation, SSAValue

from teloom.analysis.stages.queries import is_reduce
from teloom.frontend.expr.expressions import Expr, as_expr
from teloom.frontend.expr.of_affine import expr_of
from teloom.frontend.schedule.applied import applied
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Range
from teloom.passes.schedule.relayouts import Relayout

if TYPE_CHECKING:
    from teloom.frontend.schedule.stages import Stage


class LaidOut(NamedTuple):
    """The operations that `cache_write` makes of an operation whose loops were changed."""

    computation: ComputeOp
    """The cache, with a data axis for each loop over data axes."""
    copy: ComputeOp
    """The copy of it, over the old data axes."""
    moved: list[IterVar]
    """Axes of the stage that are axes of the cache from then on."""


def laid_out(stage: Stage, name: str, command: Operation) -> LaidOut | None:
    """The operations of the command; None if the loops of the stage are those of its equation.

    Raises `teloom.ScheduleError` for loops that no layout follows.
    """
    found, op = applied(stage.schedule, unfinished=True), stage.op
    of_ir = found.stages.get(stage.name)
    if of_ir is None:  # the command says so
        return None
    if of_ir.has_own_loops:
        return None
    layout = Relayout.of(of_ir, command)
    sizes: dict[SSAValue, int | Expr] = {**found.sizes}
    around, leaves = layout.domain.around, layout.domain.leaves
    roots = of_ir.root_axes[: len(op.axis)]
    extents = [as_expr(expr_of(one, around, sizes)) for one in layout.extents]
    axes = [
        IterVar(f"{found.axes[leaf].name}.c", Range(as_expr(0), extent))
        for leaf, extent in zip(leaves, extents, strict=True)
    ]
    at_leaves = sizes | dict(zip(leaves, axes, strict=True))
    of_roots = [as_expr(expr_of(expr, [*around, *leaves], at_leaves)) for expr in layout.roots]
    new = Substitution(dict(zip(op.axis, of_roots, strict=True)), {})
    body, domain = new.of_body(op.body), [new.of(condition) for condition in op.domain]
    computation = ComputeOp(name, axes, body, op.reduce_axis, op.tag, op.attrs, domain)
    at_roots = sizes | dict(zip(roots, op.axis, strict=True))
    at = tuple(expr_of(one, [*around, *roots], at_roots) for one in layout.coordinates)
    copied = [tensor[at] for tensor in computation.outputs]
    copy = ComputeOp(op.name, op.axis, copied, domain=op.domain)
    moved = [axis for axis, one in stage.axis_handles() if is_reduce(found.behind[one])]
    return LaidOut(computation, copy, moved)
