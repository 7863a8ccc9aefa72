"""Accesses that are contiguous in an inner loop, and not in the lanes of a vectorized one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import gcd

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.lane_conflicts import references_in
from teloom.analysis.accesses.references import Direction, that_meet
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.strides import LaneStrides
from teloom.analysis.memory.shared_bytes import may_share
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of

MOST_COLUMNS = 16
"""So many iterations of the inner loop at most: their elements, for all lanes, are in registers."""

LEAST_SQUARE = 4
"""Smaller squares are transposed no faster than element by element."""

Member = memref.LoadOp | memref.StoreOp


@dataclass(frozen=True, eq=False)
class Panel:
    """The elements that an access is to in all lanes, and all iterations of an inner loop.

    Each lane has a row of `columns` contiguous elements in memory. The panel has them by columns.
    """

    op: Member
    around: loop.ForOp
    columns: int
    lanes: int

    @property
    def side(self) -> int:
        """The side of the squares that make up the panel, a power of two.

        Where columns that are stored fill no squares, one is larger than the panel.
        """
        side = gcd(self.columns, self.lanes)
        longer = 1 << (self.columns - 1).bit_length()
        is_short = side < LEAST_SQUARE < self.columns and longer <= self.lanes
        return longer if is_short and isinstance(self.op, memref.StoreOp) else side

    @property
    def all_columns(self) -> int:
        """The columns of the squares: those behind `columns` hold nothing."""
        return -(-self.columns // self.side) * self.side

    def blocks(self, height: int) -> list[tuple[int, int]]:
        """The first row and the first column of each block of so many rows, as wide as a square."""
        return [*product(range(0, self.lanes, height), range(0, self.columns, self.side))]


def panels_in(op: loop.ForOp, block: Block, strides: LaneStrides) -> list[Panel]:
    """The panels of the accesses in `block`, which `op` does in each iteration.

    Rows are loaded before that loop, and stored behind it: nothing else in it reads what is
    stored, or writes what is loaded.
    """
    columns = constant_extent(op)
    if columns is None or columns > MOST_COLUMNS or len(op.lower.data.results) != 1:
        return []
    found = [
        Panel(inner, op, columns, strides.lanes)
        for inner in block.ops
        if isinstance(inner, Member) and _is_by_rows(inner, op, strides)
    ]
    return [panel for panel in found if panel.side >= LEAST_SQUARE and _is_alone(panel)]


def _is_by_rows(access: Member, op: loop.ForOp, strides: LaneStrides) -> bool:
    """Whether iterations of `op` access a row, and lanes access different ones."""
    if len(access.indices) != 1 or not isinstance(access.memref.type, MemRefType):
        return False
    (index,) = access.indices
    form, column = strides.forms.of(index), op.induction_variable
    inside = {value for value in form.values() if op.is_ancestor(value.owner)}
    return (
        strides.varies(index)
        and strides.of(index) != 1
        and inside <= {column, strides.variable}
        and form.factor_of(column) == 1
    )


def _is_alone(panel: Panel) -> bool:
    stores = isinstance(panel.op, memref.StoreOp)
    return not any(
        may_share(access.buffer, panel.op.memref) and (stores or access.writes)
        for inner in preorder(panel.around.body)
        if inner is not panel.op
        for access in accesses_of(inner)
    )


def can_go_inside(outer: loop.ForOp, op: loop.ForOp) -> bool:
    """Whether `outer`, around the vectorized loop `op` alone, may be inside of it instead.

    Then no two iterations of `outer` touch the same element, unless both read it.
    """
    if len(outer.body.block.ops) != 1 or outer.induction_variable in op.operands:
        return False
    assert outer.parent is not None
    both = Direction((), outer, least=1), Direction((), outer, most=-1)
    pairs = combinations_with_replacement(references_in(outer), 2)
    questions = ((first, second, both) for first, second in that_meet(pairs))
    return Dependences(outer.parent).conflict(questions) is None
