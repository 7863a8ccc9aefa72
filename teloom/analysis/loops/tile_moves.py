"""How what is in a tile moves if the tile begins elsewhere.

The IR of a tile is right where tiles begin, at multiples of their length. So it may say what is
only true there: that a remainder is the place in the tile, that a region is as large as what tiles
read. A tile that begins elsewhere computes the same at a point of its axis if these hold:

- All indices, conditions and bounds are functions of that point, or of the coordinates of what is
  computed in the tile.
- Only loops over the box of a buffer of the tile follow the tile itself, and these buffers do. They
  are written as a whole, whatever holds, and each access is in them because of the lengths of the
  loops around it, wherever these begin.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.loops.lacking_tiles import LackingTile
from teloom.analysis.loops.tiles import tile_of
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.dialects.bodies.around import ops_between
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.upstream.accesses import accesses_of

_ONE = Polynomial.constant(1)

Move = tuple[loop.ForOp | loop.RealizeOp, Sequence[int]]
"""What is to be added to the sides of a loop or of a region: so many times what the tile moves."""


class _NoMoveError(Exception):
    """Something in a tile does not move with it."""


class _Range(NamedTuple):
    """The counter of a loop: at least `first`, and less than `length` iterations behind it."""

    first: Polynomial
    length: int


class _Steps(NamedTuple):
    """A counter that moves by so many places in each of the iterations of its loop."""

    counter: SSAValue
    step: int
    iterations: int


class _Limits(NamedTuple):
    """The least and the largest place on an axis of a region, and the counters that it follows."""

    least: int
    most: int
    counters: Sequence[_Steps]

    def covers(self, size: int) -> bool:
        """Whether the counters reach all places: each fills what another one leaves out."""
        reached = 1
        for _, step, iterations in sorted(self.counters, key=lambda one: abs(one.step)):
            if abs(step) > reached:
                return False
            reached += abs(step) * (iterations - 1)
        return (self.least, self.most + 1) == (0, size)


class TileMoves:
    """The speeds of indices in a tile: how many times as far as the tile they move.

    Loops that begin with the tile count from 0, or from another number that is the same in all
    tiles; so where the tile moves, their counters do. The counters of all others move with their
    bounds.
    """

    def __init__(self, tile: LackingTile, asked: Container[Operation]):
        """`asked` are the loops that are known to be over the points of a tile."""
        self.tile = tile
        self._asked = asked
        self._forms = AnyIterationForms()
        self._whole = {one.op: one for one in tile.tiles}
        self._speeds: dict[SSAValue, int] = {}
        self._regions: dict[SSAValue, Sequence[int]] = {}
        self._ranges: dict[SSAValue, _Range] = {}
        self._begins: list[SSAValue] = []
        self._known: dict[SSAValue, bool] = {tile.number: True}

    def of_all(self) -> list[Move] | None:
        """The moves of loops and regions, but for the loops that end early; None if some op cannot.

        Those loops move as the tile does.
        """
        ops = [*preorder(self.tile.op.body.block)]
        try:
            self._require(self._is_of_axis([self.tile.missing]))
            return [move for op in ops if (move := self._of(op)) is not None]
        except _NoMoveError:
            return None

    def is_apart(self, store: loop.StoreOp) -> bool:
        """Whether different points of the axis store to different elements; after `of_all`."""
        number = (self.tile.number,)
        counters = [op.induction_variable for op in self._whole]
        places = [{number, (one,)} if one in self._begins else {(one,)} for one in counters]
        forms = self._forms.of_exprs(store.subscripts, store.operands_)
        moved = ({one for one in form.terms if any(map(self._moves, one))} for form in forms)
        return any(one in places for one in moved)

    def _of(self, op: Operation) -> Move | None:
        match op:
            case loop.ForOp():
                self._note_range(op)
                if op in self._whole:
                    self._see_whole(op)
                    return None
                sides = [*op.lower.data.results, *op.upper.data.results]
                bounds = self._forms.of_exprs(sides, op.operands_)
                self._require(self._is_of_axis(bounds))
                found = {speed for speed in map(self._speed, bounds) if speed}
                self._see(op, self._only(found or {0}))
                added = [*map(self._added, bounds)]
                self._require(not any(added) or self._is_over_box(op))
                return op, added
            case loop.RealizeOp():
                extents = self._forms.of_exprs(op.extents.data.results, op.operands_)
                self._require(all(extent.as_constant() is not None for extent in extents))
                offsets = self._forms.of_exprs(op.offsets.data.results, op.operands_)
                self._require(self._is_of_axis([*extents, *offsets]))
                self._regions[op.tensor] = [*map(self._speed, offsets)]
                return op, [*map(self._added, offsets)]
            case _:
                self._check(op)
        return None

    def _note_range(self, op: loop.ForOp) -> None:
        """Notes the most iterations of a loop, if its bounds are a constant apart."""
        tile, has_one_begin = tile_of(op), len(op.lower.data.results) == 1
        first = tile.lower if tile is not None else op.lower.data.results[0]
        extent = tile.extent if tile is not None else constant_extent(op)
        if extent is not None and (tile is not None or has_one_begin):
            begin = self._forms.expr(first, op.operands_)
            self._ranges[op.induction_variable] = _Range(begin, extent)

    def _is_over_box(self, op: loop.ForOp) -> bool:
        """Whether a loop only runs through an axis of buffers of the tile."""
        counter = Polynomial.of(op.induction_variable)
        writes = [
            (inner, access)
            for inner in ops_in(op.body, loop.AccessOp, loop.ReduceOp)
            for access in accesses_of(inner)
            if access.writes
        ]
        return bool(writes) and all(
            access.buffer in self._regions
            and counter in self._forms.of_exprs(inner.subscripts, inner.operands_)
            for inner, access in writes
        )

    def _see_whole(self, op: loop.ForOp) -> None:
        """Notes the counter of a loop that ends early."""
        lower = self._forms.expr(self._whole[op].lower, op.operands_)
        if self._varies(lower):
            self._require(self._speed(lower) == 1 and self._change(lower) == self._step)
            self._require(self._is_over_box(op))
            self._see(op, 1)
        else:
            self._require(op in self._asked)
            self._begins.append(op.induction_variable)
            self._known[op.induction_variable] = True

    def _see(self, op: loop.ForOp, speed: int) -> None:
        self._speeds[op.induction_variable] = speed
        self._known[op.induction_variable] = speed != 0

    def _check(self, op: Operation) -> None:
        """Looks whether the indices of an op follow from the axis, and are in what moves along."""
        exprs, values = self._indices_of(op)
        forms = self._forms.of_exprs(exprs, values)
        self._require(not any(self._change(form).terms for form in forms))
        self._require(self._is_of_axis(forms))
        for access in accesses_of(op):
            speeds = self._regions.get(access.buffer)
            if speeds is not None:
                self._require(speeds == [*map(self._speed, forms)])
                self._check_inside(op, access.buffer, forms)

    def _check_inside(self, op: Operation, tensor: SSAValue, forms: Sequence[Polynomial]) -> None:
        """Looks whether an access is in its buffer wherever the tile is, and a store fills it."""
        region = tensor.owner
        assert isinstance(region, loop.RealizeOp)
        offsets = self._forms.of_exprs(region.offsets.data.results, region.operands_)
        extents = self._forms.of_exprs(region.extents.data.results, region.operands_)
        sizes = [extent.as_constant() or 0 for extent in extents]
        pairs = zip(forms, offsets, strict=True)
        limits = [self._limits(form - offset) for form, offset in pairs]
        self._require(all(0 <= one.least and one.most < n for one, n in zip(limits, sizes)))
        if isinstance(op, loop.StoreOp | loop.InitOp):
            counters = [each.counter for one in limits for each in one.counters]
            are_whole = all(one.covers(size) for one, size in zip(limits, sizes))
            is_each_once = len({*counters}) == len(counters)
            self._require(are_whole and is_each_once and not self._is_conditional(op))

    def _limits(self, form: Polynomial) -> _Limits:
        """The limits of a place in a region, a sum of multiples of counters."""
        least = most = 0
        counters = list[_Steps]()
        for counter, (first, length) in reversed(self._ranges.items()):
            if form.uses(counter):
                factor = form.terms.get((counter,), 0)
                form -= Polynomial.of(counter).times(factor)
                self._require(length > 0 and not form.uses(counter))
                form += first.times(factor)
                least += min(0, factor * (length - 1))
                most += max(0, factor * (length - 1))
                counters.append(_Steps(counter, factor, length))
        number = self._only({form.as_constant()})
        return _Limits(least + number, most + number, counters)

    def _is_conditional(self, op: Operation) -> bool:
        inside = ops_between(op, self.tile.op)
        return any(isinstance(around, loop.IfOp | scf.IfOp) for around in inside)

    def _indices_of(self, op: Operation) -> tuple[Sequence[AffineExpr], Sequence[SSAValue]]:
        """The expressions of indices that an op uses, and does not only add up to another one."""
        match op:
            case loop.AccessOp() | loop.ReduceOp():
                return op.subscripts, op.operands_
            case loop.IfOp():
                return [expr for one in op.alternatives for expr in one.exprs()], op.operands_
            case affine.MinOp():
                return op.map.data.results, op.operands
            case _ if any(map(self._is_sum, op.results)):
                return [], []
            case _:
                values = [*filter(_is_index, op.operands)]
                return [AffineExpr.dimension(number) for number in range(len(values))], values

    def _is_sum(self, value: SSAValue) -> bool:
        return _is_index(value) and self._forms.of(value) != Polynomial.of(value)

    def _is_of_axis(self, forms: Sequence[Polynomial]) -> bool:
        """Whether forms do not tell in which part of the axis a tile is, only where on the axis.

        The tile of one part less begins at the same place if its number is as much larger.
        """
        number = self.tile.number
        for part in self.tile.loops_over_parts:
            counter = part.induction_variable
            length = self.tile.missing.terms.get((counter,), 0)
            more = Polynomial.of(number) + Polynomial.constant(length // self.tile.step)
            less = Polynomial.of(counter) - _ONE
            if length % self.tile.step:
                return False
            if any(one.substitute(counter, less).substitute(number, more) != one for one in forms):
                return False
        return True

    @property
    def _step(self) -> Polynomial:
        return Polynomial.constant(self.tile.step)

    def _change(self, form: Polynomial) -> Polynomial:
        """How much less an index is for the same place in the tile before.

        There the counters of the loops that begin with the tile are larger by its length. What
        does not change is a function of the axis, whatever its loops are.
        """
        number = self.tile.number
        before = form.substitute(number, Polynomial.of(number) - _ONE)
        for counter in self._begins:
            before = before.substitute(counter, Polynomial.of(counter) + self._step)
        return form - before

    def _added(self, form: Polynomial) -> int:
        """What has to be added to a side that does not move by itself, in moves of the tile."""
        change = self._only({self._change(form).as_constant()})
        self._require(change % self.tile.step == 0)
        return change // self.tile.step

    def _speed(self, form: Polynomial) -> int:
        """The speed of a sum, of which places in the tile are no part."""
        total = 0
        for monomial, factor in form.terms.items():
            if any(map(self._moves, monomial)):
                (atom,) = monomial if len(monomial) == 1 else (None,)
                self._require(isinstance(atom, SSAValue))
                total += self._part(atom, factor)
        return total

    def _part(self, value: SSAValue, factor: int) -> int:
        if value is self.tile.number:
            self._require(factor % self.tile.step == 0)
            return factor // self.tile.step
        self._require(value in self._speeds or value in self._begins)
        return factor * self._speeds.get(value, 0)

    def _varies(self, form: Polynomial) -> bool:
        return any(map(self._moves, form.values()))

    def _moves(self, atom: Atom) -> bool:
        """Whether a value is another one if the tile begins elsewhere."""
        if isinstance(atom, Quotient):
            return self._varies(atom.dividend)
        if atom not in self._known:
            op = atom.owner
            is_inside = not isinstance(atom, BlockArgument) and self.tile.op.is_ancestor(op)
            self._known[atom] = is_inside and (
                bool(op.regions) or any(map(self._moves, op.operands))
            )
        return self._known[atom]

    def _only(self, found: set[int | None]) -> int:
        self._require(len(found) == 1 and None not in found)
        (one,) = found
        assert one is not None
        return one

    def _require(self, holds: bool) -> None:
        if not holds:
            raise _NoMoveError


def _is_index(value: SSAValue) -> bool:
    return isinstance(value.type, IndexType)
