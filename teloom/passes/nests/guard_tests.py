"""The tests of a stage's guards, hoisted as far out in its loop nest as their axes allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import simplified
from teloom.analysis.stages.queries import (
    bounds_depth,
    function_around,
    is_axis_of,
    is_leaf,
    is_reduce,
    kind_of,
    leaves_of,
    stage_of,
)
from teloom.dialects import schedule
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference, linear_terms
from teloom.dialects.affine.operands import OperandList


class Test(NamedTuple):
    """A condition over `operands`."""

    alternatives: list[Conjunction]
    operands: Sequence[SSAValue]


def tests_by_depth(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> list[list[Test]]:
    """The tests of a stage, by depth: how many loops over `leaves` are around them.

    Constraints on axes without a loop here are dropped: those of reduce axes in an init nest. So
    the init runs for more points than the update, never for fewer.

    Tests of loops around bounds from data stay in front of these bounds, whatever window there is:
    where they fail there is no data, so that no iteration relies on what is computed there.
    """
    found: list[list[Test]] = [[] for _ in range(len(leaves) + 1)]
    windows = list(_windows(stage, leaves)) if stage.guards else []
    around_data = -1 if stage.bounds_from_data is None else bounds_depth(stage)
    for guard in stage.guards:
        for alternatives in _conjuncts(guard.alternatives):
            test, depth = _without_loop(stage, Test(alternatives, guard.operands_), leaves)
            if all(map(_is_constraining, test.alternatives)):
                place = depth if depth <= around_data else _behind(windows, depth)
                found[place].append(test)
    return [list(_joined(tests)) for tests in found]


class FurtherBounds(NamedTuple):
    """Further bounds of a loop, over `operands`: from all of `lower` to all of `upper`."""

    lower: list[AffineExpr]
    upper: list[AffineExpr]
    operands: Sequence[SSAValue]


def take_limits(
    stage: schedule.StageOp, leaves: list[SSAValue], tests: list[list[Test]], depth: int
) -> list[FurtherBounds]:
    """Takes from the tests in the loop at a depth what can be bounds of this loop.

    These are bounds of a data axis in loops of reduce axes, over these. They are no part of its
    range, which is also that of the init nest.
    """
    axis = leaves[depth]
    outer = {other for other in leaves[:depth] if is_reduce(other)}
    if is_reduce(axis) or not outer or depth < _window_depth(stage, leaves):
        return []
    bounds = stage.ranges[axis]
    is_one = runs_once(bounds.lower.data.results, bounds.upper.data.results)
    if is_one or kind_of(axis).thread_rank is not None:
        return []
    found = [_split(test, axis, outer) for test in tests[depth + 1]]
    tests[depth + 1] = [test for _, test in found if test.alternatives]
    return [limits for limits, _ in found if limits.lower or limits.upper]


def runs_once(lower: Sequence[AffineExpr], upper: Sequence[AffineExpr]) -> bool:
    """Whether a loop has one iteration, so that no loop is needed."""
    return len(lower) == 1 and len(upper) == 1 and upper[0] == lower[0] + 1


def _split(test: Test, axis: SSAValue, outer: AbstractSet[SSAValue]) -> tuple[FurtherBounds, Test]:
    """Splits a test into bounds of one axis, over some loops around it, and the rest."""
    found = FurtherBounds([], [], test.operands)
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
    """The factor of the dimension that an inequality bounds; 0 if it is no bound."""
    linear, _, divisions = linear_terms((expr, 1))
    is_divided = any(dim in part.used_dims() for part, _ in divisions)
    factor = linear.get(dim, 0)
    return factor if abs(factor) == 1 and not is_divided else 0


class _Window(NamedTuple):
    """A stage that is stored in fewer loops, from the outermost on, than it is computed in.

    It is stored in -1 loops if that is outside of all that the guarded stage does.
    """

    stored: int
    computed: int


def _windows(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> Iterator[_Window]:
    """The windows of the stages computed in the loops of a stage, directly or in each other's.

    An iteration computes elements of such a stage that only later iterations read, of loops
    inside of its storage: a guard of `stage` in front of these loops, which also skipped them,
    would be wrong.
    """
    for attached in stage.attached:
        if attached.at not in leaves:
            continue
        computed = leaves.index(attached.at) + 1
        for one in (attached, *_stages_in(attached)):
            if one.is_stored_elsewhere and not attached.is_ancestor(_storage_of(one)):
                stored = leaves.index(one.stored_at) + 1 if one.stored_at in leaves else -1
                yield _Window(stored, computed)


def _stages_in(stage: schedule.StageOp) -> Iterator[schedule.StageOp]:
    for attached in stage.attached:
        yield attached
        yield from _stages_in(attached)


def _storage_of(stage: schedule.StageOp) -> Operation:
    """The stage in whose loops a stage is stored, or the function."""
    return function_around(stage) if stage.stored_at is None else stage_of(stage.stored_at)


def _behind(windows: Sequence[_Window], depth: int) -> int:
    """The least depth from `depth` on at which a guard is right."""
    for window in sorted(windows, key=lambda one: one.computed):
        if window.stored < depth < window.computed:
            depth = window.computed
    return depth


def _window_depth(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> int:
    """The depth at which all stages with windows are computed."""
    return max((window.computed for window in _windows(stage, leaves)), default=0)


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

    kept = [one.only(is_testable) for one in test.alternatives]
    return Test(kept, test.operands), depth


def as_one(tests: Sequence[Test]) -> Iterator[Test]:
    """The tests of several depths at one place; all conjunctions are joined to one test."""
    operands = OperandList()

    def moved(alternative: Conjunction, values: Sequence[SSAValue]) -> Conjunction:
        return alternative.map(lambda expr: replace_dims(expr, lambda k: operands.dim(values[k])))

    single = [
        moved(test.alternatives[0], test.operands) for test in tests if len(test.alternatives) == 1
    ]
    if single:
        yield Test([Conjunction.all_of(single)], operands.values)
    yield from (test for test in tests if len(test.alternatives) > 1)


def _joined(tests: Sequence[Test]) -> Iterator[Test]:
    """The tests of one place; conjunctions over the same operands are joined to one test."""
    single: dict[tuple[SSAValue, ...], list[Conjunction]] = {}
    for test in tests:
        if len(test.alternatives) == 1:
            single.setdefault(tuple(test.operands), []).extend(test.alternatives)
        else:
            yield test
    for operands, parts in single.items():
        yield Test([Conjunction.all_of(parts)], operands)
