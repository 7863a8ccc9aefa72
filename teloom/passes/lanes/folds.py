"""Folds lanes into one element by a tree: each lane with another one, once for each level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, SSAValue

from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop
from teloom.dialects.affine.operands import exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.lanes.shuffles import shuffle
from teloom.passes.lanes.values import LaneValues, is_scalar_arithmetic

ZERO = Polynomial.constant(0)


class Fold(NamedTuple):
    """A loop that only folds: it loads partial results and elements, combines them, and stores.

    Partial results, elements and stores are lists, in the order of the results.
    """

    parts: Sequence[memref.LoadOp]
    elements: Sequence[memref.LoadOp]
    stores: Sequence[memref.StoreOp]


def fold_of(op: loop.ForOp, strides: LaneStrides) -> Fold | None:
    """What `op` folds, if it is marked as a fold and has whole vectors; None otherwise."""
    extent, ops = constant_extent(op), [*op.body.block.ops]
    if loop.FOLDS not in op.attributes or not extent or extent % strides.lanes:
        return None
    if len(lower_bounds(op)) != 1 or extent & (extent - 1):
        return None
    loads = [inner for inner in ops if isinstance(inner, memref.LoadOp)]
    parts = [load for load in loads if strides.of(load.indices[0]) == 1]
    elements = [load for load in loads if strides.of(load.indices[0]) == 0]
    stores = [inner for inner in ops if isinstance(inner, memref.StoreOp)]
    if not len(parts) == len(elements) == len(stores) or len(parts) + len(elements) != len(loads):
        return None
    if any(not is_scalar_arithmetic(i) for i in ops if i not in loads and i not in stores):
        return None
    place = strides.forms.of
    if any(
        element.memref is not store.memref or place(element.indices[0]) != place(store.indices[0])
        for element, store in zip(elements, stores, strict=True)
    ):
        return None
    return Fold(parts, elements, stores)


def write_fold(op: loop.ForOp, fold: Fold, strides: LaneStrides) -> Block:
    """The ops that replace `op`."""
    writer = _FoldWriter(fold, strides)
    (lower,) = lower_bounds(op)
    vectors = [
        writer.load(lower + Polynomial.constant(first))
        for first in range(0, constant_extent(op) or 0, strides.lanes)
    ]
    while len(vectors) > 1:
        half = len(vectors) // 2
        pairs = zip(vectors[:half], vectors[half:], strict=True)
        vectors = [writer.combine(*pair, strides.lanes) for pair in pairs]
    (parts,), distance = vectors, strides.lanes // 2
    while distance > 1:
        parts = writer.combine(parts, writer.rotated(parts, distance), strides.lanes)
        distance //= 2
    one, other = ([writer.lane(part, number) for part in parts] for number in (0, 1))
    writer.store(writer.combine(one, other, 1))
    return writer.block


class _FoldWriter:
    """Writes one fold: results are lists, in the order of its stores."""

    def __init__(self, fold: Fold, strides: LaneStrides):
        self.fold, self.strides, self.block = fold, strides, Block()
        # In the combiner, the value of an element also stands for a partial result of lanes.
        strides.vary(element.res for element in fold.elements)

    def _values(self, first: Polynomial = ZERO) -> LaneValues:
        (expr,), values = exprs_of_forms([first])
        return LaneValues(self.strides, (expr, values), self.block)

    def load(self, first: Polynomial) -> list[SSAValue]:
        """A vector of each part."""
        values = self._values(first)
        return [
            values.load(part.memref, values.scalar(part.indices[0])) for part in self.fold.parts
        ]

    def rotated(self, parts: Sequence[SSAValue], distance: int) -> list[SSAValue]:
        """Rotates the lanes of vectors by `distance`.

        The vectors keep their length. With shorter and shorter vectors LLVM 22 drops parts of sums
        where it makes `vpdpbusd` of products of bytes, or `vpsadbw` of their differences.
        """
        lanes = self.strides.lanes
        turned = [(lane + distance) % lanes for lane in range(lanes)]
        return [shuffle(part, part, turned, self._values().emit) for part in parts]

    def lane(self, part: SSAValue, number: int) -> SSAValue:
        assert isinstance(part.type, VectorType)
        return self._values().emit(vector.ExtractOp(part, [number], part.type.element_type))

    def combine(
        self, elements: Sequence[SSAValue], parts: Sequence[SSAValue], lanes: int
    ) -> list[SSAValue]:
        """The values that the fold stores for these elements and parts; scalars for one lane."""
        values = self._values()
        values.lanes = lanes
        known = values.vectors if lanes > 1 else values.scalars
        for load, value in zip(self.fold.elements, elements, strict=True):
            known[load.res] = value
        for load, value in zip(self.fold.parts, parts, strict=True):
            known[load.res] = value
        wanted = values.vector if lanes > 1 else values.scalar
        return [wanted(store.value) for store in self.fold.stores]

    def store(self, parts: Sequence[SSAValue]) -> None:
        """Folds the last lane into the elements, and stores them."""
        values = self._values()
        elements: list[SSAValue] = []
        for load in self.fold.elements:
            at = values.scalar(load.indices[0])
            elements.append(values.emit(load.clone({load.indices[0]: at})))
        results = self.combine(elements, parts, 1)
        for store, result in zip(self.fold.stores, results, strict=True):
            at = values.scalar(store.indices[0])
            self.block.add_op(store.clone({store.indices[0]: at, store.value: result}))
