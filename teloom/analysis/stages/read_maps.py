"""The reads of a program, as relations from instances to elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.affine_forms import Piece, affine_pieces, unknown_parts
from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.integer_sets import (
    IN,
    SET,
    Constraint,
    constrained,
    flat_set,
    in_box,
    inside,
    map_of,
    set_of,
    universe,
)
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.conditions import when_reached
from teloom.analysis.stages.data_values import known_of
from teloom.analysis.stages.domains import declared_box, inside_domain
from teloom.analysis.stages.queries import (
    Access,
    axes_of,
    block_of,
    box_of,
    reader_of,
    result_behind,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.bodies.extern import axes_in
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.syntax.stage_header import ZERO

MOST_PIECES = 16
"""Pieces of one operand of a subscript; with more, it counts as data."""


class Root(NamedTuple):
    """The name of the coordinate of an instance along a root axis.

    The axis itself names its loop, whose range may differ, as that of a fused axis.
    """

    axis: SSAValue


class Coordinate(NamedTuple):
    """The name of the coordinate of an element along an axis of its tensor."""

    axis: int


def roots(axes: Iterable[SSAValue]) -> list[Root]:
    """The names of the coordinates of instances along root axes."""
    return [*map(Root, axes)]


def data_roots(stage: schedule.StageOp) -> list[Root]:
    """The names of the coordinates of instances along data axes, which are a stage's points."""
    return roots(stage.root_axes[: stage.data_axis_count])


def coordinates(rank: int) -> list[Coordinate]:
    """The names of the coordinates of an element."""
    return [*map(Coordinate, range(rank))]


def instance_at(point: Mapping[Name, int], stage: schedule.StageOp) -> list[int]:
    """The coordinates along those root axes of a stage at whose points its code runs."""
    return [point[name] for name in roots(stage.root_axes) if name in point]


def element_at(point: Mapping[Name, int]) -> list[int]:
    """The coordinates of an element."""
    return [number for name, number in point.items() if isinstance(name, Coordinate)]


class ReadMap(NamedTuple):
    """The elements that one read reads.

    elements: over sizes, the roots of the instance, and the coordinates of the element, wherever
    the read happens; the axes of the tensor in `opaque` have a subscript that depends on data.
    `subscripts` say the same and more, over sizes and roots, where one expression per axis can.
    Of a read with some, `certain` are the instances at which it happens, if they are known.
    """

    elements: Points
    opaque: list[int]
    subscripts: list[AffineExpr] | None = None
    certain: Points | None = None

    def shown(self, element: Sequence[int]) -> str:
        """The subscripts of an element: `[3, ?]` where one depends on data."""
        shown = ["?" if k in self.opaque else str(index) for k, index in enumerate(element)]
        return f"[{', '.join(shown)}]"


class ReadMaps:
    """The reads of one function; `sizes` are the leading dimensions of all relations."""

    def __init__(self, func: te.FuncOp, sizes: Sequence[SSAValue], context: isl.Context):
        self.func, self.sizes, self.context = func, sizes, context
        self._found: dict[Access, ReadMap] = {}
        self._boxes: dict[schedule.StageOp, Box] = {}

    def of(self, read: Access) -> ReadMap:
        """The elements that `read` reads.

        A subscript that is not piecewise affine in sizes and axes is opaque: it is computed from
        values of which only some limits are known.
        """
        if read not in self._found:
            of_box = isinstance(read, te.BufferOp)
            self._found[read] = self._box(read) if of_box else self._access(read)
        return self._found[read]

    def _box(self, read: te.BufferOp) -> ReadMap:
        """All elements of a box, which is over sizes and axes."""
        dims, rank = [*self._dims(read)], len(read.offsets.data.results)
        positions = [AffineExpr.dimension(dims.index(value)) for value in read.operands_]
        offsets, extents = (
            [expr.replace_dims_and_symbols(positions, ()) for expr in map.data.results]
            for map in (read.offsets, read.extents)
        )
        element = [AffineExpr.dimension(len(dims) + axis) for axis in range(rank)]
        box = inside(element, zip(offsets, extents, strict=True))
        pairs = set_of(self.context, len(dims) + rank, box).to_set()
        return ReadMap(self._elements(read, pairs), [])

    def _access(self, read: te.ReadOp | te.WriteOp) -> ReadMap:
        dims = self._dims(read)
        choices: list[list[Piece]] = []
        from_data: set[int] = set()
        points = dict(dims)
        for number, operand in enumerate(read.operands_):
            parts = unknown_parts(operand, dims)
            pieces = affine_pieces(operand, _with(points, parts), MOST_PIECES)
            if not pieces:
                parts = [operand]
                pieces = affine_pieces(operand, _with(points, parts), MOST_PIECES)
            if parts:
                from_data.add(number)
                points = _with(points, parts)
            choices.append(pieces)
        data = [*_with(points, _written_at(block_of(read)))][len(dims) :]
        values = self._data_values(dims, data)
        exprs = read.map.data.results
        pieces = [_piece(exprs, parts) for parts in product(*choices)]
        maps = [map_of(constrained(values, when).to_set(), found) for found, when in pieces]
        access = reduce(isl.Map.union, maps).project_out(IN, len(dims), len(data))
        when = when_reached(read, dims, universe(self.context, len(dims)))
        opaque = [axis for axis, subscript in enumerate(exprs) if from_data & subscript.used_dims()]
        subscripts = pieces[0][0] if len(pieces) == 1 and not from_data else None
        pairs = flat_set(access.intersect_domain(when.points))
        certain = self._instances(read, when.points) if opaque and when.exact else None
        return ReadMap(self._elements(read, pairs), opaque, subscripts, certain)

    def _elements(self, read: Access, pairs: isl.Set) -> Points:
        """Pairs of an instance and an element."""
        instance = [*self.sizes, *roots(axes_of(read))]
        return Points([*instance, *coordinates(pairs.dim(SET) - len(instance))], pairs)

    def _instances(self, read: Access, points: isl.Set) -> Points:
        return Points([*self.sizes, *roots(axes_of(read))], points)

    def _data_values(self, dims: Mapping[SSAValue, int], data: Sequence[SSAValue]) -> isl.BasicSet:
        """The points of `dims`, each with the values that `data` can have there."""
        constraints: list[Constraint] = []
        for dim, value in enumerate(data, len(dims)):
            constraints += known_of(value, AffineExpr.dimension(dim), dims)
        return set_of(self.context, len(dims) + len(data), constraints)

    def _dims(self, read: Access) -> dict[SSAValue, int]:
        """The dimensions of instances: sizes, and the axes of the read's region."""
        return {v: dim for dim, v in enumerate([*self.sizes, *axes_in(block_of(read))])}

    def box(self, tensor: SSAValue) -> Box:
        """The declared (start, extent) of each axis of a tensor; dimension k is size k."""
        if tensor.owner is self.func.body.block:
            shape = self.func.shape_of(list(self.func.tensors).index(tensor))
            return [(ZERO, extent) for extent in shape]
        box, sizes = box_of(result_behind(tensor))
        at = [AffineExpr.dimension(self.sizes.index(size)) for size in sizes].__getitem__
        return [(replace_dims(start, at), replace_dims(extent, at)) for start, extent in box]

    def inside(self, names: Sequence[Name], box: Box) -> Points:
        """The points of a box; sizes come before the coordinates that `names` names."""
        points = in_box(self.context, len(self.sizes), box)
        return Points([*self.sizes, *names], points.to_set())

    def domain(self, tensor: SSAValue, points: Sequence[AffineExpr | None]) -> list[Constraint]:
        """The constraints on coordinates of a tensor's elements beyond its box.

        Of one that is None nothing is said. Dimension k is size k.
        """
        stage = result_behind(tensor).owner
        if not isinstance(stage, schedule.StageOp):
            return []
        return inside_domain(stage, self.sizes, points)

    def has_element(self, tensor: SSAValue, point: Mapping[Name, int]) -> bool:
        """Whether the element of a tensor that a point has is in the domain of its equation."""
        # A domain is over the sizes of the program, and over none that data bounds.
        numbers = [*(point.get(size, 0) for size in self.sizes), *element_at(point)]
        coordinates = [*map(AffineExpr.dimension, range(len(self.sizes), len(numbers)))]
        return all(one.holds_at(numbers) for one in self.domain(tensor, coordinates))

    def in_domain(self, stage: schedule.StageOp, points: Points) -> Points:
        """The points of a stage's data axes, behind sizes, that are elements.

        At points without these, where the body of an update runs, there is no element to be.
        """
        if stage.domain is None or not {*data_roots(stage)} <= {*points.names}:
            return points
        axes = [points.dim(root) for root in data_roots(stage)]
        return points.where(*inside_domain(stage, self.sizes, axes))

    def sizes_at(self, point: Mapping[Name, int]) -> str:
        """The sizes of the program at a point, as `n = 3, m = 4`.

        Products of sizes are further dimensions, which have no names.
        """
        sizes = [size for size in self.func.sizes if size in point]
        return ", ".join(f"{self.func.name_of_size(size)} = {point[size]}" for size in sizes)

    def axis_box(self, stage: schedule.StageOp) -> Box:
        """The declared (start, extent) of the root axes; dimension k is size k.

        That is a box around their domain, where bounds are over other axes.
        """
        if stage not in self._boxes:
            self._boxes[stage] = declared_box(stage, self.sizes, self.context)
        return [*self._boxes[stage]]

    def box_of(self, read: Access) -> Box:
        """The declared (start, extent) of the axes at whose points a read happens."""
        stage = reader_of(read)
        first = stage.root_axes.index(axes_of(read)[0]) if axes_of(read) else 0
        return self.axis_box(stage)[first : first + len(axes_of(read))]


def _written_at(block: Block) -> list[SSAValue]:
    """The promised values at which each instance of a block writes.

    An instance for which none can be as promised does not happen, whatever it reads. A promise of
    what is only read may be broken by a read whose value is not used.
    """
    places = (value for op in ops_of(block, te.WriteOp) for value in op.operands_)
    return [value for value in places if isinstance(value.owner, te.BoundedOp)]


def _with(points: Mapping[SSAValue, int], values: Sequence[SSAValue]) -> dict[SSAValue, int]:
    """The dimensions of `points`, and one for each of the values that has none yet."""
    new = [value for value in values if value not in points]
    return {**points, **{value: dim for dim, value in enumerate(new, len(points))}}


def _piece(
    exprs: Sequence[AffineExpr], parts: Sequence[Piece]
) -> tuple[list[AffineExpr], list[Constraint]]:
    """Subscripts over operands, where each operand is this part of it; and when it is."""
    forms = [part.form for part in parts]
    when = [constraint for part in parts for constraint in part.when]
    return [replace_dims(expr, forms.__getitem__) for expr in exprs], when
