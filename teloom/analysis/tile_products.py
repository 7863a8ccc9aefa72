"""Nests of loops that add the product of two matrices to a third, as tiles of registers can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import affine, arith, memref
from xdsl.ir import Operation, SSAValue

from teloom.analysis.dot_products import Factor, Kinds, factors_of, has_tiles, terms_in_group
from teloom.analysis.index.extents import constant_extent, extents, lower_bounds, upper_bounds
from teloom.analysis.index.forms import AffineIndexForms
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_of, preorder
from teloom.dialects.target import Target
from teloom.dialects.tile_registers import MOST_ROWS, REGISTERS
from teloom.dialects.upstream.arith import zero_of

ROWS = (loop.LoopKind.UNROLLED, loop.LoopKind.VECTORIZED)
"""How a loop over the rows of a tile runs."""


class TileSide(NamedTuple):
    """Rows or columns of a tile: the first one, and how many."""

    first: int
    count: int


class Matrix(NamedTuple):
    """A part of a buffer: where it begins, and how far its rows and its steps are apart.

    A step is what one more group of terms means: the rows of the right factor are steps.
    """

    buffer: SSAValue
    first: Polynomial
    row: int
    step: int


class TileProduct(NamedTuple):
    """A nest that adds to `sums`: over groups of terms, `rows`, `columns`, and a group."""

    op: loop.ForOp
    """The loop over groups."""
    around: Sequence[loop.ForOp]
    """The loops around it that do nothing else, and add to the same sums; outermost first."""
    rows: int
    columns: int
    groups: Sequence[Polynomial]
    """How many there are: the least of these."""
    kinds: Kinds
    left: Matrix
    right: Matrix
    sums: Matrix
    zeros: loop.ForOp | None
    """The nest before the outermost loop, if that stores zeros in all sums."""

    @property
    def alone(self) -> TileProduct:
        """The product without the loops around it."""
        return self._replace(around=(), zeros=None) if self.around else self

    @property
    def outermost(self) -> loop.ForOp:
        return [*self.around, self.op][0]

    @property
    def values(self) -> list[SSAValue]:
        """What its places and its bounds are of, besides the counters of loops around it."""
        bounds = (one for op in self.around for one in (*lower_bounds(op), *upper_bounds(op)))
        places = (one.first for one in (self.left, self.right, self.sums))
        counters = {one.induction_variable for one in self.around}
        found = (value for form in (*places, *bounds, *self.groups) for value in form.values())
        return [value for value in dict.fromkeys(found) if value not in counters]

    @property
    def group(self) -> int:
        """How many terms a group has."""
        return terms_in_group(self.kinds)

    @property
    def blocks(self) -> tuple[Sequence[TileSide], Sequence[TileSide]]:
        """The rows and the columns of the tiles of sums."""
        return _parts(self.rows), _parts(self.columns)


def tile_product(op: loop.ForOp, target: Target, may_flush: bool) -> TileProduct | None:
    """The product that the loop `op` is, which is over rows, with columns as lanes in it."""
    nest = _nest_of(op)
    if nest is None:
        return None
    sizes = [constant_extent(one) for one in nest[1:]]
    stores = ops_of(nest[-1].body.block, memref.StoreOp)
    if not all(sizes) or len(stores) != 1:
        return None
    (store,) = stores
    for sums, factors in _sums_of(store):
        found = _Reader(nest, sizes).product(store, sums, factors)
        if found is not None and has_tiles(target, found.kinds, may_flush):
            return found if fit_registers(found.rows, found.columns) else None
    return None


def _nest_of(op: loop.ForOp) -> tuple[loop.ForOp, ...] | None:
    """The loops over groups, rows, columns and terms, of which `op` is the second."""
    groups = op.parent_op()
    if op.kind.data not in ROWS or not isinstance(groups, loop.ForOp):
        return None
    columns = _alone_in(op)
    terms = columns and _alone_in(columns)
    if columns is None or terms is None or columns.kind.data is not loop.LoopKind.VECTORIZED:
        return None
    is_it = groups.kind.data is loop.LoopKind.SERIAL and _alone_in(groups) is op
    return (groups, op, columns, terms) if is_it else None


def _alone_in(op: loop.ForOp) -> loop.ForOp | None:
    """The loop that is all that `op` does."""
    loops = [one for one in op.body.block.ops if not _is_index_code(one)]
    only = loops[0] if len(loops) == 1 else None
    return only if isinstance(only, loop.ForOp) else None


def _is_index_code(op: Operation) -> bool:
    return isinstance(op, arith.ConstantOp | affine.ApplyOp)


def _sums_of(store: memref.StoreOp) -> Iterator[tuple[memref.LoadOp, tuple[Factor, Factor]]]:
    """What may be added to, and the factors of what is added."""
    add = store.value.owner
    if isinstance(add, arith.AddiOp | arith.AddfOp):
        for sums, product in (add.operands, add.operands[::-1]):
            factors = factors_of(product)
            if factors is not None and isinstance(sums.owner, memref.LoadOp):
                yield sums.owner, factors


class _Reader:
    """Reads the matrices off the accesses in a nest."""

    def __init__(self, nest: Sequence[loop.ForOp], sizes: Sequence[int | None]):
        self.nest, self.sizes, self.forms = nest, sizes, AffineIndexForms()

    def product(
        self, store: memref.StoreOp, load: memref.LoadOp, factors: tuple[Factor, Factor]
    ) -> TileProduct | None:
        rows, columns, group = self.sizes
        assert rows is not None
        assert columns is not None
        sums, (groups, *_) = self._sums(store, load), self.nest
        if sums is None or not self._is_all(store, load, factors):
            return None
        for left, right in (factors, factors[::-1]):
            of_rows = self._matrix(left.load, step=group, columns=0)
            of_columns = self._matrix(right.load, rows=0, columns=group)
            if of_rows is None or of_columns is None or sums.buffer in (of_rows[0], of_columns[0]):
                continue
            kinds = left.kind, right.kind
            if left.condition or right.condition or group != terms_in_group(kinds):
                return None
            matrices, around = (of_rows, of_columns, sums), self._around(sums)
            zeros = self._zeros(sums, [*around, groups][0])
            return TileProduct(
                groups, around, rows, columns, extents(groups), kinds, *matrices, zeros
            )
        return None

    def _around(self, sums: Matrix) -> list[loop.ForOp]:
        found: list[loop.ForOp] = []
        op = self.nest[0]
        while isinstance(outer := op.parent_op(), loop.ForOp) and _alone_in(outer) is op:
            is_serial = outer.kind.data in (loop.LoopKind.SERIAL, loop.LoopKind.UNROLLED)
            is_plain = len(lower_bounds(outer)) == len(upper_bounds(outer)) == 1
            if not is_serial or not is_plain or sums.first.uses(outer.induction_variable):
                break
            found.insert(0, outer)
            op = outer
        return found

    def _sums(self, store: memref.StoreOp, load: memref.LoadOp) -> Matrix | None:
        """What is loaded and stored in all terms, if its rows lie one behind the other."""
        found = self._matrix(store, step=0, columns=1, term=0)
        is_same = load.memref is store.memref and self._form(load) == self._form(store)
        columns = self.sizes[1]
        assert columns is not None
        return found if found is not None and is_same and found.row >= columns else None

    def _matrix(
        self,
        op: Operation,
        rows: int | None = None,
        step: int | None = None,
        columns: int | None = None,
        term: int = 1,
    ) -> Matrix | None:
        """The matrix that an access runs through, if its distances are as they are given."""
        found = self._place(op, self.nest)
        if found is None:
            return None
        first, distances = found
        wanted = (step, rows, columns, term)
        if any(w not in (None, f) for f, w in zip(distances, wanted, strict=True)):
            return None
        by_step, by_row, *_ = distances
        buffer = op.operands[1 if isinstance(op, memref.StoreOp) else 0]
        is_forward = by_row >= 0 and by_step >= 0
        return Matrix(buffer, first, by_row, by_step) if is_forward else None

    def _place(
        self, op: Operation, nest: Sequence[loop.ForOp]
    ) -> tuple[Polynomial, list[int]] | None:
        """The first element that an access is to in a nest, and how far a step of each loop is."""
        form = self._form(op)
        if form is None or any(len(lower_bounds(one)) > 1 for one in nest):
            return None
        found = [form.factor_of(one.induction_variable) for one in nest]
        for one in nest:
            form = form.substitute(one.induction_variable, lower_bounds(one)[0])
        distances = [distance for distance in found if distance is not None]
        return (form, distances) if len(distances) == len(found) else None

    def _form(self, op: Operation) -> Polynomial | None:
        *_, index = op.operands
        is_flat = isinstance(op, memref.LoadOp | memref.StoreOp) and len(op.indices) == 1
        return self.forms.of(index) if is_flat else None

    def _is_all(
        self, store: memref.StoreOp, load: memref.LoadOp, factors: Sequence[Factor]
    ) -> bool:
        """Whether the nest does nothing but the sum of products."""
        known = {store, load, *(one.load for one in factors), *self.nest}
        return all(
            op in known or op.name.startswith("arith.") or isinstance(op, affine.ApplyOp)
            for op in preorder(self.nest[0].body)
        )

    def _zeros(self, sums: Matrix, op: loop.ForOp) -> loop.ForOp | None:
        """The nest in front of `op` that stores zeros in all sums."""
        before = op.prev_op
        while before is not None and _is_index_code(before):
            before = before.prev_op
        if not isinstance(before, loop.ForOp):
            return None
        columns = _alone_in(before)
        stores = [] if columns is None else ops_of(columns.body.block, memref.StoreOp)
        if columns is None or len(stores) != 1 or not isinstance(stores[0].value.owner, Operation):
            return None
        (store,), given = stores, stores[0].value.owner
        is_zero = isinstance(given, arith.ConstantOp) and given.value == zero_of(given.result.type)
        others = (op for op in columns.body.block.ops if op is not store)
        nest = (before, columns)
        if not is_zero or not all(map(_is_index_code, others)) or store.memref is not sums.buffer:
            return None
        is_as_long = [constant_extent(one) for one in nest] == [*self.sizes[:2]]
        is_there = self._place(store, nest) == (sums.first, [sums.row, 1])
        return before if is_as_long and is_there else None


def fit_registers(rows: int, columns: int) -> bool:
    """Whether there is a register for each tile of sums, and for those that are multiplied."""
    high, wide = len(_parts(rows)), len(_parts(columns))
    return high * wide + min(high, wide) + 1 <= REGISTERS


def _parts(extent: int) -> list[TileSide]:
    """The rows, or columns, of tiles: as many as can be, and what is left."""
    firsts = range(0, extent, MOST_ROWS)
    return [TileSide(first, min(MOST_ROWS, extent - first)) for first in firsts]
