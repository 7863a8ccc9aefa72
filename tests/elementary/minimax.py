"""Polynomials with the least greatest error on an interval, in decimal numbers of 60 digits.

Source: Remez' exchange algorithm, as in Muller, "Elementary Functions", 2016, section 3.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, getcontext
from math import cos, pi

getcontext().prec = 60

Real = Callable[[Decimal], Decimal]

GRID = 1200
"""On how many points of the interval the error is looked at."""


def solved(rows: list[list[Decimal]]) -> list[Decimal]:
    """The solution of linear equations: the matrix, with the right side as its last column."""
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row == column or not rows[row][column]:
                continue
            factor = rows[row][column] / rows[column][column]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [rows[row][size] / rows[row][row] for row in range(size)]


def value_of(coefficients: Sequence[Decimal], x: Decimal) -> Decimal:
    """The polynomial at `x`, the constant coefficient first."""
    total = Decimal(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def _powers(x: Decimal, count: int) -> list[Decimal]:
    powers = [Decimal(1)]
    while len(powers) < count:
        powers.append(powers[-1] * x)
    return powers


def _extrema(points: list[Decimal], errors: list[Decimal], count: int) -> list[Decimal]:
    """Points of greatest errors of alternating signs: the `count` with the largest least error."""
    runs: list[int] = []
    for at, error in enumerate(errors):
        if runs and (error > 0) == (errors[runs[-1]] > 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = at
        else:
            runs.append(at)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return [points[at] for at in runs]


def minimax(
    f: Real, terms: int, low: float, high: float, weight: Real = lambda x: Decimal(1)
) -> tuple[list[Decimal], Decimal]:
    """`terms` coefficients, the constant one first, and the greatest weighted error."""
    middle, half = Decimal(low + high) / 2, Decimal(high - low) / 2
    points = [middle - half * Decimal(cos(pi * at / GRID)) for at in range(GRID + 1)]
    values, weights = [f(x) for x in points], [weight(x) for x in points]
    chosen = [points[round(GRID * at / terms)] for at in range(terms + 1)]
    known = dict(zip(points, zip(values, weights, strict=True), strict=True))
    best: tuple[list[Decimal], Decimal] | None = None
    for _ in range(12):
        rows = []
        for sign, x in enumerate(chosen):
            value, scale = known[x]
            error = Decimal(-1 if sign % 2 else 1) / scale
            rows.append([*_powers(x, terms), error, value])
        coefficients = solved(rows)[:terms]
        errors = [
            (value_of(coefficients, x) - value) * scale
            for x, value, scale in zip(points, values, weights, strict=True)
        ]
        greatest = max(map(abs, errors))
        if best is None or greatest < best[1]:
            best = coefficients, greatest
        found = _extrema(points, errors, terms + 1)
        if len(found) < terms + 1 or found == chosen:
            break
        chosen = found
    assert best is not None
    return best
