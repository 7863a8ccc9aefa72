"""How what is in a loop over tiles follows from where the tile is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import affine
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.loops.tiles import Tile, tile_of
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in

_ONE = Polynomial.constant(1)


@dataclass(frozen=True, eq=False)
class LackingTile:
    """A loop over tiles, each `step` behind another, and the loops that end early in the last one.

    These lack `missing` iterations: none in whole tiles, or a negative number. Some of them count
    from the begin of the tile, the others have points of the axis as their counters.
    """

    op: loop.ForOp
    tiles: Sequence[Tile]
    step: int
    missing: Polynomial

    @property
    def axis(self) -> str:
        """The name of the axis in a tile."""
        return self.tiles[-1].op.axis_name

    @property
    def is_whole_first(self) -> bool:
        """Whether it is known that the first tile is whole, and that the last one is not."""
        op, step = self.op, self.step
        rest = self.missing - Polynomial.of(op.induction_variable).times(step)
        bounds = [*op.lower.data.results, *op.upper.data.results]
        if len(bounds) != 2 or rest.uses(op.induction_variable):
            return False
        first, end = self._forms.of_exprs(bounds, op.operands_)
        least, most = ((rest + at.times(step)).as_constant() for at in (first, end - _ONE))
        return least is not None and most is not None and least <= 0 < most

    @property
    def are_loops_even(self) -> bool:
        """Whether each of the loops begins with the tile, or at the point where the tile does."""
        lowers = [self.speeds([tile.lower], tile.op.operands_) for tile in self.tiles]
        return lowers == [[int(not is_of_tile)] for is_of_tile in self._counters.values()]

    def speeds(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[int] | None:
        """How many times as far as the tile some places move if it moves; None if that varies.

        The next tile does what this one does, with `step` added to the counters that begin with the
        tile. What then stays the same is a function of the axis, whatever its loops are.
        """
        forms = self._forms.of_exprs(exprs, values)
        changes = [self._change(form).as_constant() for form in forms]
        known = [one // self.step for one in changes if one is not None and one % self.step == 0]
        return known if len(known) == len(changes) else None

    def follows_axis(self, op: Operation) -> bool:
        """Whether the indices that an op uses are functions of the axis."""
        speeds = self.speeds(*_indices_of(op, self._forms))
        return speeds is not None and not any(speeds)

    def is_apart(self, store: loop.StoreOp) -> bool:
        """Whether different points of the axis store to different elements."""
        forms = self._forms.of_exprs(store.subscripts, store.operands_)
        return any(self._is_place(form) for form in forms)

    @cached_property
    def _forms(self) -> AnyIterationForms:
        return AnyIterationForms()

    @cached_property
    def _counters(self) -> dict[SSAValue, bool]:
        """The counters of the loops that end early, and whether they begin with the tile."""
        number = self.op.induction_variable
        lowers = {
            tile.op.induction_variable: self._forms.expr(tile.lower, tile.op.operands_)
            for tile in self.tiles
        }
        return {counter: not lower.uses(number) for counter, lower in lowers.items()}

    def _change(self, form: Polynomial) -> Polynomial:
        """How much less an index is for the same place in the tile before."""
        number = self.op.induction_variable
        before = form.substitute(number, Polynomial.of(number) - _ONE)
        for counter, is_of_tile in self._counters.items():
            if is_of_tile:
                more = Polynomial.of(counter) + Polynomial.constant(self.step)
                before = before.substitute(counter, more)
        return form - before

    def _is_place(self, form: Polynomial) -> bool:
        """Whether a subscript that follows from the axis is a multiple of it and a constant."""
        number = (self.op.induction_variable,)
        found = {monomial for monomial in form.terms if monomial}
        places = (
            {number, (counter,)} if is_of_tile else {(counter,)}
            for counter, is_of_tile in self._counters.items()
        )
        return found in places


def lacking_tile(op: loop.ForOp, asked: Sequence[loop.ForOp]) -> LackingTile | None:
    """The tile that a loop is over, if all loops of `asked` in it are of the same one."""
    found = {tile.op: _missing(tile) for tile in _lacking_in(op)}
    lacks = {found[one] for one in asked if one in found}
    if len(lacks) != 1:
        return None
    (missing,) = lacks
    tiles = [tile for tile in _lacking_in(op) if found[tile.op] == missing]
    step = missing.terms.get((op.induction_variable,), 0)
    return LackingTile(op, tiles, step, missing) if step > 0 else None


def _lacking_in(op: loop.ForOp) -> Iterator[Tile]:
    """The loops in another one that have one end besides that of a tile, which follows from it."""
    for inner in ops_in(op.body.block, loop.ForOp):
        tile = tile_of(inner)
        if tile is not None and not tile.starts and len(tile.ends) == 1:
            if _missing(tile).uses(op.induction_variable):
                yield tile


def _missing(tile: Tile) -> Polynomial:
    """How many iterations a loop lacks."""
    upper, end = AnyIterationForms().of_exprs([tile.upper, *tile.ends], tile.op.operands_)
    return upper - end


def _indices_of(
    op: Operation, forms: AnyIterationForms
) -> tuple[Sequence[AffineExpr], Sequence[SSAValue]]:
    """The expressions of indices that an op uses, and does not only add up to another one."""
    match op:
        case loop.AccessOp() | loop.ReduceOp():
            return op.subscripts, op.operands_
        case loop.IfOp():
            return [expr for one in op.alternatives for expr in one.exprs()], op.operands_
        case affine.MinOp():
            return op.map.data.results, op.operands
        case _ if any(forms.of(one) != Polynomial.of(one) for one in filter(_is_index, op.results)):
            return [], []
        case _:
            values = [*filter(_is_index, op.operands)]
            return [AffineExpr.dimension(number) for number in range(len(values))], values


def _is_index(value: SSAValue) -> bool:
    return isinstance(value.type, IndexType)
