"""Iterations of loops as sets, and the iterations in which a condition on index values holds."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from itertools import product

import islpy as isl
from xdsl.dialects import affine, func
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.forms import AffineIndexForms, AnyIterationForms
from teloom.analysis.sets.conditions import Alternatives, constraints_of, union
from teloom.analysis.sets.ends import Side
from teloom.analysis.sets.integer_sets import ZERO, Constraint, aff_of, at_least, more_than
from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.sets.points import Points
from teloom.analysis.signature import size_arguments
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.around import ops_around

OPERATIONS = 200_000
"""What isl may spend on whether a loop may have so many iterations."""


class IterationSets:
    """Sets of the iterations around some ops of a function.

    The coordinates are the counters of loops, sizes, and values that are not affine. Of the latter
    it is known that a minimum is no more than what it is of, and how much less than each of these
    it is at most, and nothing else: this over-approximation only adds points.
    """

    def __init__(self, context: isl.Context, forms: AffineIndexForms | None = None):
        """`forms` caches the forms of values of a function that does not change meanwhile.

        Without it, forms hold also in extra iterations, in which loops run longer than they do.
        """
        self._context = context
        self._forms = forms or AnyIterationForms()
        self._values = OperandList()
        self._slacks: dict[affine.MinOp, list[int | None]] = {}

    def another(self) -> IterationSets:
        """Sets without coordinates that know what these have found of values."""
        found = IterationSets(self._context, self._forms)
        found._slacks = self._slacks
        return found

    def exprs(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[AffineExpr]:
        """Expressions of `values` as expressions of coordinates."""
        forms = self._forms.of_exprs(exprs, values)
        return [polynomials.to_expr(form, self._values.dim) for form in forms]

    def of_condition(
        self, alternatives: Iterable[Conjunction], values: Sequence[SSAValue]
    ) -> list[list[Constraint]]:
        """A condition over `values`, over coordinates."""
        return [
            constraints_of(one.with_exprs(self.exprs(one.exprs(), values))) for one in alternatives
        ]

    def iterations(self, op: loop.ForOp) -> Iterator[Constraint]:
        """The constraints that the bounds of a loop put on its counter."""
        counter = self._values.dim(op.induction_variable)
        for lower in self.exprs(op.lower.data.results, op.operands_):
            yield at_least(counter, lower)
        for upper in self.exprs(op.upper.data.results, op.operands_):
            yield more_than(upper, counter)

    def box(self, op: loop.TensorRegionOp | loop.BufferOp) -> list[Side]:
        """Where the box of an op begins along each axis, and its extent there."""
        offsets = self.exprs(op.offsets.data.results, op.operands_)
        extents = self.exprs(op.extents.data.results, op.operands_)
        return [*zip(offsets, extents, strict=True)]

    def around(self, op: Operation, but: Container[Operation] = ()) -> list[Constraint]:
        """The constraints where `op` runs: of the loops and branches around it, and of sizes.

        Constraints of the loops and branches in `but` are left out.
        """
        found: list[Constraint] = []
        for outer in ops_around(op):
            match outer:
                case _ if outer in but:
                    pass
                case loop.ForOp():
                    found += self.iterations(outer)
                case loop.IfOp() if outer.then_body.is_ancestor(op):
                    alternatives = self.of_condition(outer.alternatives, outer.operands_)
                    found += alternatives[0] if len(alternatives) == 1 else ()
                case loop.IfOp():
                    negated = self._negated(outer)
                    found += negated if len(negated) == 1 else ()
                case func.FuncOp():
                    found += map(at_least, map(self._values.dim, size_arguments(outer)))
        return found

    def otherwise(self, op: Operation) -> list[list[Constraint]]:
        """Alternatives where `op` runs: negated conditions of branches in whose else region it is.

        A branch whose condition has alternatives is left out.
        """
        found: list[list[Constraint]] = [[]]
        for outer in ops_around(op):
            if isinstance(outer, loop.IfOp) and not outer.then_body.is_ancestor(op):
                negated = self._negated(outer)
                found = [[*known, each] for known in found for each in negated] or found
        return found

    def _negated(self, op: loop.IfOp) -> list[Constraint]:
        """The constraints one of which holds in the else region; none if they are not known."""
        one, *others = self.of_condition(op.alternatives, op.operands_)
        if others:
            return []
        unequal = [constraint.expr for constraint in one if constraint.is_equality]
        below = [more_than(ZERO, constraint.expr) for constraint in one]
        return [*below, *(more_than(expr, ZERO) for expr in unequal)]

    def coordinate(self, name: Hashable) -> AffineExpr:
        """The coordinate of a value or another name; it is added if it is new."""
        return self._values.dim(name)  # pyright: ignore

    def points(self, condition: Alternatives) -> Points:
        """The points at which a condition holds, over all coordinates known by now."""
        known, values = [*self._minima()], self._values.values
        found = union(self._context, len(values), [[*one, *known] for one in condition])
        return Points(tuple(values), found)

    def _minima(self) -> Iterator[Constraint]:
        """The constraints on coordinates that are minima; adds what these are of."""
        for value in self._values.values:
            if isinstance(value, OpResult) and isinstance(value.op, affine.MinOp):
                least = self._values.dim(value)
                exprs = self.exprs(value.op.map.data.results, value.op.operands)
                for expr, slack in zip(exprs, self._slacks_of(value.op), strict=True):
                    yield at_least(expr, least)
                    if slack is not None:
                        yield at_least(least + slack, expr)

    def _slacks_of(self, op: affine.MinOp) -> list[int | None]:
        """How much larger than a minimum what it is of is at most; None if by any number."""
        if op not in self._slacks:
            sets = self.another()
            exprs = sets.exprs(op.map.data.results, op.operands)
            runs = sets.points([sets.around(op)]).set
            self._slacks[op] = [_slack(runs, expr, exprs) for expr in exprs]
        return self._slacks[op]


def _slack(runs: isl.Set, expr: AffineExpr, others: Sequence[AffineExpr]) -> int | None:
    """How much larger than the least of expressions one of them is at most, if that is known."""
    space = runs.get_space()
    most = [runs.max_val(aff_of(expr - other, space)) for other in others if other is not expr]
    if not all(one.is_int() for one in most):
        return None
    return max([0, *(one.to_python() for one in most)])


def may_have(op: loop.ForOp, count: int) -> bool:
    """Whether a loop may have `count` iterations, for all that is known where it runs."""
    if (extent := constant_extent(op)) is not None:
        return extent >= count
    context = isl.Context()
    sets = IterationSets(context)

    def find() -> bool:
        lowers, uppers = (
            sets.exprs(side.data.results, op.operands_) for side in (op.lower, op.upper)
        )
        many = [at_least(u, lower + count) for u, lower in product(uppers, lowers)]
        return not sets.points([[*sets.around(op), *many]]).set.is_empty()

    return found_in_time(context, OPERATIONS, find, True)


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is defined in a region of `op`."""
    around = value.owner.parent_op()
    return around is not None and op.is_ancestor(around)
