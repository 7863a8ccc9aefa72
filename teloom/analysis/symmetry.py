"""Whether an equation computes the same where two of its data axes change places.

Values are numbered: those that are computed alike have one number. All are numbered twice, as they
are and with the two axes exchanged; a value is symmetric if both numbers are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects import arith, math, scf
from xdsl.ir import Block, Region, SSAValue

from teloom.analysis.index.forms import AnyIterationForms
from teloom.dialects import te
from teloom.dialects.affine.polynomials import Polynomial, Quotient
from teloom.dialects.bodies.equation import Equation, yielded
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.upstream.arith import is_commutative

Numbers = Mapping[SSAValue, int]


def asymmetric_value(equation: Equation, axes: tuple[int, int]) -> SSAValue | None:
    """A value that two data axes, by position, make another one if they change places.

    None if all results stay the same: operands of commutative ops may be in either order, and a
    difference that is squared, or whose magnitude is taken, may have either sign.
    """
    for region in equation.regions_with_values():
        numbering = _Numbering()
        arguments = [*region.block.args]
        found = numbering.of(region, arguments)
        one, other = axes
        arguments[one], arguments[other] = arguments[other], arguments[one]
        exchanged = numbering.of(region, arguments)
        changed = [value for value in yielded(region) if found[value] != exchanged[value]]
        if changed:
            there = {*found.values()}
            return next((one for one, made in exchanged.items() if made not in there), changed[0])
    return None


class _Numbering:
    """Numbers values by how they are computed."""

    def __init__(self) -> None:
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
            return op.tensor, *(_form_key(form, numbers) for form in forms)
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
