"""The operations of `precompute`: parts of an equation, and the equation that reads them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import copy
from typing import NamedTuple

from teloom.dialects.bodies.postorder import postorder
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import (
    Apply,
    Cast,
    Const,
    Expr,
    IfThenElse,
)
from teloom.frontend.expr.traces import Traced
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Range, TensorSlice


class Precomputed(NamedTuple):
    """The operations into which an operation is divided."""

    parts: ComputeOp
    """Parts of its equation, over new data axes."""
    rest: ComputeOp
    """The operation, which reads them."""


def precomputed(op: ComputeOp, axes: Sequence[IterVar], name: str) -> Precomputed | None:
    """Divides an operation; None if its equation has no parts that are over these axes alone."""
    found = parts_over(op, axes)
    if not found:
        return None
    new = [IterVar(axis.name, axis.dom and _from_0(axis.dom)) for axis in axes]
    over_new = Substitution(dict(zip(axes, new, strict=True)), {})
    parts = ComputeOp(name, new, [over_new.of(alike[0]) for alike in found])
    read = {
        part: TensorSlice(tensor, tuple(axes))
        for alike, tensor in zip(found, parts.outputs, strict=True)
        for part in alike
    }
    rest = copy(op)  # commands may have changed its axes, from which no shape follows then
    rest.body = Substitution(read, {}).of_body(op.body)
    rest.own_outputs()
    return Precomputed(parts, rest)


def _from_0(dom: Range) -> Range:
    return Range(0, dom.min + dom.extent)


def sources_of(op: ComputeOp) -> Sequence[Expr]:
    """The elements of an equation; of a reduction, its terms."""
    top = op.body[0]
    return top.reduction.sources if isinstance(top, Reduce) else op.body


def parts_over(op: ComputeOp, axes: Sequence[IterVar]) -> list[list[Expr]]:
    """The largest parts of an equation that depend on these axes alone; each with its like.

    Not among them: positions, conditions, elements that are read as they are, what is computed in
    branches, and what does more than compute.
    """
    roots = sources_of(op)
    varying, computed, numbers = set[Expr](), set[Expr](), _Numbers()
    for expr in postorder(roots, lambda one: one.operands()):
        numbers.give(expr)
        inner = expr.operands()
        is_other_axis = isinstance(expr, IterVar) and expr not in axes
        if is_other_axis or isinstance(expr, Traced) or not varying.isdisjoint(inner):
            varying.add(expr)
        is_float = dtypes.of(expr.dtype).kind == dtypes.FLOAT and not isinstance(expr, Const)
        if is_float or isinstance(expr, TensorSlice) or not computed.isdisjoint(inner):
            computed.add(expr)

    def is_part(expr: Expr) -> bool:
        is_number = dtypes.of(expr.dtype).kind != dtypes.BOOL and not isinstance(expr, TensorSlice)
        return is_number and expr in computed and expr not in varying

    def needed(expr: Expr) -> Sequence[Expr]:
        if is_part(expr) or isinstance(expr, TensorSlice):
            return ()
        return expr.operands()[:1] if isinstance(expr, IfThenElse) else expr.operands()

    found: dict[int, list[Expr]] = {}
    for expr in filter(is_part, postorder(roots, needed)):
        found.setdefault(numbers.of[expr], []).append(expr)
    return [*found.values()]


class _Numbers:
    """Numbers of expressions, which are equal for those that are computed alike."""

    def __init__(self) -> None:
        self.of: dict[Expr, int] = {}
        self._known: dict[Hashable, int] = {}

    def give(self, expr: Expr) -> None:
        """Numbers an expression behind its operands."""
        key = _said(expr), *(self.of[one] for one in expr.operands())
        self.of[expr] = self._known.setdefault(key, len(self._known))


def _said(expr: Expr) -> Hashable:
    """What an expression says beside its operands; itself for one that is like no other."""
    match expr:
        case Apply():
            return expr.function, expr.dtype
        case Cast():
            return expr.dtype
        case Const():
            return repr(expr.value), expr.dtype
        case TensorSlice():
            return expr.tensor
        case IfThenElse():
            return IfThenElse
    return expr
