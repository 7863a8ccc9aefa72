"""Equations without a reduction: vectors along the last axis, strips of the first one."""

from __future__ import annotations

from math import prod

from teloom.frontend.auto.facts import Equation, bytes_of, extent_of, known
from teloom.frontend.auto.machine import Machine
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar

PART = 2**14
"""The elements of a part of an axis that threads share."""

STRIP = 32
"""Rows of a strip in which windows slide."""

SMALL = 2**15
"""The work of a nest that is done before a second thread has begun."""

STREAMED = 4
"""How many times the second cache what is streamed is."""

TRANSPOSED = 128
"""The side of a tile of what is transposed."""


def schedule_alone(stage: Stage, equation: Equation, machine: Machine) -> None:
    """A stage with no others in its loops."""
    axes = [*stage.op.axis]
    if not axes:
        return
    across = _across(equation)
    if across is not None:
        _transpose(stage, axes, across, machine)
    elif _is_linear(equation):
        _in_parts(stage, axes, equation)
    else:
        if equation.points * equation.work >= SMALL and len(axes) > 1:
            stage.parallel(axes[0])
        stage.vectorize(axes[-1])
    stream(stage, equation, machine)


def _is_linear(equation: Equation) -> bool:
    """Whether each read is at the axes of the equation, so that all are one long axis."""
    axes = equation.op.axis
    return all(
        len(read.subscripts) == len(axes)
        and all(
            one.coefficients == {axis: 1} and not one.constant
            for one, axis in zip(read.subscripts, axes, strict=True)
        )
        for read in equation.reads
    )


def _in_parts(stage: Stage, axes: list[IterVar], equation: Equation) -> None:
    """All axes as one."""
    whole = axes[0] if len(axes) == 1 else stage.fuse(*axes)
    if equation.points * equation.work < SMALL:
        stage.vectorize(whole)
        return
    outer, inner = stage.split(whole, factor=PART)
    stage.parallel(outer)
    stage.vectorize(inner)


def _across(equation: Equation) -> int | None:
    """The axis, by number, along which a read is contiguous that the last axis strides over."""
    *others, last = equation.op.axis
    for read in equation.reads:
        if read.stride(last) in (0, 1):
            continue
        for number, axis in enumerate(others):
            if read.stride(axis) == 1 and extent_of(axis) > 1:
                return number
    return None


def _transpose(stage: Stage, axes: list[IterVar], across: int, machine: Machine) -> None:
    """Tiles of tiles: the outer ones of pages, the inner ones of vectors."""
    lanes = machine.lanes(stage.op.outputs[0].dtype)
    others = [axis for number, axis in enumerate(axes[:-1]) if number != across]
    i_tile, j_tile, i, j = stage.tile(axes[across], axes[-1], TRANSPOSED, TRANSPOSED)
    i_outer, j_outer, i_inner, j_inner = stage.tile(i, j, lanes, lanes)
    stage.reorder(*others, i_tile, j_tile, i_outer, j_outer, i_inner, j_inner)
    stage.parallel(others[0] if others else i_tile)
    stage.unroll(i_inner)
    stage.vectorize(j_inner)


def stream(stage: Stage, equation: Equation, machine: Machine) -> None:
    """What a core's own caches are far too small for goes past them."""
    written = sum(map(bytes_of, equation.op.outputs))
    are_known = all(known(one) is not None for one in equation.op.outputs[0].extents)
    if are_known and written > STREAMED * machine.caches[:2][-1]:
        stage.stream_stores()
