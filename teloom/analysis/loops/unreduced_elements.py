"""Where the loops of a reduction fold nothing into elements that nobody writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.partial_results import PartialResults
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Longer, Touched, not_written
from teloom.analysis.sets.guards import guard
from teloom.analysis.sets.integer_sets import simple_hull
from teloom.analysis.sets.points import Points
from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction

_NEVER = Conjunction([], [AffineExpr.constant(-1)])


class FoldCondition(NamedTuple):
    """One of `alternatives`, over `values`, holds where some iteration folds into an element."""

    alternatives: Sequence[Conjunction]
    values: Sequence[SSAValue]


def reduced_where(found: PartialResults) -> FoldCondition | None:
    """When partial results are to be folded into their elements; None for always.

    If the loops that are left out of the fold run no iteration, partial results are the identity.
    To fold them does no harm to an element that something writes. An element that nothing writes
    may not exist: in extra iterations of a tile around, for which a loop over a triangle has no
    iteration.
    """
    left_out = [one for one in found.path if one not in found.outer]
    if all(isinstance(one, loop.ForOp) and constant_extent(one) for one in left_out):
        return None
    context, tensor = isl.Context(), found.reduce.tensors[0]
    touched = Touched(context)
    folded = touched.of(found.reduce, tensor, Longer(left_out))
    if not_written(found.reduce, tensor, folded, touched) is None:
        return None
    sets = IterationSets(context)
    inner, everywhere = sets.around(found.reduce), sets.around(found.reduce, left_out)
    reduced, cover = (_known_outside(sets.points([one]), found) for one in (inner, everywhere))
    values = reduced.names_of(SSAValue)
    if reduced.set.is_empty():
        return FoldCondition([_NEVER], values)
    alternatives = guard(reduced.set, simple_hull(cover.set)).alternatives
    return FoldCondition(alternatives, values) if alternatives else None


def _known_outside(points: Points, found: PartialResults) -> Points:
    """Points over the values outside of the path and the counters of its loops over data."""
    counters = {one.induction_variable for one in found.data}
    values = points.names_of(SSAValue)
    return points.without([v for v in values if found.is_inside(v) and v not in counters])
