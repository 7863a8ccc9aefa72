"""At which points an equation reads one element: its axes, as functions of the subscripts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from teloom.frontend.expr.expressions import Apply, Const, Expr, alike
from teloom.frontend.expr.scalar_rules import RULES
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.shape_forms import linear_form
from teloom.frontend.tensor.tensors import IterVar, Range


@dataclass
class SolvedPoints:
    """The points at which a read finds the element at given positions.

    `solved` has axes, in order, as expressions of the positions and of axes that follow. At the
    points where the `conditions` hold, which are over all axes, the element is read.
    """

    solved: dict[IterVar, Expr]
    conditions: list[Expr]

    def solved_with(self, known: Mapping[IterVar, Expr]) -> dict[IterVar, Expr]:
        """What is known, and the solved axes as expressions of it."""
        found = {**known}
        for axis, value in reversed(self.solved.items()):
            found[axis] = Substitution(found, {}).of(value)
        return found


@dataclass
class _Equation:
    """A sum of axes times coefficients, which is `value`."""

    terms: dict[IterVar, int]
    value: Expr


def points_of(
    subscripts: Sequence[Expr], positions: Sequence[Expr], axes: Sequence[IterVar]
) -> SolvedPoints:
    """The points over `axes` at which these subscripts have the values `positions`."""
    solver = _Elimination()
    for subscript, position in _joined(subscripts, positions):
        equation = _linear(subscript, position, axes)
        if equation is None:
            solver.found.conditions.append(subscript == position)
        else:
            solver.pending.append(equation)
    solver.run()
    return solver.found


def _joined(subscripts: Sequence[Expr], positions: Sequence[Expr]) -> list[tuple[Expr, Expr]]:
    """Subscripts and their values; a quotient and its remainder are one."""
    left = list(zip(subscripts, positions, strict=True))
    for number, (subscript, position) in enumerate(left):
        match subscript:
            case Apply("floordiv", (whole, Const(divisor))):
                pass
            case _:
                continue
        for other, (rest, remainder) in enumerate(left):
            match rest:
                case Apply("floormod", (same, Const(value))) if value == divisor and alike(
                    same, whole
                ):
                    left[number] = whole, position * Const(divisor, whole.dtype) + remainder
                    del left[other]
                    return left
    return left


def _linear(subscript: Expr, position: Expr, axes: Sequence[IterVar]) -> _Equation | None:
    """The equation that a subscript is at a position; None if it is not linear in axes."""
    form = linear_form(subscript)
    if form is None:
        return None
    value = position - form.constant
    terms: dict[IterVar, int] = {}
    for leaf, factor in form.terms.items():
        if isinstance(leaf, IterVar) and leaf in axes:
            terms[leaf] = factor
        else:
            value = value - leaf * factor
    return _Equation(terms, value)


class _Elimination:
    """Solves equations, each for one axis, which is then none of the others.

    An axis in `_known` is the value there, less the sum there, of axes that are not solved before.
    """

    def __init__(self) -> None:
        self.found = SolvedPoints({}, [])
        self.pending: list[_Equation] = []
        self._known: dict[IterVar, _Equation] = {}

    def run(self) -> None:
        """Solves what is pending, the shortest equations first."""
        while self.pending:
            self.pending.sort(key=lambda one: len(one.terms))
            self._solve(self._without_known(self.pending.pop(0)))

    def _without_known(self, equation: _Equation) -> _Equation:
        """An equation with what is known in the place of axes."""
        terms, value = {**equation.terms}, equation.value
        while solved := terms.keys() & self._known.keys():
            axis = next(iter(solved))
            factor, known = terms.pop(axis), self._known[axis]
            value = value - known.value * factor
            for one, of in known.terms.items():
                terms[one] = terms.get(one, 0) - of * factor
            terms = {one: of for one, of in terms.items() if of}
        return _Equation(terms, value)

    def _solve(self, equation: _Equation) -> None:
        """Solves an equation for an axis that is not solved yet; without one, it is a condition."""
        terms, value = equation.terms, equation.value
        if not terms:
            self.found.conditions.append(value == 0)
        elif terms.keys() & self.found.solved.keys():
            whole = sum((axis * factor for axis, factor in terms.items()), start=value * 0)
            self.found.conditions.append(whole == value)
        elif (digit := _last_digit(terms)) is not None:
            self._solve_digit(equation, *digit)
        else:
            self._solve_axis(equation)

    def _solve_digit(self, equation: _Equation, axis: IterVar, base: int) -> None:
        value = equation.value % base
        _found(axis, value, self.found, below=base)
        self._known[axis] = _Equation({}, value)
        higher = {one: of // base for one, of in equation.terms.items() if one is not axis}
        self.pending.append(_Equation(higher, equation.value // base))

    def _solve_axis(self, equation: _Equation) -> None:
        terms, rest = equation.terms, equation.value
        axis = max(terms, key=lambda one: (_extent(one), -abs(terms[one]), not one.reduces))
        factor = terms.pop(axis)
        if factor < 0:
            terms, rest, factor = {one: -of for one, of in terms.items()}, -rest, -factor
        value = rest
        for one, of in terms.items():
            value = value - one * of
        if factor > 1:
            self.found.conditions.append(value % factor == 0)
            value = value // factor
        if factor == 1 or not terms:
            self._known[axis] = _Equation(terms, rest if terms else value)
        _found(axis, value, self.found)


def _found(axis: IterVar, value: Expr, found: SolvedPoints, below: int | None = None) -> None:
    """Notes an axis, and what must hold for it to be in its range; it is from 0 up to `below`."""
    found.solved[axis] = value
    assert axis.dom is not None
    if isinstance(value, IterVar) and value.dom is not None and _same(value.dom, axis.dom):
        return
    least, greatest = limits(value) if below is None else (0, below - 1)
    (_, begin), (end, _) = limits(axis.dom.min), limits(axis.dom.end)
    if not least >= begin:
        found.conditions.append(axis >= axis.dom.min)
    if not greatest < end:
        found.conditions.append(axis < axis.dom.end)


def limits(expr: Expr) -> tuple[float, float]:
    """Numbers that an expression of axes with constant ranges is not below, and not above."""
    match expr:
        case Const(value):
            return value, value
        case IterVar(dom=Range(Const(begin), Const(extent))):
            return begin, begin + max(extent, 1) - 1
        case IterVar(dom=Range(Const(begin))):
            return begin, math.inf
        case Apply("add" | "sub" | "mul" as function, (a, b)):
            rule = RULES[function].value
            assert rule is not None
            ends = [rule(x, y) for x in limits(a) for y in limits(b)]
            if not any(map(math.isnan, ends)):
                return min(ends), max(ends)
        case Apply("floordiv", (a, Const(divisor))) if divisor > 0:
            low, high = (one if math.isinf(one) else one // divisor for one in limits(a))
            return low, high
        case Apply("floormod", (_, Const(divisor))) if divisor > 0:
            return 0, divisor - 1
    return -math.inf, math.inf


def _same(one: Range, other: Range) -> bool:
    return alike(one.min, other.min) and alike(one.extent, other.extent)


def _extent(axis: IterVar) -> float:
    """The number of positions on an axis; a symbolic one counts as infinite."""
    extent = axis.dom and axis.dom.extent
    return float(extent.value) if isinstance(extent, Const) else float("inf")


def _last_digit(terms: dict[IterVar, int]) -> tuple[IterVar, int] | None:
    """The axis that is the last digit of a sum such as 8 * i + j, and the base, 8."""
    for axis, factor in terms.items():
        others = [one for other, one in terms.items() if other is not axis]
        if factor != 1 or not others or not isinstance(axis.dom and axis.dom.min, Const):
            continue
        base = min(map(abs, others))
        begins = axis.dom is not None and int(axis.dom.min) == 0
        if begins and _extent(axis) <= base and all(one % base == 0 for one in others):
            return axis, base
    return None
