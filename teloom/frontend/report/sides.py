"""Why a region is what it is: the reads that make its sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import SSAValue

from teloom.analysis.dependences.text_forms import ONE, TextForms
from teloom.analysis.stages.queries import (
    is_output,
    loops_of,
    name_of,
    path_to_storage,
    reader_of,
    reads_of,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.polynomials import Polynomial, Quotient, to_expr
from teloom.frontend.report.inferred import InferredSchedule
from teloom.passes.loops.infer_bounds import write_ranges

_At = Mapping[SSAValue, Polynomial]
"""Loops at an end of their range."""


def sides(found: InferredSchedule) -> str:
    """For each side of the regions, first and last element: a read that reaches it, and where."""
    write_ranges(found.regions)
    return "\n".join(line for stage in found.regions for line in _sides_of(stage))


def _sides_of(stage: schedule.StageOp) -> Iterator[str]:
    forms = TextForms()
    for number, (offset, extent) in enumerate(forms.box(stage)):
        name = f"{name_of(stage)}.{schedule.axis_name(stage.root_axes[number])}"
        yield f"{name} from {_text(offset)}: {_why(stage, number, offset, 1, forms)}"
        last = offset + extent - ONE
        yield f"{name} to {_text(last)}: {_why(stage, number, last, -1, forms)}"


def _why(
    stage: schedule.StageOp, number: int, side: Polynomial, sign: int, forms: TextForms
) -> str:
    """Why a region begins, or ends, there along an axis."""
    if is_output(stage):
        return "it is an output, of which all is computed"
    around = path_to_storage(stage)
    for read in reads_of(stage):
        if not isinstance(read, te.ReadOp):
            continue
        subscript = forms.known_at(read)[1].of_exprs(read.map.data.results, read.operands_)[number]
        inside = [axis for axis in loops_of(read) if axis not in around]
        for at in _ends(subscript, inside[::-1], sign, forms):
            if _at(subscript, at) == side:
                where = ", ".join(
                    f"{schedule.axis_name(axis)} = {_text(at[axis])}"
                    for axis in inside
                    if axis in at
                )
                reader = name_of(reader_of(read))
                return f"{reader} reads {_text(subscript)}" + (f" at {where}" if where else "")
    return "no read alone, or none that is affine, reaches it"


def _ends(
    form: Polynomial, loops: Sequence[SSAValue], sign: int, forms: TextForms
) -> Iterator[_At]:
    """Where an expression is least, or greatest if the sign is -1: each loop at an end."""
    if not loops:
        yield {}
        return
    axis, *outer = loops
    factor = form.terms.get((axis,), 0) * sign
    divided = any(isinstance(a, Quotient) and a.dividend.uses(axis) for a in form.atoms())
    if not factor or divided:
        yield from _ends(form, outer, sign, forms) if not divided else ()
        return
    side = forms.range(axis)
    for end in side.lower if factor > 0 else [upper - ONE for upper in side.upper]:
        for at in _ends(form.substitute(axis, end), outer, sign, forms):
            yield {axis: _at(end, at), **at}


def _at(form: Polynomial, at: _At) -> Polynomial:
    for axis, position in at.items():
        form = form.substitute(axis, position)
    return form


def _text(form: Polynomial) -> str:
    values: list[SSAValue] = []

    def leaf(value: SSAValue):
        if value not in values:
            values.append(value)
        return affine.AffineExpr.dimension(values.index(value))

    return affine.text(to_expr(form, leaf), values)
