"""What a pass says when it is run on a level that it does not know yet."""

from collections.abc import Mapping

from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Operation

from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.te import FuncOp, IntrinsicOp
from teloom.errors import PassError

_FROM_TENSORS = {"build-loops": "te-to-loops", "storage-flatten": "te-to-memref"}
"""What takes equations as far as a pass does, which by itself does not take them."""


def refuse(module: ModuleOp, kinds: tuple[type[Operation], ...], run_first: str) -> None:
    """Raises PassError if an op of these kinds is left, naming the pass that removes it.

    What an intrinsic says of itself is on no level.
    """
    refuse_each(module, {run_first: kinds})


def refuse_each(module: ModuleOp, kinds: Mapping[str, tuple[type[Operation], ...]]) -> None:
    """The same for the kinds that each of several passes removes, in their order."""
    tops = [top for top in module.ops if type(top) is not IntrinsicOp]
    for run_first, removed in kinds.items():
        for op in (left for top in tops for left in ops_in(top, *removed)):
            if isinstance(op, FuncOp):
                run_first = _FROM_TENSORS.get(run_first, run_first)
            raise PassError(f"{op.name} is left here; run {run_first} first", op)


def refuse_unless_flat(type: MemRefType, op: Operation | None = None) -> None:
    """Raises PassError if a buffer has more than one dimension, or a layout."""
    if len(type.get_shape()) > 1 or not isinstance(type.layout, NoneAttr):
        raise PassError(
            f"{type} is not flat: linearize-memrefs gives one dimension to what is allocated, "
            "other buffers have to be declared with one and without a layout",
            op,
        )
