"""Whether a buffer may take the memory of another while both are used.

At every address, all loads and stores of the source have to come before every store of
the target: then each buffer reads what it wrote. What cannot be expressed counts as
any number, what has no order as both before and after.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import gcd
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.buffers import Access, Before, accesses_of, ways_before
from teloom.analysis.accesses.domains import (
    Condition,
    bounds,
    conditions,
    is_fixed,
    union,
    where,
)
from teloom.analysis.accesses.extreme_instances import Extremes, extremes_of
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.index.polynomials import Atom, Monomial, Polynomial, Quotient
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.analysis.sets.integer_sets import Constraint, set_of
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects import loop
from teloom.errors import PassError

_OPERATIONS = 200_000
"""How many isl operations a decision may take: most take a few thousand."""

_ZERO = AffineExpr.constant(0)


class InPlace:
    """Decides for the buffers of one block."""

    def __init__(self, block: Block, moments: Mapping[Operation, Lifetime]):
        self.block = _outside_lanes(block)
        self.moments = moments
        self.forms = IndexForms()
        self.context = isl.Context()
        self._accesses: dict[SSAValue, list[Access] | None] = {}
        self._extremes: dict[SSAValue, Extremes] = {}

    def fits(self, source: SSAValue, target: SSAValue) -> bool:
        """Whether the elements of `target` may lie where those of `source` with the same
        indices do. Buffers of several dimensions have the same shape."""
        before, after = self._accesses_of(source), self._accesses_of(target)
        if before is None or after is None or self._are_seen_to_meet(source, target):
            return False
        try:
            with budget(self.context, _OPERATIONS):
                return not any(
                    self._may_meet(store, access)
                    for store in after
                    if store.is_store
                    for access in before
                )
        except (OverBudget, PassError):
            return False

    def _accesses_of(self, buffer: SSAValue) -> list[Access] | None:
        if buffer not in self._accesses:
            self._accesses[buffer] = accesses_of(buffer, self.block, self.moments)
        return self._accesses[buffer]

    def _are_seen_to_meet(self, source: SSAValue, target: SSAValue) -> bool:
        """Whether an instance of each is known, at one address, the store of `target` first.

        It takes a few microseconds, and most buffers that live together are seen to meet.
        """
        later = self._extremes_of(source).last
        stores = self._extremes_of(target).first_stores
        return any(store.is_before(access) for store in stores for access in later)

    def _extremes_of(self, buffer: SSAValue) -> Extremes:
        if buffer not in self._extremes:
            accesses = self._accesses_of(buffer) or []
            try:
                with budget(self.context, _OPERATIONS):
                    self._extremes[buffer] = extremes_of(
                        accesses, self.block, self.forms, self.context
                    )
            except (OverBudget, PassError):
                self._extremes[buffer] = Extremes([], [])
        return self._extremes[buffer]

    def _pairs_of(self, store: Access, access: Access) -> _Instances:
        return _Instances(store, access, self.block, self.forms, self.context)

    def _may_meet(self, store: Access, access: Access) -> bool:
        """Whether `store` may write an address of which `access` comes later."""
        ways = list(ways_before(store, access))
        return bool(ways) and self._pairs_of(store, access).meet(ways)


def _outside_lanes(block: Block) -> Block:
    """The block around all loops over lanes or threads, which may share a buffer inside."""
    around = block
    while (op := block.parent_op()) is not None and op.parent is not None:
        block = op.parent
        if isinstance(op, loop.ForOp) and _is_of_lanes(op.kind.data):
            around = block
    return around


def _is_of_lanes(kind: loop.LoopKind) -> bool:
    return kind is loop.LoopKind.VECTORIZED or kind.thread_rank == 1


class _Term(NamedTuple):
    coefficient: int
    expr: AffineExpr


class _Instances:
    """Pairs of one instance of each of two accesses, in one run of a block.

    A pair is a point: its dimensions are what the block does not change, which is the
    same for both, and what it does, once for each.
    """

    def __init__(
        self, first: Access, second: Access, block: Block, forms: IndexForms, context: isl.Context
    ):
        self.context = context
        self.accesses = first, second
        self.block = block
        self.forms = forms
        self._dims: dict[Hashable, AffineExpr] = {}

    def meet(self, ways: Sequence[Before]) -> bool:
        """Whether at any pair in one of `ways` both have the same indices."""
        limits: list[Constraint] = []
        asked: list[Condition] = []
        for side, access in enumerate(self.accesses):
            exprs = partial(self._exprs, side)
            limits += bounds(access, partial(self._counter, side), exprs)
            asked += conditions(access, exprs)
        differences = [
            (factors, self._sizes(factors))
            for factors in map(self._difference, range(len(self.accesses[0].indices)))
        ]
        orders = [order for way in ways for order in self._orders(way)]
        # All dimensions are known from here on.
        pairs = where(self._set(limits).to_set(), asked)
        for factors, sizes in differences:
            pairs = pairs.intersect(self._set(self._equal(factors, sizes, pairs)).to_set())
        return any(not pairs.intersect(self._set(order).to_set()).is_empty() for order in orders)

    def _set(self, constraints: Sequence[Constraint]) -> isl.BasicSet:
        return set_of(self.context, len(self._dims), constraints)

    # When the accesses run

    def _orders(self, way: Before) -> Iterator[list[Constraint]]:
        same = [Constraint(self._steps(op), True) for op in way.same]
        if way.other is None:
            yield same
            return
        steps = self._steps(way.other)
        yield [*same, Constraint(steps + -1, False)]
        if not way.ordered:
            yield [*same, Constraint(steps * -1 + -1, False)]

    def _steps(self, op: loop.ForOp) -> AffineExpr:
        """How many iterations of `op` the second instance is behind the first."""
        first, second = (self._counter(side, op) for side in (0, 1))
        return second + first * -1

    def _counter(self, side: int, op: loop.ForOp) -> AffineExpr:
        return self._atom(side, op.induction_variable)

    # Where they meet

    def _difference(self, axis: int) -> dict[Monomial, list[_Term]]:
        """The difference of the indices on an axis: the sum of the products of each monomial,
        which the block does not change, with a sum of terms."""
        terms = [
            (side, sign * coefficient, *self._parts(monomial))
            for side, sign in ((0, 1), (1, -1))
            for monomial, coefficient in self._index(side, axis).terms.items()
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
        return dict(sorted(found.items(), key=lambda item: len(item[0])))

    def _index(self, side: int, axis: int) -> Polynomial:
        return self.forms.of(self.accesses[side].indices[axis])

    def _parts(self, monomial: Monomial) -> tuple[Monomial, Monomial]:
        """What the block does not change of a monomial, and the one value that it does, if
        they are known apart."""
        fixed = tuple(atom for atom in monomial if self._is_fixed(atom))
        moving = tuple(atom for atom in monomial if not self._is_fixed(atom))
        return (fixed, moving) if len(moving) < 2 else ((), monomial)

    def _sizes(self, factors: Mapping[Monomial, Sequence[_Term]]) -> list[AffineExpr] | None:
        """By what each factor is larger than the one before; None if one is no multiple."""
        sizes: list[AffineExpr] = []
        monomials = list(factors)
        for k, (small, large) in enumerate(pairwise(monomials), 1):
            rest = list(large)
            for atom in small:
                if atom not in rest:
                    return None
                rest.remove(atom)
            behind = [term.coefficient for m in monomials[k:] for term in factors[m]]
            sizes.append(self._monomial(0, tuple(rest)) * gcd(*behind))
        return sizes

    def _equal(
        self,
        factors: Mapping[Monomial, Sequence[_Term]],
        sizes: Sequence[AffineExpr] | None,
        pairs: isl.Set,
    ) -> list[Constraint]:
        """What holds where the indices on an axis are equal.

        a + n * b is 0 where a and b are, and only there if a lies between -n and n.
        """
        if sizes is None:
            return []
        sums = [
            sum((term.expr * term.coefficient for term in terms), _ZERO)
            for terms in factors.values()
        ]
        for found, size in zip(sums, sizes, strict=False):
            beyond = [[Constraint(found * sign + size * -1, False)] for sign in (1, -1)]
            if not pairs.intersect(union(self.context, len(self._dims), beyond)).is_empty():
                return []
        return [Constraint(found, True) for found in sums]

    # Values as dimensions

    def _exprs(
        self, side: int, exprs: Sequence[AffineExpr], op: loop.ForOp | loop.IfOp
    ) -> list[AffineExpr]:
        return [self._expr(side, p) for p in self.forms.of_exprs(exprs, op.operands_)]

    def _expr(self, side: int, polynomial: Polynomial) -> AffineExpr:
        terms = polynomial.terms.items()
        return sum((self._monomial(side, m) * c for m, c in terms), _ZERO)

    def _monomial(self, side: int, monomial: Monomial) -> AffineExpr:
        if not monomial:
            return AffineExpr.constant(1)
        if len(monomial) == 1:
            return self._atom(side, monomial[0])
        return self._dim(side, monomial, all(map(self._is_fixed, monomial)))

    def _atom(self, side: int, atom: Atom) -> AffineExpr:
        if isinstance(atom, Quotient):
            return self._expr(side, atom.dividend) // atom.divisor
        return self._dim(side, atom, self._is_fixed(atom))

    def _dim(self, side: int, what: Hashable, is_fixed: bool) -> AffineExpr:
        key = what if is_fixed else (side, what)
        return self._dims.setdefault(key, AffineExpr.dimension(len(self._dims)))

    def _is_fixed(self, atom: Atom) -> bool:
        return is_fixed(atom, self.block)
