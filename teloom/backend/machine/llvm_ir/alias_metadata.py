"""Alias scopes as LLVM's numbered metadata nodes."""

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from teloom.backend.machine.llvm_ir.loop_metadata import Metadata
from teloom.backend.machine.llvm_ir.spelling import in_quotes
from teloom.dialects.upstream.llvm_alias_scopes import ALIAS_SCOPES, NOALIAS_SCOPES, AliasScopeAttr

_KINDS = {ALIAS_SCOPES: "alias.scope", NOALIAS_SCOPES: "noalias"}


def alias_suffix(op: Operation, metadata: Metadata) -> str:
    """What stands behind an access to say in which scopes it is, and in which it is not."""
    return "".join(
        f", !{kind} !{_list(scopes, metadata)}"
        for name, kind in _KINDS.items()
        if isinstance(scopes := op.attributes.get(name), ArrayAttr)
    )


def _list(scopes: ArrayAttr, metadata: Metadata) -> int:
    numbers = [f"!{_scope(s, metadata)}" for s in scopes if isinstance(s, AliasScopeAttr)]
    return metadata.node(f"!{{{', '.join(numbers)}}}")


def _scope(scope: AliasScopeAttr, metadata: Metadata) -> int:
    domain = metadata.distinct(scope.domain, f"!{in_quotes(scope.domain.data)}")
    return metadata.distinct(scope, f"!{domain}", f"!{in_quotes(scope.id.data)}")
