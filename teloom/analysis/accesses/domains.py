"""The iteration domain of a reference: the bounds and conditions around it, as constraints."""

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

Condition = tuple[Sequence[Sequence[Constraint]], bool]
"""A disjunction of conjunctions of constraints, and whether it holds or its negation does."""


def bounds(
    reference: Reference, counter: Callable[[loop.ForOp], AffineExpr], exprs: Exprs
) -> Iterator[Constraint]:
    """The bounds of the induction variables of the loops around a reference."""
    for op in reference.loops:
        at = counter(op)
        for lower in exprs(op.lower.data.results, op):
            yield Constraint(at + lower * -1, False)
        for upper in exprs(op.upper.data.results, op):
            yield Constraint(upper + at * -1 + -1, False)


def conditions(reference: Reference, exprs: Exprs) -> Iterator[Condition]:
    """The condition of each `loop.if` around a reference, negated in an else branch."""
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
    """The points of a space with `dims` dimensions that satisfy some alternative."""
    found, *others = (set_of(context, dims, c).to_set() for c in alternatives)
    for other in others:
        found = found.union(other)
    return found


def is_fixed(atom: Atom, block: Block) -> bool:
    """Whether `atom` is invariant in a run of the block: no op inside of it defines the value."""
    if isinstance(atom, Quotient):
        return all(is_fixed(inner, block) for inner in atom.dividend.atoms())
    place = atom.owner if isinstance(atom.owner, Block) else atom.owner.parent
    return place is None or place is block or not block.is_ancestor(place)
