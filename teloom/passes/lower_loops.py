"""Pass `lower-loops`: loops with affine bounds become standard loops and arithmetic."""

import sys
import warnings
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove

from teloom.dialects import loop
from teloom.errors import PassError
from teloom.passes.affine_to_arith import AffineCode

_OURS = frozenset({"te", "schedule", "loop"})
"""The dialects that no other tool knows."""

_NOALIAS, _READONLY = "llvm.noalias", "llvm.readonly"


class SerialParallelWarning(UserWarning):
    """A loop that asks to be parallel runs serially; shown once per process."""


def _levels_to_user() -> int:
    """How many callers away the first is that is not of Teloom: the line to warn about."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("teloom."):
        level, frame = level + 1, frame.f_back
    return level


class _Lowering:
    """Lowers one function's regions, in place."""

    def __init__(self, entry: Block):
        self.entry = entry
        self.last_constant: Operation | None = None

    def insert_constant(self, op: Operation) -> None:
        """Constants stand together at the entry, where every block sees them."""
        if self.last_constant is not None:
            self.entry.insert_op_after(op, self.last_constant)
        elif self.entry.first_op is not None:
            self.entry.insert_op_before(op, self.entry.first_op)
        else:
            self.entry.add_op(op)
        self.last_constant = op

    def region(self, region: Region, outer: AffineCode | None = None) -> None:
        for block in region.blocks:
            self.block(block, outer or AffineCode(lambda op: None, self.insert_constant))

    def block(self, block: Block, outer: AffineCode) -> None:
        here: list[Operation] = []

        def insert(op: Operation) -> None:
            block.insert_op_before(op, here[-1])

        code = outer.inner(insert)
        for op in tuple(block.ops):
            here.append(op)
            if lower := _LOWERINGS.get(type(op)):
                lower(self, op, code)
            elif op.has_trait(IsolatedFromAbove):
                lower_regions(op)
            else:
                for region in op.regions:
                    self.region(region, code)

    def lower_for(self, op: loop.ForOp, code: AffineCode) -> None:
        if op.kind.data is loop.LoopKind.PARALLEL:
            warnings.warn(
                "parallel loops run serially in this release",
                SerialParallelWarning,
                stacklevel=_levels_to_user(),
            )
        operands = op.operands_
        lower = code.fold(arith.MaxSIOp, op.lower.data.results, operands)
        upper = code.fold(arith.MinSIOp, op.upper.data.results, operands)
        step = code.constant(1)
        self.region(op.body, code)
        op.body.block.add_op(scf.YieldOp())
        new = scf.ForOp(lower, upper, step, [], op.detach_region(op.body))
        new.attributes.update(op.attributes)
        _replace(op, new)

    def lower_if(self, op: loop.IfOp, code: AffineCode) -> None:
        test = code.holds(op.alternatives, op.operands_)
        branches = [op.detach_region(branch) for branch in tuple(op.regions)]
        for branch in branches:
            self.region(branch, code)
            branch.block.add_op(scf.YieldOp())
        new = scf.IfOp(test, [], branches[0], branches[1] if len(branches) > 1 else None)
        new.attributes.update(op.attributes)
        _replace(op, new)

    def lower_apply(self, op: affine.ApplyOp, code: AffineCode) -> None:
        self._replace_by_value(op, code.expr(op.map.data.results[0], op.operands))

    def lower_min(self, op: affine.MinOp, code: AffineCode) -> None:
        self._replace_by_value(op, code.fold(arith.MinSIOp, op.map.data.results, op.operands))

    @staticmethod
    def _replace_by_value(op: Operation, value: SSAValue) -> None:
        if value.name_hint is None:
            value.name_hint = op.results[0].name_hint
        Rewriter.replace_op(op, [], [value])


_LOWERINGS = {
    loop.ForOp: _Lowering.lower_for,
    loop.IfOp: _Lowering.lower_if,
    affine.ApplyOp: _Lowering.lower_apply,
    affine.MinOp: _Lowering.lower_min,
}


def _replace(op: Operation, new: Operation) -> None:
    new.location = op.location
    Rewriter.replace_op(op, new)


def lower_regions(op: Operation) -> None:
    """Lower everything in the regions of `op`, which see nothing from outside."""
    for region in op.regions:
        if region.blocks:
            _Lowering(region.blocks[0]).region(region)


def _is_written(buffer: SSAValue) -> bool:
    """Whether any op may write to `buffer`; what is not known to read only may."""
    reading = (memref.LoadOp, vector.LoadOp, vector.MaskedLoadOp, memref.DimOp)
    return not all(isinstance(use.operation, reading) for use in buffer.uses)


def describe_arguments(op: func.FuncOp) -> None:
    """Say of every buffer argument what LLVM may use; drop what only `te` knows."""
    count = len(op.function_type.inputs)
    given = op.arg_attrs.data if op.arg_attrs else (DictionaryAttr({}),) * count
    described: list[DictionaryAttr] = []
    for said, argument in zip(given, op.body.block.args, strict=True):
        kept = {name: value for name, value in said.data.items() if not name.startswith("te.")}
        if isinstance(argument.type, MemRefType):
            kept[_NOALIAS] = UnitAttr()
            if not _is_written(argument):
                kept[_READONLY] = UnitAttr()
        described.append(DictionaryAttr(kept))
    if any(attributes.data for attributes in described):
        op.arg_attrs = ArrayAttr(described)
    else:
        op.arg_attrs = None
    for name in [name for name in op.attributes if name.startswith("te.")]:
        del op.attributes[name]


def refuse_ours(module: ModuleOp) -> None:
    """Raises `PassError` at the first op that upstream tools would not read."""
    for op in module.walk():
        if op.name.partition(".")[0] in _OURS:
            raise PassError(f"lower-loops has no rule for {op.name}", op)


@dataclass(frozen=True)
class LowerLoopsPass(ModulePass):
    """Turn loops and affine expressions into `scf` and `arith`.

    Every index expression is computed once per block that needs it, and constants
    once per function. Buffers given as arguments do not overlap, so each is marked
    `llvm.noalias`, and `llvm.readonly` where nothing writes to it; attributes of `te`
    go. What comes out is read by upstream tools.

    A loop of kind `parallel` runs serially in this release; the first one in a process
    says so by a `SerialParallelWarning`.

    Order: after `vectorize-loops` and `unroll-loops`, which read loop kinds; before
    `lower-to-llvm`.

    Example: `lower-loops`
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32> {te.name = "A"}) {
      %one = arith.constant 1.0 : f32
      loop.for %i = 0 to min(%n, 64) {
        %j = affine.apply affine_map<(d0) -> (d0 floordiv 4)> (%i)
        memref.store %one, %A[%j] : memref<?xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32> {llvm.noalias}) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %one = arith.constant 1.0 : f32
      %end = arith.minsi %n, %c64 : index
      scf.for %i = %c0 to %end step %c1 {
        %j = arith.shrsi %i, %c2 : index
        memref.store %one, %A[%j] : memref<?xf32>
      }
      func.return
    }
    ```
    Refused: `lower-loops`
    ```mlir
    func.func @early() {
      %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
      func.return
    }
    ```
    with "lower-loops has no rule for loop.realize"
    """

    name = "lower-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in tuple(op.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                lower_regions(function)
                describe_arguments(function)
        refuse_ours(op)
