"""Arguments that have the name of what is missing among them."""

from __future__ import annotations

from collections.abc import Sequence

from teloom.frontend.expr.expressions import Var
from teloom.frontend.tensor.tensors import Tensor


def namesake(missing: Tensor | Var, args: Sequence[Tensor | Var]) -> str:
    """The end of a refusal that says which argument has the name; empty if none has."""
    kind = "tensor" if isinstance(missing, Tensor) else "te.var"
    for position, arg in enumerate(args):
        if arg.name == missing.name and isinstance(arg, Tensor) == isinstance(missing, Tensor):
            return f"; argument {position} is another {kind} of that name"
    return ""
