"""Alias scopes: they tell LLVM that accesses to disjoint views of one buffer never alias.

Without them LLVM sees one pointer with offsets that depend on loops. It would load again after
every store, and not keep a sum in a register.
"""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Region, SSAValue

from teloom.analysis.memory.storage import byte_width
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream.llvm import ALIAS_SCOPES, NOALIAS_SCOPES, AliasScopeAttr


class _View(NamedTuple):
    """The bytes of a buffer from `begin` up to, not including, `end`."""

    op: memref.ViewOp
    begin: int
    end: int


def add_alias_scopes(body: Region, domain: str) -> None:
    """Gives each view in the function `domain` the alias scopes of its accesses.

    A view that overlaps all other views of its buffer gets none.
    """
    sources: defaultdict[SSAValue, list[_View]] = defaultdict(list)
    for op in ops_in(body, memref.ViewOp):
        if bytes := view_bytes(op):
            sources[op.source].append(_View(op, *bytes))
    for number, views in enumerate(sources.values()):
        names = {
            view.op: AliasScopeAttr.of(f"{number}.{k}", domain) for k, view in enumerate(views)
        }
        for view in views:
            apart = [
                names[other.op]
                for other in views
                if other.end <= view.begin or view.end <= other.begin
            ]
            if apart:
                view.op.attributes[ALIAS_SCOPES] = ArrayAttr([names[view.op]])
                view.op.attributes[NOALIAS_SCOPES] = ArrayAttr(apart)


def view_bytes(op: memref.ViewOp) -> tuple[int, int] | None:
    """The bytes of its buffer that a view covers, from the first to behind the last, if known."""
    shift, type = op.byte_shift.owner, op.result.type
    if not isinstance(shift, arith.ConstantOp) or not isinstance(shift.value, IntegerAttr):
        return None
    if not type.has_static_shape():
        return None
    begin = shift.value.value.data
    return begin, begin + prod(type.get_shape()) * byte_width(type.element_type, op)
