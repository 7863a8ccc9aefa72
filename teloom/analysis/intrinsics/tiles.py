"""The loops of a stage from one axis inwards, as a tile of the extents of an intrinsic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import permutations, product
from typing import NamedTuple

import islpy as isl
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.intrinsics.equations import Differs
from teloom.analysis.intrinsics.short_axes import too_short
from teloom.analysis.sets.conditions import constraints_of
from teloom.analysis.sets.guards import conditions_of, guard
from teloom.analysis.sets.integer_sets import (
    Constraint,
    at_least,
    more_than,
    set_of,
)
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import (
    bounds_depth,
    fixed_axes,
    is_axis_of,
    is_leaf,
    is_reduce,
    path,
    stage_of,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.polynomials import Polynomial, of_exprs, to_expr
from teloom.dialects.bodies.postorder import postorder

OPERATIONS = 1_000_000
"""isl operations that it may take to find the whole tiles: about a second."""

_Alternative = tuple[list[Polynomial], ...]
"""What has to be 0, and what must not be negative."""


class IntrinsicTile(NamedTuple):
    """A tile with all its points: where it starts, and when it is whole.

    Both are over `values`. Without a condition, all tiles are whole.
    """

    starts: list[tuple[SSAValue, AffineExpr]]
    condition: list[Conjunction]
    values: list[SSAValue]


class TileLoops:
    """The loops of a stage, whose ranges are inferred, from one leaf inwards."""

    def __init__(self, stage: schedule.StageOp, axis: SSAValue):
        leaves = list(stage.order.axes)
        first = leaves.index(axis)
        if stage.data_bounded_axes and bounds_depth(stage) > first:
            raise Differs("bounds of its reduce axes are read from data inside of that loop")
        self.stage = stage
        self.outer, self.inner = leaves[:first], leaves[first:]
        self.ranges = stage.ranges
        self._forms: dict[SSAValue, Polynomial] = {}
        self.steps = [self._steps(root) for root in stage.root_axes]
        """By root axis, how far one iteration of each leaf inside moves it."""
        moving = [leaf for steps in self.steps for leaf in steps]
        if shared := [leaf for leaf in dict.fromkeys(moving) if moving.count(leaf) > 1]:
            raise Differs(f"the loop of {schedule.axis_names(shared)} counts along several axes")

    def form(self, axis: SSAValue) -> Polynomial:
        """A size or an axis over leaves, sizes, and what no affine function gives."""

        def parts(one: SSAValue) -> Sequence[SSAValue]:
            value = _value_of(one)
            return () if value is None else value.operands_

        for one in postorder([axis], parts):
            value = _value_of(one)
            if one in self._forms:
                continue
            self._forms[one] = Polynomial.of(one) if value is None else self._of(value)
        return self._forms[axis]

    def _of(self, value: schedule.ValueOp) -> Polynomial:
        return self.over_leaves(value.map.data.results[0], value.operands_)

    def over_leaves(self, expr: AffineExpr, values: Sequence[SSAValue]) -> Polynomial:
        (found,) = of_exprs([expr], values)
        for value in values:
            found = found.substitute(value, self.form(value))
        return found

    def bounds(self, leaf: SSAValue) -> tuple[list[Polynomial], list[Polynomial]]:
        """The lower and the upper bounds of a leaf."""
        op = self.ranges.get(leaf) or stage_of(leaf).ranges[leaf]

        def side(map: AffineMapAttr) -> list[Polynomial]:
            return [self.over_leaves(expr, op.operands_) for expr in map.data.results]

        return side(op.lower), side(op.upper)

    def runs_once(self, leaf: SSAValue) -> bool:
        """Whether the loop of a leaf has one iteration, whatever the sizes are."""
        lower, upper = self.bounds(leaf)
        return len(lower) == len(upper) == 1 and (upper[0] - lower[0]).as_constant() == 1

    def _steps(self, root: SSAValue) -> dict[SSAValue, int]:
        form, fixed = self.form(root), fixed_axes(self.stage, self.outer)
        steps = {leaf: form.terms[leaf,] for leaf in self.inner if (leaf,) in form.terms}
        rest = Polynomial({m: c for m, c in form.terms.items() if not steps.keys() & {*m}})
        for value in _values_in([rest]):
            if is_axis_of(value, self.stage) and value not in fixed:
                raise Differs(
                    f"axis {schedule.axis_name(root)} is no sum of multiples of the loops inside"
                )
        return {leaf: step for leaf, step in steps.items() if not self.runs_once(leaf)}

    @property
    def varying(self) -> list[int]:
        """The root axes that vary inside, by their numbers."""
        return [number for number, steps in enumerate(self.steps) if steps]

    def first_points(self) -> dict[int, int]:
        """The constants at which root axes, by number, start in every tile."""
        found: dict[int, int] = {}
        for number, root in enumerate(self.stage.root_axes):
            form = self.form(root)
            for leaf in self.inner:
                lower, _ = self.bounds(leaf)
                form = form.substitute(leaf, lower[0]) if len(lower) == 1 else form
            if (start := form.as_constant()) is not None:
                found[number] = start
        return found

    def positions(self, intrinsic: te.IntrinsicOp) -> Iterator[list[int]]:
        """The root axes that axes of an intrinsic may be; -1 for one of extent 1 that is none.

        Data axes are the last of the stage, as those of a buffer are; reduce axes are in any order.
        Raises `Differs` if there are others, or not as many.
        """
        if self.too_short(intrinsic):
            yield from self._positions_outside(intrinsic)
            return
        extents, theirs = extents_of(intrinsic), data_axes_of(intrinsic)
        data = self.stage.data_axis_count
        axes = range(data - theirs, data)
        places = [at if at in self.varying else -1 for at in axes]
        reduces = [at for at in self.varying if at >= data]
        wanted = [axis for axis in range(theirs, len(extents)) if extents[axis] != 1]
        inside = [at for at in self.varying if at < data]
        needed = [axis for axis in range(theirs) if extents[axis] != 1]
        has_all = data >= theirs and all(places[axis] >= 0 for axis in needed)
        is_all = [at for at in places if at >= 0] == inside and len(reduces) == len(wanted)
        if not has_all or not is_all:
            raise self._other_axes(intrinsic)
        yield from _with_reduces(places, reduces, extents)

    def _positions_outside(self, intrinsic: te.IntrinsicOp) -> Iterator[list[int]]:
        """The same for a stage that is too short for a tile: its axes need not vary inside."""
        extents, theirs = extents_of(intrinsic), data_axes_of(intrinsic)
        data = self.stage.data_axis_count
        reduces = range(data, len(self.steps))
        if theirs > data or sum(extent != 1 for extent in extents[theirs:]) > len(reduces):
            raise self._other_axes(intrinsic)
        axes = zip(range(data - theirs, data), extents, strict=False)
        yield from _with_reduces([at if one != 1 else -1 for at, one in axes], reduces, extents)

    def _other_axes(self, intrinsic: te.IntrinsicOp) -> Differs:
        return Differs(
            f"the loops inside run over {self._names(self.varying)} of the axes "
            f"{self._names(range(len(self.steps)))}, those of @{intrinsic.sym_name.data} over "
            f"{schedule.axis_names(intrinsic.equation.body.block.args)}; data axes are the last "
            "ones"
        )

    def too_short(self, intrinsic: te.IntrinsicOp) -> str | None:
        """Why no schedule of the stage has a whole tile; None if one may have."""
        return too_short(self.stage, extents_of(intrinsic), data_axes_of(intrinsic))

    def _names(self, numbers: Sequence[int]) -> str:
        return schedule.axis_names(self.stage.root_axes[number] for number in numbers)

    def tile(
        self, positions: Sequence[int], extents: Sequence[int], data_only: bool
    ) -> IntrinsicTile:
        """The tile in which root axis `positions[k]` has the extent `extents[k]`.

        With `data_only`, it is that of the data axes, for the init part.
        Raises `Differs` if there is none, or no iteration around has all of it.
        """
        lengths = self._lengths(positions, extents)
        leaves = [leaf for leaf in self.inner if not (data_only and is_reduce(leaf))]
        if other := [leaf for leaf in leaves if leaf not in lengths]:
            raise Differs(f"the loop of {schedule.axis_names(other)} counts along no axis")
        candidates = [self._starts(leaf, lengths[leaf]) for leaf in leaves]
        around = [leaf for leaf in self.outer if not (data_only and is_reduce(leaf))]
        try:
            for starts in product(*candidates):
                at = dict(zip(leaves, starts, strict=True))
                found = _WholeTiles(self, around, at, lengths).found()
                if found is not None:
                    return found
        except OverBudget:
            raise Differs("isl takes too long to say which tiles are whole") from None
        raise Differs(
            f"no tile of {' x '.join(map(str, extents))} is whole, in any iteration of "
            f"{schedule.axis_names(around)}"
        )

    def _lengths(self, positions: Sequence[int], extents: Sequence[int]) -> dict[SSAValue, int]:
        """The iterations of each leaf inside, so that root axes have these extents.

        Of several leaves of an axis, the step of each is how far those further in go.
        """
        lengths = {leaf: 1 for leaf in self.inner if self.runs_once(leaf)}
        for position, extent in zip(positions, extents, strict=True):
            if position < 0:
                if extent != 1:
                    raise Differs(f"an axis of the intrinsic has {extent} points, the tile has one")
                continue
            length = extent
            steps = self.steps[position]
            for leaf in sorted(steps, key=lambda one: -steps[one]):
                whole, rest = divmod(length, steps[leaf]) if steps[leaf] > 0 else (0, 1)
                if rest or not whole:
                    raise Differs(
                        f"axis {self._names([position])} advances by {steps[leaf]} in "
                        f"{schedule.axis_name(leaf)}, which makes no tile of {extent}"
                    )
                lengths[leaf], length = whole, steps[leaf]
            if length != 1:
                raise Differs(f"axis {self._names([position])} has steps of {length} inside")
        return lengths

    def _starts(self, leaf: SSAValue, length: int) -> list[Polynomial]:
        """Where the loop of a leaf starts if it has as many iterations as it can have.

        Raises `Differs` if that is another number.
        """
        lower, upper = self.bounds(leaf)
        inner = set(self.inner)
        found = [
            (start, iterations)
            for start in lower
            for end in upper
            if inner.isdisjoint(_values_in([start]))
            and (iterations := (end - start).as_constant()) is not None
        ]
        if starts := [start for start, iterations in found if iterations == length]:
            return starts
        most = min((iterations for _, iterations in found), default="no constant number of")
        raise Differs(
            f"the loop of {schedule.axis_name(leaf)} has {most} iterations, that of the intrinsic "
            f"{length}"
        )


class _WholeTiles:
    """The iterations around a tile in which all of it runs, and nothing else."""

    def __init__(
        self,
        loops: TileLoops,
        around: Sequence[SSAValue],
        starts: Mapping[SSAValue, Polynomial],
        lengths: Mapping[SSAValue, int],
    ):
        """`around` are leaves of the stage outside of the tile; those of it have starts."""
        self.loops, self.starts, self.lengths = loops, starts, lengths
        self.context = isl.Context()
        self.around = [*path(loops.stage), *around]
        self.guards = [*self._guards()]
        self.names = self._names()

    def _names(self) -> list[SSAValue]:
        """Sizes and other axes, loops around from the outermost in, and the leaves of the tile."""
        known = dict.fromkeys([*self.around, *self.starts])
        sides = [side for leaf in known for side in self.loops.bounds(leaf)]
        guards = [side for guard in self.guards for part in guard for side in part]
        forms = [form for side in [*sides, [*self.starts.values()], *guards] for form in side]
        others = dict.fromkeys(_values_in(forms))
        return [*(value for value in others if value not in known), *known]

    def _guards(self) -> Iterator[list[_Alternative]]:
        """The guards, without constraints on loops that are not here: reduce axes of an init."""
        gone = {*self.loops.stage.order.axes} - {*self.around, *self.starts}
        for op in self.loops.stage.guards:
            alternatives = [
                tuple([*self._testable(side, op, gone)] for side in one) for one in op.alternatives
            ]
            if all(any(one) for one in alternatives):
                yield alternatives

    def _testable(
        self, side: Sequence[AffineExpr], op: schedule.GuardOp, gone: set[SSAValue]
    ) -> Iterator[Polynomial]:
        for expr in side:
            form = self.loops.over_leaves(expr, op.operands_)
            if gone.isdisjoint(_values_in([form])):
                yield form

    def found(self) -> IntrinsicTile | None:
        """The tile; None if no iteration has all of it."""
        with budget(self.context, OPERATIONS):
            outer = self.names[: len(self.names) - len(self.starts)]
            around = self._around()
            cover = set_of(self.context, len(outer), around)
            within = [one for leaf in self.starts for one in self._within(leaf)]
            tile, runs = self._points([*around, *within]), self._runs(around)
            wrong = tile.subtract(runs).union(runs.subtract(tile)).over(outer)
            whole = cover.to_set().subtract(wrong.set)
            if whole.is_empty():
                return None
            needed = guard(whole, cover)
        starts = [(leaf, self._expr(form)) for leaf, form in self.starts.items()]
        return IntrinsicTile(starts, _alternatives(conditions_of(needed)), self.names)

    def _points(self, constraints: Sequence[Constraint]) -> Points:
        return Points(self.names, set_of(self.context, len(self.names), constraints).to_set())

    def _expr(self, form: Polynomial) -> AffineExpr:
        return to_expr(form, lambda value: AffineExpr.dimension(self.names.index(value)))

    def _around(self) -> list[Constraint]:
        """The constraints around the tile: sizes are not negative, loops are in their ranges."""
        sizes = [name for name in self.names if not isinstance(name.type, schedule.AxisType)]
        found = [at_least(self._expr(Polynomial.of(size))) for size in sizes]
        return found + [one for leaf in self.around for one in self._in_range(leaf)]

    def _in_range(self, leaf: SSAValue) -> Iterator[Constraint]:
        lower, upper = self.loops.bounds(leaf)
        at = self._expr(Polynomial.of(leaf))
        yield from (at_least(at, self._expr(bound)) for bound in lower)
        yield from (more_than(self._expr(bound), at) for bound in upper)

    def _within(self, leaf: SSAValue) -> Iterator[Constraint]:
        at, start = self._expr(Polynomial.of(leaf)), self.starts[leaf]
        yield at_least(at, self._expr(start))
        yield more_than(self._expr(start + Polynomial.constant(self.lengths[leaf])), at)

    def _runs(self, around: Sequence[Constraint]) -> Points:
        """The points of the tile's loops that run."""
        runs = self._points([*around, *(c for leaf in self.starts for c in self._in_range(leaf))])
        for alternatives in self.guards:
            held = [self._points(self._holds(one)) for one in alternatives]
            runs = runs.intersect(reduce(Points.union, held))
        return runs

    def _holds(self, alternative: _Alternative) -> list[Constraint]:
        equalities, inequalities = ([*map(self._expr, side)] for side in alternative)
        return constraints_of(Conjunction(equalities, inequalities))


def _alternatives(conditions: Sequence[Sequence[Conjunction]]) -> list[Conjunction]:
    """Conditions that all have to hold, as alternatives; none if nothing has to."""
    if not conditions:
        return []
    return [Conjunction.all_of(choice) for choice in product(*conditions)]


def _values_in(forms: Iterable[Polynomial]) -> list[SSAValue]:
    """The sizes and axes in some forms, in the order of their first use."""
    return [*dict.fromkeys(value for form in forms for value in form.values())]


def _with_reduces(
    places: Sequence[int], reduces: Sequence[int], extents: Sequence[int]
) -> Iterator[list[int]]:
    """The places of data axes, and then reduce axes in any order for those of several points."""
    others = range(len(places), len(extents))
    wanted = [axis for axis in others if extents[axis] != 1]
    for order in permutations(reduces, len(wanted)):
        by_axis = dict(zip(wanted, order, strict=True))
        yield [*places, *(by_axis.get(axis, -1) for axis in others)]


def data_axes_of(intrinsic: te.IntrinsicOp) -> int:
    """The number of data axes of an intrinsic."""
    return intrinsic.equation.data_axes.value.data


def extents_of(intrinsic: te.IntrinsicOp) -> list[int]:
    """The extents of the axes of an intrinsic: data axes, then reduce axes."""
    return [
        upper.value - lower.value  # pyright: ignore
        for lower, upper in intrinsic.equation.bounds.pairs()
    ]


def _value_of(axis: SSAValue) -> schedule.ValueOp | None:
    """The op that gives an axis as an affine function of others; None if there is none."""
    if not isinstance(axis.type, schedule.AxisType) or is_leaf(axis):
        return None
    return stage_of(axis).values.get(axis)
