"""The reference interpreter of level 1: it evaluates a `te.func` point by point.

It follows the meanings in `teloom.dialects.te` and shares no code with the passes, so compiled
programs can be checked against it. A lane is one point of an equation's data axes. All lanes are
evaluated together, but each as if it were alone: it takes its own branch of an `scf.if`, and the
other branch does not run for it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.backend.call.callbacks import External, take_error
from teloom.backend.interpreter.externs import ExternRun
from teloom.backend.interpreter.points import (
    InterpretError,
    PointRunner,
    in_domain,
    name_of,
    place_of,
)
from teloom.backend.interpreter.recurrences import (
    Elements,
    OnDemand,
    State,
    contiguous,
    run_steps,
)
from teloom.backend.interpreter.scalars import (
    Lanes,
    Undefined,
    Unsupported,
    constant,
    scalar_dtype,
    storage_dtype,
)
from teloom.backend.interpreter.updates import Bounds, run_points
from teloom.dialects import te
from teloom.dialects.bodies.extern import axes_in, outputs_in
from teloom.dialects.bodies.preorder import preorder
from teloom.errors import CallError

MOST_STEPS = 2**32
"""The most iterations of a reduce axis: it would take hours to run more, one by one."""


def interpret(
    module: ModuleOp,
    entry: str,
    arrays: Sequence[np.ndarray],
    sizes: Sequence[int] = (),
    externals: Mapping[str, External] = MappingProxyType({}),
) -> list[np.ndarray]:
    """The results of the `te.func` named `entry`, in the order of its `te.return`.

    `arrays` are its tensor arguments and `sizes` its leading index arguments, in order.
    Schedules in the module change nothing. What externs call are functions of this process,
    and `externals`. Raises `CallError` for arguments that do not fit and `InterpretError` for
    a read outside a tensor or an assertion that does not hold.
    """
    func = te_func(module, entry)
    scalars = _bind_sizes(func, sizes)
    tensors = _bind_tensors(func, arrays, sizes)
    with np.errstate(all="ignore"):
        for op in func.body.block.ops:
            if isinstance(op, te.ComputeOp):
                values = _Equation(op, scalars, tensors, externals).values()
                tensors.update(zip(op.tensors, values, strict=True))
            elif isinstance(op, te.UpdateOp):
                values = _update(op, scalars, tensors, externals)
                tensors.update(zip(op.tensors, values, strict=True))
            elif isinstance(op, te.ScanOp):
                values = _scan(op, scalars, tensors, externals)
                tensors.update(zip(op.tensors, values, strict=True))
            elif isinstance(op, te.ExternOp):
                tensors.update(_Code(op, scalars, tensors, externals).fill())
            elif not isinstance(op, te.ReturnOp):
                PointRunner(None, 1, scalars, tensors, externals).run(op)
    # A copy: the caller may write it, even where it is an argument or one constant.
    return [np.array(tensors[v].view(_storage(v.type))) for v in func.return_op.values]


class _Code:
    """The code of an extern, with its outputs and what is known where it stands."""

    def __init__(
        self,
        op: te.ExternOp,
        scalars: Mapping[SSAValue, Lanes],
        tensors: Mapping[SSAValue, Elements],
        externals: Mapping[str, External],
    ):
        self.op, self.ranges = op, _ranges(op, scalars)
        sizes = [int(scalars[size][0]) for size in op.sizes]
        self.outputs = [
            np.zeros(_shape(op.shape_of(position), sizes), _scalar(output.type))
            for position, output in enumerate(op.outputs)
        ]
        there = {value: contiguous(tensor) for value, tensor in tensors.items()}
        for region in op.regions_with_values():
            there.update(zip(outputs_in(region.block), self.outputs, strict=True))
        points = PointRunner(None, 1, dict(scalars), {}, externals)
        self._run = ExternRun(points.scalars, there, points.run, externals)
        self._filled: set[tuple[int, ...]] = set()

    def fill(self) -> dict[SSAValue, np.ndarray]:
        """Its tensors, filled at all points of the data axes."""
        for point in itertools.product(*self.ranges[: self.op.data_axis_count]):
            self._fill_at(point)
        return dict(zip(self.op.tensors, self.outputs, strict=True))

    def values_at(self, count: int, points: list[Lanes]) -> list[Lanes]:
        """The elements at `count` points of its tensors, filled where they are not yet."""
        ahead = np.stack(points[: self.op.data_axis_count])
        for column in np.unique(ahead, axis=1).T:
            point = tuple(map(int, column))
            if point not in self._filled:
                self._filled.add(point)
                self._fill_at(point)
        return [output[tuple(points)] for output in self.outputs]

    def _fill_at(self, point: tuple[int, ...]) -> None:
        try:
            if self.op.has_init:
                self._run_at(self.op.init.block, point)
            for reduced in itertools.product(*self.ranges[self.op.data_axis_count :]):
                self._run_at(self.op.body.block, (*point, *reduced))
        except (Undefined, Unsupported) as error:
            name = self.op.stage_name.data
            raise InterpretError(f'{error} in stage "{name}"', self.op) from take_error()

    def _run_at(self, block: Block, point: tuple[int, ...]) -> None:
        positions = [np.array([position], np.int64) for position in point]
        self._run.scalars.update(zip(axes_in(block), positions, strict=True))
        self._run.run_block(block)


def te_func(module: ModuleOp, entry: str) -> te.FuncOp:
    """The `te.func` of that name; raises `CallError` if the module has none."""
    names = []
    for op in preorder(module):
        if isinstance(op, te.FuncOp):
            names.append(op.sym_name.data)
            if names[-1] == entry:
                return op
    known = ", ".join(f"@{name}" for name in names) or "none"
    raise CallError(f"no te.func @{entry}; those of this module: {known}")


def _bind_sizes(func: te.FuncOp, sizes: Sequence[int]) -> dict[SSAValue, Lanes]:
    if len(sizes) != len(func.sizes):
        raise CallError(f"@{func.sym_name.data} takes {len(func.sizes)} sizes, got {len(sizes)}")
    for argument, size in zip(func.sizes, sizes, strict=True):
        if size < 0:
            raise CallError(f"size {name_of(argument)} is {size}, which is negative")
    return {
        argument: np.array([size], np.int64)
        for argument, size in zip(func.sizes, sizes, strict=True)
    }


def _bind_tensors(
    func: te.FuncOp, arrays: Sequence[np.ndarray], sizes: Sequence[int]
) -> dict[SSAValue, np.ndarray]:
    if len(arrays) != len(func.tensors):
        raise CallError(
            f"@{func.sym_name.data} takes {len(func.tensors)} tensors, got {len(arrays)}"
        )
    bound = {}
    for position, (argument, array) in enumerate(zip(func.tensors, arrays, strict=True)):
        shape = _shape(func.shape_of(position), sizes)
        if array.shape != shape:
            raise CallError(f"{name_of(argument)} has shape {array.shape}, expected {shape}")
        if array.dtype != _storage(argument.type):
            raise CallError(
                f"{name_of(argument)} has dtype {array.dtype}, expected {_storage(argument.type)}"
            )
        bound[argument] = array.view(_scalar(argument.type))
    return bound


def _shape(extents: Sequence[AffineExpr], sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(max(0, extent.eval(sizes, [])) for extent in extents)


@dataclass(frozen=True)
class _Equation:
    """An equation to evaluate, with the scalars and tensors known where it stands."""

    op: te.ComputeOp
    scalars: Mapping[SSAValue, Lanes]
    tensors: Mapping[SSAValue, Elements]
    externals: Mapping[str, External]

    def values(self) -> list[np.ndarray]:
        """The tensors that it defines, one per result."""
        return _over_elements(self.op, self.scalars, self.values_at)

    def values_at(self, count: int, points: list[Lanes]) -> list[Lanes]:
        """The elements at `count` points, which are given by data axis."""
        if self.op.is_reduction:
            return self._fold(count, points)
        return self._evaluate(self.op.body, count, points)

    @property
    def extents(self) -> list[int]:
        """How many elements it has along each data axis."""
        return [len(axis) for axis in _ranges(self.op, self.scalars, self.op.data_axes.value.data)]

    def _fold(self, count: int, points: list[Lanes]) -> list[Lanes]:
        if self.op.has_init:
            results = self._evaluate(self.op.init, count, points)
        else:
            assert self.op.identity is not None
            results = [np.broadcast_to(constant(x), count) for x in self.op.identity]
        for lanes, at in self._reduce_points(np.arange(count), points):
            values = self._evaluate(self.op.body, len(lanes), at)
            values = [*(result[lanes] for result in results), *values]
            combined = self._evaluate(self.op.combine, len(lanes), values)
            if len(lanes) == count:
                results = combined
                continue
            results = [np.array(result) for result in results]
            for result, one in zip(results, combined, strict=True):
                result[lanes] = one
        return results

    def _reduce_points(
        self, lanes: Lanes, points: list[Lanes]
    ) -> Iterator[tuple[Lanes, list[Lanes]]]:
        """The points of the reduce axes, in order: the lanes that have one, and it, by axis."""
        if len(points) == len(self.op.lowers.data.results):
            yield lanes, points
            return
        lower, upper = self._bounds(points, len(lanes))
        if len(lanes) and (steps := int(upper.max()) - int(lower.min())) > MOST_STEPS:
            axis = name_of(self.op.body.block.args[len(points)])
            message = f"{axis} has {steps} iterations, the interpreter runs at most {MOST_STEPS}"
            raise InterpretError(message, self.op)
        for index in range(lower.min(), upper.max()) if len(lanes) else ():
            inside = (lower <= index) & (index < upper)
            if inside.any():
                left = lanes[inside]
                at = [*(point[inside] for point in points), np.full(len(left), index, np.int64)]
                yield from self._reduce_points(left, at)

    def _bounds(self, points: list[Lanes], count: int) -> tuple[Lanes, Lanes]:
        """The bounds of the axis behind those that have these points, in each lane."""
        pair = self.op.bounds.pairs()[len(points)]
        values: list[Any] = [*(self.scalars[size] for size in self.op.sizes), *points]
        lower, upper = (np.broadcast_to(bound.eval(values, []), count) for bound in pair)
        if len(points) not in self.op.data_bounded:
            return lower, upper
        region, number = self.op.bounds_from_data, self.op.data_bounded.index(len(points))
        data = points[: self.op.data_axes.value.data]
        first, end = self._evaluate(region, count, data)[2 * number : 2 * number + 2]
        outside = (first < end) & ((first < lower) | (upper < end))
        if outside.any():
            lane = int(outside.argmax())
            axis = name_of(self.op.body.block.args[len(points)])
            raise InterpretError(
                f"{axis} runs from {first[lane]} to {end[lane]}, outside of {lower[lane]} to "
                f"{upper[lane]}, which the equation promises, in "
                + place_of(self.op, dict(zip(region.block.args, data, strict=True)), lane),
                self.op,
            )
        return first, end

    def _evaluate(self, region: Region, count: int, arguments: Sequence[Lanes]) -> list[Lanes]:
        """The values that a region yields in `count` lanes, for these arguments of its block."""
        scalars = {value: np.broadcast_to(one, count) for value, one in self.scalars.items()}
        scalars.update(zip(region.block.args, arguments, strict=True))
        points = PointRunner(self.op, count, scalars, self.tensors, self.externals)
        return points.run_block(region.block)


def _update(
    op: te.UpdateOp,
    scalars: Mapping[SSAValue, Lanes],
    tensors: Mapping[SSAValue, np.ndarray],
    externals: Mapping[str, External],
) -> list[np.ndarray]:
    """The tensors that an update changes, as they are after its last point."""
    sizes = [int(scalars[operand][0]) for operand in op.bounds.operands]
    pairs, data = op.bounds.pairs(), op.data_axis_count
    of_elements = [0] * data  # which no bound of another axis is over

    def points(region: Region, count: int, places: Sequence[Lanes], states: Sequence[np.ndarray]):
        known = {value: np.broadcast_to(one, count) for value, one in scalars.items()}
        known.update(zip(axes_in(region.block), places, strict=True))
        arrays = dict(zip(outputs_in(region.block), states, strict=True))
        return PointRunner(op, count, known, {**tensors, **arrays}, externals)

    def begin(count: int, places: list[Lanes]) -> list[Lanes]:
        return points(op.init, count, places, []).run_block(op.init.block)

    states = _over_elements(op, scalars, begin)

    def at(region: Region, point: Sequence[int]) -> PointRunner:
        return points(region, 1, [np.array([index], np.int64) for index in point], states)

    run_points(
        [_bounds(*pair, [*sizes, *of_elements]) for pair in pairs[data:]],
        body=lambda point: at(op.body, point).run_all(op.body.block),
        has_ended=lambda point: bool(at(op.until, point).run_block(op.until.block)[0][0]),
        until=len(axes_in(op.until.block)) if op.has_until else 0,
    )
    return states


def _over_elements(
    op: te.ComputeOp | te.UpdateOp,
    scalars: Mapping[SSAValue, Lanes],
    values_at: Callable[[int, list[Lanes]], list[Lanes]],
) -> list[np.ndarray]:
    """The tensors whose elements `values_at` gives at so many points of the data axes."""
    ranges = _ranges(op, scalars, op.data_axes.value.data)
    extents = [len(axis) for axis in ranges]
    with _fitting(op, extents):
        points = [one + axis.start for one, axis in zip(_all_points(extents), ranges, strict=True)]
        count = math.prod(extents)
        if op.bounds.domain is None:
            return [np.array(one).reshape(extents) for one in values_at(count, points)]
        inside = np.broadcast_to(in_domain(op, points, scalars), count)
        there = values_at(int(inside.sum()), [one[inside] for one in points])
        results = [np.zeros(extents, one.dtype) for one in there]
        for result, values in zip(results, there, strict=True):
            result.reshape(-1)[inside] = values
        return results


def _bounds(lower: AffineExpr, upper: AffineExpr, known: Sequence[int]) -> Bounds:
    """Where an axis of a domain runs; bounds are over what is `known`, then the axes before."""
    return lambda point: range(lower.eval([*known, *point], []), upper.eval([*known, *point], []))


def _ranges(
    op: te.ComputeOp | te.UpdateOp | te.ExternOp | te.ScanOp,
    scalars: Mapping[SSAValue, Lanes],
    count: int | None = None,
) -> list[range]:
    """Where the axes of an operation run, or the first ones, whose bounds are over sizes."""
    operands = [int(scalars[operand][0]) for operand in op.bounds.operands]
    return [
        range(lower.eval(operands, []), upper.eval(operands, []))
        for lower, upper in op.bounds.pairs()[:count]
    ]


def _all_points(extents: Sequence[int]) -> list[Lanes]:
    """Every point of a box, by axis."""
    return [axis.ravel() for axis in np.indices(extents, np.int64)]


@contextmanager
def _fitting(op: Operation, extents: Sequence[int]):
    """Refuses a box that has too many points for an array."""
    count = math.prod(extents)
    try:
        if count >= 2**59:  # NumPy refuses such arrays in other words
            raise MemoryError
        yield
    except (MemoryError, OverflowError):
        raise InterpretError(f"its {count} points do not fit in memory", op) from None


def _scan(
    op: te.ScanOp,
    scalars: Mapping[SSAValue, Lanes],
    tensors: Mapping[SSAValue, np.ndarray],
    externals: Mapping[str, External],
) -> list[np.ndarray]:
    """The tensors that a scan defines, one per result."""
    sizes = [int(scalars[size][0]) for size in op.sizes]
    until = op.until.eval([int(scalars[size][0]) for size in op.until_sizes], [])
    results, points = [], []
    for number, tensor in enumerate(op.tensors):
        extents = [extent.eval(sizes, []) for extent in op.shape_of(number)]
        with _fitting(op, extents):
            results.append(np.zeros(extents, _scalar(tensor.type)))
            points.append(_all_points(extents[1:]))
    known: dict[SSAValue, Elements] = {**tensors}
    states = [State(op.stage_name.data, result) for result in results]
    known.update(zip(op.states, states, strict=True))
    for step in op.body.block.ops:
        if isinstance(step, te.ComputeOp):
            equation = _Equation(step, scalars, known, externals)
            known.update(zip(step.tensors, _on_demand(equation), strict=True))
        elif isinstance(step, te.ExternOp):
            code = _Code(step, scalars, known, externals)
            for number, (tensor, output) in enumerate(zip(step.tensors, code.outputs, strict=True)):
                known[tensor] = OnDemand(output.shape, output.dtype, code.values_at, number)
    inits, updates = ([known[one] for one in given] for given in (op.inits, op.updates))
    try:
        run_steps(states, until, inits, updates, points)
    except Undefined as error:
        raise InterpretError(f'{error} in stage "{op.stage_name.data}"', op) from None
    except RecursionError:
        raise InterpretError(
            f"its {len(op.body.block.ops) - 1} steps read each other too deeply to interpret", op
        ) from None
    return results


def _on_demand(step: _Equation) -> list[OnDemand]:
    """The results of an equation of a scan, evaluated as they are read."""
    with _fitting(step.op, step.extents):
        return [
            OnDemand(step.extents, _scalar(tensor.type), step.values_at, number)
            for number, tensor in enumerate(step.op.tensors)
        ]


def _scalar(type: Attribute) -> np.dtype:
    assert isinstance(type, TensorType)
    return scalar_dtype(type.get_element_type())


def _storage(type: Attribute) -> np.dtype:
    assert isinstance(type, TensorType)
    return storage_dtype(type.get_element_type())
