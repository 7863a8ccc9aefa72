"""Loops that add products of neighbouring elements to a lane, as one instruction."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Operation, SSAValue

from teloom.analysis.dot_products import (
    Factor,
    Factors,
    Instruction,
    NumberKind,
    factors_of,
    instruction_for,
)
from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_of, preorder
from teloom.dialects.target import target_of
from teloom.dialects.upstream.arith import LANEWISE
from teloom.dialects.upstream.vector import vector_type
from teloom.passes.lanes.shuffles import shuffle
from teloom.passes.lanes.values import LaneValues, is_scalar_arithmetic

MOST = 16
"""The most products for a lane, so that the factors of all lanes fit the registers."""


class Dot(NamedTuple):
    """A loop whose iterations add products of `factors` to what `sums` loads and `store` stores."""

    op: loop.ForOp
    extent: int
    factors: Factors
    sums: memref.LoadOp
    store: memref.StoreOp
    instruction: Instruction


def dot_in(op: loop.ForOp, strides: LaneStrides, may_flush: bool) -> Dot | None:
    """What `op`, which runs in all lanes, adds up, if the target has an instruction for it.

    With `may_flush` that may take subnormal numbers for 0.
    """
    stores = ops_of(op.body.block, memref.StoreOp)
    if len(stores) != 1 or len(lower_bounds(op)) != 1:
        return None
    (store,) = stores
    add = store.value.owner
    if not isinstance(add, arith.AddiOp | arith.AddfOp):
        return None
    for sums, product in (add.operands, add.operands[::-1]):
        factors, load = factors_of(product), sums.owner
        if factors is None or not isinstance(load, memref.LoadOp):
            continue
        instruction = instruction_for(factors.kinds, target_of(op), strides.lanes, may_flush)
        extent = constant_extent(op)
        if instruction is None or not extent or extent > MOST or extent % instruction.group:
            return None
        dot = Dot(op, extent, factors, load, store, instruction)
        return dot if _is_all(dot) and _is_by_lanes(dot, strides) else None
    return None


def _is_all(dot: Dot) -> bool:
    """Whether the loop does nothing but the sum of products."""
    known = {dot.store, dot.sums}
    for factor in dot.factors:
        known |= {factor.load, factor.load.parent_op()}
    return all(
        inner in known or is_scalar_arithmetic(inner) or isinstance(inner, scf.YieldOp)
        for inner in preorder(dot.op.body)
    ) and all(factor.load.operands[0] is not dot.store.memref for factor in dot.factors)


def _is_by_lanes(dot: Dot, strides: LaneStrides) -> bool:
    """Whether the sums of the lanes lie side by side, and their factors do so or are shared."""
    variable, forms = dot.op.induction_variable, strides.forms
    (into,), (from_) = dot.store.indices, dot.sums.indices
    if dot.sums.memref is not dot.store.memref or forms.of(into) != forms.of(from_[0]):
        return False
    if strides.of(into) != 1 or forms.of(into).uses(variable):
        return False
    return all(_is_row(factor, dot, strides) for factor in dot.factors)


def _is_row(factor: Factor, dot: Dot, strides: LaneStrides) -> bool:
    *_, index = factor.load.operands
    step, stride = strides.forms.of(index).factor_of(dot.op.induction_variable), strides.of(index)
    if factor.condition is not None and not _is_mask(factor.condition, factor, dot):
        return False
    return step == 1 and stride in ((0, dot.extent) if factor.condition is None else (dot.extent,))


def _is_mask(condition: SSAValue, factor: Factor, dot: Dot) -> bool:
    """Whether a condition is one of lanes, of which a load under a mask takes all products."""
    owner = condition.owner
    is_of_lanes = isinstance(owner, Operation) and not dot.op.is_ancestor(owner)
    return is_of_lanes and target_of(dot.op).has_masks(factor.kind.bits // 8)


class DotWriter:
    """Writes the code that replaces the loop; `inside` computes values that only this code uses."""

    def __init__(self, dot: Dot, values: LaneValues, inside: LaneValues):
        self.dot, self.values, self.inside = dot, values, inside

    def write(self) -> None:
        dot, values, kinds = self.dot, self.values, self.dot.instruction.kinds
        (lower,), (index,) = lower_bounds(dot.op), dot.store.indices
        self.inside.scalars[dot.op.induction_variable] = values.of(lower)
        at = self.inside.scalar(index)
        rows = [self._row(factor) for factor in dot.factors]
        sums = values.load(dot.store.memref, at)
        for first in range(0, dot.extent, dot.instruction.group):
            left, right = (
                self._part(row, factor, kind, first)
                for row, factor, kind in zip(rows, dot.factors, kinds, strict=True)
            )
            sums = values.emit(
                loop.DotOp(left, right, sums, (kinds[0].unsigned, kinds[1].unsigned))
            )
        values.store(dot.store, sums, at)

    def _is_common(self, factor: Factor) -> bool:
        """Whether all lanes share their factors."""
        return self.values.strides.of(factor.load.operands[1]) == 0

    def _row(self, factor: Factor) -> SSAValue:
        """The factors of all iterations as one vector, lane by lane."""
        values, extent = self.values, self.dot.extent
        buffer, index = factor.load.operands
        lanes = 1 if self._is_common(factor) else values.lanes
        at = self.inside.scalar(index)
        if factor.condition is None:
            return values.load(buffer, at, extent * lanes)
        mask = values.vector(factor.condition)
        of_all = [lane for lane in range(lanes) for _ in range(extent)]
        return values.masked_load(buffer, at, shuffle(mask, mask, of_all, values.emit))

    def _part(self, row: SSAValue, factor: Factor, kind: NumberKind, first: int) -> SSAValue:
        """The factors of one instruction, from iteration `first` on, converted to `kind`."""
        group, emit = self.dot.instruction.group, self.values.emit
        is_common = self._is_common(factor)
        starts = range(first, first + 1 if is_common else self._length(row), self.dot.extent)
        kept = [start + k for start in starts for k in range(group)]
        if len(kept) < self._length(row):
            row = shuffle(row, row, kept, emit)
        if factor.kind.bits < kind.bits:
            convert = LANEWISE[arith.ExtUIOp if factor.kind.unsigned else arith.ExtSIOp]
            type = vector_type(IntegerType(kind.bits), len(kept))
            row = emit(convert.create(operands=[row], result_types=[type]))
        if is_common:
            row = shuffle(row, row, [*range(group)] * self.values.lanes, emit)
        return row

    def _length(self, row: SSAValue) -> int:
        assert isinstance(row.type, VectorType)
        return row.type.element_count()
