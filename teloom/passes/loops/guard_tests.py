"""The tests of a stage's guards, hoisted as far out in its loop nest as their axes allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import simplified
from teloom.analysis.stages.queries import (
    bounds_depth,
    is_axis_of,
    is_leaf,
    is_reduce,
    kind_of,
    leaves_of,
)
from teloom.dialects import schedule
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.affine.linear_forms import difference, linear_terms


class Test(NamedTuple):
    """A condition over `operands`."""

    alternatives: list[Conjunction]
    operands: Sequence[SSAValue]


def tests_by_depth(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> list[list[Test]]:
    """The tests of a stage, by depth: how many loops over `leaves` are around them.

    Constraints on axes without a loop here are dropped: those of reduce axes in an init nest. So
    the init runs for more points than the update, never for fewer.
    """
    found: list[list[Test]] = [[] for _ in range(len(leaves) + 1)]
    least = _window_depth(stage, leaves) if stage.guards else 0
    for guard in stage.guards:
        for alternatives in _conjuncts(guard.alternatives):
            test, depth = _without_loop(stage, Test(alternatives, guard.operands_), leaves)
            if all(map(_is_constraining, test.alternatives)):
                found[max(depth, least)].append(test)
    return [list(_joined(tests)) for tests in found]


class Limits(NamedTuple):
    """Further bounds of a loop, over `operands`: from all of `lower` to all of `upper`."""

    lower: list[AffineExpr]
    upper: list[AffineExpr]
    operands: Sequence[SSAValue]


def take_limits(
    stage: schedule.StageOp, leaves: list[SSAValue], tests: list[list[Test]], depth: int
) -> list[Limits]:
    """Takes from the tests in the loop at a depth what can be bounds of this loop.

    These are bounds of a data axis in loops of reduce axes, over these. They are no part of its
    range, which is also that of the init nest.
    """
    axis = leaves[depth]
    outer = {other for other in leaves[:depth] if is_reduce(other)}
    if is_reduce(axis) or not outer or depth < _window_depth(stage, leaves):
        return []
    if _runs_once(stage.ranges[axis]) or kind_of(axis).thread_rank is not None:
        return []
    found = [_split(test, axis, outer) for test in tests[depth + 1]]
    tests[depth + 1] = [test for _, test in found if test.alternatives]
    return [limits for limits, _ in found if limits.lower or limits.upper]


def _runs_once(range: schedule.RangeOp) -> bool:
    """Whether a loop has one iteration, so that it is none."""
    first, *others = [*range.lower.data.results, *range.upper.data.results]
    return others == [first + 1]


def _split(test: Test, axis: SSAValue, outer: AbstractSet[SSAValue]) -> tuple[Limits, Test]:
    """What a test says of an axis alone, over some loops around it, and the rest of the test."""
    found = Limits([], [], test.operands)
    if len(test.alternatives) > 1 or axis not in test.operands:
        return found, test
    dim, (only,) = test.operands.index(axis), test.alternatives
    variable, rest = AffineExpr.dimension(dim), Conjunction([*only.equalities], [])
    for expr in only.inequalities:
        others = {test.operands[k] for k in expr.used_dims() if k != dim}
        factor = _factor(expr, dim)
        if factor == 0 or outer.isdisjoint(others) or not all(map(_is_loop, others)):
            rest.inequalities.append(expr)
        elif factor > 0:
            found.lower.append(simplified(difference(variable, expr)))
        else:
            found.upper.append(simplified(expr + variable + 1))
    return found, Test([rest] if _is_constraining(rest) else [], test.operands)


def _is_loop(value: SSAValue) -> bool:
    """Whether a value is known in front of the loops of a stage: no axis that follows from them."""
    return not isinstance(value.type, schedule.AxisType) or is_leaf(value)


def _factor(expr: AffineExpr, dim: int) -> int:
    """The factor of a dimension of which an inequality is a bound; 0 if it is none."""
    linear, _, divisions = linear_terms((expr, 1))
    is_divided = any(dim in part.used_dims() for part, _ in divisions)
    factor = linear.get(dim, 0)
    return factor if abs(factor) == 1 and not is_divided else 0


def _window_depth(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> int:
    """The least depth at which a guard is right: inside of all stages that keep a window.

    Such a stage is stored further out than it is computed: an iteration computes elements of it
    that only later iterations read. A guard of this stage that also skipped them would be wrong.
    """
    return max(
        (
            leaves.index(attached.at) + 1
            for attached in stage.attached
            if attached.at in leaves and _keeps_window(attached)
        ),
        default=0,
    )


def _keeps_window(stage: schedule.StageOp) -> bool:
    """Whether a stage, or one computed in its loops, is stored further out than it is computed."""
    return stage.is_stored_elsewhere or any(map(_keeps_window, stage.attached))


def _conjuncts(alternatives: Sequence[Conjunction]) -> list[list[Conjunction]]:
    """Conditions whose conjunction is the disjunction `alternatives`.

    A single alternative falls apart into constraints, which can be hoisted one by one.
    """
    if len(alternatives) > 1:
        return [list(alternatives)]
    (only,) = alternatives
    return [
        *([Conjunction([expr], [])] for expr in only.equalities),
        *([Conjunction([], [expr])] for expr in only.inequalities),
    ]


def _is_constraining(alternative: Conjunction) -> bool:
    return bool(alternative.equalities or alternative.inequalities)


def _without_loop(
    stage: schedule.StageOp, test: Test, leaves: Sequence[SSAValue]
) -> tuple[Test, int]:
    """The part of a test over axes that loops define, and how many loops define them."""
    loops_of: dict[int, int | None] = {}
    from_data = stage.bounds_from_data
    for position, axis in enumerate(test.operands):
        if from_data is not None and axis in from_data.values:
            loops_of[position] = (
                bounds_depth(stage) if len(leaves) == len(stage.order.axes) else None
            )
            continue
        made_of = leaves_of(axis) if is_axis_of(axis, stage) else []
        known = all(leaf in leaves for leaf in made_of)
        loops_of[position] = (
            max((leaves.index(leaf) + 1 for leaf in made_of), default=0) if known else None
        )

    depth = 0

    def is_testable(expr: AffineExpr) -> bool:
        nonlocal depth
        loops = [loops_of[position] for position in expr.used_dims()]
        if None in loops:
            return False
        depth = max([depth, *(number for number in loops if number is not None)])
        return True

    kept = [
        Conjunction(*([*filter(is_testable, part)] for part in one)) for one in test.alternatives
    ]
    return Test(kept, test.operands), depth


def _joined(tests: Sequence[Test]) -> Iterator[Test]:
    """The tests of one depth; conjunctions over the same operands are joined to one test."""
    single: dict[tuple[SSAValue, ...], list[Conjunction]] = {}
    for test in tests:
        if len(test.alternatives) == 1:
            single.setdefault(tuple(test.operands), []).extend(test.alternatives)
        else:
            yield test
    for operands, parts in single.items():
        equalities = chain.from_iterable(part.equalities for part in parts)
        inequalities = chain.from_iterable(part.inequalities for part in parts)
        yield Test([Conjunction([*equalities], [*inequalities])], operands)
