"""What a pass says when it is run on a level that it does not know yet."""

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Operation

from teloom.errors import PassError


def refuse(module: ModuleOp, kinds: tuple[type[Operation], ...], run_first: str) -> None:
    """Raises PassError if an op of these kinds is left, naming the pass that removes it."""
    for op in _ops_in(module):
        if isinstance(op, kinds):
            raise PassError(f"{op.name} is left here; run {run_first} first", op)


def _ops_in(module: ModuleOp) -> Iterator[Operation]:
    """All ops, as a walk finds them, in time that does not grow with how deep they stand."""
    pending: list[Operation] = [module]
    while pending:
        op = pending.pop()
        yield op
        for region in reversed(op.regions):
            for block in reversed(region.blocks):
                pending += reversed(block.ops)


def refuse_unless_flat(type: MemRefType, op: Operation | None = None) -> None:
    """Raises PassError if a buffer has more than one dimension, or a layout."""
    if len(type.get_shape()) > 1 or not isinstance(type.layout, NoneAttr):
        raise PassError(
            f"{type} is not flat: linearize-memrefs gives one dimension to what is allocated, "
            "other buffers have to be declared with one and without a layout",
            op,
        )
