"""The iteration domain of a reference: the bounds and conditions around it, as constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.ir import Block
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.references import Reference
from teloom.analysis.sets.conditions import Condition, constraints_of
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Quotient

Exprs = Callable[[Sequence[AffineExpr], loop.ForOp | loop.IfOp], Sequence[AffineExpr]]
"""Expressions of an op's operands, as expressions of the dimensions of a set."""


def bounds(
    reference: Reference, counter: Callable[[loop.ForOp], AffineExpr], exprs: Exprs
) -> Iterator[Constraint]:
    """The bounds of the induction variables of the loops around a reference."""
    for op in reference.loops:
        at = counter(op)
        for lower in exprs(op.lower.data.results, op):
            yield at_least(at, lower)
        for upper in exprs(op.upper.data.results, op):
            yield more_than(upper, at)


def conditions(reference: Reference, exprs: Exprs) -> Iterator[Condition]:
    """The condition of each `loop.if` around a reference, negated in an else branch."""
    for op, region in reference.around:
        if isinstance(op, loop.IfOp):
            alternatives = [
                constraints_of(one.with_exprs(exprs(one.exprs(), op))) for one in op.alternatives
            ]
            yield alternatives, region is op.then_body


def is_fixed(atom: Atom, block: Block) -> bool:
    """Whether `atom` is invariant in a run of the block: no op inside of it defines the value."""
    if isinstance(atom, Quotient):
        return all(is_fixed(inner, block) for inner in atom.dividend.atoms())
    place = atom.owner if isinstance(atom.owner, Block) else atom.owner.parent
    return place is None or place is block or not block.is_ancestor(place)
