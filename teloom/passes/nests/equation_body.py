"""Copying a region of an equation or an extern, with other values for its axes.

Inlining a stage and building its loops share this work: copy the ops of a region, replace its
axes by affine expressions of other values, and rewrite each read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.builder import Builder
from xdsl.dialects import affine as upstream_affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from teloom.analysis.stages.queries import Read
from teloom.dialects import te
from teloom.dialects.affine import operands as affine_operands
from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.linear_forms import is_small
from teloom.passes.code.index_code import IndexCode

_DIM = AffineExpr.dimension(0)

# An affine expression whose dimension k stands for the k-th value.
AffineValue = tuple[AffineExpr, Sequence[SSAValue]]
# Gives the value of a read with these subscripts, or of a buffer with these sides of its box,
# inserting ops with the builder.
ReadRewriter = Callable[[Read, AffineMapAttr, Sequence[SSAValue], Builder], SSAValue]

# Writes a value at these subscripts, inserting ops with the builder.
WriteRewriter = Callable[[te.WriteOp, SSAValue, AffineMapAttr, Sequence[SSAValue], Builder], None]


class EquationBody:
    """Copies regions whose block arguments are replaced by `axes`.

    `rewrite_write` is for bodies of updates, which write. `values` maps other values from outside
    of the regions. With `keep_promises`, `te.bounded` is copied; otherwise its operand replaces it.
    """

    def __init__(
        self,
        axes: Mapping[SSAValue, AffineValue],
        rewrite_read: ReadRewriter,
        rewrite_write: WriteRewriter | None = None,
        values: Mapping[SSAValue, SSAValue] = MappingProxyType({}),
        *,
        keep_promises: bool = True,
    ):
        self.axes = axes
        self.rewrite_read = rewrite_read
        self.rewrite_write = rewrite_write
        self.values: dict[SSAValue, SSAValue] = dict(values)
        self.keep_promises = keep_promises

    def copy(self, block: Block, builder: Builder) -> list[SSAValue]:
        """Copies the ops of `block` to the builder; returns what its terminator yields."""
        self.materialize_axes(block, builder)
        for op in block.ops:
            if op is block.last_op and isinstance(op, te.YieldOp):
                return [self._value(operand) for operand in op.operands]
            self.copy_op(op, builder)
        return []

    def _value(self, value: SSAValue) -> SSAValue:
        return self.values.get(value, value)

    def materialize_axes(self, block: Block, builder: Builder) -> None:
        """Emits index values for the axes that are used outside of affine subscripts."""
        for axis in block.args:
            if axis not in self.axes or all(_is_affine(use) for use in axis.uses):
                continue
            expr, values = self.axes[axis]
            self.values[axis] = IndexCode(builder.insert).expr(expr, values)

    def copy_op(self, op: Operation, builder: Builder) -> None:
        """Copies one op; its results are then in `values`."""
        if isinstance(op, te.WriteOp):
            map, operands = self.substituted(op.map.data.results, op.operands_, builder)
            assert self.rewrite_write is not None
            self.rewrite_write(op, self._value(op.value), map, operands, builder)
            return
        if isinstance(op, te.ReadOp | te.BufferOp):
            exprs = op.map.data.results if isinstance(op, te.ReadOp) else op.sides
            map, operands = self.substituted(exprs, op.operands_, builder)
            result = self.rewrite_read(op, map, operands, builder)
            result.name_hint = result.name_hint or op.results[0].name_hint
            self.values[op.results[0]] = result
            return
        if isinstance(op, te.BoundedOp):
            self.values[op.bounded] = self._bounded(op, builder)
            return
        if isinstance(op, upstream_affine.ApplyOp):
            map, operands = self.substituted(over_dims(op.map.data), op.mapOperands, builder)
            expr = map.data.results[0]
            self.values[op.result] = IndexCode(builder.insert).expr(expr, operands)
            return
        copy = op.clone_without_regions(self.values)
        for region, new_region in zip(op.regions, copy.regions, strict=True):
            self._copy_region(region, new_region)
        builder.insert(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.values[old] = new

    def _bounded(self, op: te.BoundedOp, builder: Builder) -> SSAValue:
        value = self._value(op.value)
        if not self.keep_promises:
            return value
        map, operands = self.substituted(op.map.data.results, op.operands_, builder)
        copy = builder.insert(te.BoundedOp(value, map, operands))
        copy.bounded.name_hint = op.bounded.name_hint
        return copy.bounded

    def _copy_region(self, region: Region, new_region: Region) -> None:
        for block in region.blocks:
            new_block = Block(arg_types=[arg.type for arg in block.args])
            new_region.add_block(new_block)
            for old, new in zip(block.args, new_block.args, strict=True):
                new.name_hint = old.name_hint
                self.values[old] = new
            self.copy(block, Builder(InsertPoint.at_end(new_block)))

    def substituted(
        self, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue], builder: Builder
    ) -> tuple[AffineMapAttr, list[SSAValue]]:
        """`exprs` of `operands`, rewritten over the values that replace the operands.

        Composing long chains would make expressions huge: from a limit on, the replacements are
        materialized instead.
        """
        replacements: dict[SSAValue, AffineValue] = {}
        for operand in operands:
            if operand in self.axes:
                replacements[operand] = self.axes[operand]
            elif operand in self.values:
                replacements[operand] = (_DIM, [self.values[operand]])
        found, over = affine_operands.substitute(exprs, operands, replacements)
        if all(is_small(expr) for expr in found.data.results):
            return found, over
        for operand, (expr, values) in replacements.items():
            replacements[operand] = (_DIM, [IndexCode(builder.insert).expr(expr, values)])
        return affine_operands.substitute(exprs, operands, replacements)


def read_again(
    read: Read, map: AffineMapAttr, operands: Sequence[SSAValue], builder: Builder
) -> SSAValue:
    """The read of a copied equation, of the same tensor."""
    return builder.insert(te.ReadOp(read.tensor, map, operands)).value


def _is_affine(use: Use) -> bool:
    if isinstance(use.operation, te.BoundedOp | te.WriteOp):
        return use.index > 0  # the first operand is the value itself
    return isinstance(use.operation, te.ReadOp | te.BufferOp | upstream_affine.ApplyOp)
