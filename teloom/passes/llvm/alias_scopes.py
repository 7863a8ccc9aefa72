"""Alias scopes: they tell LLVM that accesses to disjoint views of one buffer never alias.

Without them LLVM sees one pointer with offsets that depend on loops. It would load again after
every store, and not keep a sum in a register.
"""

from __future__ import annotations

from collections import defaultdict

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Region, SSAValue

from teloom.analysis.memory.shared_bytes import BytesOfBuffer, bytes_of
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream.llvm import ALIAS_SCOPES, NOALIAS_SCOPES, AliasScopeAttr


def add_alias_scopes(body: Region, domain: str) -> None:
    """Gives each view in the function `domain` the alias scopes of its accesses.

    A view that overlaps all other views of its buffer gets none.
    """
    sources: defaultdict[SSAValue, dict[memref.ViewOp, BytesOfBuffer]] = defaultdict(dict)
    for view in ops_in(body, memref.ViewOp):
        part = bytes_of(view.result)
        if part.bytes is not None:
            sources[view.source][view] = part
    for number, views in enumerate(sources.values()):
        names = {view: AliasScopeAttr.of(f"{number}.{k}", domain) for k, view in enumerate(views)}
        for view, part in views.items():
            apart = [names[other] for other in views if part.is_apart(views[other])]
            if apart:
                view.attributes[ALIAS_SCOPES] = ArrayAttr([names[view]])
                view.attributes[NOALIAS_SCOPES] = ArrayAttr(apart)
