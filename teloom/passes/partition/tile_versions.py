"""Versions of a block in what is left over of a loop: one for each length of the last tile."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import islpy as isl
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.nests import size_of
from teloom.analysis.loops.tiles import Tile, tile_of
from teloom.analysis.sets.integer_sets import ZERO, aff_of, at_least
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Tail
from teloom.passes.code.counters import put_in_place
from teloom.passes.partition.loop_tests import settle_constants
from teloom.passes.partition.small_buffers import may_be_in_registers, realized

_INDEX = IndexType()

_OPERATIONS = 100_000
"""The most operations of isl for one question on the length of a tile."""


class Versions(NamedTuple):
    """The bodies that there can be of a block, whose tiles have from 1 to `most` iterations.

    They are those of an axis of this name; of their `length` follows `size`, a value from outside.
    """

    body: Block
    axis: str
    length: Polynomial
    size: SSAValue
    most: int

    @property
    def copied(self) -> int:
        """How many ops there are more than before."""
        return sum(map(size_of, self.body.ops)) * (self.most - 1)

    def write(self) -> list[Block]:
        """Puts the versions into branches of the block; returns them."""
        ops = [*self.body.ops]
        found = [self._version(ops, length) for length in range(1, self.most + 1)]
        *shorter, rest = found
        for length, version in reversed([*enumerate(shorter, 1)]):
            rest = Block([self._branch(length, version, rest)])
        for op in reversed(ops):
            Rewriter.erase_op(op)
        Rewriter.inline_block(rest, InsertPoint.at_end(self.body))
        if not shorter:
            found = [self.body]
        for version in found:
            settle_constants(version)
        return found

    def _version(self, ops: Iterable[Operation], length: int) -> Block:
        """The ops, for tiles of this length."""
        block = Block(arg_types=[_INDEX])
        (size,) = block.args
        names: dict[SSAValue, SSAValue] = {self.size: size}
        block.add_ops([op.clone(names) for op in ops])
        put_in_place(size, self._size_for(length), block)
        block.erase_arg(size)
        return block

    def _size_for(self, length: int) -> Polynomial:
        others, sign = _solved(self.length, self.size)
        return (Polynomial.constant(length) - others).times(sign)

    def _branch(self, length: int, version: Block, rest: Block) -> loop.IfOp:
        exprs, values = exprs_of_forms([self.length - Polynomial.constant(length)])
        return loop.IfOp([Conjunction(exprs, [])], values, Region(version), Region(rest))


def versions_in(block: Block) -> Iterator[Versions]:
    """The versions of a block, and of blocks in branches of it, in no other loop.

    They are those that have sums in registers if the length of a tile is known, and little that
    is not in such tiles.
    """
    for body in [*blocks_outside_loops(block)]:
        found = (_of_length(body, *one) for one in _lengths_of_sums(body).items())
        yield from islice(filter(None, found), 1)


def blocks_outside_loops(block: Block, but: Container[Block] = ()) -> Iterator[Block]:
    """A block and the blocks of branches in it, in no other loop of it; without those in `but`."""
    pending = [block]
    while pending:
        block = pending.pop()
        yield block
        branches = [op for op in block.ops if not isinstance(op, loop.ForOp)]
        inner = [one for op in branches for region in op.regions for one in region.blocks]
        pending += [one for one in reversed(inner) if one not in but]


def _lengths_of_sums(body: Block) -> dict[Polynomial, str]:
    """The lengths of tiles that fold into what may be in registers, and that are most of a block.

    At most a quarter of the block is outside of nests with such tiles. Each has the name of an
    axis.
    """
    sums = {op for op in body.ops if isinstance(op, loop.RealizeOp) and may_be_in_registers(op)}
    tiles = [(tile.op, _length(tile)) for tile in _open_tiles(body)] if sums else []
    found: dict[Polynomial, str] = {}
    for op, length in tiles:
        if length not in found and sums & realized(ops_in(op.body.block, loop.ReduceOp)):
            alike = [other for other, its_length in tiles if its_length == length]
            around = [nest for nest in body.ops if any(map(nest.is_ancestor, alike))]
            if 4 * sum(map(size_of, around)) >= 3 * sum(map(size_of, body.ops)):
                found[length] = op.axis_name
    return found


def _open_tiles(body: Block) -> Iterator[Tile]:
    """The loops in a block that are to be copies, but are tiles that end where the call knows."""
    for op in ops_in(body, loop.ForOp):
        if op.kind.data is LoopKind.UNROLLED and loop.tail_of(op) is Tail.AUTO:
            tile = tile_of(op)
            if tile is not None and not tile.starts and len(tile.ends) == 1:
                yield tile


def _length(tile: Tile) -> Polynomial:
    end, lower = AffineIndexForms().of_exprs([tile.ends[0], tile.lower], tile.op.operands_)
    return end - lower


def _of_length(body: Block, length: Polynomial, axis: str) -> Versions | None:
    """The versions of a block for tiles of this length, if it is a small number, and never 0."""
    values = [*length.values()]
    inside = [value for value in values if _is_in(value, body)]
    outside = (value for value in values if value.owner is not body)
    size = next((one for one in outside if length.factor_of(one) in (1, -1)), None)
    longest = None if inside or size is None else _longest(body, length)
    if size is None or longest is None:
        return None
    return Versions(body, axis, length, size, longest)


def _is_in(value: SSAValue, body: Block) -> bool:
    """Whether a value is computed in a block, or in a region of an op of it."""
    owner = value.owner
    if isinstance(owner, Block):
        return owner is not body and body.is_ancestor(owner)
    return body.is_ancestor(owner)


def _solved(length: Polynomial, size: SSAValue) -> tuple[Polynomial, int]:
    """The length without its multiples of a size, and how many these are."""
    factor = length.terms.get((size,), 0)
    return length - Polynomial.of(size).times(factor), factor


def _longest(body: Block, length: Polynomial) -> int | None:
    """How large a length is at most; None if it may be 0, or any number."""
    context = isl.Context()
    sets, (written, values) = IterationSets(context), exprs_of_forms([length])
    first = body.first_op
    assert first is not None
    try:
        with budget(context, _OPERATIONS):
            (expr,) = sets.exprs(written, values)
            around = sets.around(first)
            runs = [[*around, *other] for other in sets.otherwise(first)]
            points = sets.points(runs).set
            longest = points.max_val(aff_of(expr, points.get_space()))
            none = sets.points([[*one, at_least(ZERO, expr)] for one in runs]).set
    except OverBudget:
        return None
    return longest.to_python() if longest.is_int() and none.is_empty() else None
