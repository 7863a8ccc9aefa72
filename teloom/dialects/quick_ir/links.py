"""Where ops are, and values that others take the place of."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.core import BlockOps, SSAValues, _IRNode

from teloom.dialects.quick_ir.replaced import XDSL, is_method_of


@is_method_of(BlockOps)
def __iter__(self: BlockOps) -> Iterator[Operation]:
    return _ops_from(self.block._first_op)


def _ops_from(op: Operation | None) -> Iterator[Operation]:
    while op is not None:
        following = op._next_op
        yield op
        op = following


@is_method_of(BlockOps)
def __len__(self: BlockOps) -> int:
    count, op = 0, self.block._first_op
    while op is not None:
        count, op = count + 1, op._next_op
    return count


@is_method_of(Operation)
def parent_op(self: Operation) -> Operation | None:
    region = None if self.parent is None else self.parent.parent
    return None if region is None else region.parent


@is_method_of(_IRNode)
def is_ancestor(self: _IRNode, op: Any) -> bool:
    while op is not None and op is not self:
        op = op.parent
    return op is self


@is_method_of(Block)
def _attach_op(self: Block, operation: Operation) -> None:
    if operation.parent or (operation.regions and operation.is_ancestor(self)):
        XDSL[Block, "_attach_op"](self, operation)
    operation.parent = self


def _join(block: Block, op: Operation | None, following: Operation | None) -> None:
    """Puts an op in front of another one; None stands for the beginning and the end."""
    if op is None:
        block._first_op = following
    else:
        op._next_op = following
    if following is None:
        block._last_op = op
    else:
        following._prev_op = op


@is_method_of(Block)
def add_op(self: Block, operation: Operation) -> None:
    self._attach_op(operation)
    _join(self, self._last_op, operation)
    _join(self, operation, None)


@is_method_of(Block)
def insert_op_before(self: Block, new_op: Operation, existing_op: Operation) -> None:
    if existing_op.parent is not self:
        XDSL[Block, "insert_op_before"](self, new_op, existing_op)
    self._attach_op(new_op)
    _join(self, existing_op._prev_op, new_op)
    _join(self, new_op, existing_op)


@is_method_of(Block)
def detach_op(self: Block, op: Operation) -> Operation:
    if op.parent is not self:
        XDSL[Block, "detach_op"](self, op)
    _join(self, op._prev_op, op._next_op)
    op.parent = op._prev_op = op._next_op = None
    return op


@is_method_of(SSAValue)
def replace_all_uses_with(self: SSAValue, value: SSAValue) -> None:
    if value is self:
        return
    use, self.first_use = self.first_use, None
    while use is not None:
        following, op, index = use._next_use, use._operation, use._index
        operands = [*op._operands]
        operands[index] = value
        op._operands = SSAValues(operands)
        value.add_use(use)
        use = following
    if value._name is None:
        value._name = self._name


@is_method_of(SSAValue)
def erase(self: SSAValue, safe_erase: bool = True) -> None:
    if self.first_use is not None:
        XDSL[SSAValue, "erase"](self, safe_erase)
