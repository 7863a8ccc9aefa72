"""Tiles of a reduction: the registers that their partial results take."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue

from teloom.analysis.dot_products import has_tiles, kinds_of, terms_in_group
from teloom.analysis.memory.storage import byte_width
from teloom.analysis.stages.kinds import is_reduction
from teloom.analysis.stages.queries import is_reduce
from teloom.analysis.tile_products import fit_registers
from teloom.dialects import schedule
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import scalar_type
from teloom.dialects.target import Target


class RegisterTile(NamedTuple):
    """The accumulators of each step of the reduce axis `axis`: `rows`, each of `columns` lanes.

    A row is `vectors` registers of partial results, of `lanes` elements each.
    """

    axis: SSAValue
    rows: int
    columns: int
    vectors: int
    lanes: int

    @property
    def registers(self) -> int:
        """How many it takes: with one more row, of what a step reads, and an element for it."""
        return (self.rows + 1) * self.vectors + 1

    def fitting(self, registers: int) -> list[tuple[int, int]]:
        """Tiles, as rows and columns, that so many registers hold: each differs in one of both.

        If there is none, the one of two vectors a row.
        """
        tensors = self.vectors // -(-self.columns // self.lanes)
        most_columns = (registers - 1) // (self.rows + 1) // tensors * self.lanes
        found = [(_most_rows(registers, self.vectors), self.columns), (self.rows, most_columns)]
        if all(0 in tile or min(tile) < 0 for tile in found):
            found = [(min(self.rows, _most_rows(registers, 2 * tensors)), 2 * self.lanes)]
        return [tile for tile in found if min(tile) > 0]


def _most_rows(registers: int, vectors: int) -> int:
    """The most rows of so many vectors that registers hold."""
    return (registers - 1) // vectors - 1


def register_tile(
    op: schedule.StageOp, extents: Mapping[SSAValue, int | None], target: Target
) -> RegisterTile | None:
    """The tile of a vectorized reduction: its data axes inside of the innermost reduce loop.

    It is the innermost reduce axis with data axes inside. None where there is no such tile, or
    where an extent of it is not in `extents`.
    """
    leaves = op.order.leaves
    data = [number for number, (axis, _) in enumerate(leaves) if not is_reduce(axis)]
    steps = [k for k, (axis, _) in enumerate(leaves) if is_reduce(axis) and data and k < data[-1]]
    if not is_reduction(op) or not steps:
        return None
    inside = leaves[steps[-1] + 1 :]
    lanes_of = [axis for axis, kind in inside if kind is LoopKind.VECTORIZED]
    known = {axis: extents.get(axis) for axis, _ in inside if not is_reduce(axis)}
    if not lanes_of or None in known.values():
        return None
    widths = [byte_width(scalar_type(tensor.type)) for tensor in op.tensors]
    lanes = max(1, target.vector_bytes // max(widths))
    columns = known.get(lanes_of[0]) or lanes
    rows = prod(extent or 0 for axis, extent in known.items() if axis is not lanes_of[0])
    if _is_of_matrices(op, rows, columns, extents.get(leaves[-1][0]), target):
        return None
    return RegisterTile(
        leaves[steps[-1]][0], rows, columns, -(-columns // lanes) * len(widths), lanes
    )


def _is_of_matrices(
    op: schedule.StageOp, rows: int, columns: int, group: int | None, target: Target
) -> bool:
    """Whether the tile of a product, of so many terms in a group, is in registers for tiles."""
    term, *others = yielded(op.equation.body)
    kinds = None if others else kinds_of(term)
    if kinds is None or not has_tiles(target, kinds, may_flush=True):
        return False
    return group == terms_in_group(kinds) and fit_registers(rows, columns)
