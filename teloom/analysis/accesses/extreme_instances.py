"""The first and the last instance of each reference that touch element 0 of a buffer.

A fast negative answer for `in_place`: it fixes all values from outside of a block to one sample
each. So it can prove that accesses to two buffers conflict, in a fraction of the time of a full
dependence test, and never that they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import func
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.dependence import MOST_OPERATIONS, Dependences
from teloom.analysis.accesses.domains import bounds, conditions, is_fixed
from teloom.analysis.accesses.references import Instance, Reference, directions_before
from teloom.analysis.sets.conditions import where
from teloom.analysis.sets.integer_sets import Constraint, first_and_last, set_of
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from teloom.errors import PassError

_ARGUMENT, _OTHER = 1000, 0
"""The sample for an argument of the function, and for any other value from outside."""


class Extremes(NamedTuple):
    """The first instance of each reference that writes a buffer, and the last of each reference."""

    first_writes: list[Instance]
    last: list[Instance]

    def certainly_conflict(self, source: Extremes) -> bool:
        """Whether some write certainly runs before some use of `source`."""
        return any(
            direction.holds(write, use)
            for write in self.first_writes
            for use in source.last
            for direction in directions_before(write.reference, use.reference)
        )


class _Question(NamedTuple):
    """The iterations of `dims` loops in which a reference touches element 0 of its buffer."""

    dims: int
    constraints: tuple[Constraint, ...]
    conditions: tuple[tuple[tuple[tuple[Constraint, ...], ...], bool], ...]

    def points(self, context: isl.Context) -> isl.Set:
        points = set_of(context, self.dims, self.constraints).to_set()
        return where(points, self.conditions)


Ends = dict[_Question, tuple[list[int], list[int]] | None]
"""The first and the last of the iterations, where there are some: many loops are alike."""


def extremes_of(references: Sequence[Reference], within: Dependences, ends: Ends) -> Extremes:
    """The extremes of the known references to one buffer; `ends` are known, and found."""
    found = Extremes([], [])
    try:
        with budget(within.context, MOST_OPERATIONS):
            for reference in references:
                question = _question(reference, within) if reference.is_known else None
                if question is None:
                    continue
                if question not in ends:
                    ends[question] = first_and_last(question.points(within.context))
                if (known := ends[question]) is None:
                    continue
                first, last = known
                found.last.append(_at(reference, last))
                if reference.access.writes:
                    found.first_writes.append(_at(reference, first))
    except (OverBudget, PassError):
        return Extremes([], [])
    return found


class _NotAffineInLoopsError(Exception):
    """An expression is not affine in the loops around a reference."""


def _question(reference: Reference, within: Dependences) -> _Question | None:
    """The question on a reference; None if its subscript, or what is around it, is not affine."""
    loops, forms = reference.loops, within.forms
    operands = OperandList()
    counters = {op.induction_variable: operands.dim(op.induction_variable) for op in loops}

    def expr(form: Polynomial) -> AffineExpr:
        for value in {*form.values()}:
            if is_fixed(value, within.block):
                form = form.substitute(value, Polynomial.constant(_sample(value)))
            elif value not in counters:
                raise _NotAffineInLoopsError
        if not form.is_affine:
            raise _NotAffineInLoopsError
        return polynomials.to_expr(form, operands.dim)

    def exprs(of: Sequence[AffineExpr], op: loop.ForOp | loop.IfOp) -> list[AffineExpr]:
        return [expr(form) for form in forms.of_exprs(of, op.operands_)]

    try:
        constraints = [Constraint(expr(form), True) for form in within.subscripts(reference)]
        constraints += bounds(reference, lambda op: counters[op.induction_variable], exprs)
        around = tuple(
            (tuple(map(tuple, alternatives)), holds)
            for alternatives, holds in conditions(reference, exprs)
        )
        return _Question(len(loops), tuple(constraints), around)
    except _NotAffineInLoopsError:
        return None


def _sample(value: SSAValue) -> int:
    function = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return _ARGUMENT if isinstance(function, func.FuncOp) else _OTHER


def _at(reference: Reference, point: Sequence[int]) -> Instance:
    return Instance(reference, dict(zip(reference.loops, point, strict=True)))
