"""Physical coordinates of a tensor region, as polynomials of index values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.ir import SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.index.ranges import settle
from teloom.analysis.sets.layouts import Collision, Region, collision, physical_box
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.errors import PassError

_OfAxis = TypeVar("_OfAxis")


@dataclass(frozen=True)
class PhysicalCoordinates:
    """The coordinates in which a region lies row-major: those of the tensor without a layout.

    `offsets` and `extents` are theirs; `start` is where the region begins in the tensor,
    whose coordinates from there on are taken modulo `folds`, by axis.
    """

    layout: LayoutAttr | None
    folds: Mapping[int, int]
    start: Sequence[Polynomial]
    offsets: Sequence[Polynomial]
    extents: Sequence[Polynomial]

    @staticmethod
    def of_region(op: loop.TensorRegionOp, forms: IndexForms) -> PhysicalCoordinates:
        """Those of the region of `op`; PassError where its layout puts two elements at one."""
        start = forms.of_exprs(op.offsets.data.results, op.operands_)
        layout, folds = op.stored.own_layout, op.stored.factors
        if layout is None:
            extents = forms.of_exprs(op.stored_extents, op.operands_)
            return PhysicalCoordinates(None, folds, start, start, extents)
        region = Region(op.stored_extents, len(op.operands_))
        found = collision(region, layout)
        if found is not None:
            raise PassError(_collision_text(op, layout, found), op)
        box = physical_box(region, layout)
        offsets, extents = (forms.of_exprs(side, op.operands_) for side in zip(*box, strict=True))
        return PhysicalCoordinates(layout, folds, start, offsets, extents)

    def of(self, subscripts: Sequence[Polynomial]) -> Sequence[Polynomial]:
        """The physical coordinates of an element."""
        distances = [at - first for at, first in zip(subscripts, self.start, strict=True)]
        for axis, factor in self.folds.items():
            distances[axis] = settle(distances[axis].mod(factor))
        if self.layout is None:
            return [first + at for at, first in zip(distances, self.start, strict=True)]
        return [
            settle(polynomials.of_expr(expr, polynomials.over(distances)))
            for expr in self.layout.exprs
        ]

    @property
    def are_logical(self) -> bool:
        """Whether they are the tensor's own."""
        return self.layout is None and not self.folds

    @property
    def group_starts(self) -> Sequence[int]:
        """The first axis of each dimension of memory."""
        return [0] if self.layout is None else self.layout.group_starts

    def groups(self, of_axes: Sequence[_OfAxis]) -> list[Sequence[_OfAxis]]:
        """What belongs to the axes of each dimension of memory."""
        ends = [*self.group_starts[1:], len(of_axes)]
        return [of_axes[a:b] for a, b in zip(self.group_starts, ends, strict=True)]

    def position_of(self, axis: int) -> int | None:
        """The physical axis that is an axis of the tensor."""
        return axis if self.layout is None else self.layout.position_of(axis)


def _collision_text(op: loop.TensorRegionOp, layout: LayoutAttr, found: Collision) -> str:
    tensor: SSAValue = op.results[0]
    at = [expr.eval(found.first, ()) for expr in layout.exprs]
    when = ", ".join(
        f"{value.name_hint or 'a value'} = {number}"
        for value, number in zip(op.operands_, found.values, strict=True)
    )
    return (
        f'the layout {layout.map} of "{tensor.name_hint or "a region"}" puts elements '
        f"{found.second} and {found.first}, counted from the start of the region, both at "
        f"{at}{when and f' when {when}'}; a layout gives each element a place of its own, and "
        "fold_storage lets elements share one where their lifetimes allow"
    )
