"""From calls in the body of an extern to ops."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from xdsl.dialects import arith, cf, func, llvm, memref
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from teloom.backend.call.callbacks import (
    SUCCEEDED,
    ArrayParameter,
    Callback,
    NumberParameter,
    Parameter,
)
from teloom.errors import Error
from teloom.frontend.emit.emission import Emitter
from teloom.frontend.emit.externals import Externals
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import WIDE
from teloom.frontend.expr.expressions import Const, Expr
from teloom.frontend.expr.names import ir_string
from teloom.frontend.extern.buffer_values import BufferValues
from teloom.frontend.extern.extern_calls import Argument, Call, ExternCall, PackedCall
from teloom.frontend.tensor.buffers import Buffer, Pointer
from teloom.frontend.tensor.tensors import ExternOp

INDEX = IndexType()

NUMBERS = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int32}
NUMBERS |= {"int64": ctypes.c_int64}
"""The numbers that a callback may get."""


class CallEmitter:
    """Writes a call in the body of `op` with the emitter of the block in which it stands."""

    def __init__(self, op: ExternOp, buffers: BufferValues, externals: Externals, emitter: Emitter):
        self.op = op
        self.buffers = buffers
        self.externals = externals
        self.emitter = emitter

    def emit(self, call: Call) -> None:
        """Writes a call."""
        if isinstance(call, PackedCall):
            self._packed(call)
        else:
            self._extern(call)

    def _extern(self, call: ExternCall) -> None:
        arguments = [self._widened(argument) for argument in call.arguments]
        results = [] if call.dtype is None else [dtypes.of(call.dtype).scalar]
        name = call.function
        if not isinstance(name, str):
            name = self.externals.name(name, call.name)
        self._call(name, arguments, results)

    def _widened(self, argument: Argument) -> SSAValue:
        """An argument as C passes it: small integers as 32 bits."""
        if isinstance(argument, Expr) and dtypes.of(argument.dtype).kind != dtypes.FLOAT:
            if dtypes.of(argument.dtype).bits < 32:
                return self._argument(argument.astype("int32"))
        return self._argument(argument)

    def _packed(self, call: PackedCall) -> None:
        arguments: list[SSAValue] = []
        parameters: list[Parameter] = []
        for argument in call.arguments:
            if isinstance(argument, Buffer):
                arguments += self._array(argument)
                writable = argument not in self.op.in_buffers
                parameters.append(ArrayParameter(argument.dtype, argument.ndim, writable))
                continue
            assert isinstance(argument, Expr)
            if argument.dtype not in NUMBERS:
                raise Error(
                    f"{call.name} gets {argument}, which is {argument.dtype}; a number that "
                    f"is passed to Python is {', '.join(NUMBERS)}"
                )
            arguments.append(self._argument(argument))
            parameters.append(NumberParameter(NUMBERS[argument.dtype]))
        name = self.externals.name(Callback(call.function, parameters), call.name)
        (status,) = self._call(name, arguments, [i32])
        succeeded = self.emitter.insert(arith.ConstantOp(IntegerAttr(SUCCEEDED, i32)))
        holds = self.emitter.insert(arith.CmpiOp(status, succeeded, "eq"))
        message = ir_string(f"{call.name}, called by {self.op.name}, raised")
        self.emitter.add(cf.AssertOp(holds, message))

    def _call(
        self, name: str, arguments: Sequence[SSAValue], results: Sequence[Attribute]
    ) -> Sequence[SSAValue]:
        types = [argument.type for argument in arguments]
        self.externals.declare(name, FunctionType.from_lists(types, results))
        call = func.CallOp(name, arguments, results)
        self.emitter.add(call)
        return call.results

    def _argument(self, argument: Argument) -> SSAValue:
        match argument:
            case Buffer():
                return self._pointer(argument.access_ptr("r"))
            case Pointer():
                return self._pointer(argument)
            case _:
                return self.emitter.value(argument)

    def _array(self, buffer: Buffer) -> list[SSAValue]:
        """What a callback gets of a buffer."""
        metadata = self.buffers.metadata(buffer)
        pointer = self._pointer(Pointer(buffer, Const(0, "int64"), writes=False))
        numbers = [*metadata.sizes, *metadata.strides]
        return [pointer, *(self.emitter.insert(arith.IndexCastOp(one, i64)) for one in numbers)]

    def _pointer(self, pointer: Pointer) -> SSAValue:
        buffer, insert = pointer.buffer, self.emitter.insert
        metadata = self.buffers.metadata(buffer)
        if pointer.offset is not None and pointer.writes and buffer in self.op.in_buffers:
            raise Error(f"{self.op.name!r} may not write {buffer.name!r}, which is an input")
        address = insert(memref.ExtractAlignedPointerAsIndexOp.get(self.buffers.value(buffer)))
        if pointer.offset is not None:
            element = metadata.offset
            if not isinstance(pointer.offset, Const) or pointer.offset.value:
                element = insert(arith.AddiOp(element, self._index(pointer.offset)))
            width = IntegerAttr(dtypes.of(buffer.dtype).bytes, INDEX)
            bytes = insert(arith.MuliOp(element, insert(arith.ConstantOp(width))))
            address = insert(arith.AddiOp(address, bytes))
        return insert(llvm.IntToPtrOp(insert(arith.IndexCastOp(address, i64))))

    def _index(self, expr: Expr) -> SSAValue:
        value = self._argument(expr if expr.dtype in WIDE else expr.astype("int64"))
        return self.emitter.insert(arith.IndexCastOp(value, INDEX))
