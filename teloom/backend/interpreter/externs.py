"""Runs the code of an extern op by op on NumPy arrays; functions that it calls are called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects import cf, func, llvm, memref, scf, vector
from xdsl.dialects.builtin import TensorType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.subviews import is_same_view, kept_axes, mixed
from teloom.backend.call.callbacks import External
from teloom.backend.interpreter.recurrences import memory_of
from teloom.backend.interpreter.scalars import Lanes, Undefined, Unsupported, scalar_dtype
from teloom.dialects import loop, te
from teloom.dialects.bodies.box_buffers import BoxBufferOp
from teloom.dialects.interfaces import Rules
from teloom.dialects.upstream import amx
from teloom.dialects.upstream.accesses import accesses_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class ExternRun:
    """One run of the code of an extern, in one lane.

    `boxes` are the arrays of tensors and buffers, at first those of its inputs and outputs,
    row-major and without gaps; tensors of a scan are no arrays. `scalars` are the other values.
    `run_scalar` runs an op that has no rule here. `externals` are functions with an address; others
    are found in this process.
    """

    scalars: dict[SSAValue, Lanes]
    boxes: dict[SSAValue, Any]
    run_scalar: Callable[[Operation], None]
    externals: Mapping[str, External]
    memories: dict[SSAValue, Array] = field(default_factory=dict)

    def run_block(self, block: Block) -> list[Lanes]:
        """Runs a block and returns what its terminator yields.

        Raises `Unsupported` for an op that has no meaning here, `Undefined` for an access
        outside of a buffer and for an assertion that does not hold.
        """
        for op in block.ops:
            if isinstance(op, scf.YieldOp | scf.ConditionOp):
                return [self.scalars[value] for value in op.operands]
            self._run(op)
        return []

    def _run(self, op: Operation) -> None:
        rule = EFFECTS[type(op)]
        if rule is None:
            self.run_scalar(op)
        else:
            rule(self, op)

    def _realize(self, op: loop.RealizeOp) -> None:
        offsets = self._affine(op.offsets.data.results, op.operands_)
        if any(offsets):
            raise Unsupported(f"the interpreter knows no loop.realize that starts at {offsets}")
        extents = self._affine(op.extents.data.results, op.operands_)
        shape = [max(extent, 0) for extent in extents]
        self.boxes[op.tensor] = np.zeros(shape, scalar_dtype(op.tensor.type.element_type))

    def _broadcast(self, op: vector.BroadcastOp) -> None:
        lanes = (1, _count(op.vector.type))
        self.scalars[op.vector] = np.broadcast_to(self.scalars[op.source], lanes)

    def _cast(self, op: memref.CastOp) -> None:
        if not is_same_view(op):
            self.run_scalar(op)
            return
        self.boxes[op.dest] = self.boxes[op.source]
        self.memories[op.dest] = self.memories[op.source]

    def _assert(self, op: cf.AssertOp) -> None:
        if not self.scalars[op.arg][0]:
            raise Undefined(op.msg.data, 0)

    def _choose(self, op: scf.IfOp) -> None:
        branch = op.true_region if self.scalars[op.cond][0] else op.false_region
        results = self.run_block(branch.block) if branch.blocks else []
        self.scalars.update(zip(op.results, results, strict=True))

    def _while(self, op: scf.WhileOp) -> None:
        values = [self.scalars[value] for value in op.arguments]
        before, after = op.before_region.block, op.after_region.block
        while True:
            self.scalars.update(zip(before.args, values, strict=True))
            holds, *passed = self.run_block(before)
            if not holds[0]:
                break
            self.scalars.update(zip(after.args, passed, strict=True))
            values = self.run_block(after)
        self.scalars.update(zip(op.results, passed, strict=True))

    def _loop(self, op: loop.ForOp) -> None:
        lower = max(self._affine(op.lower.data.results, op.operands_))
        upper = min(self._affine(op.upper.data.results, op.operands_))
        for position in range(lower, upper):
            self._set(op.induction_variable, position)
            self.run_block(op.body.block)

    def _take(self, op: BoxBufferOp) -> None:
        memory = self.boxes[op.tensor]
        offsets = self._affine(op.offsets.data.results, op.operands_)
        starts = [int(np.max(one)) for one in starts_of(op.tensor, self.scalars)]
        offsets = [offset - start for offset, start in zip(offsets, starts, strict=True)]
        extents = self._affine(op.extents.data.results, op.operands_)
        sides = zip(offsets, extents, memory.shape, strict=True)
        for axis, (offset, extent, whole) in enumerate(sides):
            if extent > 0 and not 0 <= offset <= offset + extent <= whole:
                raise Undefined(
                    f"axis {axis} of a {op.name} runs from {offset} to {offset + extent}, outside "
                    f"its extent {whole},",
                    0,
                )
        sides = zip(offsets, extents, strict=True)
        parts = [range(offset, offset + max(extent, 0)) for offset, extent in sides]
        memory = memory_of(memory, parts)
        kept = [slice(part.start, part.stop) for part in parts]
        box = memory[(*kept, ...)][(*[0] * op.left_out, ...)]
        self.boxes[op.buffer], self.memories[op.buffer] = box, memory

    def _metadata(self, op: memref.ExtractStridedMetaDataOp) -> None:
        box, memory = self.boxes[op.source], self.memories[op.source]
        self._set(op.offset, (_address(box) - _address(memory)) // box.itemsize)
        for value, size in zip(op.sizes, box.shape, strict=True):
            self._set(value, size)
        for value, stride in zip(op.strides, box.strides, strict=True):
            self._set(value, stride // box.itemsize)

    def place(self, buffer: SSAValue, indices: Sequence[SSAValue]) -> tuple[int, ...]:
        """The subscripts of an element. Raises `Undefined` for one outside of the buffer."""
        return self._checked(buffer, [*map(self._int, indices)])

    def _checked(self, buffer: SSAValue, place: Sequence[int]) -> tuple[int, ...]:
        shape = self.boxes[buffer].shape
        for axis, (position, extent) in enumerate(zip(place, shape, strict=True)):
            if not 0 <= position < extent:
                raise Undefined(
                    f"subscript {axis} of a buffer is {position}, outside its extent {extent},", 0
                )
        return tuple(place)

    def _access(self, op: Operation) -> None:
        """Loads or stores an element, or those of a vector."""
        (access,) = accesses_of(op)
        box, value = self.boxes[access.buffer], access.value
        assert value is not None
        place = self._checked(access.buffer, self._affine(access.subscripts, access.indices))
        at: list[int | slice] = [*place]
        if isinstance(value.type, VectorType):
            end = place[-1] + _count(value.type)
            if end > box.shape[-1]:
                raise Undefined(
                    f"a vector of a buffer ends at {end}, outside its extent {box.shape[-1]},", 0
                )
            at[-1] = slice(place[-1], end)
        if access.writes:
            box[tuple(at)] = self.scalars[value][0]
        else:
            self.scalars[value] = np.array([box[tuple(at)]])

    def _load_tile(self, op: amx.TileLoadOp) -> None:
        self.scalars[op.result] = self.boxes[op.base][self._places(op)]

    def _store_tile(self, op: amx.TileStoreOp) -> None:
        self.boxes[op.base][self._places(op)] = self.scalars[op.val]

    def _places(self, op: amx.TileAccessOp) -> tuple[Array, ...]:
        """The subscripts of the elements of a tile, row by row."""
        type = op.tile.type
        assert isinstance(type, amx.TileType)
        rows, columns = np.ogrid[: type.shape[0], : type.shape[1]]
        first = [*map(self._int, op.indices)]
        if op.stride is None:
            places = first[0] + rows, first[1] + columns
        else:
            places = (first[0] + rows * self._int(op.stride) + columns,)
        for end in (min, max):
            self._checked(op.base, [end(one.flat) for one in places])
        return places

    def _zero_tile(self, op: amx.TileZeroOp) -> None:
        type = op.result.type
        self.scalars[op.result] = np.zeros(type.shape, scalar_dtype(type.element_type))

    def _multiply_tiles(self, op: amx.TileMulIOp | amx.TileMulFOp) -> None:
        sums = self.scalars[op.acc]
        unsigned = op.are_unsigned if isinstance(op, amx.TileMulIOp) else (False, False)
        left, right = (
            (factor.view(np.uint8) if changes else factor).astype(sums.dtype)
            for factor, changes in zip(map(self.scalars.get, (op.lhs, op.rhs)), unsigned)
        )
        assert isinstance(op.rhs.type, amx.TileType)
        groups = right.reshape(len(right), -1, op.rhs.type.group).swapaxes(1, 2)
        self.scalars[op.result] = sums + left @ groups.reshape(left.shape[1], -1)

    def _part(self, op: memref.SubviewOp) -> None:
        box, kept = self.boxes[op.source], kept_axes(op)
        if kept is None:
            raise Unsupported(f"memref.subview of {op.source.type} gives no {op.result.type}")
        sides: list[slice | int] = []
        offsets, sizes, steps = (
            [one if isinstance(one, int) else self._int(one) for one in mixed(static, dynamic)]
            for static, dynamic in (
                (op.static_offsets, op.offsets),
                (op.static_sizes, op.sizes),
                (op.static_strides, op.strides),
            )
        )
        for axis, (offset, size, step) in enumerate(zip(offsets, sizes, steps, strict=True)):
            end = offset + (size - 1) * step + 1
            if step < 1 or (size > 0 and not 0 <= offset < end <= box.shape[axis]):
                raise Undefined(
                    f"axis {axis} of a memref.subview runs from {offset} to {end} by {step}, "
                    f"outside its extent {box.shape[axis]},",
                    0,
                )
            sides.append(slice(offset, max(end, offset), step) if axis in kept else offset)
        self.boxes[op.result] = box[tuple(sides)]
        self.memories[op.result] = self.memories[op.source]

    def _for(self, op: scf.ForOp) -> None:
        variable, *carried = op.body.block.args
        values = [self.scalars[value] for value in op.iter_args]
        for position in range(self._int(op.lb), self._int(op.ub), self._int(op.step)):
            self._set(variable, position)
            self.scalars.update(zip(carried, values, strict=True))
            values = self.run_block(op.body.block)
        self.scalars.update(zip(op.results, values, strict=True))

    def _if(self, op: loop.IfOp) -> None:
        holds = any(
            all(value == 0 for value in self._affine(one.equalities, op.operands_))
            and all(value >= 0 for value in self._affine(one.inequalities, op.operands_))
            for one in op.alternatives
        )
        if holds:
            self.run_block(op.then_body.block)
        elif op.else_body is not None:
            self.run_block(op.else_body.block)

    def _call(self, op: func.CallOp) -> None:
        arguments = [self.scalars[operand][0].item() for operand in op.operands]
        value = called(op, arguments, self.externals)
        if op.results:
            self.scalars[op.results[0]] = np.array([value], _dtype(op.results[0].type))

    def _affine(self, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]) -> list[int]:
        values = [self._int(operand) for operand in operands]
        return [expr.eval(values, []) for expr in exprs]

    def _int(self, value: SSAValue) -> int:
        return int(self.scalars[value][0])

    def _set(self, value: SSAValue, number: int) -> None:
        self.scalars[value] = np.array([number], np.int64)


def called(op: func.CallOp, arguments: Sequence[Any], externals: Mapping[str, External]) -> Any:
    """The result of a call of a function of this process or of `externals`; 0 if it has none."""
    name = op.callee.string_value()
    types = [_c_type(operand.type) for operand in op.operands]
    result = _c_type(op.results[0].type) if op.results else None
    return ctypes.CFUNCTYPE(result, *types)(_address_of(name, externals))(*arguments) or 0


def _address_of(name: str, externals: Mapping[str, External]) -> int:
    if name in externals:
        return externals[name].address
    process = ctypes.CDLL(None)
    if not hasattr(process, name):
        raise Unsupported(f"there is no function {name} in this process")
    address = ctypes.cast(getattr(process, name), ctypes.c_void_p).value
    assert address is not None
    return address


EFFECTS: Rules[Callable[[ExternRun, Any], None]] = Rules(
    {
        BoxBufferOp: ExternRun._take,
        loop.RealizeOp: ExternRun._realize,
        loop.LoadOp: ExternRun._access,
        loop.StoreOp: ExternRun._access,
        loop.ForOp: ExternRun._loop,
        loop.IfOp: ExternRun._if,
        memref.LoadOp: ExternRun._access,
        memref.StoreOp: ExternRun._access,
        memref.SubviewOp: ExternRun._part,
        memref.CastOp: ExternRun._cast,
        memref.DimOp: lambda run, op: run._set(
            op.result, run.boxes[op.source].shape[run._int(op.index)]
        ),
        memref.ExtractStridedMetaDataOp: ExternRun._metadata,
        memref.ExtractAlignedPointerAsIndexOp: lambda run, op: run._set(
            op.aligned_pointer, _address(run.memories[op.source])
        ),
        vector.LoadOp: ExternRun._access,
        vector.StoreOp: ExternRun._access,
        amx.TileLoadOp: ExternRun._load_tile,
        amx.TileStoreOp: ExternRun._store_tile,
        amx.TileZeroOp: ExternRun._zero_tile,
        amx.TileMulIOp: ExternRun._multiply_tiles,
        amx.TileMulFOp: ExternRun._multiply_tiles,
        vector.BroadcastOp: ExternRun._broadcast,
        llvm.IntToPtrOp: lambda run, op: run.scalars.update({op.output: run.scalars[op.input]}),
        func.CallOp: ExternRun._call,
        cf.AssertOp: ExternRun._assert,
        scf.IfOp: ExternRun._choose,
        scf.WhileOp: ExternRun._while,
        scf.ForOp: ExternRun._for,
    }
)
"""How each op runs; one without a rule computes from scalars alone."""


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _count(type: Attribute) -> int:
    """The lanes of a vector with one axis."""
    if not isinstance(type, VectorType) or type.get_num_dims() != 1:
        raise Unsupported(f"the interpreter has no {type} of a buffer")
    return type.get_shape()[0]


def _dtype(type: Attribute) -> np.dtype:
    return np.dtype(np.int64) if isinstance(type, llvm.LLVMPointerType) else scalar_dtype(type)


def _c_type(type: Attribute) -> Any:
    if isinstance(type, llvm.LLVMPointerType):
        return ctypes.c_void_p
    try:
        return np.ctypeslib.as_ctypes_type(scalar_dtype(type))
    except NotImplementedError:
        raise Unsupported(f"the interpreter passes no {type} to a function") from None


def definition_of(tensor: SSAValue) -> te.ComputeOp | te.UpdateOp | None:
    """The op that declares the positions of a tensor's elements; None if they count from 0."""
    owner = tensor.owner
    op = owner.parent_op() if isinstance(owner, Block) else owner
    return op if isinstance(op, te.ComputeOp | te.UpdateOp) else None


def starts_of(tensor: SSAValue, scalars: Mapping[SSAValue, Lanes]) -> list[Lanes | int]:
    """Where the axes of a tensor start, at sizes that are among the scalars."""
    op, type = definition_of(tensor), tensor.type
    assert isinstance(type, TensorType | loop.TensorType)
    rank = type.get_num_dims() if isinstance(type, TensorType) else type.rank.data
    if op is None:
        return [0] * rank
    sizes: list[Any] = [scalars[size] for size in op.sizes]
    return [lower.eval(sizes, []) for lower, _ in op.bounds.pairs()[:rank]]
