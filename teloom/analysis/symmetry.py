"""Whether an equation computes the same where two of its data axes change places.

Values are numbered: those that are computed alike have one number. All are numbered twice, as they
are and with the two axes exchanged; a value is symmetric if both numbers are equal. So is an
element of another tensor at the positions of both axes, if the equation of that one is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, math, scf
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.stages.queries import states_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.polynomials import Polynomial, Quotient
from teloom.dialects.bodies.equation import Equation, yielded
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.syntax.stage_header import AxisBounds
from teloom.dialects.upstream.arith import is_commutative

Numbers = Mapping[SSAValue, int]


class Exchange(NamedTuple):
    """An equation, and two of its data axes, by position, that change places."""

    equation: Equation
    axes: tuple[int, int]


Changed = dict[Exchange, SSAValue | None]
"""A value that each exchange makes another one; None if there is none."""


def asymmetric_value(
    equation: Equation, axes: tuple[int, int], known: Changed | None = None
) -> SSAValue | None:
    """A value that two data axes, by position, make another one if they change places.

    None if all results stay the same: operands of commutative ops may be in either order, and a
    difference that is squared, or whose magnitude is taken, may have either sign. What is found of
    other equations on the way is added to what is `known`.
    """
    found, asked = {} if known is None else known, Exchange(equation, axes)

    def unknown(one: Exchange) -> Sequence[Exchange]:
        return [read for read in _read_by(one) if read not in found]

    for one in postorder([asked], unknown):
        found[one] = _changed_value(one, found)
    return found[asked]


def has_symmetric_bounds(bounds: AxisBounds, axes: tuple[int, int]) -> bool:
    """Whether bounds are the same where two axes change places."""
    if bounds.domain is not None:
        return False
    one, other = axes
    row, column = (len(bounds.operands) + position for position in axes)
    opposite = {row: column, column: row}

    def exchanged(dim: int) -> AffineExpr:
        return AffineExpr.dimension(opposite.get(dim, dim))

    pairs = bounds.pairs()
    found = [tuple(replace_dims(one, exchanged) for one in pair) for pair in pairs]
    found[one], found[other] = found[other], found[one]
    return found == pairs


def _read_by(asked: Exchange) -> Sequence[Exchange]:
    """The exchanges of what an equation reads at the positions of both axes."""
    found = [
        _exchange_of(read, [region.block.args[axis] for axis in asked.axes])
        for region in asked.equation.regions_with_values()
        for read in ops_in(region, te.ReadOp)
    ]
    return [one for one in found if one is not None]


def _exchange_of(read: te.ReadOp, axes: Sequence[SSAValue]) -> Exchange | None:
    """What has to be asked of the tensor of a read, if two axes of the reader change places.

    None unless both are subscripts, and the tensor is of an equation with the same bounds for both.
    """
    subscripts, values = read.map.data.results, [*read.operands_]
    dims = [AffineExpr.dimension(values.index(one)) for one in axes if one in values]
    places = sorted(subscripts.index(one) for one in dims if subscripts.count(one) == 1)
    found = _definition_of(read.tensor)
    if len(places) != 2 or found is None:
        return None
    equation, bounds = found
    one, other = places
    return Exchange(equation, (one, other)) if has_symmetric_bounds(bounds, (one, other)) else None


def _definition_of(tensor: SSAValue) -> tuple[Equation, AxisBounds] | None:
    """The equation of a tensor and the bounds of its axes; None for what has none."""
    owner = tensor.owner
    if isinstance(owner, te.ComputeOp):
        return owner, owner.bounds
    if isinstance(owner, schedule.StageOp) and isinstance(owner.definition, Equation):
        return None if states_of(owner) else (owner.definition, owner.bounds)
    return None


def _changed_value(asked: Exchange, known: Changed) -> SSAValue | None:
    for region in asked.equation.regions_with_values():
        arguments = [*region.block.args]
        numbering = _Numbering([arguments[axis] for axis in asked.axes], known)
        found = numbering.of(region, arguments)
        one, other = asked.axes
        arguments[one], arguments[other] = arguments[other], arguments[one]
        exchanged = numbering.of(region, arguments)
        changed = [value for value in yielded(region) if found[value] != exchanged[value]]
        if changed:
            there = {*found.values()}
            return next((one for one, made in exchanged.items() if made not in there), changed[0])
    return None


class _Numbering:
    """Numbers values by how they are computed; `axes` are those that change places."""

    def __init__(self, axes: Sequence[SSAValue], changed: Changed) -> None:
        self.axes, self.changed = axes, changed
        self.forms = AnyIterationForms()
        self.known: dict[Hashable, int] = {}

    def of(self, region: Region, arguments: Sequence[SSAValue]) -> Numbers:
        """The numbers of the values in a region, in whose arguments' places these stand."""
        found = {
            value: self._number(meant)
            for value, meant in zip(region.block.args, arguments, strict=True)
        }
        for value in postorder(yielded(region), _parts):
            if value not in found:
                found[value] = self._number(self._key(value, found))
        return found

    def _number(self, key: Hashable) -> int:
        return self.known.setdefault(key, len(self.known))

    def _key(self, value: SSAValue, numbers: Numbers) -> Hashable:
        """What values that are computed alike have in common."""
        op = value.owner
        if isinstance(op, Block):
            return value
        if isinstance(op, te.ReadOp):
            forms = self.forms.of_exprs(op.map.data.results, op.operands_)
            places = [self._number(_form_key(form, numbers)) for form in forms]
            exchange = _exchange_of(op, self.axes)
            if exchange is not None and self.changed[exchange] is None:
                one, other = exchange.axes
                places[one], places[other] = sorted((places[one], places[other]))
            return op.tensor, *places
        if op.regions and not isinstance(op, scf.IfOp):
            return object()
        said = frozenset(op.properties.items())
        parts = [numbers[part] for part in _parts(value)]
        if is_commutative(op):
            parts.sort()
        if isinstance(op, _EVEN) and len({*parts}) == 1 and _is_difference(op.operands[0]):
            parts = sorted(numbers[part] for part in operands_of(op.operands[0]))
            said |= {"of a difference"}
        return type(op), value.type, said, op.results.index(value), *parts


_EVEN = (arith.MulfOp, arith.MuliOp, math.AbsFOp, math.AbsIOp)
"""Ops that give the same of a value and of its opposite, if all operands are that value."""


def _is_difference(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.SubfOp | arith.SubiOp)


def _parts(value: SSAValue) -> Sequence[SSAValue]:
    """What a value is computed from, also in the branches of its op."""
    op = value.owner
    if isinstance(op, te.ReadOp):
        return op.operands_
    if not isinstance(op, scf.IfOp):
        return operands_of(value)
    number = op.results.index(value)
    return *op.operands, *(yielded(branch)[number] for branch in op.regions)


def _form_key(form: Polynomial, numbers: Numbers) -> Hashable:
    """A polynomial over the numbers of its values."""

    def atom(one: SSAValue | Quotient) -> Hashable:
        if isinstance(one, Quotient):
            return _form_key(one.dividend, numbers), one.divisor
        return numbers.get(one, one)

    return frozenset(
        (frozenset(Counter(map(atom, monomial)).items()), factor)
        for monomial, factor in form.terms.items()
    )
