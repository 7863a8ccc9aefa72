"""Adjacent data axes of a reduction that are one: pixels of an image are columns of a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeVar

from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    Subscript,
    extent_of,
    is_box,
    known,
    known_extent,
)
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import group_of, is_by_itself, is_stored_before, speed_of_tile
from teloom.frontend.expr.expressions import Expr, as_expr
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, PlaceholderOp, Range, Tensor

GAIN = 1.05
"""How much faster tiles of a product must become: operands may have to be copied for it."""

LARGEST = 2**31 - 1
"""The largest extent of an axis, as of an int32."""

MOST_WORK, MOST_STAGES = 64, 12
"""The most additions of a term, and the most stages of a schedule: to lay out a stage by its loops,
its equation is written again, and all commands so far are carried out."""

Part = TypeVar("Part")


class AxisRun(NamedTuple):
    """Adjacent axes, or dimensions, by number: from `first` up to `end`, which is excluded."""

    first: int
    end: int


class JoinedAxes(NamedTuple):
    """Data axes of a reduction that a schedule fuses before it tiles the reduction.

    `model` is the reduction over the fused axis, of tensors whose dimensions are joined, too. These
    are stand-ins: `parts` has the tensor and the dimensions behind each.
    """

    names: Sequence[str]
    axes: AxisRun
    model: EquationFacts
    parts: dict[Tensor, tuple[Tensor, AxisRun]]

    @property
    def said(self) -> str:
        """What is said of them."""
        return f"{', '.join(self.names)} are one axis, which tiles fill better"

    def write(self, stage: Stage) -> list[IterVar]:
        """Fuses the axes of a stage that has them; gives its data axes then."""
        return in_place_of(stage.op.axis, self.axes, [_fused(stage, self.axes)])

    def copy(self, s: Schedule, tensor: Tensor, reader: Tensor) -> Tensor | None:
        """A copy of the tensor behind a stand-in, with joined dimensions; None for another one."""
        if tensor not in self.parts:
            return None
        behind, dimensions = self.parts[tensor]
        read = s.cache_read(behind, "global", [reader])
        _fused(s[read], dimensions)
        copy = s.cache_write(read, "global")
        s[read].compute_inline()
        return copy


def joined_axes(
    rules: ScheduleWriter, equation: EquationFacts, epilogue: EquationFacts
) -> JoinedAxes | None:
    """The axes of a reduction that are better one, as its tiles then fill vectors and registers.

    They are one long axis in all that it reads, and in all that its `epilogue` reads, which may be
    itself. Of a reduction that is no product these are the last ones, along which it is contiguous.
    """
    op = equation.op
    is_plain = is_box(op) and bool(op.reduce_axis) and equation.work <= MOST_WORK
    if not is_plain or equation.has_cases or epilogue.has_cases:
        return None
    if len(rules.s.stages) > MOST_STAGES:
        return None
    pairs = sorted(_pairs(equation) & _pairs(epilogue))
    runs = [run for run in _runs(pairs) if _is_possible(equation, run)]
    if not equation.is_product:
        last = (run for run in runs if run.end == equation.last + 1)
        return next((_joined(equation, run) for run in last), None)
    if is_by_itself(equation) or not all(_is_at_hand(equation, read) for read in equation.reads):
        return None
    if group_of(equation, rules.machine) is not None:
        return None  # Groups of products are padded, for which axes have to be as they are.
    products = [one for one in (_joined(equation, run) for run in runs) if one.model.is_product]
    speeds = [(speed_of_tile(one.model, rules.machine), one) for one in products]
    speed, fastest = max(speeds, key=lambda one: one[0], default=(0.0, None))
    return fastest if speed / speed_of_tile(equation, rules.machine) >= GAIN else None


def _runs(pairs: Sequence[int]) -> Iterator[AxisRun]:
    """The longest runs of axes of which each continues the next one; `pairs` has their numbers."""
    first = None
    for number in pairs:
        if number - 1 not in pairs:
            first = number
        if number + 1 not in pairs:
            assert first is not None
            yield AxisRun(first, number + 2)


def _is_possible(equation: EquationFacts, run: AxisRun) -> bool:
    """Whether axes can be one: each tensor is read over them in one way, so one copy is for all."""
    axes = equation.op.axis[run.first : run.end]
    ways = {(read.tensor, read.dimension(axes[0])) for read in equation.reads}
    is_one = len(ways) == len({tensor for tensor, _ in ways})
    return is_one and prod(map(extent_of, axes)) <= LARGEST


def _is_at_hand(equation: EquationFacts, read: Read) -> bool:
    """Whether a tensor exists in front of the loops, and is not read through an inlined stage."""
    is_direct = read.tensor in equation.op.input_tensors
    return is_direct and is_stored_before(equation, read.tensor)


def _pairs(equation: EquationFacts) -> set[int]:
    """The data axes, by number, that are one axis with the next one wherever they are read."""
    axes = equation.op.axis
    return {
        number
        for number, pair in enumerate(pairwise(axes))
        if all((known_extent(axis) or 0) > 1 for axis in pair)
        and all(_are_one(read, *pair) for read in equation.reads)
    }


def _are_one(read: Read, outer: IterVar, inner: IterVar) -> bool:
    """Whether two axes are all of two adjacent dimensions of what is read, or of none."""
    if not read.mentions(outer) and not read.mentions(inner):
        return True
    first, second = read.dimension(outer), read.dimension(inner)
    if first is None or second != first + 1:
        return False
    extents = [known(extent) for extent in read.tensor.extents[first : second + 1]]
    return extents == [extent_of(outer), extent_of(inner)]


def _joined(equation: EquationFacts, run: AxisRun) -> JoinedAxes:
    """A reduction whose axes of a run are one."""
    op = equation.op
    axes = op.axis[run.first : run.end]
    extents = [*map(extent_of, axes)]
    names = [axis.name for axis in axes]
    one = IterVar(".".join(names), Range(as_expr(0), as_expr(prod(extents))))
    places: dict[IterVar, Expr] = {
        axis: as_expr(one // prod(extents[number + 1 :]) % extents[number])
        for number, axis in enumerate(axes)
    }
    body = Substitution(places, {}).of_body(op.body)
    around = in_place_of(op.axis, run, [one])
    model = EquationFacts(ComputeOp(op.name, around, body, op.reduce_axis, op.tag, op.attrs))
    dimensions = {
        read.tensor: AxisRun(first, first + len(axes))
        for read in equation.reads
        if (first := read.dimension(axes[0])) is not None
    }
    stand_ins = {
        tensor: _stand_in(tensor, found, prod(extents)) for tensor, found in dimensions.items()
    }
    position = Subscript(frozenset([one]), {one: 1}, 0, False)

    def over_one(read: Read) -> Read:
        if read.tensor not in stand_ins:
            return read
        subscripts = in_place_of(read.subscripts, dimensions[read.tensor], [position])
        return Read(stand_ins[read.tensor], (*subscripts,))

    model.read_through([*map(over_one, equation.reads)], equation.has_cases, equation.stored)
    parts = {stand_ins[tensor]: (tensor, found) for tensor, found in dimensions.items()}
    return JoinedAxes(names, run, model, parts)


def _stand_in(tensor: Tensor, run: AxisRun, extent: int) -> Tensor:
    """A tensor like another one, with one dimension of an extent for those of a run."""
    shape = in_place_of(tensor.extents, run, [as_expr(extent)])
    return PlaceholderOp(tensor.name, (*shape,), tensor.dtype).output(0)


def in_place_of(parts: Sequence[Part], run: AxisRun, others: Sequence[Part]) -> list[Part]:
    """`parts` with others for those of a run."""
    return [*parts[: run.first], *others, *parts[run.end :]]


def _fused(stage: Stage, run: AxisRun) -> IterVar:
    return stage.fuse(*stage.op.axis[run.first : run.end])
