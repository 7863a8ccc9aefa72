"""Loops that several stages share: a loop runs through the iterations of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.ir.affine import AffineExpr

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial, of_exprs, to_expr
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.schedule import Align
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.loops.axis_values import DIM
from teloom.passes.loops.guard_tests import Test
from teloom.passes.loops.loop_nest import FunctionValues, LoopNest, never_runs, realize_stage
from teloom.passes.nests.hulls import Hulls, Sides


def build_run(
    run: Sequence[schedule.StageOp], mapped: FunctionValues, builder: Builder
) -> None:
    """Emits the loops of stages that share some, and their storage unless the caller gives that.

    A stage of which no element is needed has no loops. It has storage only if a read that never
    happens still names it. Raises PassError if a region or a range was not inferred.
    """
    for stage in run:
        if stage.enclosing is None:
            for inner in preorder(stage):
                if isinstance(inner, schedule.StageOp) and inner.stored_at_root is not None:
                    realize_stage(inner, mapped, builder)
        realize_stage(stage, mapped, builder)
    _SharedLoops(mapped).build(_members(run, mapped), 0, builder)


class Member(NamedTuple):
    """The nest of a stage, and how it lies in the loops that it shares with the one in front."""

    nest: LoopNest
    shared: Sequence[Align]


def _members(run: Sequence[schedule.StageOp], mapped: FunctionValues) -> list[Member]:
    """The stages that have loops; each shares what all between it and the one in front share."""
    found: list[Member] = []
    count = 0
    for stage in run:
        count = min(count, len(stage.shared))
        if not never_runs(stage):
            nest = LoopNest(stage, mapped, build_run)
            found.append(Member(nest, stage.shared[:count]))
            count = len(nest.leaves)
    return found


def _groups(members: Sequence[Member], depth: int) -> list[list[Member]]:
    """The members; those that share the loop at this depth together."""
    found: list[list[Member]] = []
    for member in members:
        if found and len(member.shared) > depth:
            found[-1].append(member)
        else:
            found.append([member])
    return found


class _SharedLoops:
    """Emits the loops of stages, of which each shares some with the one in front.

    In an iteration of a shared loop the stages run one after another, as they stand. Whether an
    iteration is one of its own is tested where a stage is alone.
    """

    def __init__(self, mapped: FunctionValues):
        self.mapped = mapped
        self.hulls = Hulls({*mapped.sizes.values()})

    def build(self, members: Sequence[Member], depth: int, builder: Builder) -> None:
        """Emits the loops from `depth` inwards; those further out are shared by all."""
        for group in _groups(members, depth):
            if len(group) == 1:
                group[0].nest.build_alone(depth, builder)
                continue
            for member in group:
                member.nest.begin_shared(depth, builder)
            self.build(group, depth + 1, self._open(group, depth, builder))

    def _open(self, group: Sequence[Member], depth: int, builder: Builder) -> Builder:
        """Opens the loop at a depth, and defines the axes of the stages in it."""
        sides = [self._sides(member.nest, depth) for member in group]
        words = [Align.NONE, *(member.shared[depth] for member in group[1:])]
        distances = [
            self._distance(group[0].nest, member.nest, depth, sides[0], own, word)
            for member, own, word in zip(group, sides, words, strict=True)
        ]
        sides = [own.moved(by) for own, by in zip(sides, distances, strict=True)]
        hull = self.hulls.around(sides, IndexCode(builder.insert))
        inner = self._open_leader(group[0].nest, depth, hull, builder)
        leader = self._axis(group[0].nest, depth)
        for member, own, by in zip(group, sides, distances, strict=True):
            operands = OperandList()
            expr = to_expr(leader - by, operands.dim)
            axis, _ = member.nest.leaves[depth]
            self.mapped.axes.define(axis, expr, operands.values)
            member.nest.pending += self._tests(member.nest, axis, own, hull)
        return inner

    def _open_leader(self, nest: LoopNest, depth: int, hull: Sides, builder: Builder) -> Builder:
        """Opens the loop as one of the stage that comes first in it."""
        operands = OperandList()
        lower, upper = ([to_expr(one, operands.dim) for one in side] for side in hull)
        axis, _ = nest.leaves[depth]
        return nest.open(axis, lower, upper, operands, builder)

    def _axis(self, nest: LoopNest, depth: int) -> Polynomial:
        """The value of an axis whose loop is open."""
        operands = OperandList()
        axis, _ = nest.leaves[depth]
        expr = self.mapped.axes.expr(DIM, [axis], operands)
        return of_exprs([expr], operands.values)[0]

    def _sides(self, nest: LoopNest, depth: int) -> Sides:
        """The range of the stage's own axis."""
        operands = OperandList()
        axis, _ = nest.leaves[depth]
        lower, upper = nest.bounds(axis, operands)
        return Sides(of_exprs(lower, operands.values), of_exprs(upper, operands.values))

    def _distance(
        self, leader: LoopNest, nest: LoopNest, depth: int, first: Sides, own: Sides, word: Align
    ) -> Polynomial:
        """How far the coordinates of the loop are above those of the stage's own axis."""
        if word is Align.NONE:
            return Polynomial({})
        sides = [side.upper if word is Align.END else side.lower for side in (first, own)]
        for one, bounds in zip((leader, nest), sides, strict=True):
            if len(bounds) > 1:
                axis, _ = one.leaves[depth]
                raise PassError(
                    f"axis {schedule.axis_name(axis)} of stage \"{name_of(one.stage)}\" has "
                    f'{len(bounds)} bounds at the {word} by which it is aligned; align it by "none"',
                    one.stage,
                )
        distance = sides[0][0] - sides[1][0]
        if word is Align.EQUAL and {one + distance for one in own.upper} != {*first.upper}:
            axes = [schedule.axis_name(one.leaves[depth][0]) for one in (nest, leader)]
            raise PassError(
                f'axis {axes[0]} of stage "{name_of(nest.stage)}" and axis {axes[1]} of '
                f'"{name_of(leader.stage)}" have no equal extents',
                nest.stage,
            )
        return distance

    def _tests(self, nest: LoopNest, axis: SSAValue, own: Sides, hull: Sides) -> list[Test]:
        """What is to be tested of an iteration of the loop: whether it is one of the stage."""
        op = nest.ranges[axis]
        values = [*op.operands_, axis]
        position = AffineExpr.dimension(len(op.operands_))
        exprs = [
            position + bound * -1
            for bound, moved in zip(op.lower.data.results, own.lower, strict=True)
            if not self.hulls.implies(hull.lower, moved)
        ]
        exprs += [
            bound + position * -1 + -1
            for bound, moved in zip(op.upper.data.results, own.upper, strict=True)
            if not self.hulls.implies([one.times(-1) for one in hull.upper], moved.times(-1))
        ]
        return [Test([Conjunction([], exprs)], values)] if exprs else []
