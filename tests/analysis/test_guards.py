"""What is left of a guard holds at the same iterations of its loops."""

import itertools
import random

import islpy as isl
import pytest
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.stage_loops import NEVER
from teloom.analysis.sets import guards
from teloom.analysis.sets.guards import Guard, conditions_of
from teloom.analysis.sets.integer_sets import between, set_of
from teloom.dialects.affine.conjunctions import Conjunction

SIDE = 6
Y, X = AffineExpr.dimension(0), AffineExpr.dimension(1)
COVER = set_of(
    isl.Context(), 2, [c for dim in (Y, X) for c in between(dim, AffineExpr.constant(6))]
)
POINTS = list(itertools.product(range(SIDE), repeat=2))


def holds(one: Conjunction, point: tuple[int, ...]) -> bool:
    return all(expr.eval(list(point), []) == 0 for expr in one.equalities) and all(
        expr.eval(list(point), []) >= 0 for expr in one.inequalities
    )


def points(conditions: list[list[Conjunction]]) -> set[tuple[int, ...]]:
    """The iterations at which all conditions hold."""
    return {p for p in POINTS if all(any(holds(a, p) for a in c) for c in conditions)}


def constraint_count(conditions: list[list[Conjunction]]) -> int:
    return sum(len(one.equalities) + len(one.inequalities) for c in conditions for one in c)


@pytest.mark.parametrize(
    ("alternatives", "left"),
    [
        # The remainder of a division is one; a bound of the loops holds in them.
        ([Conjunction([], [X - (X // 2) * 2, (X // 2) * 2 - X + 1, X + 7])], []),
        # What follows from another constraint, also by whole numbers only.
        ([Conjunction([], [X - 3, X - 2])], [[Conjunction([], [X - 3])]]),
        ([Conjunction([], [X * 2 - 5, X - 3])], [[Conjunction([], [X - 3])]]),
        # A test outside of a loop stays, though one further in says more.
        ([Conjunction([], [Y - 2, X - Y - 3])], [[Conjunction([], [Y - 2, X - Y - 3])]]),
        ([Conjunction([], [X - 2, X - Y - 3])], [[Conjunction([], [X - Y - 3])]]),
        # An alternative inside another one, and one that both others hold together.
        ([Conjunction([], [X - 3]), Conjunction([], [X - 4, Y - 2])], [[Conjunction([], [X - 3])]]),
        ([Conjunction([], [X - 2]), Conjunction([], [X * -1 + 3]), Conjunction([], [Y - 1])], []),
        # What all alternatives say is a condition of its own.
        (
            [Conjunction([], [Y - 2, X - 4]), Conjunction([], [Y - 2, X * -1 + 1])],
            [
                [Conjunction([], [Y - 2])],
                [Conjunction([], [X - 4]), Conjunction([], [X * -1 + 1])],
            ],
        ),
        # Where nothing ever holds, that stays said.
        ([NEVER], [[NEVER]]),
    ],
)
def test_what_is_implied_is_left_out(alternatives, left):
    assert conditions_of(Guard(alternatives, COVER)) == left


@pytest.mark.parametrize("seed", range(60))
def test_the_same_iterations_are_left(seed: int):
    random_number = random.Random(seed)

    def expr() -> AffineExpr:
        pick = random_number.randint
        linear = Y * pick(-2, 2) + X * pick(-2, 2) + pick(-6, 6)
        return linear + ((Y * pick(0, 1) + X + pick(0, 3)) // pick(2, 3)) * pick(-2, 2)

    alternatives = [
        Conjunction(
            [expr() for _ in range(random_number.randint(0, 1))],
            [expr() for _ in range(random_number.randint(1, 4))],
        )
        for _ in range(random_number.randint(1, 3))
    ]
    found = conditions_of(Guard(alternatives, COVER))
    assert points(found) == points([alternatives])
    assert constraint_count(found) <= constraint_count([alternatives])


def test_what_takes_too_long_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guards, "OPERATIONS", 1)
    alternatives = [Conjunction([], [X - 3, X - 2])]
    assert points(conditions_of(Guard(alternatives, COVER))) == points([alternatives])
