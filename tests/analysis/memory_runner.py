"""Runs functions over flat buffers, and refuses to read what the same buffer did not write.

Positions are computed. Other arithmetic is not: its value stands for the op and its
operands, so that two runs agree if all their loads do, whatever numbers are computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, prod
from typing import Any

import numpy as np
from analysis.loop_runner import WrongAccess
from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.memory.storage import byte_width
from teloom.analysis.signature import signature_of
from teloom.dialects import loop
from teloom.dialects.upstream.memref import PrefetchOp


class TooLong(Exception):
    """More ops than a test waits for."""


class Unknown(int):
    """A number that stands for what was computed, and is not that value."""


@dataclass
class Memory:
    """Of each byte: by which buffer it was stored, where its element begins, and its value.

    There are `bytes` of them, if that is known.
    """

    bytes: float = inf
    at: dict[int, tuple[SSAValue, int, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Buffer:
    """A part of a memory, from a byte on, that holds what was stored by `owner`."""

    memory: Memory
    owner: SSAValue
    start: int
    width: int
    inner: tuple[int, ...] = ()  # the sizes of all dimensions but the first

    def position(self, indices: Sequence[int]) -> int:
        at, *others = indices
        for index, size in zip(others, self.inner, strict=True):
            at = at * size + index
        return at

    def cell(self, index: int) -> int:
        place = self.start + index * self.width
        if not 0 <= place <= self.memory.bytes - self.width:
            raise WrongAccess(f"{self.owner.name_hint}[{index}] is outside of its memory")
        return place

    def load(self, index: int) -> Any:
        place = self.cell(index)
        cells = [self.memory.at.get(place + k) for k in range(self.width)]
        if any(cell is None or cell[:2] != (self.owner, place) for cell in cells):
            raise WrongAccess(f"{self.owner.name_hint}[{index}] is read before it is written")
        assert cells[0] is not None
        return cells[0][2]

    def store(self, value: Any, index: int) -> None:
        place = self.cell(index)
        for k in range(self.width):
            self.memory.at[place + k] = (self.owner, place, value)


@dataclass
class MemoryRun:
    """Every value that was loaded, in order, and the outputs by name, element by element.

    `accessed` has every load and store, with its index.
    """

    loaded: list[Any] = field(default_factory=list)
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    accessed: list[tuple[memref.LoadOp | memref.StoreOp, int]] = field(
        default_factory=list, compare=False
    )


def run_memory(
    function: func.FuncOp,
    sizes: Mapping[str, int],
    inputs: Mapping[str, np.ndarray],
    backwards: Collection[loop.ForOp] = (),
    most_ops: float = inf,
) -> MemoryRun:
    """Runs a function whose arguments are sizes, inputs and outputs, by their names.

    The loops in `backwards` run from their last iteration to their first. Raises `TooLong` where
    it would run more ops than `most_ops`.
    """
    runner = _Runner(backwards, most_ops)
    outputs: dict[str, Buffer] = {}
    signature = signature_of(function)
    arguments = function.body.block.args
    for argument, name in zip(arguments, signature.sizes, strict=False):
        runner.values[argument] = sizes[name]
    arrays = arguments[len(signature.sizes) :]
    for argument, said in zip(arrays, signature.arguments, strict=True):
        name, buffer = said.name, _new(argument)
        runner.values[argument] = buffer
        if said.output:
            outputs[name] = buffer
        for k, element in enumerate(inputs[name].flat if name in inputs else ()):
            buffer.store(element.item(), k)
    runner.block(function.body.block)
    for name, buffer in outputs.items():
        found = sorted(place for place, cell in buffer.memory.at.items() if cell[1] == place)
        runner.run.outputs[name] = [(place, buffer.memory.at[place][2]) for place in found]
    return runner.run


def _new(value: SSAValue) -> Buffer:
    assert isinstance(value.type, MemRefType)
    return Buffer(Memory(), value, 0, byte_width(value.type.element_type))


def _quotient(dividend: int, divisor: int) -> int:
    """Rounded to zero."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


_SIGNED = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
_OF_INTEGERS: dict[type[Operation], Callable[..., int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.AndIOp: operator.and_,
    arith.OrIOp: operator.or_,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: lambda a, b: a - b * _quotient(a, b),
    arith.FloorDivSIOp: operator.floordiv,
}


class _Runner:
    """Visits ops with the values of what is around them."""

    def __init__(self, backwards: Collection[loop.ForOp], most_ops: float):
        self.backwards, self.left = backwards, most_ops
        self.values: dict[SSAValue, Any] = {}
        self.run = MemoryRun()

    def block(self, block: Block) -> Sequence[Any]:
        """The values of what the block yields."""
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                return self.of(op.operands)
            self.op(op)
        return ()

    def of(self, values: Sequence[SSAValue]) -> list[Any]:
        return [self.values[value] for value in values]

    def op(self, op: Operation) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLong
        match op:
            case loop.ForOp():
                lower = max(self.exprs(op.lower.data.results, op.operands_))
                upper = min(self.exprs(op.upper.data.results, op.operands_))
                iterations = range(lower, upper)
                for k in reversed(iterations) if op in self.backwards else iterations:
                    self.values[op.induction_variable] = k
                    self.block(op.body.block)
            case loop.IfOp():
                if self.holds(op):
                    self.block(op.then_body.block)
                elif op.else_body is not None:
                    self.block(op.else_body.block)
            case scf.IfOp():
                taken = op.true_region if self.values[op.cond] & 1 else op.false_region
                results = self.block(taken.block) if taken.blocks else ()
                self.values.update(zip(op.results, results, strict=True))
            case memref.AllocOp() | memref.AllocaOp():
                dynamic = iter(self.of(op.dynamic_sizes))
                shape = op.memref.type.get_shape()
                sizes = [next(dynamic) if size == DYNAMIC_INDEX else size for size in shape]
                new = _new(op.memref)
                memory = Memory(prod(sizes) * new.width)
                self.values[op.memref] = replace(new, memory=memory, inner=tuple(sizes[1:]))
            case memref.ViewOp():
                source, start = self.of((op.source, op.byte_shift))
                width = _new(op.result).width
                self.values[op.result] = Buffer(source.memory, op.result, start, width)
            case memref.LoadOp():
                buffer, *indices = self.of(op.operands)
                index = buffer.position(indices)
                self.values[op.res] = buffer.load(index)
                self.run.loaded.append(self.values[op.res])
                self.run.accessed.append((op, index))
            case memref.StoreOp():
                value, buffer, *indices = self.of(op.operands)
                index = buffer.position(indices)
                buffer.store(value, index)
                self.run.accessed.append((op, index))
            case PrefetchOp():
                pass
            case memref.DeallocOp():
                self.values[op.memref].memory.at.clear()
            case func.ReturnOp():
                return
            case _:
                (result,) = op.results
                self.values[result] = self.value(op)

    def value(self, op: Operation) -> Any:
        operands = self.of(op.operands)
        known = not any(isinstance(v, Unknown | float) for v in operands)
        match op:
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                return op.value.value.data
            case affine.ApplyOp():
                return self.exprs(op.map.data.results, op.operands)[0]
            case affine.MinOp():
                return min(self.exprs(op.map.data.results, op.operands))
            case loop.ElementCountOp():
                return prod(max(0, e) for e in self.exprs(op.extents, op.operands_))
            case arith.IndexCastOp() | arith.ExtSIOp() | arith.ExtUIOp():
                return operands[0]
            case arith.SelectOp():
                condition, *choices = operands
                return choices[0 if condition & 1 else 1]
            case arith.CmpiOp() if known and op.predicate.value.data < len(_SIGNED):
                return _SIGNED[op.predicate.value.data](*operands)
            case _ if known and type(op) in _OF_INTEGERS:
                return _OF_INTEGERS[type(op)](*operands)
        said = str(sorted((op.properties | op.attributes).items(), key=str))
        return Unknown(hash((op.name, said, *operands)))

    def holds(self, op: loop.IfOp) -> bool:
        return any(
            all(value == 0 for value in self.exprs(equalities, op.operands_))
            and all(value >= 0 for value in self.exprs(inequalities, op.operands_))
            for equalities, inequalities in op.alternatives
        )

    def exprs(self, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]) -> list[int]:
        values = self.of(operands)
        return [expr.eval(values, ()) for expr in exprs]
