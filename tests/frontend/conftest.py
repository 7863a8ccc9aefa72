"""What the tests of the frontend share: IR compared as structure, numbers by the interpreter."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.parser import Parser

from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.dialects.te import FuncOp


@pytest.fixture
def assert_ir(ctx: Context) -> Callable[..., None]:
    """`assert_ir(tensors, text)`: the `te.func` of these tensors is the one in the text."""

    def check(tensors: Any, text: str) -> None:
        found = te.create_schedule(tensors).module.body.block.first_op
        expected = Parser(ctx, text).parse_module()
        expected.verify()
        func = expected.body.block.first_op
        assert isinstance(func, FuncOp)
        assert found is not None
        # Copies, because operations in different modules are never equivalent.
        assert found.clone().is_structurally_equivalent(func.clone()), f"{found}\nis not\n{func}"

    return check


@pytest.fixture
def assert_body(assert_ir: Callable[..., None]) -> Callable[..., None]:
    """`assert_body(dtype, value, result, text)`: what the equation `value(A, i, j)` becomes.

    A is 8 x 8 of `dtype`; `text` stands between the axes and the yield of `%r`, a `result`.
    """
    elements = {"float32": "f32", "uint8": "ui8", "int32": "i32", "bool": "i1", "float16": "f16"}
    elements |= {"bfloat16": "bf16", "int8": "i8", "uint32": "ui32", "uint64": "ui64"}

    def check(dtype: str, value: Callable, result: str, text: str) -> None:
        A = te.placeholder((8, 8), dtype, name="A")
        B = te.compute((8, 8), lambda i, j: value(A, i, j), name="B")
        argument, tensor = f"tensor<8x8x{elements[dtype]}>", f"tensor<8x8x{result}>"
        scalar = result.replace("ui", "i")
        assert_ir(
            B,
            f"""
            te.func @main(%A: {argument}) -> ({tensor}) {{
              %B = te.compute "B" (%i = 8, %j = 8) : {tensor} {{
                {text}
                te.yield %r : {scalar}
              }}
              te.return %B : {tensor}
            }}""",
        )

    return check


@pytest.fixture
def evaluate() -> Callable[..., np.ndarray]:
    """`evaluate(function, *arrays)`: the interpreter's value of `function` at every element."""

    def run(function: Callable, *arrays: np.ndarray) -> np.ndarray:
        tensors = [te.placeholder(array.shape, array.dtype) for array in arrays]
        output = te.compute(
            arrays[0].shape, lambda *i: function(*(tensor(*i) for tensor in tensors))
        )
        schedule = te.create_schedule(output)
        used = [tensor for tensor in schedule.program.tensors if tensor in tensors]
        values = [arrays[tensors.index(tensor)] for tensor in used]
        return interpret(schedule.module, "main", values)[0]

    return run
