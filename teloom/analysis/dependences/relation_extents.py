"""What relations between axes ask of the text of a stage: sizes, and where axes start and end."""

from __future__ import annotations

from xdsl.ir import SSAValue

from teloom.analysis.dependences.text_forms import TextForms
from teloom.analysis.stages.queries import function_around
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial


class RelationExtents:
    """The extents of the axes of one stage, in the coordinates of relations."""

    def __init__(self, forms: TextForms, stage: schedule.StageOp):
        self.forms, self.stage = forms, stage
        self.sizes = [*map(Polynomial.of, function_around(stage).sizes)]

    def value(self, axis: SSAValue) -> Polynomial:
        """An axis in terms of loops."""
        return self.forms.of(axis)

    def extent(self, axis: SSAValue) -> Polynomial:
        side = self.forms.range(axis)
        return side.upper[0] - side.lower[0]

    def parts(self, axis: SSAValue, whole: SSAValue, number: Polynomial) -> Polynomial | None:
        end = self.extent(axis)
        is_quotient = self.forms.quotient(end) == (self.extent(whole), number)
        return end if is_quotient else None

    def start(self, axis: SSAValue) -> Polynomial:
        if axis in self.stage.root_axes:
            return Polynomial({})
        return self.forms.range(axis).lower[0]
