"""What a pass says when it is run on a level that it does not know yet."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teloom.errors import PassError


def refuse(module: ModuleOp, kinds: tuple[type[Operation], ...], run_first: str) -> None:
    """Raises PassError if an op of these kinds is left, naming the pass that removes it."""
    for op in module.walk():
        if isinstance(op, kinds):
            raise PassError(f"{op.name} is left here; run {run_first} first", op)
