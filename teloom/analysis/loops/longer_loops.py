"""The elements that the accesses in a loop would touch if it ran longer than it does.

The additional iterations are called extra. Their results are never used. They must do no harm: they
must read nothing outside of a region, and write nothing that is read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AffineIndexForms, AnyIterationForms
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.sets.integer_sets import Constraint, inside, universe
from teloom.analysis.sets.layouts import Region, in_triangle, row_and_column
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.conditions import when_reached
from teloom.analysis.stages.read_maps import Coordinate
from teloom.dialects import loop
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.upstream.accesses import accesses_of, accesses_to


class Longer(NamedTuple):
    """Loops that would run longer, and the extra iterations of the first, as alternatives.

    An access that `is_inside` is skipped in the extra iterations in which it would leave the region
    of its tensor.
    """

    ops: Sequence[Operation] = ()
    extra: Callable[[IterationSets], Sequence[Sequence[Constraint]]] = lambda _: [[]]
    is_inside: bool = False


USUAL = Longer()
"""No loop is longer; all iterations count."""


class Harm(NamedTuple):
    """An element that extra iterations touch but must not, with the values of counters, and why.

    With `is_guess`, a value is a product of others, of which the sets know nothing.
    """

    access: Operation
    tensor: SSAValue
    element: Sequence[int]
    values: Mapping[str, int]
    word: str
    is_guess: bool

    @property
    def text(self) -> str:
        """Such as `C[0, 509] is written outside of its region, for j = 509`."""
        tensor = self.tensor.name_hint or "a tensor"
        if self.is_guess:
            unproved = f"it is not proved that no element of {tensor} {self.word}"
            return f"{unproved}, as an extent is a product of sizes"
        at = ", ".join(map(str, self.element))
        known = ", ".join(f"{name} = {number}" for name, number in self.values.items())
        where = f", for {known}" if known else ""
        return f"{tensor}[{at}] {self.word}{where}"


class Touched:
    """The elements that accesses touch, while no op but storage changes."""

    def __init__(self, context: isl.Context | None = None):
        self.context = context or isl.Context()
        self._forms = AnyIterationForms()
        self._known: dict[Hashable, Points] = {}

    def of(self, access: Operation, tensor: SSAValue, longer: Longer = USUAL) -> Points:
        """The elements that an access touches in all iterations, or in extra ones."""
        key = access, tensor, *longer.ops
        if key not in self._known:
            instances = _instances_of(access, self.context, longer, self._forms)
            self._known[key] = _where_is(tensor, instances)
        return self._inside(tensor, self._known[key], longer)

    def instances(self, access: Operation, tensor: SSAValue, longer: Longer = USUAL) -> Points:
        """The iterations in which an access happens, with the element that it touches in each."""
        found = _instances_of(access, self.context, longer, self._forms)
        return self._inside(tensor, found, longer)

    def _inside(self, tensor: SSAValue, points: Points, longer: Longer) -> Points:
        return points.intersect(held_by(tensor, self.context)) if longer.is_inside else points

    def box(self, buffer: loop.BufferOp, tensor: SSAValue) -> Points:
        """The elements of the box that code of others takes, in all iterations."""
        key = buffer, tensor
        if key not in self._known:
            sets = IterationSets(self.context, self._forms)
            around = sets.around(buffer)
            elements = _elements_of(buffer, sets)
            self._known[key] = _where_is(tensor, sets.points([[*around, *elements]]))
        return self._known[key]


def harm_of(access: Operation, longer: Longer, touched: Touched) -> Harm | None:
    """The harm that an access does in extra iterations; None if it does none."""
    for one in accesses_of(access):
        if not one.is_needed:
            continue
        tensor = one.buffer
        elements = touched.of(access, tensor, longer)
        outside = elements.without_those_of(held_by(tensor, touched.context))
        word = "is written" if one.writes else "is read"
        harm = harm_to(access, tensor, outside, f"{word} outside of its region")
        if harm is not None:
            return harm
        if not one.writes or elements.set.is_empty():
            continue
        if not is_private(tensor):
            return harm_to(access, tensor, elements, "is written, which others can see")
        for read in accesses_to(tensor):
            both = elements
            if read.is_known:
                both = elements.intersect(touched.of(read.op, tensor))
            if read.reads and not both.set.is_empty():
                return harm_to(access, tensor, both, "is written, and read for another iteration")
    return None


def is_private(tensor: SSAValue) -> bool:
    """Whether nobody else sees a tensor, and no two of its elements are stored in one place."""
    owner = tensor.owner
    return isinstance(owner, loop.RealizeOp) and not owner.storage.factors


def touches_all(op: Operation, tensor: SSAValue) -> bool:
    """Whether an op surely touches all elements that `Touched` finds, and not only some.

    At subscripts from data it may touch any element. Conditions around the tensor as well do not
    count: they hold wherever the tensor is.
    """
    for outer in takewhile(lambda outer: not outer.is_ancestor(tensor.owner), ops_around(op)):
        match outer:
            case loop.ForOp():
                pass
            case loop.IfOp(alternatives=[_]):
                pass
            case _:
                return False
    return not any(_is_data(value, tensor) for value in _values_of(op))


def _values_of(op: Operation) -> Iterator[SSAValue]:
    """The values on which the subscripts or the box of an access depend."""
    assert isinstance(op, loop.AccessOp | loop.ReduceOp | loop.BufferOp)
    operands = map(AffineExpr.dimension, range(len(op.operands_)))
    for form in AffineIndexForms().of_exprs([*operands], op.operands_):
        yield from form.values()


def _is_data(value: SSAValue, tensor: SSAValue) -> bool:
    """Whether a value is no counter of a loop, and is defined while a tensor is stored."""
    return not loop.is_counter(value) and is_inside_of_storage(value, tensor)


def _instances_of(
    access: Operation, context: isl.Context, longer: Longer, forms: AffineIndexForms
) -> Points:
    sets = IterationSets(context, forms)
    around, alternatives = sets.around(access, longer.ops), longer.extra(sets)
    assert isinstance(access, loop.AccessOp | loop.ReduceOp)
    subscripts = sets.exprs(access.subscripts, access.operands_)
    touched = [
        Constraint(sets.coordinate(Coordinate(axis)), True, expr)
        for axis, expr in enumerate(subscripts)
    ]
    points = sets.points(
        [
            [*around, *touched, *one, *fails]
            for one in alternatives
            for fails in sets.otherwise(access)
        ]
    )
    return _where_reached(access, points)


def _where_reached(access: Operation, points: Points) -> Points:
    """The points at which the conditions on index values around an access hold."""
    dims = {value: points.names.index(value) for value in points.names_of(SSAValue)}
    reached = when_reached(access, dims, universe(points.set.get_ctx(), len(points.names)))
    return points._replace(set=points.set.intersect(reached.points))


def _where_is(tensor: SSAValue, points: Points) -> Points:
    """The elements over the values that are defined where `tensor` is."""
    return points.without([v for v in points.names_of(SSAValue) if is_inside_of_storage(v, tensor)])


def is_inside_of_storage(value: SSAValue, tensor: SSAValue) -> bool:
    """Whether a value is defined in a region of an op in the block that stores a tensor."""
    block = tensor.owner.parent if isinstance(tensor.owner, Operation) else None
    around = value.owner.parent_op()
    assert block is not None
    return around is not None and block.find_ancestor_op_in_block(around) is not None


def held_by(tensor: SSAValue, context: isl.Context) -> Points:
    """The elements that the storage of a tensor holds: those of its box, or of a triangle."""
    box, op = box_of(tensor, context), tensor.owner
    assert isinstance(op, loop.TensorRegionOp)
    layout = op.stored.own_layout
    if layout is None or not layout.triangle:
        return box
    region = Region(op.stored_extents, len(op.operands_))
    sets, axes = IterationSets(context), range(len(region.extents))
    values = [AffineExpr.dimension(k) for k in range(region.values)]
    offsets = sets.exprs(op.offsets.data.results, op.operands_)
    distances = [difference(sets.coordinate(Coordinate(k)), offsets[k]) for k in axes]
    at = [*sets.exprs(values, op.operands_), *distances].__getitem__
    row, column = (replace_dims(expr, at) for expr in row_and_column(region, layout))
    return box.intersect(sets.points([[in_triangle(layout, row, column)]]))


def box_of(tensor: SSAValue, context: isl.Context) -> Points:
    """The elements of the region of a tensor."""
    op = tensor.owner
    assert isinstance(op, loop.TensorRegionOp)
    sets = IterationSets(context)
    return sets.points([_elements_of(op, sets)])


def _elements_of(op: loop.TensorRegionOp | loop.BufferOp, sets: IterationSets) -> list[Constraint]:
    """The constraints of the box of an op on its elements."""
    box = sets.box(op)
    return inside([sets.coordinate(Coordinate(axis)) for axis in range(len(box))], box)


def not_written(
    access: Operation, tensor: SSAValue, elements: Points, touched: Touched
) -> Harm | None:
    """The harm of an access to elements that no op of the program writes; None if none."""
    for write in accesses_to(tensor):
        if write.writes and write.is_known and touches_all(write.op, tensor):
            elements = elements.without_those_of(touched.of(write.op, tensor))
    return harm_to(access, tensor, elements, "is written, and is not asked for")


def harm_to(access: Operation, tensor: SSAValue, points: Points, word: str) -> Harm | None:
    """Harm to one of these elements; None if there is none."""
    if points.set.is_empty():
        return None
    found: Mapping[Hashable, int] = points.sample()
    element = [found[name] for name in points.names_of(Coordinate)]
    known = points.names_of(SSAValue)
    values = {v.name_hint or "a value": found[v] for v in known}
    is_guess = any(isinstance(v.owner, arith.MuliOp) for v in known)
    return Harm(access, tensor, element, values, word, is_guess)
