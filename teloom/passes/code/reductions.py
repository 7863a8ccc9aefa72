"""Reductions as what a machine does: load, combine, store."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in


def expand_reductions(module: ModuleOp) -> None:
    """Puts loads and stores in the place of each `loop.reduce` and `loop.init`."""
    for op in ops_in(module, loop.ReduceOp):
        _replace(op, _expanded(op))
    for op in ops_in(module, loop.InitOp):
        _replace(op, [loop.StoreOp(op.value, op.tensor, op.subscripts, op.operands_)])


def _expanded(op: loop.ReduceOp) -> list[Operation]:
    place = op.subscripts, op.operands_
    loads = [loop.LoadOp(tensor, *place) for tensor in op.tensors]
    elements = [load.value for load in loads]
    block = op.combine.block
    became: dict[SSAValue, SSAValue] = dict(zip(block.args, [*elements, *op.values], strict=True))
    combining = [inner.clone(became) for inner in block.ops if inner is not block.last_op]
    stores = [
        loop.StoreOp(became.get(value, value), tensor, *place)
        for value, tensor in zip(op.combined, op.tensors, strict=True)
    ]
    return [*loads, *combining, *stores]


def _replace(op: loop.ReduceOp | loop.InitOp, by: list[Operation]) -> None:
    for new in by:
        if isinstance(new, loop.AccessOp):
            new.location = op.location
    Rewriter.insert_op(by, InsertPoint.before(op))
    Rewriter.erase_op(op)
