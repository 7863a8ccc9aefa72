"""Loops that several stages share: a loop runs through the iterations of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from teloom.analysis.stages.queries import name_of
from teloom.dialects import loop, schedule
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import OperandList, exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial, of_exprs, to_expr
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.schedule import Align
from teloom.errors import ScheduleError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.nests.axis_values import DIM
from teloom.passes.nests.guard_tests import Test
from teloom.passes.nests.hulls import Hulls, Sides
from teloom.passes.nests.loop_nest import (
    FunctionValues,
    LoopNest,
    nests_of,
    never_runs,
    realize_stage,
)


def build_run(run: Sequence[schedule.StageOp], mapped: FunctionValues, builder: Builder) -> None:
    """Emits the loops of stages that share some, and their storage unless the caller gives that.

    A stage of which no element is needed has no loops. It has storage only if a read that never
    happens still names it. Raises ScheduleError if a region or a range was not inferred.
    """
    for stage in run:
        if stage.enclosing is None:
            for inner in preorder(stage):
                if isinstance(inner, schedule.StageOp) and inner.stored_at_root is not None:
                    realize_stage(inner, mapped, builder)
        realize_stage(stage, mapped, builder)
    if all(map(never_runs, run)):
        return
    for version in (version for stage in run for version in schedule.versions_of(stage)):
        then, otherwise = Block(), Block()
        sizes = [mapped.sizes[size] for size in version.operands_]
        builder.insert(loop.IfOp(version.alternatives, sizes, Region(then), Region(otherwise)))
        _build_loops(run, mapped.copy(), Builder(InsertPoint.at_end(then)))
        builder = Builder(InsertPoint.at_end(otherwise))
    _build_loops(run, mapped, builder)


def _build_loops(run: Sequence[schedule.StageOp], mapped: FunctionValues, builder: Builder) -> None:
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
            for nest in nests_of(stage, mapped, build_run):
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
    """Emits the loops of stages; each stage shares some loops with the one in front.

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
        code = IndexCode(builder.insert)
        distances = [
            self._distance(sides[0], own, word, code)
            for own, word in zip(sides, words, strict=True)
        ]
        sides = [own.moved(by) for own, by in zip(sides, distances, strict=True)]
        hull = self.hulls.around(sides, code)
        self._check_equal(group, sides, depth)
        inner = self._open_loop([member.nest for member in group], depth, hull, builder)
        leader = self._axis(group[0].nest, depth)
        for member, own, by in zip(group, sides, distances, strict=True):
            (expr,), values = exprs_of_forms([leader - by])
            axis, _ = member.nest.leaves[depth]
            self.mapped.axes.define(axis, expr, values)
            member.nest.pending += self._tests(member.nest, axis, own, hull)
        return inner

    def _open_loop(
        self, nests: Sequence[LoopNest], depth: int, hull: Sides, builder: Builder
    ) -> Builder:
        """Opens the loop as one of the stage that comes first in it."""
        operands = OperandList()
        lower, upper = ([to_expr(one, operands.dim) for one in side] for side in hull)
        (_, axis), *others = ((nest.stage, nest.leaves[depth][0]) for nest in nests)
        return nests[0].open(axis, lower, upper, operands, builder, others=others)

    def _axis(self, nest: LoopNest, depth: int) -> Polynomial:
        """The value of an axis whose loop is open."""
        axis, _ = nest.leaves[depth]
        return self.mapped.axes.form(DIM, [axis])

    def _sides(self, nest: LoopNest, depth: int) -> Sides:
        """The range of the stage's own axis."""
        axis, _ = nest.leaves[depth]
        (lower, upper), operands = nest.sides(axis)
        return Sides(of_exprs(lower, operands.values), of_exprs(upper, operands.values))

    def _distance(self, first: Sides, own: Sides, word: Align, code: IndexCode) -> Polynomial:
        """How far the coordinates of a loop are above those of a stage's own axis."""
        if word is Align.NONE:
            return Polynomial({})
        if word is Align.END:
            ends = [code.one_of(arith.MinSIOp, sides.upper) for sides in (first, own)]
        else:
            ends = [code.one_of(arith.MaxSIOp, sides.lower) for sides in (first, own)]
        return ends[0] - ends[1]

    def _check_equal(self, group: Sequence[Member], sides: Sequence[Sides], depth: int) -> None:
        """Refuses ranges that have to be equal and are not."""
        for member, own in zip(group[1:], sides[1:], strict=True):
            if member.shared[depth] is Align.EQUAL and {*own.upper} != {*sides[0].upper}:
                stages = [one.nest.stage for one in (member, group[0])]
                axes = [one.nest.leaves[depth][0] for one in (member, group[0])]
                own_axis, other = map(schedule.axis_name, axes)
                raise ScheduleError(
                    f'axis {own_axis} of stage "{name_of(stages[0])}" and axis {other} of '
                    f'"{name_of(stages[1])}" are merged, but have different extents; '
                    "compute_with lets a loop run through both",
                    stages[0],
                )

    def _tests(self, nest: LoopNest, axis: SSAValue, own: Sides, hull: Sides) -> list[Test]:
        """The tests whether an iteration of the loop is an iteration of the stage."""
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
