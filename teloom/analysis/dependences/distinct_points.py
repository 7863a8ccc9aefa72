"""Whether the iterations of a stage's own loops run at different points of its axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from teloom.analysis.dependences.text_forms import RelationExtents, TextForms
from teloom.analysis.dependences.time_vectors import Nest, axes_of_nest, loops_of_nest
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial, Quotient


def run_at_distinct_points(stage: schedule.StageOp, forms: TextForms) -> bool:
    """Whether that is proved. The proof uses no integer sets, and may fail for what is true."""
    of_point = axes_of_nest(stage)
    return _tell_apart(stage, of_point, forms) or _tell_apart(
        stage, _settled_by(of_point, stage, forms), forms
    )


def _tell_apart(stage: schedule.StageOp, axes: Sequence[SSAValue], forms: TextForms) -> bool:
    """Whether different iterations are proved to differ in the values of these axes."""
    left, of_point = {*loops_of_nest(stage)}, [*map(forms.of, axes)]
    while left:
        told = next((found for form in of_point if (found := _told_apart(form, left, forms))), None)
        if told is None:
            return False
        left -= told
    return True


def _settled_by(
    axes: Sequence[SSAValue], stage: schedule.StageOp, forms: TextForms
) -> Sequence[SSAValue]:
    """Axes whose values are the same in all iterations in which those of `axes` are."""
    settled, at = dict.fromkeys(axes), RelationExtents(forms, stage)
    for relation in stage.relations:
        if settled.keys() >= {*relation.consumed}:
            known = forms.loops_in(stage, Nest.BODY)
            if meaning_of(relation).keeps_apart(relation, at, known):
                settled |= dict.fromkeys(relation.results)
    return [*settled]


def _told_apart(form: Polynomial, left: set[SSAValue], forms: TextForms) -> set[SSAValue]:
    """The loops whose iterations always differ in the value of an axis.

    The axis is a sum of multiples of loops. They are like the digits of a number: each factor
    is larger than all that the loops with smaller factors can add up to.
    """
    inside = {a for m in form.terms for a in m if isinstance(a, Quotient)}
    if any(left.intersection(quotient.dividend.atoms()) for quotient in inside):
        return set()
    places = [(abs(c), m[0]) for m, c in form.terms.items() if len(m) == 1 and m[0] in left]
    reach = 0
    for place, axis in sorted(places, key=lambda pair: pair[0]):
        if place <= reach:
            return set()
        assert isinstance(axis, SSAValue)
        longest = _longest(axis, forms)
        reach = float("inf") if longest is None else reach + place * (longest - 1)
    return {axis for _, axis in places if isinstance(axis, SSAValue)}


def _longest(axis: SSAValue, forms: TextForms) -> int | None:
    """The most iterations of a loop, if its bounds are constants apart."""
    side = forms.range(axis)
    found = [(up - low).as_constant() for low in side.lower for up in side.upper]
    return min((max(one, 1) for one in found if one is not None), default=None)
