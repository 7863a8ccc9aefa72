"""Whether a guard is worth it: what it saves, beside a test for each element."""

from __future__ import annotations

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.counts import count
from teloom.analysis.sets.integer_sets import SET, Constraint, sample, set_of, universe

GUARD_SAVES = 4
"""A guard has to save more than one element of so many that are needed.

A test for each element is as much as a small equation, and keeps LLVM from vectors.
"""

NO_GUARD = (
    f"for a guard would save less than one element of {GUARD_SAVES}; "
    'mode "exact" of the stage guards it all the same'
)

LARGE_SIZE = 100
"""What sizes are taken to be at least, where it matters how many elements there are."""


def is_nearly(needed: isl.Set, computed: isl.Set, values: int, sizes: int) -> bool:
    """Whether few more elements are computed than needed: at all places, or at one with more.

    Both sets are over sizes, the other values around a stage, and its elements.
    """
    counts = [count(elements, sizes) for elements in (needed, computed)]
    if None in counts:
        further = computed.subtract(needed)
        if further.is_empty():
            return True
        here = _place_with(further, values, sizes)
        counts = [count(elements.intersect(here)) for elements in (needed, computed)]
    few, many = counts
    return few is not None and many is not None and many - few <= few // GUARD_SAVES


def _place_with(elements: isl.Set, values: int, sizes: int) -> isl.Set:
    """One place, of values around a stage, with any of these elements; large sizes if it can.

    It is over the elements' dimensions, of which it fixes those in front.
    """
    context, dims = elements.get_ctx(), elements.dim(SET)
    large = [Constraint(AffineExpr.dimension(size) + -LARGE_SIZE, False) for size in range(sizes)]
    of_large = elements.intersect(set_of(context, dims, large).to_set())
    point = sample(elements if of_large.is_empty() else of_large)
    place = universe(context, dims).to_set()
    for dim in range(values):
        place = place.fix_val(SET, dim, point[dim])
    return place
