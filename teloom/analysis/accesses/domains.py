"""In which iterations a reference runs: the bounds and conditions around it, as constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import islpy as isl
from xdsl.ir import Block
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.references import Reference
from teloom.analysis.sets.integer_sets import SET, Constraint, set_of
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Quotient

Exprs = Callable[[Sequence[AffineExpr], loop.ForOp | loop.IfOp], Sequence[AffineExpr]]
"""Expressions of an op's operands, as expressions of the dimensions of a set."""

Condition = tuple[list[list[Constraint]], bool]
"""Alternatives, each of which are constraints, and whether one of them holds or none."""


def bounds(
    reference: Reference, counter: Callable[[loop.ForOp], AffineExpr], exprs: Exprs
) -> Iterator[Constraint]:
    """What the loops around say of their counters."""
    for op in reference.loops:
        at = counter(op)
        for lower in exprs(op.lower.data.results, op):
            yield Constraint(at + lower * -1, False)
        for upper in exprs(op.upper.data.results, op):
            yield Constraint(upper + at * -1 + -1, False)


def conditions(reference: Reference, exprs: Exprs) -> Iterator[Condition]:
    """What each `loop.if` around asks for."""
    for op, region in reference.around:
        if isinstance(op, loop.IfOp):
            alternatives = [
                [
                    *(Constraint(e, True) for e in exprs(equalities, op)),
                    *(Constraint(e, False) for e in exprs(inequalities, op)),
                ]
                for equalities, inequalities in op.alternatives
            ]
            yield alternatives, region is op.then_body


def where(points: isl.Set, conditions: Iterable[Condition]) -> isl.Set:
    """The points at which the conditions hold."""
    for alternatives, holds in conditions:
        found = union(points.get_ctx(), points.dim(SET), alternatives)
        points = points.intersect(found) if holds else points.subtract(found)
    return points


def union(context: isl.Context, dims: int, alternatives: Sequence[Sequence[Constraint]]) -> isl.Set:
    """The points of `dims` integers that satisfy all constraints of an alternative."""
    found, *others = (set_of(context, dims, c).to_set() for c in alternatives)
    for other in others:
        found = found.union(other)
    return found


def is_fixed(atom: Atom, block: Block) -> bool:
    """Whether `atom` has one value throughout a run of the block."""
    if isinstance(atom, Quotient):
        return all(is_fixed(inner, block) for inner in atom.dividend.atoms())
    place = atom.owner if isinstance(atom.owner, Block) else atom.owner.parent
    return place is None or place is block or not block.is_ancestor(place)
