"""The largest values that index expressions have, all at once, while a function runs.

They are exact: at one iteration the expressions have these values, and no iteration gives one
of them a larger one. Where no iteration does so for all together, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.sets.conditions import Condition, constraints_of, where
from teloom.analysis.sets.integer_sets import (
    IN,
    OUT,
    SET,
    at_least,
    conjunction_of,
    expr_of_aff,
    flat_set,
    map_of,
    set_of,
)
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from teloom.errors import PassError

_OPERATIONS = 100_000
"""How many isl operations an answer may take: most take a few hundred."""

MOST_PIECES = 8
"""So many cases may an answer have."""


class Unknown(Exception):
    """A value that is wanted is not known exactly when the function begins."""


class Largest(NamedTuple):
    """Largest values, where one of `when` holds; both are over the `operands` of `largest`."""

    when: list[Conjunction]
    values: list[AffineExpr]


class Iterations:
    """The iterations in which the ops of a block run, in one run of a block around it.

    `is_known` says which values are known before that begins. Raises `Unknown` where
    the iterations depend on others.
    """

    def __init__(self, block: Block, outermost: Block, is_known: Callable[[SSAValue], bool]):
        self._context = isl.Context()
        self._forms = AffineIndexForms()
        self._is_known = is_known
        self._counters: list[SSAValue] = []
        self._bounds: list[Polynomial] = []
        self._branches: list[tuple[loop.IfOp, bool]] = []
        while block is not outermost:
            op = block.parent_op()
            if isinstance(op, loop.ForOp):
                self._counters.append(op.induction_variable)
                self._bounds += self._bounds_of(op)
            elif isinstance(op, loop.IfOp):
                self._branches.append((op, block is op.then_body.block))
            else:
                raise Unknown
            assert op.parent is not None
            block = op.parent

    def _bounds_of(self, op: loop.ForOp) -> Iterator[Polynomial]:
        at = Polynomial.of(op.induction_variable)
        for lower in self._forms.of_exprs(op.lower.data.results, op.operands_):
            yield at - lower
        for upper in self._forms.of_exprs(op.upper.data.results, op.operands_):
            yield upper - at - Polynomial.constant(1)

    def largest(self, forms: Sequence[Polynomial]) -> tuple[list[SSAValue], list[Largest]]:
        """The maximum of affine expressions, in disjoint pieces.

        Where none of the pieces is, there is no iteration.
        """
        branches = [self._branch(op, holds) for op, holds in self._branches]
        used = chain(forms, self._bounds, *(one for branch in branches for one in branch.forms))
        values = [value for form in used for value in form.values()]
        operands = OperandList(value for value in values if value not in self._counters)
        known = [*operands.values]
        if not all(map(self._is_known, known)):
            raise Unknown
        for counter in self._counters:
            operands.dim(counter)
        expr = partial(polynomials.to_expr, leaf=operands.dim)
        try:
            with budget(self._context, _OPERATIONS):
                runs = [at_least(expr(bound)) for bound in self._bounds]
                points = set_of(self._context, len(operands.values), runs).to_set()
                points = where(points, [branch.condition(expr) for branch in branches])
                found = list(_largest(points, [*map(expr, forms)], len(known)))
        except (OverBudget, PassError, isl.Error):
            raise Unknown from None
        if len(found) > MOST_PIECES:
            raise Unknown
        return known, found

    def _branch(self, op: loop.IfOp, holds: bool) -> _Branch:
        forms = [self._forms.of_exprs(one.exprs(), op.operands_) for one in op.alternatives]
        return _Branch(op.alternatives, forms, holds)


class _Branch(NamedTuple):
    """Alternatives with the forms of their expressions, and whether one of them holds."""

    alternatives: list[Conjunction]
    forms: list[list[Polynomial]]
    holds: bool

    def condition(self, expr: Callable[[Polynomial], AffineExpr]) -> Condition:
        pairs = zip(self.alternatives, self.forms, strict=True)
        over = [one.with_exprs([*map(expr, forms)]) for one, forms in pairs]
        return [constraints_of(one) for one in over], self.holds


def _largest(points: isl.Set, exprs: Sequence[AffineExpr], known: int) -> Iterator[Largest]:
    """As `Iterations.largest`; the first `known` dimensions of `points` are known."""
    values = flat_set(map_of(points, exprs))
    # Projection is exact: of integers, not of what encloses them.
    values = values.project_out(SET, known, points.dim(SET) - known)
    relation = _relation(values, known)
    # The lexicographic maximum has the first value at its largest, and the second only among
    # those: it is the largest of each just where no other point is larger anywhere. So it is
    # checked, else the answer would be too small for i in 0..n with the values i and n - i.
    if not relation.is_subset(
        relation.lexmax().apply_range(_none_larger(points.get_ctx(), len(exprs)))
    ):
        raise Unknown
    pieces: list[tuple[isl.Set, isl.MultiAff]] = []
    relation.lexmax_pw_multi_aff().foreach_piece(lambda *piece: pieces.append(piece))
    for domain, function in pieces:
        affs = [function.get_at(k) for k in range(len(exprs))]
        if not all(aff.get_denominator_val().is_one() for aff in affs):
            raise Unknown
        cases = domain.compute_divs().coalesce().get_basic_sets()
        yield Largest([conjunction_of(case) for case in cases], [expr_of_aff(aff) for aff in affs])


def _relation(points: isl.Set, inputs: int) -> isl.Map:
    """The points as pairs of their first dimensions and the others."""
    return isl.Map.from_range(points).move_dims(IN, 0, OUT, 0, inputs)


def _none_larger(context: isl.Context, dims: int) -> isl.Map:
    """Pairs of points whose second point is larger in no coordinate."""
    pairs = [(AffineExpr.dimension(k), AffineExpr.dimension(dims + k)) for k in range(dims)]
    constraints = [at_least(first, second) for first, second in pairs]
    return _relation(set_of(context, 2 * dims, constraints).to_set(), dims)
