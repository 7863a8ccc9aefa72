"""The dependence relation of two references: pairs of instances that touch the same element.

A value that is no affine expression becomes a free dimension: it may be any number that the op
allows which computes it. That only adds pairs, so an empty set proves that the references are
independent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import pairwise
from math import gcd
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import arith, func, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.domains import bounds, conditions, is_fixed
from teloom.analysis.accesses.references import Direction, Instance, Reference
from teloom.analysis.index.computed_values import FACTS, ComputedValue, facts, undivided
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.sets.conditions import Alternatives, Condition, union, where
from teloom.analysis.sets.integer_sets import (
    SET,
    Constraint,
    at_least,
    between,
    more_than,
    sample,
    set_of,
)
from teloom.analysis.signature import size_arguments
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import (
    Atom,
    Monomial,
    Polynomial,
    Quotient,
    product_of,
)
from teloom.dialects.bodies.around import ops_around

_ZERO = AffineExpr.constant(0)
_DEPTH = 8
"""How many ops deep into values is looked that are no affine expressions."""
_LANE = "lane"
"""The key of the dimension that is the lane of a vector access."""


class _Term(NamedTuple):
    coefficient: int
    expr: AffineExpr


_Factors = Mapping[Monomial, Sequence[_Term]]


class _Difference(NamedTuple):
    """A difference of indices, and each monomial divided by the one before, if all divide."""

    factors: _Factors
    sizes: Sequence[AffineExpr] | None


class Witness(NamedTuple):
    """Two instances that touch the same element, for these `values` of the block's invariants."""

    first: Instance
    second: Instance
    element: Sequence[int]
    values: Mapping[SSAValue, int]

    @property
    def text(self) -> str:
        """Such as `A[3] at i = 1 and at i = 2, j = 0, for n = 5`."""
        name = self.first.reference.access.buffer.name_hint or "a buffer"
        times = [
            _text({op.induction_variable: k for op, k in one.iterations.items()})
            for one in (self.first, self.second)
        ]
        return f"{name}[{self.at}] at {times[0]} and at {times[1]}{self.for_values}"

    @property
    def at(self) -> str:
        """The subscripts of the element."""
        return ", ".join(map(str, self.element))

    @property
    def for_values(self) -> str:
        """Such as `, for n = 5`."""
        return f", for {_text(self.values)}" if self.values else ""


def _text(values: Mapping[SSAValue, int]) -> str:
    return ", ".join(f"{value.name_hint or 'a value'} = {k}" for value, k in values.items())


class InstancePairs:
    """Pairs of one instance of each of two references, in one run of a block.

    A pair is a point. Its dimensions are the values that are invariant in the block, once for
    both instances, and the values that vary in it, once for each instance.
    """

    def __init__(
        self,
        references: tuple[Reference, Reference],
        subscripts: Sequence[Sequence[Polynomial]],
        block: Block,
        forms: IndexForms,
        context: isl.Context,
    ):
        self.context = context
        self.references = references
        self.block = block
        self.forms = forms
        self._subscripts = subscripts
        self._dims: dict[Hashable, AffineExpr] = {}

    def conflicting(self, directions: Sequence[Direction]) -> isl.Set | None:
        """The pairs in one of `directions` that touch the same element; None if there are none."""
        limits: list[Constraint] = []
        asked: list[Condition] = []
        for side, reference in enumerate(self.references):
            exprs = partial(self._exprs, side)
            limits += bounds(reference, partial(self._counter, side), exprs)
            asked += conditions(reference, exprs)
            if (lanes := reference.access.lanes) > 1:
                limits += between(self._lane(side), AffineExpr.constant(lanes))
        differences = [*self._differences()]
        orders = [self._order(direction) for direction in directions]
        limits += self._around_block()
        computed = {key: dim for key, dim in self._dims.items() if isinstance(key, ComputedValue)}
        asked += _all([*self._natural_sizes(), *facts(computed)])
        # The lines above create dimensions on demand; sets need to know how many there are.
        pairs = where(self._set(limits).to_set(), asked)
        for factors, sizes in differences:
            pairs = pairs.intersect(self._set(self._equal(factors, sizes, pairs)).to_set())
        for found in undivided(computed):
            if pairs.is_disjoint(union(self.context, len(self._dims), found.may_differ())):
                equal = Constraint(found.dividends[0], True, found.dividends[1])
                pairs = pairs.intersect(self._set([equal]).to_set())
        found = (pairs.intersect(self._set(order).to_set()) for order in orders)
        return next((some for some in found if not some.is_empty()), None)

    def witness(self, pairs: isl.Set) -> Witness | None:
        """One of `pairs`; None if a free dimension leaves open whether it is real."""
        sides = [*enumerate(self.references)]
        counters = {(side, op.induction_variable) for side, one in sides for op in one.loops}
        elements = [[self._expr(k, form) for form in self._subscripts[k]] for k in (0, 1)]
        is_known = len(self._dims) == pairs.dim(SET) and all(
            isinstance(key, SSAValue | ComputedValue) or key in counters for key in self._dims
        )
        if not is_known or any(isinstance(a.op, scf.IfOp) for _, one in sides for a in one.around):
            return None
        numbers = sample(pairs)
        if any(
            isinstance(key, ComputedValue) and key.at(numbers) != number
            for key, number in zip(self._dims, numbers, strict=True)
        ):
            return None
        first, second = ([expr.eval(numbers, ()) for expr in exprs] for exprs in elements)
        found = dict(zip(self._dims, numbers, strict=True))
        runs = (
            Instance(one, {op: found[side, op.induction_variable] for op in one.loops})
            for side, one in sides
        )
        values = {key: number for key, number in found.items() if isinstance(key, SSAValue)}
        return Witness(next(runs), next(runs), first, values) if first == second else None

    def _set(self, constraints: Sequence[Constraint]) -> isl.BasicSet:
        return set_of(self.context, len(self._dims), constraints)

    # When the instances run

    def _around_block(self) -> list[Constraint]:
        """The bounds of the loops around the block that say where its invariants are."""
        found: list[Constraint] = []
        for op in ops_around(self.block):
            if isinstance(op, loop.ForOp) and op.induction_variable in self._dims:
                at = self._atom(0, op.induction_variable)
                lower, upper = (
                    self._exprs(0, limits.data.results, op) for limits in (op.lower, op.upper)
                )
                found += [at_least(at, begin) for begin in lower]
                found += [more_than(end, at) for end in upper]
        return found

    def _order(self, direction: Direction) -> list[Constraint]:
        found = [Constraint(self._distance(op), True) for op in direction.same]
        if direction.carrier is not None:
            distance = self._distance(direction.carrier)
            if direction.least is not None:
                found.append(at_least(distance, AffineExpr.constant(direction.least)))
            if direction.most is not None:
                found.append(at_least(AffineExpr.constant(direction.most), distance))
        return found

    def _distance(self, op: loop.ForOp) -> AffineExpr:
        """How many iterations of `op` the second instance is behind the first."""
        first, second = (self._counter(side, op) for side in (0, 1))
        return second + first * -1

    def _counter(self, side: int, op: loop.ForOp) -> AffineExpr:
        return self._atom(side, op.induction_variable)

    # When the indices are equal

    def _differences(self) -> Iterator[_Difference]:
        """The difference of the indices on each axis, and the sizes of its factors.

        Where one monomial does not divide the next, as the parts of a row do not divide the row,
        each in turn is taken for a value like others.
        """
        for axis in range(len(self._subscripts[0])):
            found = self._with_sizes(self._difference(axis))
            yield found
            if found.sizes is None:
                some = (self._with_sizes(self._difference(axis, one)) for one in found.factors)
                yield from (one for one in some if one.sizes is not None)

    def _with_sizes(self, difference: _Factors) -> _Difference:
        factors, more = _with_whole_strides(difference)
        return _Difference(factors, self._sizes(factors, more))

    def _difference(self, axis: int, value: Monomial = ()) -> _Factors:
        """The difference of the two indices on an axis, as {invariant monomial: factor}.

        The difference is the sum of monomial * factor; a factor is a sum of terms. The monomial
        `value` is in the factors, and has none.
        """
        terms = [
            (side, sign * coefficient, *self._parts(monomial, value))
            for side, sign in ((0, 1), (1, -1))
            for monomial, coefficient in self._subscripts[side][axis].terms.items()
        ]
        found: dict[Monomial, list[_Term]] = {(): []}
        for side, coefficient, fixed, moving in terms:
            if moving:
                term = _Term(coefficient, self._monomial(side, moving))
                found.setdefault(fixed, []).append(term)
        for side, coefficient, fixed, moving in terms:
            if not moving:
                factor, rest = (fixed, ()) if fixed in found else ((), fixed)
                found[factor].append(_Term(coefficient, self._monomial(side, rest)))
        if axis == len(self._subscripts[0]) - 1:
            for side, sign in ((0, 1), (1, -1)):
                if self.references[side].access.lanes > 1:
                    found[()].append(_Term(sign, self._lane(side)))
        return dict(sorted(found.items(), key=lambda item: len(item[0])))

    def _lane(self, side: int) -> AffineExpr:
        return self._dim((side, _LANE))

    def _parts(self, monomial: Monomial, value: Monomial) -> tuple[Monomial, Monomial]:
        """The invariant part of a monomial and its varying part, if that is a single value.

        A product of several varying values stays whole: it becomes one free dimension. So does
        one whose invariant part is `value`.
        """
        fixed = product_of(atom for atom in monomial if self._is_fixed(atom))
        moving = product_of(atom for atom in monomial if not self._is_fixed(atom))
        return (fixed, moving) if len(moving) < 2 and fixed != value else ((), monomial)

    def _sizes(self, factors: _Factors, more: int) -> list[AffineExpr] | None:
        """Each monomial divided by the one before, like strides; None if that is inexact.

        The last one counts for `more` than itself.
        """
        sizes: list[AffineExpr] = []
        monomials = list(factors)
        for k, (small, large) in enumerate(pairwise(monomials), 1):
            rest = list(large)
            for atom in small:
                if atom not in rest:
                    return None
                rest.remove(atom)
            behind = [term.coefficient for m in monomials[k:] for term in factors[m]]
            size = self._monomial(0, product_of(rest))
            sizes.append((size + more if k == len(monomials) - 1 else size) * gcd(*behind))
        return sizes

    def _equal(
        self,
        factors: _Factors,
        sizes: Sequence[AffineExpr] | None,
        pairs: isl.Set,
    ) -> list[Constraint]:
        """Constraints that hold where the indices on an axis are equal (delinearization).

        a + n * b is 0 where a and b are 0. The converse holds if -n < a < n, which is checked on
        `pairs`; where it fails, no constraint is given, and all pairs remain.
        """
        if sizes is None:
            return []
        sums = [
            sum((term.expr * term.coefficient for term in terms), _ZERO)
            for terms in factors.values()
        ]
        for found, size in zip(sums, sizes, strict=False):  # the last sum needs no limit
            beyond = [[at_least(found * sign, size)] for sign in (1, -1)]
            if not pairs.intersect(union(self.context, len(self._dims), beyond)).is_empty():
                return []
        return [Constraint(found, True) for found in sums]

    # Values as dimensions

    def _exprs(
        self, side: int, exprs: Sequence[AffineExpr], op: loop.ForOp | loop.IfOp
    ) -> list[AffineExpr]:
        return [self._expr(side, p) for p in self.forms.of_exprs(exprs, op.operands_)]

    def _expr(self, side: int, polynomial: Polynomial, depth: int = _DEPTH) -> AffineExpr:
        terms = polynomial.terms.items()
        return sum((self._monomial(side, m, depth) * c for m, c in terms), _ZERO)

    def _monomial(self, side: int, monomial: Monomial, depth: int = _DEPTH) -> AffineExpr:
        if not monomial:
            return AffineExpr.constant(1)
        atoms = sorted((self._atom(side, atom, depth) for atom in monomial), key=str)
        return reduce(self._product, atoms)

    def _product(self, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
        return self._dim(ComputedValue(arith.MuliOp, lhs, rhs))

    def _atom(self, side: int, atom: Atom, depth: int = _DEPTH) -> AffineExpr:
        if isinstance(atom, Quotient):
            return self._expr(side, atom.dividend, depth) // atom.divisor
        op = atom.owner
        if depth and isinstance(op, Operation) and type(op) in FACTS:
            lhs, rhs = (self._expr(side, self.forms.of(one), depth - 1) for one in op.operands)
            return self._dim(ComputedValue(type(op), lhs, rhs))
        return self._dim(atom if self._is_fixed(atom) else (side, atom))

    def _dim(self, key: Hashable) -> AffineExpr:
        return self._dims.setdefault(key, AffineExpr.dimension(len(self._dims)))

    def _natural_sizes(self) -> Iterator[Alternatives]:
        for key, dim in self._dims.items():
            if isinstance(key, BlockArgument) and _is_size(key):
                yield [[at_least(dim)]]

    def _is_fixed(self, atom: Atom) -> bool:
        return is_fixed(atom, self.block)


def _with_whole_strides(factors: _Factors) -> tuple[_Factors, int]:
    """The factors where those of a stride that is a sum are one, and what it adds to its monomial.

    rows * (n + 1) + columns is n * rows + (rows + columns): with 1 more, it is n * rows + columns.
    """
    if len(factors) < 2:
        return factors, 0
    small, large = [*factors][-2:]
    first, *_ = factors[large]
    within = {term.expr: term.coefficient for term in factors[small]}
    more, rest = divmod(within.get(first.expr, 0), first.coefficient)
    moved = [_Term(term.coefficient * more, term.expr) for term in factors[large]]
    if rest or not more or any(term not in factors[small] for term in moved):
        return factors, 0
    return {**factors, small: [term for term in factors[small] if term not in moved]}, more


def _all(facts: Iterable[Alternatives]) -> list[Condition]:
    return [(alternatives, True) for alternatives in facts]


def _is_size(argument: BlockArgument) -> bool:
    function = argument.owner.parent_op()
    return isinstance(function, func.FuncOp) and argument in size_arguments(function)
