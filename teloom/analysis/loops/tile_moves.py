"""How what is in a tile moves if the tile begins elsewhere.

The IR of a tile is right where tiles begin, at multiples of their length. So it may say what is
only true there: that a remainder is the place in the tile, that a region begins with it. A tile
that begins elsewhere computes the same at a point of its axis if all indices are functions of that
point, and if all that is stored for it moves along, without divisions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.loops.lacking_tiles import LackingTile
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of

_ONE = Polynomial.constant(1)

Move = tuple[loop.ForOp | loop.RealizeOp, Sequence[int]]
"""What is to be added to the sides of a loop or of a region: so many times what the tile moves."""


class _NoMoveError(Exception):
    """Something in a tile does not move with it."""


class TileMoves:
    """The speeds of indices in a tile: how many times as far as the tile they move.

    Loops that begin with the tile count from 0, or from another number that is the same in all
    tiles; so where the tile moves, their counters do. The counters of all others move with their
    bounds.
    """

    def __init__(self, tile: LackingTile):
        self.tile = tile
        self._forms = AnyIterationForms()
        self._whole = {one.op: one for one in tile.tiles}
        self._speeds: dict[SSAValue, int] = {}
        self._regions: dict[SSAValue, Sequence[int]] = {}
        self._begins: list[SSAValue] = []
        self._known: dict[SSAValue, bool] = {tile.number: True}

    def of_all(self) -> list[Move] | None:
        """The moves of loops and regions, but for the loops that end early; None if some op cannot.

        Those loops move as the tile does.
        """
        ops = [*preorder(self.tile.op.body.block)]
        try:
            return [move for op in ops if (move := self._of(op)) is not None]
        except _NoMoveError:
            return None

    def is_apart(self, store: loop.StoreOp) -> bool:
        """Whether different points of the axis store to different elements; after `of_all`."""
        number = self.tile.number
        of_axis = [op.induction_variable for op in self._whole if self._is_of_axis(op)]
        places = [{(number,), (counter,)} for counter in self._begins]
        places += [{(counter,)} for counter in of_axis]
        forms = self._forms.of_exprs(store.subscripts, store.operands_)
        return any({one for one in form.terms if one} in places for form in forms)

    def _is_of_axis(self, op: loop.ForOp) -> bool:
        return op.induction_variable not in self._begins

    def _of(self, op: Operation) -> Move | None:
        match op:
            case loop.ForOp() if op in self._whole:
                self._see_whole(op)
            case loop.ForOp():
                bounds = [*op.lower.data.results, *op.upper.data.results]
                found = {speed for speed in self._speeds_of(bounds, op.operands_) if speed}
                self._see(op, self._only(found or {0}))
                return op, self._added(bounds, op.operands_)
            case loop.RealizeOp():
                extents = self._forms.of_exprs(op.extents.data.results, op.operands_)
                self._require(not any(map(self._varies, extents)))
                offsets = op.offsets.data.results
                self._regions[op.tensor] = self._speeds_of(offsets, op.operands_)
                return op, self._added(offsets, op.operands_)
            case _:
                self._check(op)
        return None

    def _see_whole(self, op: loop.ForOp) -> None:
        """Notes the counter of a loop that ends early."""
        lower = self._forms.expr(self._whole[op].lower, op.operands_)
        if self._varies(lower):
            self._require(self._speed(lower) == 1 and self._change(lower) == self._step)
            self._see(op, 1)
        else:
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
        for access in accesses_of(op):
            speeds = self._regions.get(access.buffer)
            self._require(speeds is None or speeds == [*map(self._speed, forms)])

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

    def _added(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[int]:
        """What has to be added to indices that do not yet move, in moves of the tile."""
        changes = [self._change(form) for form in self._forms.of_exprs(exprs, values)]
        return [self._only({one.as_constant()}) // self.tile.step for one in changes]

    def _speeds_of(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[int]:
        return [*map(self._speed, self._forms.of_exprs(exprs, values))]

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
