"""Strips of rows, in whose loops stages are computed that the rows read."""

from __future__ import annotations

from teloom.frontend.auto.plan import AnchorNest
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar

STRIP = 32
"""Rows of a strip in which windows slide; each strip computes the rows of a first window again."""


def divide_into_strips(
    rules: ScheduleWriter, stage: Stage, nest: AnchorNest, depth: int, rows: int, inside: str
) -> tuple[IterVar, list[IterVar]]:
    """Divides the last of `depth` axes: the loop over strips, and the loops around a row.

    `inside` says what is computed in them.
    """
    axes = [stage.op.axis[number] for number in nest.order]
    *around, row = axes[:depth]
    strip, inner = stage.split(row, factor=rows)
    stage.reorder(*around, strip, inner, *axes[depth:])
    if depth < len(axes):
        stage.vectorize(axes[-1])
    rules.say(stage, f"strips of {rows} of {row.name}, with {inside}")
    return strip, [*around, inner]


def compute_rows(
    rules: ScheduleWriter, stage: Stage, reader: Stage, at: IterVar, strip: IterVar | None
) -> None:
    """Computes a stage at a loop of its reader; in a strip, if one is given, its rows slide."""
    stage.compute_at(reader, at)
    if strip is not None:
        stage.store_at(reader, strip)
        stage.rolling_buffer()
        rules.say(stage, f"its rows slide along {at.name}: each is computed once a strip")
