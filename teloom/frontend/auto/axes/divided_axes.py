"""Data axes that are divided in what a reduction reads, as the channels of groups are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from teloom.frontend.auto.axes.joined_axes import AxisRun, in_place_of
from teloom.frontend.auto.facts import EquationFacts, is_box, known_extent
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import group_of
from teloom.frontend.expr.expressions import Apply, Const, Expr, as_expr, walk
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Range, Tensor


class DividedAxis(NamedTuple):
    """A data axis, by number, that a schedule splits by `factor` before it tiles a reduction.

    `model` is the reduction over the quotient and the remainder in its place.
    """

    number: int
    factor: int
    model: EquationFacts

    @property
    def said(self) -> str:
        """What is said of it."""
        outer, inner = self.model.op.axis[self.number : self.number + 2]
        return f"{outer.name} and {inner.name} are axes of their own, as what it reads divides them"

    def write(self, stage: Stage) -> list[IterVar]:
        """Splits the axis of a stage that has it; gives its data axes then."""
        parts = stage.split(stage.op.axis[self.number], factor=self.factor)
        return in_place_of(stage.op.axis, AxisRun(self.number, self.number + 1), parts)

    def copy(self, s: Schedule, tensor: Tensor, reader: Tensor) -> Tensor | None:
        """No tensor has another copy than without it."""
        return None


def divided_axis(rules: ScheduleWriter, equation: EquationFacts) -> DividedAxis | None:
    """The axis without whose remainders several rows of a reduction read the same."""
    op = equation.op
    if group_of(equation, rules.machine) is not None:
        return None  # groups of products are padded, for which axes have to be as they are
    is_direct = all(read.tensor in op.input_tensors for read in equation.reads)
    if equation.is_product or not (is_box(op) and op.reduce_axis and is_direct):
        return None
    models = (_divided(equation, *one) for one in divisions_of(op, "floordiv"))
    return next((one for one in models if one.model.is_product), None)


def divisions_of(op: ComputeOp, function: str) -> Iterator[tuple[int, int]]:
    """The data axes, by number, and the parts of theirs whose quotients or remainders are read.

    Those are `function`, floordiv or floormod. An axis has several parts, all of them whole.
    """
    found: dict[tuple[int, int], None] = {}
    for one in walk(tuple(op.body)):
        if isinstance(one, Apply) and one.function == function:
            axis, by = one.arguments
            if isinstance(axis, IterVar) and axis in op.axis and isinstance(by, Const):
                found[op.axis.index(axis), int(by.value)] = None
    for number, factor in found:
        extent = known_extent(op.axis[number])
        if factor > 1 and extent is not None and extent > factor and extent % factor == 0:
            yield number, factor


def _divided(equation: EquationFacts, number: int, factor: int) -> DividedAxis:
    op, axis = equation.op, equation.op.axis[number]
    extent = known_extent(axis)
    assert extent is not None
    sizes = {"outer": extent // factor, "inner": factor}
    parts = [
        IterVar(f"{axis.name}.{part}", Range(as_expr(0), as_expr(size)))
        for part, size in sizes.items()
    ]
    outer, inner = parts
    places: dict[Expr, Expr] = {axis: as_expr(outer * factor + inner)}
    for one in walk(tuple(op.body)):
        if isinstance(one, Apply) and one.arguments[0] is axis and _is(one.arguments[-1], factor):
            if one.function in ("floordiv", "floormod"):
                places[one] = outer if one.function == "floordiv" else inner
    body = Substitution(places, {}).of_body(op.body)
    around = in_place_of(op.axis, AxisRun(number, number + 1), parts)
    model = EquationFacts(ComputeOp(op.name, around, body, op.reduce_axis, op.tag, op.attrs))
    model.stored = equation.stored
    return DividedAxis(number, factor, model)


def _is(expr: Expr, number: int) -> bool:
    return isinstance(expr, Const) and expr.value == number
