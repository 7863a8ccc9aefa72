"""Whether the iterations of a loop depend on each other."""

from __future__ import annotations

from itertools import combinations_with_replacement

from xdsl.dialects import func

from teloom.analysis.accesses.dependence import Conflict, Dependences, Question
from teloom.analysis.accesses.partial_results import reductions_in, results_of_chunks
from teloom.analysis.accesses.references import Direction, Reference, reference_of, that_meet
from teloom.analysis.loops.whole_results import reductions_by_data, whole_results
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of


def conflict_between_iterations(op: loop.ForOp) -> Conflict | None:
    """Two accesses by which one iteration may depend on another, with a witness if one is known.

    Reductions that may fold into partial results first do not count.
    """
    assert op.parent is not None
    pairs = combinations_with_replacement(_references(op), 2)
    questions = [_question(op, first, second) for first, second in that_meet(pairs)]
    dependences = Dependences(op.parent)
    found = [one for question in questions if (one := dependences.conflict([question]))]
    return next((one for one in found if one.witness), found[0] if found else None)


def _references(op: loop.ForOp) -> list[Reference]:
    """The accesses in the body to buffers from outside, without duplicates or those of calls."""
    found: dict[object, Reference] = {}
    assert op.parent is not None
    divisible = [one for one in reductions_in(op) if results_of_chunks(op, one) is not None]
    divisible += [one for one in reductions_by_data(op) if whole_results(op, one) is not None]
    for inner in preorder(op.body):
        if inner in divisible:
            continue
        for access in accesses_of(inner):
            if not access.is_needed or op.body.is_ancestor(access.buffer.owner):
                continue
            reference = reference_of(access, op.parent)
            # An unknown reference, as in a while loop, may be any element.
            if access.is_known or not isinstance(inner, func.CallOp):
                subscripts = access.is_known and (access.map, tuple(access.indices))
                element = access.buffer, subscripts, reference.around
                found.setdefault((access.writes, element), reference)
    return [*found.values()]


def _question(op: loop.ForOp, first: Reference, second: Reference) -> Question:
    """The question whether two accesses meet in different iterations of `op`."""
    directions = [Direction((), op, least=1)]
    if first is not second:
        directions.append(Direction((), op, most=-1))
    return first, second, directions
