"""Ops at many points of an equation at once: each point has a lane in the known scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import affine, arith, cf, func, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineMap

from teloom.backend.call.callbacks import External
from teloom.backend.interpreter.externs import called, definition_of, starts_of
from teloom.backend.interpreter.recurrences import Elements
from teloom.backend.interpreter.scalars import (
    Lanes,
    Undefined,
    Unsupported,
    constant,
    evaluate,
    scalar_dtype,
)
from teloom.dialects import te
from teloom.dialects.interfaces import Rules
from teloom.errors import Error


class InterpretError(Error):
    """A program that has no result for these arguments; `op` is the operation without one."""

    def __init__(self, message: str, op: Operation | None = None):
        super().__init__(message)
        self.op = op


@dataclass(frozen=True)
class PointRunner:
    """Runs operations at many points: each has a lane in the scalars that are known so far."""

    stage: te.ComputeOp | te.UpdateOp | None
    count: int
    scalars: dict[SSAValue, Lanes]
    tensors: Mapping[SSAValue, Elements]
    externals: Mapping[str, External]

    def run_block(self, block: Block) -> list[Lanes]:
        """Runs a block and returns the lanes of what its terminator yields."""
        for op in block.ops:
            if isinstance(op, te.YieldOp | scf.YieldOp):
                return self.lanes(op.operands)
            self.run(op)
        raise InterpretError("this block yields nothing", block.parent_op())

    def run_all(self, block: Block) -> None:
        """Runs a block that yields nothing, for what it writes."""
        for op in block.ops:
            self.run(op)

    def run(self, op: Operation) -> None:
        """Runs one operation and adds its results to the scalars."""
        try:
            results = self._results(op)
        except Undefined as error:
            raise InterpretError(f"{error} in {self._place(error.lane)}", op) from None
        except Unsupported as error:
            raise InterpretError(str(error), op) from None
        self.scalars.update(zip(op.results, results, strict=True))

    def _results(self, op: Operation) -> list[Lanes]:
        if (rule := MEANINGS[type(op)]) is not None:
            return rule(self, op)
        for value in op.operands:
            if value not in self.scalars:
                raise Unsupported(
                    f"the interpreter has no rule for {op.name}: {name_of(value)} is no scalar"
                )
        return evaluate(op, self.lanes(op.operands))

    def lanes(self, values: Sequence[SSAValue]) -> list[Lanes]:
        """The lanes of values that are known."""
        for value in values:
            if value not in self.scalars:
                raise Unsupported(f"the interpreter has no scalar {name_of(value)}")
        return [self.scalars[value] for value in values]

    def _read(self, op: te.ReadOp) -> list[Lanes]:
        subscripts = self._subscripts(op)
        return [np.broadcast_to(self.tensors[op.tensor][tuple(subscripts)], self.count)]

    def _write(self, op: te.WriteOp) -> list[Lanes]:
        array = self.tensors[op.tensor]
        assert isinstance(array, np.ndarray)
        (value,) = self.lanes([op.value])
        array[tuple(self._subscripts(op))] = value
        return []

    def _subscripts(self, op: te.ReadOp | te.WriteOp) -> list[Lanes]:
        """The subscripts of an access, which are inside of its tensor."""
        array = self.tensors[op.tensor]
        starts = starts_of(op.tensor, self.scalars)
        subscripts = self._affine(op.map.data, op.operands_)
        subscripts = [np.subtract(*pair) for pair in zip(subscripts, starts, strict=True)]
        for axis, (subscript, extent) in enumerate(zip(subscripts, array.shape, strict=True)):
            outside = (subscript < 0) | (subscript >= extent)
            if outside.any():
                lane = int(outside.argmax())
                raise Undefined(
                    f"subscript {axis} of {name_of(op.tensor)} is "
                    f"{(subscript + starts[axis])[lane]}, {_shown_range(starts[axis], extent)},",
                    lane,
                )
        self._check_domain(op, [np.add(*pair) for pair in zip(subscripts, starts, strict=True)])
        return subscripts

    def _check_domain(self, op: te.ReadOp | te.WriteOp, element: Sequence[Lanes]) -> None:
        """Raises Undefined for an element that is outside of the domain of its equation."""
        equation = definition_of(op.tensor)
        if equation is not None and equation.bounds.domain is not None:
            inside = in_domain(equation, element, self.scalars)
            if not inside.all():
                lane = int(inside.argmin())
                at = ", ".join(str(coordinate[lane]) for coordinate in element)
                raise Undefined(f"{name_of(op.tensor)} has no element [{at}] in its domain,", lane)

    def _promised(self, op: te.BoundedOp) -> list[Lanes]:
        (value,) = self.lanes([op.value])
        lower, upper = self._affine(op.map.data, op.operands_)
        outside = (value < lower) | (value >= upper)
        if outside.any():
            lane = int(outside.argmax())
            raise Undefined(
                f"{name_of(op.value)} is {value[lane]}, outside the bounds {lower[lane]} to "
                f"{upper[lane]} that te.bounded promises,",
                lane,
            )
        return [value]

    def _affine(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[Lanes]:
        # Arrays in place of the numbers that xDSL has in mind.
        values: list[Any] = self.lanes(operands)
        dims, symbols = values[: map.num_dims], values[map.num_dims :]
        return [np.broadcast_to(expr.eval(dims, symbols), self.count) for expr in map.results]

    def _call(self, op: func.CallOp) -> list[Lanes]:
        """Calls a function at each point, such as one that traces values."""
        arguments = [np.broadcast_to(one, self.count) for one in self.lanes(op.operands)]
        found = [
            called(op, [one[lane].item() for one in arguments], self.externals)
            for lane in range(self.count)
        ]
        return [np.array(found, scalar_dtype(result.type)) for result in op.results]

    def _assert(self, op: cf.AssertOp) -> list[Lanes]:
        (holds,) = self.lanes([op.arg])
        if not np.all(holds):
            raise Undefined(op.msg.data, int(np.argmin(np.broadcast_to(holds, self.count))))
        return []

    def _choose(self, op: scf.IfOp) -> list[Lanes]:
        condition = self.scalars[op.cond]
        chosen = [np.empty(self.count, scalar_dtype(result.type)) for result in op.results]
        for mask, region in ((condition, op.true_region), (~condition, op.false_region)):
            if not chosen and (not mask.any() or not region.blocks):
                continue
            scalars = {value: lanes[mask] for value, lanes in self.scalars.items()}
            branch = PointRunner(self.stage, int(mask.sum()), scalars, self.tensors, self.externals)
            for result, lanes in zip(chosen, branch.run_block(region.block), strict=True):
                result[mask] = lanes
        return chosen

    def _place(self, lane: int) -> str:
        """The stage and the point of a lane, for a message."""
        return (
            "the function's body"
            if self.stage is None
            else place_of(self.stage, self.scalars, lane)
        )


MEANINGS: Rules[Callable[[PointRunner, Any], list[Lanes]]] = Rules(
    {
        arith.ConstantOp: lambda at, op: [np.broadcast_to(constant(op.value), at.count)],
        te.ReadOp: PointRunner._read,
        te.WriteOp: PointRunner._write,
        te.BoundedOp: PointRunner._promised,
        affine.ApplyOp: lambda at, op: at._affine(op.map.data, op.operands),
        affine.MinOp: lambda at, op: [np.minimum.reduce(at._affine(op.map.data, op.operands))],
        scf.IfOp: PointRunner._choose,
        func.CallOp: PointRunner._call,
        cf.AssertOp: PointRunner._assert,
    }
)
"""How ops are evaluated that need more than their operands, such as the points themselves."""


def in_domain(
    op: te.ComputeOp | te.UpdateOp, points: Sequence[Lanes], scalars: Mapping[SSAValue, Lanes]
) -> Lanes:
    """At which points of its data axes an equation has elements."""
    where = op.bounds.where()
    known: list[Any] = [*(scalars[size] for size in op.sizes), *points]
    zeros = [np.equal(expr.eval(known, []), 0) for expr in where.equalities]
    held = [*zeros, *(np.greater_equal(expr.eval(known, []), 0) for expr in where.inequalities)]
    return np.logical_and.reduce(np.broadcast_arrays(*held))


def place_of(stage: te.ComputeOp, scalars: Mapping[SSAValue, Lanes], lane: int) -> str:
    """A stage and the point of a lane, for a message."""
    arguments = [arg for region in stage.regions_with_values() for arg in region.block.args]
    axes = [axis for axis in arguments if axis in scalars]
    point = ", ".join(f"{name_of(axis)} = {scalars[axis][lane]}" for axis in axes)
    return f'stage "{stage.stage_name.data}"' + (f" at {point}" if point else "")


def _shown_range(start: Lanes | int, extent: int) -> str:
    """The range that a subscript is outside of, as text."""
    if first := int(np.max(start)):
        return f"outside of {first} to {first + extent - 1}"
    return f"outside its extent {extent}"


def name_of(value: SSAValue) -> str:
    """The name of a value in the text, if it has one."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"argument {value.index}"
    assert isinstance(value, OpResult)
    return f"the result of {value.op.name}"
