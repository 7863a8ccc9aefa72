"""Where in a loop nest the guards of a stage are tested: as far out as their axes allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.stages.queries import is_axis_of, leaves_of
from teloom.dialects import schedule
from teloom.dialects.affine.constraints import Conjunction


class Test(NamedTuple):
    """A condition over `operands`."""

    alternatives: list[Conjunction]
    operands: Sequence[SSAValue]


def tests_by_depth(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> list[list[Test]]:
    """The guards of a stage, by the number of loops over `leaves` inside which they are tested.

    What a guard says of axes that have no loop here, those of a reduction, is left out.
    """
    found: list[list[Test]] = [[] for _ in range(len(leaves) + 1)]
    least = _inside_windows(stage, leaves)
    for guard in stage.guards:
        for alternatives in _parts(guard.alternatives):
            test, depth = _without_loop(stage, Test(alternatives, guard.operands_), leaves)
            if all(map(_says_something, test.alternatives)):
                found[max(depth, least)].append(test)
    return [list(_joined(tests)) for tests in found]


def _inside_windows(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> int:
    """The number of loops inside which all is computed that is there for later iterations, too.

    A guard around it would leave out what an iteration computes just for later ones.
    """
    return max(
        (
            leaves.index(attached.at) + 1
            for attached in stage.attached
            if attached.at in leaves and _keeps_something(attached)
        ),
        default=0,
    )


def _keeps_something(stage: schedule.StageOp) -> bool:
    """Whether a stage, or one computed in its loops, is stored further out than computed."""
    return stage.is_stored_elsewhere or any(map(_keeps_something, stage.attached))


def _parts(alternatives: Sequence[Conjunction]) -> list[list[Conjunction]]:
    """Conditions that hold together where one of the alternatives does."""
    if len(alternatives) > 1:
        return [list(alternatives)]
    (only,) = alternatives
    return [
        *([Conjunction([expr], [])] for expr in only.equalities),
        *([Conjunction([], [expr])] for expr in only.inequalities),
    ]


def _says_something(alternative: Conjunction) -> bool:
    return bool(alternative.equalities or alternative.inequalities)


def _without_loop(
    stage: schedule.StageOp, test: Test, leaves: Sequence[SSAValue]
) -> tuple[Test, int]:
    """What a test says of axes that the loops fix, and how many loops fix them."""
    loops_of: dict[int, int | None] = {}
    for position, axis in enumerate(test.operands):
        made_of = leaves_of(axis) if is_axis_of(axis, stage) else []
        known = all(leaf in leaves for leaf in made_of)
        loops_of[position] = (
            max((leaves.index(leaf) + 1 for leaf in made_of), default=0) if known else None
        )

    depth = 0

    def is_said(expr: AffineExpr) -> bool:
        nonlocal depth
        loops = [loops_of[position] for position in expr.used_dims()]
        if None in loops:
            return False
        depth = max([depth, *(number for number in loops if number is not None)])
        return True

    said = [Conjunction(*([*filter(is_said, part)] for part in one)) for one in test.alternatives]
    return Test(said, test.operands), depth


def _joined(tests: Sequence[Test]) -> Iterator[Test]:
    """The tests of one place; all that have one alternative and the same operands as one."""
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
