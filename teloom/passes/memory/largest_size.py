"""The largest of symbolic sizes of buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from teloom.analysis.index.forms import AffineIndexForms, IndexForms
from teloom.analysis.memory.storage import Allocation, byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.code.index_code import IndexCode


def size_in_bytes(op: Allocation, code: IndexCode) -> SSAValue:
    """The size of a flat buffer of symbolic size."""
    (size,) = op.dynamic_sizes
    width = byte_width(op.memref.type.element_type)
    extents = extents_of(size, AffineIndexForms())
    return code.count([*extents, Polynomial.constant(width)])


def largest_size(sizes: Sequence[SSAValue], code: IndexCode) -> SSAValue:
    """The largest of `sizes`, of which those that always are at most another do not matter."""
    forms = AffineIndexForms()
    kept: list[SSAValue] = []
    for size in sizes:
        if not any(_is_at_most(size, other, forms) for other in kept):
            kept = [other for other in kept if not _is_at_most(other, size, forms)] + [size]
    return code.largest(kept)


def _is_at_most(size: SSAValue, other: SSAValue, forms: IndexForms) -> bool:
    """Whether `size` is at most `other`, each of its factors being at most one there."""
    extents, others = extents_of(size, forms), extents_of(other, forms)
    return len(extents) == len(others) and all(
        (distance := (b - a).as_constant()) is not None and distance >= 0
        for a, b in zip(extents, others, strict=True)
    )


def extents_of(size: SSAValue, forms: IndexForms) -> list[Polynomial]:
    """Their product is `size`, but that each counts as 0 below that."""
    op = size.owner
    if isinstance(op, loop.ElementCountOp):
        return forms.of_exprs(op.extents, op.operands_)
    return [forms.of(size)]
