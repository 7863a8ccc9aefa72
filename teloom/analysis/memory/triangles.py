"""Elements of a stage that have no place in a packed layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import at_least, first_of, more_than, set_of
from teloom.analysis.sets.layouts import Region, in_triangle, row_and_column
from teloom.analysis.stages.domains import inside_domain
from teloom.analysis.stages.queries import box_of, function_around
from teloom.dialects import schedule
from teloom.dialects.syntax.layouts import LayoutAttr


class Beside(NamedTuple):
    """An element beside the triangle of a packed layout, for some sizes."""

    element: Sequence[int]
    row: int
    column: int
    sizes: Sequence[tuple[str, int]]

    @property
    def when(self) -> str:
        """`, for n = 2`, or nothing."""
        sizes = (f"{size} = {number}" for size, number in self.sizes)
        return f", for {', '.join(sizes)}" if self.sizes else ""


def beside_triangle(stage: schedule.StageOp, layout: LayoutAttr) -> Beside | None:
    """The first element of a stage that a packed layout has no place for; None if there is none.

    Rows and columns are counted from the start of the shape of the stage.
    """
    box, sizes = box_of(stage.tensors[0])
    region = Region([extent for _, extent in box], len(sizes))
    row, column = row_and_column(region, layout)
    element = [start + distance for (start, _), distance in zip(box, region.axes, strict=True)]
    held = in_triangle(layout, row, column)
    beside = [
        *(at_least(AffineExpr.dimension(size)) for size in range(len(sizes))),
        *inside_domain(stage, sizes, element),
        more_than(held.below, held.above),
    ]
    count = len(sizes) + len(box)
    points = set_of(isl.DEFAULT_CONTEXT, count, beside).to_set().intersect(region.points)
    if points.is_empty():
        return None
    first = first_of(points)
    row, column, *at = (expr.eval(first, ()) for expr in (row, column, *element))
    names = map(function_around(stage).name_of_size, sizes)
    return Beside(at, row, column, [*zip(names, first, strict=False)])
