"""Calls of Python functions, by code that stops where one of them raises."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import FunctionType, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue

from teloom.backend.call.callbacks import SUCCEEDED, Callback, NumberParameter, Parameter
from teloom.errors import Error
from teloom.frontend.emit import scalar_ops
from teloom.frontend.emit.externals import Externals
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.dtypes import DType
from teloom.frontend.expr.names import ir_string

Insert = Callable[[Operation], SSAValue]

NUMBERS = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int32}
NUMBERS |= {"int64": ctypes.c_int64}
"""The dtypes of numbers that are passed to Python as they are, and C's types."""

_PASSED_AS = {
    **dict.fromkeys(("float16", "bfloat16"), "float32"),
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16"), "int32"),
    "uint32": "int64",
}


class PythonCalls:
    """Writes calls by what adds ops: `insert` gives the first result of an op, `add` nothing."""

    def __init__(self, externals: Externals, insert: Insert, add: Callable[[Operation], None]):
        self.externals, self.insert, self.add = externals, insert, add

    def call(
        self,
        function: Callable[..., object],
        name: str,
        arguments: Sequence[SSAValue],
        parameters: Sequence[Parameter],
        message: str,
    ) -> None:
        """A call, and a check that the function did not raise, which says `message`."""
        types = [argument.type for argument in arguments]
        symbol = self.externals.name(Callback(function, parameters), name)
        self.externals.declare(symbol, FunctionType.from_lists(types, [i32]))
        status = self.insert(func.CallOp(symbol, arguments, [i32]))
        succeeded = self.insert(arith.ConstantOp(IntegerAttr(SUCCEEDED, i32)))
        holds = self.insert(arith.CmpiOp(status, succeeded, "eq"))
        self.add(cf.AssertOp(holds, ir_string(message)))

    def trace(
        self,
        action: Callable[..., object],
        name: str,
        values: Sequence[SSAValue],
        kinds: Sequence[DType],
    ) -> None:
        """A call with numbers; those that C does not pass are passed as wider ones."""
        passed: list[SSAValue] = []
        parameters: list[NumberParameter] = []
        for value, kind in zip(values, kinds, strict=True):
            wide = _PASSED_AS.get(kind.name, kind.name)
            if wide not in NUMBERS:
                raise Error(f"trace gets a {kind.name}, which Python is not passed; cast it")
            if wide != kind.name:
                value = scalar_ops.convert(value, kind, dtypes.of(wide), self.insert)
            passed.append(value)
            parameters.append(NumberParameter(NUMBERS[wide]))
        self.call(action, name, passed, parameters, f"{name}, which traces, raised")
