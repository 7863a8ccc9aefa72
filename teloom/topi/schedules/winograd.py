"""Transforms of Winograd convolutions: all steps of a tile, for a vector of channels.

Each step asks which row of its matrix it is at. The loop over the rows is innermost and unrolled:
LLVM answers the question, and reads each element of the line once for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from teloom import te
from teloom.topi.extents import is_one
from teloom.topi.tag import WINOGRAD_LINES, WINOGRAD_TRANSFORM

CHANNELS = 16
"""The channels of a tile that are transformed together: a vector or a few."""


def write_transform(s: te.Schedule, tensor: te.Tensor, target: Any) -> Sequence[str]:
    """All places of a tile innermost, in vectors of the last axis."""
    stage, op = s[tensor], tensor.op
    tile = op.attrs.get(WINOGRAD_TRANSFORM)
    if tile is None:
        count = 1 + len([*_lines(tensor)])
        around, places = [*op.axis[count:-1]], [*op.axis[:count]]
    else:
        image, *space = op.axis[:-1]
        tail = None if stage.is_output else "round_up"
        tiles = [stage.split(axis, factor=int(tile), tail=tail) for axis in space]
        around, places = [image, *(one for one, _ in tiles)], [inner for _, inner in tiles]
    channels, lanes = stage.split(op.axis[-1], factor=CHANNELS)
    stage.reorder(*around, channels, *places, lanes)
    stage.unroll(places[-1])
    stage.vectorize(lanes)
    for axis in around[is_one(tensor.shape[0]) and len(around) > 1 :]:
        stage.parallel(axis)
    steps = [*_lines(tensor)]
    for one, rows in zip(steps, reversed(range(len(steps))), strict=True):
        line, others = s[one], [axis for k, axis in enumerate(one.op.axis[:-1]) if k != rows]
        line.compute_at(stage, channels)
        line.reorder(*others, one.op.axis[rows], one.op.axis[-1])
        line.unroll(one.op.axis[rows])
        line.vectorize(one.op.axis[-1])
    return [f"all of a tile is transformed in the caches, in vectors along {op.axis[-1].name}"]


def _lines(tensor: te.Tensor) -> Iterator[te.Tensor]:
    """The transforms along other axes that a last one is made of, from the last one on."""
    read = tensor.op.input_tensors
    while found := [one for one in read if WINOGRAD_LINES in one.op.tag.split(",")]:
        yield found[0]
        read = found[0].op.input_tensors
