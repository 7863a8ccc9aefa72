"""Which elements of each stage are computed where: the regions that its readers need.

A stage's instances are related to the loops around them; the region that a producer
must compute at a place is the image of its readers' instances under their reads, with
the loops inside that place projected out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.boxes import Box, box_around
from teloom.analysis.guards import affine_form, when_read
from teloom.analysis.integer_sets import (
    IN,
    OUT,
    SET,
    Constraint,
    flat_set,
    function_of,
    map_of,
    set_of,
    simplified_in,
    universe,
)
from teloom.analysis.leaf_map import axis_extents, between, leaf_map
from teloom.analysis.loop_bounds import Bounds, covered, guard, read_bounds
from teloom.analysis.stages import (
    all_stages,
    equation_of,
    in_init,
    is_output,
    is_reduce,
    name_of,
    path,
    reader_of,
    reads_of,
)
from teloom.dialects import schedule, te
from teloom.errors import PassError


@dataclass
class StageRegion:
    """What is inferred of one stage.

    values: what the dimensions stand for: sizes, the axes of the loops around, leaves,
    and axes whose value is no affine expression of those.
    box: (offset, extent) per data axis, in elements, over the leading values.
    bounds: of each leaf axis, over the values before it.
    extents: (start, extent) of each other axis, over the values.
    places: consumed root axes in terms of the values, where they are affine; also what
    other axes are made of, where some are not.
    guard: constraints over the values, beyond the bounds.
    around: where the loops around the stage run, over the leading values.
    instances: values -> (sizes, root axes), for the body; init_instances the same with
    data axes only, for the init region.
    """

    values: list[SSAValue]
    box: Box
    bounds: dict[SSAValue, Bounds]
    extents: dict[SSAValue, tuple[AffineExpr, AffineExpr]]
    places: dict[SSAValue, AffineExpr]
    guard: list[Constraint]
    around: isl.BasicSet
    instances: isl.Map
    init_instances: isl.Map


class Access(NamedTuple):
    """What one read reads.

    map: (sizes, root axes) -> element, wherever the read happens; the axes of the
    tensor in `opaque` have a subscript that depends on data and may be anything.
    """

    map: isl.Map
    opaque: list[int]


# Makes a size that is the product of expressions of the sizes so far.
Multiply = Callable[[Sequence[AffineExpr], Sequence[SSAValue]], SSAValue]


def infer_regions(func: te.FuncOp, multiply: Multiply) -> dict[schedule.StageOp, StageRegion]:
    """The regions of all stages of a function, readers before what they read.

    Raises PassError for a read outside its tensor, with a witness. `multiply` is
    asked for the products of symbolic extents that fusions need.
    """
    inference = _Inference(func)
    inference.multiply_extents(multiply)
    for stage in reversed(all_stages(func)):
        inference.visit(stage)
    return inference.regions


class _Inference:
    def __init__(self, func: te.FuncOp):
        self.func = func
        self.sizes = list(func.sizes)
        self.context = isl.Context()
        self.regions: dict[schedule.StageOp, StageRegion] = {}
        self.products: dict[schedule.FuseOp, AffineExpr] = {}

    def multiply_extents(self, multiply: Multiply) -> None:
        """Makes a size of every product of symbolic extents that a fusion needs."""

        def product(relation: schedule.FuseOp, extents: Sequence[AffineExpr]) -> AffineExpr:
            self.sizes.append(multiply(extents, self.sizes))
            self.products[relation] = AffineExpr.dimension(len(self.sizes) - 1)
            return self.products[relation]

        for stage in all_stages(self.func):
            extents = [upper + lower * -1 for lower, upper in self._axis_bounds(stage)]
            axis_extents(stage, extents, product)

    def _needs_product(self, stage: schedule.StageOp, box: Box) -> bool:
        """Whether a fusion of the stage multiplies symbolic extents of this box."""
        asked: list[schedule.FuseOp] = []

        def ask(relation: schedule.FuseOp, _: Sequence[AffineExpr]) -> AffineExpr:
            asked.append(relation)
            return self.products[relation]

        axis_extents(stage, self._starts(stage, box)[1], ask)
        return bool(asked)

    def visit(self, stage: schedule.StageOp) -> None:
        loops = path(stage)
        values = [*self.sizes, *loops]
        around = self._around(stage, len(values))
        data = stage.data_axis_count
        declared = set_of(self.context, len(values) + data, self._declared(stage, len(values)))
        needed = declared if is_output(stage) else self._needed(stage, loops, declared)
        needed = needed.intersect(around.add_dims(SET, data))
        data_dims = range(len(values), len(values) + data)
        box = self._declared_box(stage)
        if not is_output(stage):
            tight = box_around(needed, data_dims, len(self.sizes))
            # The products at hand are those of the declared extents.
            box = box if self._needs_product(stage, tight) else tight
        self.regions[stage] = self._schedule(stage, values, around, needed, box)
        self._check_reads(stage)

    def _around(self, stage: schedule.StageOp, count: int) -> isl.BasicSet:
        """Where the loops around a stage run: a set of sizes and their axes.

        The enclosing stage's guard and its loops further in say nothing here: they
        are inside the place where the stage is computed.
        """
        enclosing = stage.enclosing
        if enclosing is None:
            non_negative = [
                Constraint(AffineExpr.dimension(k), False) for k in range(len(self.sizes))
            ]
            return set_of(self.context, count, non_negative)
        region = self.regions[enclosing]
        first = region.around.dim(SET)
        axes = list(enclosing.order.axes)[: count - first]
        bounds = [region.bounds[axis] for axis in axes]
        context = region.around.add_dims(SET, len(axes))
        return covered(context, range(first, count), bounds).remove_divs()

    def _axis_bounds(self, stage: schedule.StageOp) -> list[tuple[AffineExpr, AffineExpr]]:
        """Declared (lower, upper) of the root axes; dimension k is size k."""
        positions = [AffineExpr.dimension(self.sizes.index(size)) for size in stage.sizes]
        return [
            (
                lower.replace_dims_and_symbols(positions, ()),
                upper.replace_dims_and_symbols(positions, ()),
            )
            for lower, upper in stage.bounds.pairs()
        ]

    def _declared_box(self, stage: schedule.StageOp) -> Box:
        return self._axis_bounds(stage)[: stage.data_axis_count]

    def _declared(self, stage: schedule.StageOp, first: int) -> list[Constraint]:
        """Data axes, as dimensions from `first` on, are inside the tensor."""
        return _inside([upper for _, upper in self._declared_box(stage)], first)

    # --- what readers need ---

    def _needed(
        self, stage: schedule.StageOp, loops: Sequence[SSAValue], declared: isl.BasicSet
    ) -> isl.BasicSet:
        """The elements that readers inside `loops` read, as one convex set."""
        kept = len(self.sizes) + len(loops)
        needed = declared.to_set().subtract(declared.to_set())
        for read in reads_of(stage):
            instances = self._instances(read)
            outside = instances.dim(IN) - kept
            near = instances.project_out(IN, kept, outside)
            needed = needed.union(flat_set(near.apply_range(self._access(read).map)))
        needed = needed.intersect(declared.to_set()).coalesce()
        return _convex(needed, kept).intersect(declared)

    def _instances(self, read: te.ReadOp) -> isl.Map:
        region = self.regions[reader_of(read)]
        return region.init_instances if in_init(read) else region.instances

    def _dims(self, read: te.ReadOp) -> dict[SSAValue, int]:
        """What instances are made of: sizes, and the arguments of the read's region."""
        equation = equation_of(read)
        region = equation.init if in_init(read) else equation.body
        return {value: dim for dim, value in enumerate([*self.sizes, *region.block.args])}

    def _access(self, read: te.ReadOp) -> Access:
        """What `read` reads.

        A subscript that is no affine expression of sizes and axes is opaque.
        """
        dims = self._dims(read)
        domain = universe(self.context, len(dims))
        exprs: list[AffineExpr] = []
        opaque: list[int] = []
        operands = [affine_form(operand, dims) for operand in read.operands_]
        for axis, subscript in enumerate(read.map.data.results):
            used = [operands[position] for position in sorted(subscript.used_dims())]
            if any(operand is None for operand in used):
                opaque.append(axis)
                exprs.append(AffineExpr.constant(0))
            else:
                known = [operand or AffineExpr.constant(0) for operand in operands]
                exprs.append(subscript.replace_dims_and_symbols(known, ()))
        access = map_of(domain, exprs).intersect_domain(when_read(read, dims, domain))
        for axis in opaque:
            access = access.eliminate(OUT, axis, 1)
        return Access(access, opaque)

    # --- loops ---

    def _schedule(
        self,
        stage: schedule.StageOp,
        values: list[SSAValue],
        around: isl.BasicSet,
        needed: isl.BasicSet,
        box: Box,
    ) -> StageRegion:
        leaves = list(stage.order.axes)
        before = len(values)
        dims = {axis: before + k for k, axis in enumerate(leaves)}
        starts, root_extents = self._starts(stage, box)
        extents = axis_extents(stage, root_extents, lambda relation, _: self.products[relation])
        map = leaf_map(stage, dims, starts, extents, before + len(leaves))
        opaque = range(before + len(leaves), before + len(leaves) + len(map.opaque))
        dims |= zip(map.opaque, opaque, strict=True)
        values = [*values, *leaves, *map.opaque]
        roots = map.roots(stage)
        data = stage.data_axis_count
        outer = [AffineExpr.dimension(k) for k in range(before)]
        count = len(values)
        context = around.add_dims(SET, count - before)
        facts_of_data, facts_of_reduce = (
            set_of(self.context, count, facts) for facts in _by_kind(map.facts, dims)
        )

        made = _leaf_constraints(leaves, stage, dims, extents)
        of_data, of_reduce = _by_kind([*map.constraints, *made], dims)
        to_elements = function_of(context.get_space(), [*outer, *roots[:data]])
        domain = needed.preimage_multi_aff(to_elements)
        domain = domain.intersect(set_of(self.context, count, of_data))
        of_reduce += self._reduce_bounds(stage, roots)
        reduce_domain = set_of(self.context, count, of_reduce)

        found: dict[SSAValue, Bounds] = {}
        guards: list[Constraint] = []
        parts = ((domain, facts_of_data, False), (reduce_domain, facts_of_reduce, True))
        for part, facts, reduces in parts:
            axes = [axis for axis in leaves if is_reduce(axis) is reduces]
            part_dims = [dims[axis] for axis in axes]
            loops = part.eliminate(SET, count - len(opaque), len(opaque)).remove_unknown_divs()
            bounds = read_bounds(loops, part_dims, context)
            found.update(zip(axes, bounds, strict=True))
            cover = covered(context, part_dims, bounds).intersect(facts)
            guards += guard(part.intersect(cover), cover)
        domain = domain.intersect(context).intersect(facts_of_data)
        reduce_domain = reduce_domain.intersect(facts_of_reduce)
        sizes = outer[: len(self.sizes)]

        def instances(domain: isl.BasicSet, roots: Sequence[AffineExpr]) -> isl.Map:
            map = map_of(domain, [*sizes, *roots])
            return map.project_out(IN, count - len(opaque), len(opaque))

        consumed = dict(zip(stage.root_axes, zip(starts, roots, strict=True), strict=True))
        zero = AffineExpr.constant(0)
        return StageRegion(
            values,
            box,
            {axis: found[axis] for axis in leaves},
            {
                axis: (consumed[axis][0] if axis in consumed else zero, extent)
                for axis, extent in extents.items()
                if axis not in leaves
            },
            {
                axis: simplified_in(reduce_domain if is_reduce(axis) else domain, value)
                for axis, value in map.values.items()
                if axis not in leaves
                and axis not in map.opaque
                and (axis in consumed or map.opaque)
            },
            guards,
            around,
            instances(domain.intersect(reduce_domain), roots),
            instances(domain, roots[:data]),
        )

    def _starts(
        self, stage: schedule.StageOp, box: Box
    ) -> tuple[list[AffineExpr], list[AffineExpr]]:
        """Where root axes start, and their extents, at the place of computation."""
        reduce = self._axis_bounds(stage)[stage.data_axis_count :]
        starts = [offset for offset, _ in box] + [lower for lower, _ in reduce]
        extents = [extent for _, extent in box]
        extents += [upper + lower * -1 for lower, upper in reduce]
        return starts, extents

    def _reduce_bounds(
        self, stage: schedule.StageOp, roots: Sequence[AffineExpr]
    ) -> list[Constraint]:
        data = stage.data_axis_count
        found: list[Constraint] = []
        for root, (lower, upper) in zip(roots[data:], self._axis_bounds(stage)[data:], strict=True):
            found.append(Constraint(root + lower * -1, False))
            found.append(Constraint(upper + root * -1 + -1, False))
        return found

    # --- reads outside their tensor ---

    def _check_reads(self, stage: schedule.StageOp) -> None:
        equation = stage.equation
        for region in equation.regions_with_values():
            for op in region.walk():
                if isinstance(op, te.ReadOp):
                    self._check_read(stage, op)

    def _check_read(self, stage: schedule.StageOp, read: te.ReadOp) -> None:
        access, opaque = self._access(read)
        access = access.intersect_domain(self._instances(read).range())
        first = access.dim(IN)
        extents = self._extents(read.tensor)
        inside = set_of(
            self.context,
            first + len(extents),
            [
                constraint
                for axis, extent in enumerate(extents)
                if axis not in opaque
                for constraint in between(AffineExpr.dimension(first + axis), extent)
            ],
        )
        outside = flat_set(access).subtract(inside.to_set())
        if outside.is_empty():
            return
        raise PassError(self._witness(stage, read, outside, opaque), read)

    def _extents(self, tensor: SSAValue) -> list[AffineExpr]:
        """Declared extents of a tensor; dimension k is size k."""
        owner = tensor.owner
        if isinstance(owner, schedule.StageOp):
            return [upper for _, upper in self._declared_box(owner)]
        return list(self.func.shape_of(list(self.func.tensors).index(tensor)))

    def _witness(
        self,
        stage: schedule.StageOp,
        read: te.ReadOp,
        outside: isl.Set,
        opaque: Sequence[int],
    ) -> str:
        point = outside.sample_point()
        numbers = [point.get_coordinate_val(SET, k).to_python() for k in range(outside.dim(SET))]
        sizes = len(self.sizes)
        extents = self._extents(read.tensor)
        axes = len(numbers) - sizes - len(extents)
        at = numbers[sizes : sizes + axes]
        element = numbers[sizes + axes :]
        shape = [extent.eval(numbers, ()) for extent in extents]
        name = _tensor_name(read.tensor)
        bad = next(
            k
            for k, (index, extent) in enumerate(zip(element, shape, strict=True))
            if k not in opaque and not 0 <= index < extent
        )
        shown = ["?" if k in opaque else str(i) for k, i in enumerate(element)]
        message = (
            f'stage "{name_of(stage)}" at [{_commas(at)}] reads '
            f"{name}[{', '.join(shown)}], but axis {bad} of {name} runs from 0 to "
            f"{shape[bad] - 1}"
            if shape[bad] > 0
            else f'stage "{name_of(stage)}" at [{_commas(at)}] reads '
            f"{name}[{', '.join(shown)}], but axis {bad} of {name} is empty"
        )
        if not sizes:
            return message
        when = ", ".join(
            f"{size.name_hint} = {number}"
            for size, number in zip(self.sizes, numbers, strict=False)
        )
        return f"{message} (when {when})"


def _commas(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _tensor_name(tensor: SSAValue) -> str:
    if isinstance(tensor.owner, schedule.StageOp):
        return name_of(tensor.owner)
    return tensor.name_hint or "an argument"


def _inside(extents: Sequence[AffineExpr], first: int) -> list[Constraint]:
    """0 <= dimension < extent, for dimensions from `first` on."""
    return [
        constraint
        for axis, extent in enumerate(extents)
        for constraint in between(AffineExpr.dimension(first + axis), extent)
    ]


def _convex(region: isl.Set, first: int) -> isl.BasicSet:
    """A convex set around `region`, without divisions of the dimensions from `first` on."""
    # Without this a column of a fused axis, known by its row, stays a remainder, and is dropped.
    region = region.remove_unknown_divs().detect_equalities()
    pieces = region.get_basic_sets()
    if not pieces:
        return isl.BasicSet.empty(region.get_space())
    hull = pieces[0] if len(pieces) == 1 else region.unshifted_simple_hull()
    return hull.remove_divs_involving_dims(SET, first, region.dim(SET) - first)


def _leaf_constraints(
    leaves: Sequence[SSAValue],
    stage: schedule.StageOp,
    dims: Mapping[SSAValue, int],
    extents: Mapping[SSAValue, AffineExpr],
) -> list[Constraint]:
    """Leaves that a relation made count from 0 up to their extent."""
    return [
        constraint
        for axis in leaves
        if axis not in stage.root_axes
        for constraint in between(AffineExpr.dimension(dims[axis]), extents[axis])
    ]


def _by_kind(
    constraints: Sequence[Constraint], dims: Mapping[SSAValue, int]
) -> tuple[list[Constraint], list[Constraint]]:
    """Constraints on data leaves, and those on reduce leaves."""
    reduce_dims = {dim for axis, dim in dims.items() if is_reduce(axis)}
    data: list[Constraint] = []
    reduce: list[Constraint] = []
    for constraint in constraints:
        on_reduce = constraint.expr.used_dims() & reduce_dims
        (reduce if on_reduce else data).append(constraint)
    return data, reduce
