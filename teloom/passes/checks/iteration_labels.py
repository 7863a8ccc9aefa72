"""Labels of buffers that are computed an iteration ahead: it is an axis of their regions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import Allocation
from teloom.dialects import loop, shadow
from teloom.dialects.affine.operands import exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.interfaces import Access
from teloom.dialects.upstream.accesses import accesses_to
from teloom.passes.code.code_motion import can_compute_before, compute_before


class IterationLabels:
    """Gives the buffers of a loop one region each, of all iterations, in front of the loop.

    There are `extent` iterations, from `first` on. The other axes count from where the region
    of an iteration begins; where its extents are others in each iteration, they are those of
    the buffer, whose sizes are known in front of the loop.
    """

    def __init__(self, op: loop.ForOp, first: Polynomial, extent: Polynomial, outside: Builder):
        self.op = op
        self.iterations = first, extent
        self.outside = outside
        self.forms = AffineIndexForms()

    def relabel(self, buffer: Allocation) -> None:
        """Changes the labels of accesses to `buffer` that mean a region of the loop's body."""
        labels = [
            (label, access)
            for access in accesses_to(buffer.memref)
            for label in shadow.labels_of(access)
        ]
        for region in dict.fromkeys(label.of for label, _ in labels):
            if region.parent is self.op.body.block:
                of_region = [one for one in labels if one[0].of is region]
                self._relabel(region, of_region, buffer)
                Rewriter.erase_op(region)

    def _relabel(
        self,
        region: shadow.RegionOp,
        labels: Sequence[tuple[shadow.ElementOp, Access]],
        buffer: Allocation,
    ) -> None:
        extents = self.forms.of_exprs(region.extents.data.results, region.operands_)
        is_box = all(can_compute_before(value, self.op) for value in _values(extents))
        whole = self._region(region, extents if is_box else self._sizes(buffer))
        offsets = self.forms.of_exprs(region.offsets.data.results, region.operands_)
        for label, access in labels:
            if is_box:
                given = self.forms.of_exprs(label.map.data.results, label.operands_)
                at = [a - b for a, b in zip(given, offsets, strict=True)]
            else:
                at = [self.forms.of(index) for index in access.indices]
            iteration = Polynomial.of(self.op.induction_variable)
            label.mean(whole.region, *exprs_of_forms([iteration, *at]))

    def _region(self, region: shadow.RegionOp, extents: Sequence[Polynomial]) -> shadow.RegionOp:
        """The region of all iterations."""
        for value in _values(extents):
            compute_before(value, self.op)
        first, extent = self.iterations
        exprs, values = exprs_of_forms([first, *[Polynomial({})] * len(extents), extent, *extents])
        half = len(exprs) // 2
        box = [*zip(exprs[:half], exprs[half:], strict=True)]
        whole = self.outside.insert(shadow.RegionOp(region.region_name.data, box, values))
        whole.location = region.location
        return whole

    def _sizes(self, buffer: Allocation) -> list[Polynomial]:
        dynamic = iter(buffer.dynamic_sizes)
        return [
            self.forms.of(next(dynamic)) if size == DYNAMIC_INDEX else Polynomial.constant(size)
            for size in buffer.memref.type.get_shape()
        ]


def _values(forms: Sequence[Polynomial]) -> list[SSAValue]:
    return [value for form in forms for value in form.values()]
