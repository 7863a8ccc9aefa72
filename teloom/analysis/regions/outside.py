"""Reads outside their tensor: found before anything runs, and shown at a point.

Which element data chooses is not known; but for some sizes there may be none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import islpy as isl
from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.bounded import sizes_outside
from teloom.analysis.regions.stage_loops import Promise
from teloom.analysis.sets.ends import Side
from teloom.analysis.sets.integer_sets import (
    DIV,
    IN,
    ONE,
    SET,
    at_least,
    non_negative,
    set_of,
)
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.domains import bounded, domain_text, inside_bounds
from teloom.analysis.stages.queries import Access, Read, axes_of, name_of, reader_of, result_behind
from teloom.analysis.stages.read_maps import (
    Coordinate,
    ReadMaps,
    Root,
    element_at,
    instance_at,
    roots,
)
from teloom.analysis.stages.uses import uses_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.linear_forms import Term, linear_terms
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError

_WORDS = {te.ReadOp: "reads", te.BufferOp: "takes", te.WriteOp: "writes"}


def check_read(read: Access, accesses: ReadMaps, instances: Points) -> None:
    """Raises PassError, with a witness, if an access leaves its tensor at one of the instances."""
    if _is_inside(read, accesses):
        return
    elements = accesses.of(read).elements
    if instances.set.n_basic_set() > 1:
        # Most reads stay inside wherever the axes are.
        if _outside(read, accesses, elements.intersect(_declared(read, accesses))).set.is_empty():
            return
    run = instances.over([*accesses.sizes, *elements.names_of(Root)])
    outside = _outside(read, accesses, elements.intersect(run))
    if not outside.set.is_empty():
        raise PassError(_witness(read, accesses, outside), read)


def check_everywhere(read: Access, accesses: ReadMaps) -> None:
    """Raises PassError, with a witness, if an access leaves its tensor at a declared point."""
    points, stage, axes = _declared(read, accesses), reader_of(read), axes_of(read)
    # The bounds of an update's axes are over none of its data axes, at whose points it has no body.
    outer = [ZERO] * (stage.root_axes.index(axes[0]) if axes else 0)
    at = [*outer, *map(points.dim, roots(axes))]
    check_read(read, accesses, points.where(*inside_bounds(stage, accesses.sizes, at)))


def may_find_none(read: Read) -> bool:
    """Whether data may choose an element of a tensor that may be empty."""
    assert isinstance(read.tensor.type, TensorType)
    if all(extent > 0 for extent in read.tensor.type.get_shape()):
        return False
    return not all(isinstance(operand, BlockArgument) for operand in read.operands_)


def promises_of_data(read: Read, accesses: ReadMaps, instances: Points) -> Iterator[Promise]:
    """What has to hold of sizes for a read to have an element at all of its instances.

    Of an axis along which data chooses the element, that is that there are some. Raises PassError
    if it holds for no sizes.
    """
    access = accesses.of(read)
    if (certain := access.certain) is None:
        return
    run = instances.over(certain.names).intersect(certain)
    for axis in access.opaque:
        extent = accesses.box(read.tensor)[axis][1]
        failing = run.where(at_least(ZERO, extent)).over(accesses.func.sizes)
        if failing.set.is_empty():
            continue
        name = _tensor_name(read.tensor)
        words = (
            f"{name_of(reader_of(read))} reads an element of {name} that data chooses, but axis "
            f"{axis} of {name} is empty"
        )
        if not (alternatives := sizes_outside(failing.set)):
            raise PassError(words, read)
        yield Promise(alternatives, words)


def _is_inside(read: Access, accesses: ReadMaps) -> bool:
    """Whether the ends of its subscripts alone prove that a read stays inside its tensor.

    Then it does for all sizes, and at all iterations of its axes.
    """
    subscripts = accesses.of(read).subscripts
    if subscripts is None or accesses.domain(read.tensor, subscripts):
        return False
    axes = dict(enumerate(accesses.box_of(read), len(accesses.sizes)))
    return all(
        _is_never_negative([(start, -1), *_least(subscript, 1, axes)])
        and _is_never_negative([(start, 1), (extent, 1), (ONE, -1), *_least(subscript, -1, axes)])
        for subscript, (start, extent) in zip(subscripts, accesses.box(read.tensor), strict=True)
    )


def _least(expr: AffineExpr, sign: int, axes: Mapping[int, Side]) -> list[Term]:
    """A lower bound of `expr * sign` over sizes: each axis is at the end where that is least."""
    linear, constant, divisions = linear_terms((expr, sign))
    found: list[Term] = [(ONE, constant), *divisions]
    for dim, factor in linear.items():
        if dim not in axes:
            found.append((AffineExpr.dimension(dim), factor))
        else:
            start, extent = axes[dim]
            found.append((start, factor))
            if factor < 0:
                found += [(extent, factor), (ONE, -factor)]
    return found


def _is_never_negative(terms: Sequence[Term]) -> bool:
    """Whether a sum over sizes has no negative term."""
    linear, constant, divisions = linear_terms(*terms)
    return not divisions and all(factor >= 0 for factor in (constant, *linear.values()))


def _declared(read: Access, accesses: ReadMaps) -> Points:
    """All instances of the region of code that a read is in."""
    found = accesses.inside(roots(axes_of(read)), accesses.box_of(read))
    return accesses.in_domain(reader_of(read), found)


def _outside(read: Access, accesses: ReadMaps, elements: Points) -> Points:
    """The reads of elements that are not in the tensor, or not in the domain of its equation."""
    opaque = accesses.of(read).opaque
    sides = [
        (elements.dim(Coordinate(axis)), side)
        for axis, side in enumerate(accesses.box(read.tensor))
        if axis not in opaque
    ]
    known = bounded([point for point, _ in sides], [side for _, side in sides])
    # `check-schedule` asks whether an element that data says is read is there; not of a write.
    unknown = [] if isinstance(read, te.WriteOp) else opaque
    known += accesses.domain(read.tensor, _coordinates(elements, unknown))
    tensor = set_of(accesses.context, len(elements.names), known).to_set()
    return elements.subtract(Points(elements.names, tensor))


def _coordinates(elements: Points, opaque: Sequence[int]) -> list[AffineExpr | None]:
    """The coordinates of elements; None for an axis along which data says which one is read."""
    return [
        None if name.axis in opaque else elements.dim(name)
        for name in elements.names_of(Coordinate)
    ]


def _witness(read: Access, accesses: ReadMaps, outside: Points) -> str:
    """A point at which a read is outside, and the sizes, if these are simple to say."""
    point, access = outside.sample(), accesses.of(read)
    numbers = [*point.values()]
    sides = [
        (start.eval(numbers, ()), (start + extent).eval(numbers, ()))
        for start, extent in accesses.box(read.tensor)
    ]
    at, element = instance_at(point, reader_of(read)), element_at(point)
    name = _tensor_name(read.tensor)
    axis = next(
        (
            k
            for k, (index, (start, end)) in enumerate(zip(element, sides, strict=True))
            if k not in access.opaque and not start <= index < end
        ),
        None,
    )
    is_box = isinstance(read, te.BufferOp)
    place = f"at {at} " if at or not is_box else ""
    message = (
        f'stage "{name_of(reader_of(read))}" {place}{_WORDS[type(read)]} '
        f"{name}{access.shown(element)}, but "
    )
    if axis is None:
        message += f"{name} has elements only {domain_text(read.tensor)}"
    else:
        start, end = sides[axis]
        runs = f"runs from {start} to {end - 1}" if start < end else "is empty"
        message += f"axis {axis} of {name} {runs}"
    message += uses_of(reader_of(read), point, accesses)
    if not accesses.sizes:
        return message
    values = accesses.sizes_at(point)
    condition = _condition(outside.over(accesses.sizes).set, accesses.func.size_names)
    return f"when {condition}: {message} (here {values})" if condition else f"{message} ({values})"


def _condition(sizes: isl.Set, names: Sequence[str]) -> str:
    """A set of sizes as comparisons; nothing if these are not enough."""
    possible = non_negative(sizes.get_ctx(), sizes.dim(SET))
    pieces = sizes.coalesce().gist(possible.to_set()).get_basic_sets()
    if len(pieces) != 1 or sizes.dim(SET) > len(names):
        return ""
    if pieces[0].dim(DIV):
        return ""
    return " and ".join(_comparison(one, names) for one in pieces[0].get_constraints())


def _comparison(constraint: isl.Constraint, names: Sequence[str]) -> str:
    """`n >= m + 2`: what counts positive on the left, the rest on the right."""
    aff = constraint.get_aff()
    sides: list[list[str]] = [[], []]
    for position, name in enumerate(names):
        coefficient = aff.get_coefficient_val(IN, position).to_python()
        if coefficient:
            factor = abs(coefficient)
            sides[coefficient < 0].append(name if factor == 1 else f"{name} * {factor}")
    constant = aff.get_constant_val().to_python()
    if constant:
        sides[constant < 0].append(str(abs(constant)))
    left, right = (" + ".join(side) or "0" for side in sides)
    return f"{left} {'==' if constraint.is_equality() else '>='} {right}"


def _tensor_name(tensor: SSAValue) -> str:
    stage = result_behind(tensor).owner
    if isinstance(stage, schedule.StageOp):
        return name_of(stage)
    return tensor.name_hint or "an argument"
