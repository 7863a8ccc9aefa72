"""Indices in parts, of which the copies of an unrolled loop's body share the first.

In rows whose length only the call knows, the addresses of the copies are apart by multiples of
that length. LLVM computes each of them in front of the loops around, and has no registers for so
many. A pointer of its own to where an iteration begins stays one: what the copies add to it are
the same few multiples for all rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects import llvm as upstream
from xdsl.ir import Block, SSAValue

from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, UNROLLED
from teloom.passes.llvm.instructions import Instructions


def unrolled_counters(blocks: Iterable[Block]) -> frozenset[SSAValue]:
    """The induction variables of the loops that LLVM unrolls."""
    ends = (block.last_op for block in blocks)
    return frozenset(
        end.successors[0].args[0]
        for end in ends
        if end is not None and end.attributes.get(LOOP_ANNOTATION) == UNROLLED
    )


def index_parts(
    index: SSAValue, counters: frozenset[SSAValue], code: Instructions
) -> list[SSAValue]:
    """What adds up to `index`: what no counter moves, steps of unknown length, and the rest.

    It is one part, unless counters take steps of a length that only the call knows.
    """
    if not counters:
        return [index]
    values = list(postorder([index], _operands))
    moving = set[SSAValue]()
    for value in values:
        if value in counters or not moving.isdisjoint(_operands(value)):
            moving.add(value)
    if not any(_takes_steps(value, moving) for value in values):
        return [index]
    parts = dict[SSAValue, _Parts]()
    for value in values:
        parts[value] = _split(value, moving, parts, code) if value in moving else _Parts(value)
    fixed, steps, rest = parts[index]
    counted = (_product(count, length, code) for length, count in steps.items())
    return [part for part in (fixed, *counted, rest) if part is not None]


class _Parts(NamedTuple):
    """A sum: what is fixed, how many steps of which length, and the rest."""

    fixed: SSAValue | None = None
    steps: Mapping[SSAValue, SSAValue] = MappingProxyType({})
    rest: SSAValue | None = None

    @property
    def is_rest(self) -> bool:
        return self.fixed is None and not self.steps


def _operands(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is the sum or the product of."""
    op = value.owner
    return op.operands if isinstance(op, upstream.AddOp | upstream.MulOp) else ()


def _takes_steps(value: SSAValue, moving: set[SSAValue]) -> bool:
    """Whether something that moves is multiplied by what is fixed, but no constant."""
    if not isinstance(value.owner, upstream.MulOp):
        return False
    fixed = [factor for factor in value.owner.operands if factor not in moving]
    return len(fixed) == 1 and not _is_constant(fixed[0])


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, upstream.ConstantOp)


def _split(
    value: SSAValue, moving: set[SSAValue], parts: Mapping[SSAValue, _Parts], code: Instructions
) -> _Parts:
    """The parts of a value that moves, from those of its operands."""
    match _operands(value):
        case first, second if isinstance(value.owner, upstream.AddOp):
            return _sum(parts[first], parts[second], value, code)
        case (other, factor) | (factor, other) if other in moving and factor not in moving:
            return _multiple(parts[other], factor, value, code)
    return _Parts(rest=value)  # a counter, or the product of two values that move


def _sum(first: _Parts, second: _Parts, value: SSAValue, code: Instructions) -> _Parts:
    if first.is_rest and second.is_rest:
        return _Parts(rest=value)
    steps = dict(first.steps)
    for length, count in second.steps.items():
        steps[length] = code.add(steps[length], count) if length in steps else count
    fixed, rest = (
        code.add(one, other) if one and other else one or other
        for one, other in ((first.fixed, second.fixed), (first.rest, second.rest))
    )
    return _Parts(fixed, steps, rest)


def _multiple(other: _Parts, factor: SSAValue, value: SSAValue, code: Instructions) -> _Parts:
    fixed, steps, rest = other
    if not _is_constant(factor):
        if steps or rest is None:
            return _Parts(rest=value)
        return _Parts(_times(fixed, factor, code), {factor: rest})
    if other.is_rest:
        return _Parts(rest=value)
    counts = {length: _product(count, factor, code) for length, count in steps.items()}
    return _Parts(_times(fixed, factor, code), counts, _times(rest, factor, code))


def _times(part: SSAValue | None, factor: SSAValue, code: Instructions) -> SSAValue | None:
    return part and _product(part, factor, code)


def _product(value: SSAValue, factor: SSAValue, code: Instructions) -> SSAValue:
    return code.wrapping(upstream.MulOp, value, factor)
