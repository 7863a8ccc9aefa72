"""Ops that are copied, with their operands at once where these are known."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from operator import is_
from typing import NamedTuple

from xdsl.ir import Block, Operation, Region, SSAValue

from teloom.dialects.quick_ir.replaced import XDSL, is_method_of


@is_method_of(Operation)
def clone(
    self: Operation,
    value_mapper: dict[SSAValue, SSAValue] | None = None,
    block_mapper: dict[Block, Block] | None = None,
    *,
    clone_name_hints: bool = True,
    clone_operands: bool = True,
) -> Operation:
    if not (clone_name_hints and clone_operands):
        return XDSL[Operation, "clone"](
            self,
            value_mapper,
            block_mapper,
            clone_name_hints=clone_name_hints,
            clone_operands=clone_operands,
        )
    values = {} if value_mapper is None else value_mapper
    copies = _Copies(values, {} if block_mapper is None else block_mapper, [])
    made = copies.of(self)
    if not all(values.keys().isdisjoint(copy._operands) for copy in copies.pending):
        for op, copy in zip(self.walk(), made.walk(), strict=True):
            copy.operands = [values.get(operand, operand) for operand in op._operands]
    return made


class _Copies(NamedTuple):
    """The copies of values and blocks, and those of ops that use a value which had none by then.

    It comes from outside; or, in a graph of blocks, from further down.
    """

    values: dict[SSAValue, SSAValue]
    blocks: dict[Block, Block]
    pending: list[Operation]

    def of(self, op: Operation) -> Operation:
        values = self.values
        operands = [values.get(operand, operand) for operand in op._operands]
        regions = [Region() for _ in op.regions]
        copy = type(op).create(
            operands=operands,
            result_types=[result._type for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            location=op.location,
            successors=[self.blocks.get(block, block) for block in op._successors],
            regions=regions,
        )
        if any(map(is_, operands, op._operands)):
            self.pending.append(copy)
        for result, its in zip(op.results, copy.results, strict=True):
            values[result], its._name = its, result._name
        for region, its in zip(op.regions, regions, strict=True):
            self._fill(its, region)
        return copy

    def _fill(self, into: Region, region: Region) -> None:
        for block in region.blocks:
            copy = self.blocks[block] = Block(arg_types=block.arg_types)
            for arg, its in zip(block._args, copy._args, strict=True):
                self.values[arg], its._name, its.location = its, arg._name, arg.location
            into.add_block(copy)
        for block in region.blocks:
            copy, op = self.blocks[block], block._first_op
            while op is not None:
                copy.add_op(self.of(op))
                op = op._next_op
