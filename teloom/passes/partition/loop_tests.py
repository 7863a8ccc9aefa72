"""Tests in each iteration of a loop: which of two bounds counts, whether a condition holds.

A test with a known answer is settled: the loop keeps the bound that counts, and the constraint of a
branch, or the comparison, becomes constant.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import AffineMapAttr, BoolAttr, IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import lower_bounds, upper_bounds
from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.index.ranges import range_of, settle
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.nests import COPIES
from teloom.analysis.sets.conditions import COMPARED, Alternatives, constraints_of
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects import loop
from teloom.dialects.affine import operands as affine
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.constraints import pack_condition
from teloom.dialects.affine.fold import DIVISIONS, operations
from teloom.dialects.affine.linear_forms import difference, joined
from teloom.dialects.affine.polynomials import Polynomial, Quotient
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Tail
from teloom.passes.code.code_motion import become, erase_unused
from teloom.passes.code.loop_bounds import set_bounds

DIM = AffineExpr.dimension

_HOLDS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}
_PREDICATES = arith.CMPI_COMPARISON_OPERATIONS


class LoopTest(ABC):
    """A test of an op in a loop; with `can_fail`, the op is also simpler where it never holds.

    A loop may be divided for a test in a loop in which it `costs` more than a copy of the body.
    """

    op: Operation
    can_fail = True

    @abstractmethod
    def condition(self, sets: IterationSets) -> Alternatives:
        """The condition under which the test holds."""

    @abstractmethod
    def settle(self, answer: bool) -> None:
        """Writes the answer into the op. Other tests of the op stay."""

    def costs(self, op: loop.ForOp) -> bool:
        """Whether it is dear in the iterations of a loop around it: lanes and copies ask again."""
        return op.kind.data in COPIES


@dataclass(frozen=True, eq=False)
class BoundsTest(LoopTest):
    """Whether a loop runs from one of its lower bounds to one of its upper bounds."""

    op: loop.ForOp
    lower: Polynomial
    upper: Polynomial
    can_fail = False

    def condition(self, sets: IterationSets) -> Alternatives:
        lowers = _exprs(sets, self.lower, *lower_bounds(self.op))
        uppers = _exprs(sets, self.upper, *upper_bounds(self.op))
        (first, *starts), (end, *ends) = lowers, uppers
        return [[*(at_least(first, one) for one in starts), *(at_least(one, end) for one in ends)]]

    def settle(self, answer: bool) -> None:
        assert answer
        _set_bounds(self.op, [self.lower], [self.upper])


@dataclass(frozen=True, eq=False)
class OtherEndTest(LoopTest):
    """Whether a loop never runs as far as one of its upper bounds, for it ends at another one."""

    op: loop.ForOp
    upper: Polynomial
    other: Polynomial
    can_fail = False

    def condition(self, sets: IterationSets) -> Alternatives:
        end, other = _exprs(sets, self.upper, self.other)
        return [[at_least(other, end)]]

    def settle(self, answer: bool) -> None:
        assert answer
        ends = [one for one in upper_bounds(self.op) if one != self.other]
        _set_bounds(self.op, lower_bounds(self.op), ends)


def _exprs(sets: IterationSets, *forms: Polynomial) -> list[AffineExpr]:
    return sets.exprs(*affine.exprs_of_forms(forms))


def _set_bounds(op: loop.ForOp, lowers: Sequence[Polynomial], uppers: Sequence[Polynomial]) -> None:
    exprs, values = affine.exprs_of_forms([*lowers, *uppers])
    set_bounds(op, exprs[: len(lowers)], exprs[len(lowers) :], values)


@dataclass(frozen=True, eq=False)
class ConstraintTest(LoopTest):
    """Whether a constraint of a branch holds; `number` counts through all alternatives."""

    op: loop.IfOp
    position: int

    def condition(self, sets: IterationSets) -> Alternatives:
        (expr,) = sets.exprs([self.op.constraints.data.results[self.position]], self.op.operands_)
        return [[Constraint(expr, self.is_equality)]]

    @property
    def is_equality(self) -> bool:
        constraints = [one for part in self.op.alternatives for one in constraints_of(part)]
        return constraints[self.position].is_equality

    def settle(self, answer: bool) -> None:
        exprs = [*self.op.constraints.data.results]
        exprs[self.position] = AffineExpr.constant(0 if answer else -1)
        packed, operands = affine.pack(exprs, self.op.operands_)
        self.op.operands = operands
        self.op.constraints = packed


@dataclass(frozen=True, eq=False)
class ComparisonTest(LoopTest):
    """Whether a comparison of index values holds."""

    op: arith.CmpiOp

    def condition(self, sets: IterationSets) -> Alternatives:
        left, right = sets.exprs([DIM(0), DIM(1)], [self.op.lhs, self.op.rhs])
        return COMPARED[_PREDICATES[self.op.predicate.value.data]](left, right)

    def settle(self, answer: bool) -> None:
        fold_truth(self.op.result, answer)


@dataclass(frozen=True, eq=False)
class ExtremeTest(LoopTest):
    """Whether the first of two index values is the least, or the largest, that is asked for."""

    op: arith.MinSIOp | arith.MaxSIOp

    def condition(self, sets: IterationSets) -> Alternatives:
        is_least = isinstance(self.op, arith.MinSIOp)
        above, below = reversed(self.op.operands) if is_least else self.op.operands
        # A minimum is above what all that it is of is above.
        above, below = _folded(above, arith.MinSIOp), _folded(below, arith.MaxSIOp)
        (left, right) = (sets.exprs([*map(DIM, range(len(of)))], of) for of in (above, below))
        return [[at_least(one, other) for one in left for other in right]]

    def settle(self, answer: bool) -> None:
        _replace(self.op, self.op.lhs if answer else self.op.rhs)

    def costs(self, op: loop.ForOp) -> bool:
        """It is one instruction, but lanes have no vector if it may be one or the other."""
        is_vectorized = op.kind.data is LoopKind.VECTORIZED
        return is_vectorized and depends_on(self.op, op.induction_variable)


def depends_on(op: Operation, counter: SSAValue) -> bool:
    """Whether what `op` asks may differ between iterations of the loop with this counter."""
    body = counter.owner
    assert isinstance(body, Block)
    pending, seen = [*op.operands], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value is counter:
            return True
        owner = value.owner
        definer = owner.parent_op() if isinstance(owner, Block) else owner
        if value in seen or definer is None or body.find_ancestor_op_in_block(definer) is None:
            continue
        seen.add(value)
        pending += definer.operands
    return False


def _folded(value: SSAValue, kind: type[Operation]) -> list[SSAValue]:
    """The values of which `value` is the least, or the largest, by ops of one kind."""
    return [one for one in postorder([value], partial(_folds, kind)) if not _folds(kind, one)]


def _folds(kind: type[Operation], value: SSAValue) -> Sequence[SSAValue]:
    return value.owner.operands if isinstance(value.owner, kind) else ()


SETTLED = (loop.ForOp, loop.IfOp, arith.CmpiOp, arith.MinSIOp, arith.MaxSIOp)
"""What says the answer of a test, once it is known."""


def tests_in(block: Block) -> Iterator[LoopTest]:
    """The tests in the body of a loop, or in a part of it."""
    for inner in ops_in(block, *SETTLED, loop.LoadOp):
        match inner:
            case loop.ForOp():
                if len(inner.lower.data.results) + len(inner.upper.data.results) > 2:
                    yield from _bounds_tests(inner)
            case loop.IfOp():
                for position in range(len(inner.constraints.data.results)):
                    yield ConstraintTest(inner, position)
            case arith.CmpiOp() if isinstance(inner.lhs.type, IndexType):
                if _PREDICATES[inner.predicate.value.data] in COMPARED:
                    yield ComparisonTest(inner)
            case arith.MinSIOp() | arith.MaxSIOp() if isinstance(inner.result.type, IndexType):
                yield ExtremeTest(inner)
            case loop.LoadOp():
                yield from _quotient_tests(inner)
            case _:
                pass


def _bounds_tests(op: loop.ForOp) -> Iterator[LoopTest]:
    """The test whether a loop runs over a constant extent that two of its bounds give.

    There are never more iterations than the least of these extents. A tile of which the schedule
    says how it ends has the longest: that of all tiles, of which it may have fewer itself.
    Where it has further ends, each of these may be in other tiles.
    """
    lowers, uppers = lower_bounds(op), upper_bounds(op)
    is_open = loop.tail_of(op) is Tail.AUTO
    found = [
        (extent, first, end)
        for first in lowers
        for end in uppers
        if (extent := (end - first).as_constant()) is not None
    ]
    if not found:
        return
    best = min if is_open else max
    _, first, end = best(found, key=lambda one: one[0])
    yield BoundsTest(op, first, end)
    if is_open and len(uppers) > 2:
        yield from (OtherEndTest(op, end, other) for other in uppers if other != end)


def settle_constants(block: Block) -> None:
    """Settles the tests in a block whose answers are constant."""
    for op in ops_in(block, *SETTLED):
        if not is_in_function(op):
            continue  # in a branch that never runs
        match op:
            case loop.ForOp() if loop.tail_of(op) is Tail.AUTO:
                simplify_bounds(op)  # of others it matters how long they would be
            case loop.IfOp():
                forms = AnyIterationForms().of_exprs(op.constraints.data.results, op.operands_)
                op.constraints, op.operands = affine.pack_forms(forms)
                simplify_branch(op)
            case arith.CmpiOp() if isinstance(op.lhs.type, IndexType):
                distance = _distance(op)
                holds = _HOLDS.get(_PREDICATES[op.predicate.value.data])
                if distance is not None and holds is not None:
                    fold_truth(op.result, holds(distance, 0))
            case arith.MinSIOp() | arith.MaxSIOp() if isinstance(op.result.type, IndexType):
                if (distance := _distance(op)) is not None:
                    is_least = isinstance(op, arith.MinSIOp)
                    ExtremeTest(op).settle(distance <= 0 if is_least else distance >= 0)
            case _:
                pass


def _distance(op: Operation) -> int | None:
    """How far the first of two index values is behind the second one, if that is constant."""
    left, right = map(AnyIterationForms().of, op.operands)
    return (left - right).as_constant()


MOST_TURNS = 2
"""How often a quotient changes at most in a loop that is divided there."""


@dataclass(frozen=True, eq=False)
class QuotientTest(LoopTest):
    """Whether what a subscript divides is below a multiple of the divisor.

    On each side of it lanes that are neighbours read neighbours, and the ranges of the loops say
    what the quotient is: nothing has to be written.
    """

    op: loop.AccessOp
    dividend: Polynomial
    limit: int

    def condition(self, sets: IterationSets) -> Alternatives:
        (expr,) = _exprs(sets, self.dividend)
        return [[more_than(AffineExpr.constant(self.limit), expr)]]

    def settle(self, answer: bool) -> None:
        pass

    def costs(self, op: loop.ForOp) -> bool:
        return super().costs(op) and self.dividend.uses(op.induction_variable)


def _quotient_tests(op: loop.AccessOp) -> Iterator[QuotientTest]:
    """The tests where quotients in subscripts change, if that is seldom."""
    if not _has_divisions(op):
        return
    forms = polynomials.of_exprs(op.subscripts, op.operands_)
    for quotient in dict.fromkeys(one for form in forms for one in _quotients_of(form)):
        found = range_of(quotient.dividend.terms.items())
        if found is None or not any(map(_counts_lanes, quotient.dividend.atoms())):
            continue
        first, last = (end // quotient.divisor for end in found)
        if last - first <= MOST_TURNS:
            for turn in range(first + 1, last + 1):
                yield QuotientTest(op, quotient.dividend, turn * quotient.divisor)


def _counts_lanes(value: object) -> bool:
    """Whether a value is the counter of a vectorized loop."""
    around = value.owner.parent_op() if isinstance(value, BlockArgument) else None
    return isinstance(around, loop.ForOp) and around.kind.data is LoopKind.VECTORIZED


def _quotients_of(form: Polynomial) -> list[Quotient]:
    return [atom for monomial in form.terms for atom in monomial if isinstance(atom, Quotient)]


def _has_divisions(op: loop.AccessOp | loop.ReduceOp) -> bool:
    return any(part.kind in DIVISIONS for expr in op.subscripts for part in operations(expr))


class Settled(NamedTuple):
    """A test whose answer is known."""

    test: LoopTest
    answer: bool


def settle_all(settled: Sequence[Settled]) -> None:
    """Settles tests, and simplifies branches whose constraints were settled."""
    for test, answer in settled:
        if is_in_function(test.op):
            test.settle(answer)
    for branch in dict.fromkeys(one.test.op for one in settled):
        if isinstance(branch, loop.IfOp) and is_in_function(branch):
            simplify_branch(branch)


def settle_where_negative(block: Block, expr: AffineExpr, values: Sequence[SSAValue]) -> None:
    """Settles the tests in a block that ask for the sign of an expression, negative there."""
    sets = IterationSets(isl.Context())
    (negative,) = sets.exprs([expr], values)
    settled: list[Settled] = []
    for test in tests_in(block):
        match test.condition(sets):
            case [[Constraint(is_equality=False) as asked]]:
                distance = joined(difference(asked.expr, negative))
                total = joined(asked.expr + negative)
                if isinstance(distance, AffineConstantExpr) and distance.value <= 0:
                    settled.append(Settled(test, False))
                elif isinstance(total, AffineConstantExpr) and total.value >= -1:
                    settled.append(Settled(test, True))
            case _:
                pass
    settle_all([one for one in settled if one.answer or one.test.can_fail])


def simplify_bounds(op: loop.ForOp) -> None:
    """Drops the bounds of a loop that are a constant apart from a tighter one."""
    operands = affine.OperandList()
    sides: list[list[AffineExpr]] = []
    for bounds, sign in ((lower_bounds(op), 1), (upper_bounds(op), -1)):
        kept: list[Polynomial] = []
        for bound in bounds:
            distances = [(bound - other).as_constant() for other in kept]
            if any(distance is not None and distance * sign <= 0 for distance in distances):
                continue
            kept = [o for o, d in zip(kept, distances, strict=True) if d is None] + [bound]
        sides.append([polynomials.to_expr(bound, operands.dim) for bound in kept])
    set_bounds(op, *sides, operands.values)


def simplify_subscripts(op: loop.AccessOp | loop.ReduceOp) -> None:
    """Simplifies divisions in subscripts by the ranges of the loops around."""
    if not _has_divisions(op):
        return
    forms = polynomials.of_exprs(op.subscripts, op.operands_)
    settled = [settle(form) for form in forms]
    if any(one is not form for one, form in zip(settled, forms, strict=True)):
        dims = {value: DIM(dim) for dim, value in enumerate(op.operands_)}
        exprs = tuple(polynomials.to_expr(form, dims.__getitem__) for form in settled)
        op.map = AffineMapAttr(AffineMap(len(op.operands_), 0, exprs))


def simplify_branch(op: loop.IfOp) -> None:
    """Drops constant constraints of a branch. A branch without constraints becomes its body."""
    kept: list[Conjunction] = []
    for one in op.alternatives:
        equalities = [expr for expr in one.equalities if not _is_true(expr, True)]
        inequalities = [expr for expr in one.inequalities if not _is_true(expr, False)]
        if not equalities and not inequalities:
            become(op, op.then_body.block)
            return
        constants = [*equalities, *inequalities]
        if not any(isinstance(expr, AffineConstantExpr) for expr in constants):
            kept.append(Conjunction(equalities, inequalities))
    if not kept:
        become(op, op.else_body.block if op.else_body else Block())
        return
    operands, op.constraints, op.counts = pack_condition(kept, op.operands_)
    op.operands = operands


def _is_true(expr: AffineExpr, is_equality: bool) -> bool:
    if not isinstance(expr, AffineConstantExpr):
        return False
    return expr.value == 0 if is_equality else expr.value >= 0


def is_in_function(op: Operation | None) -> bool:
    """Whether an op is still in a function, or in a block for one, and not in what was erased."""
    while op is not None and not isinstance(op, func.FuncOp):
        around = op.parent_op()
        if around is None and op.parent is not None:
            return True
        op = around
    return op is not None


def fold_truth(value: SSAValue, truth: bool) -> None:
    """Simplifies the ops that use `value`, now that its truth is known."""
    pending = [(value, truth)]
    while pending:
        value, truth = pending.pop()
        for use in [*value.uses]:
            op = use.operation
            if op.parent is None:
                continue  # it used the value twice
            match op:
                case arith.AndIOp() | arith.OrIOp():
                    if truth is isinstance(op, arith.OrIOp):
                        pending.append((op.result, truth))
                    else:
                        _replace(op, op.lhs if value is op.rhs else op.rhs)
                case arith.SelectOp() if use.index == 0:
                    _replace(op, op.lhs if truth else op.rhs)
                case scf.IfOp():
                    region = op.true_region if truth else op.false_region
                    become(op, region.block if region.blocks else Block())
                case _:
                    _use_constant(value, truth, op)
        erase_unused(value)


def _use_constant(value: SSAValue, truth: bool, user: Operation) -> None:
    constant = arith.ConstantOp(BoolAttr.from_bool(truth))
    Rewriter.insert_op(constant, InsertPoint.before(user))
    value.replace_uses_with_if(constant.result, lambda use: use.operation is user)


def _replace(op: Operation, value: SSAValue) -> None:
    op.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(op)
