"""Runs tests through WebAssembly, too: each call of a kernel once more, in a module under node.

    python -m pytest -p through_wasm tests/programs tests/examples

A test fails where the results differ. At the end stand the numbers of programs that were
compared, and of those that are in no module, with the reasons.
"""

import ctypes
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from through_c import compare
from wasm_modules import Call, run

from teloom.backend.call.kernel import Kernel
from teloom.backend.library.c_signature import CFunction
from teloom.driver.library.writing import Part, write_library
from teloom.driver.program import Program
from teloom.errors import Error

TARGETS = ("wasm32-simd128", "wasm32")

seen: Counter[str] = Counter()
_turns = count()


def pytest_configure(config: pytest.Config) -> None:
    """Puts itself between programs and their kernels."""
    compiled, call = Program._compiled, Kernel.__call__

    def compile_both(program: Program, functions: Any) -> list[Kernel]:
        kernels = compiled(program, functions)
        for kernel in kernels:
            vars(kernel)["wasm"] = _in_wasm(Part(kernel.signature, program))
        return kernels

    def call_both(kernel: Kernel, *values: object) -> None:
        found = vars(kernel).get("wasm")
        before = None if found is None else _memory(kernel, values)
        call(kernel, *values)
        if found is None or before is None:
            return
        after = _memory(kernel, values)
        assert after is not None
        order = CFunction(kernel.signature, ()).arrays
        sizes, arrays = before
        given = [np.frombuffer(arrays[number], "uint8") for number in order]
        (made,), _ = run(found, [Call(kernel.signature.name, sizes, given)])
        assert made.said.endswith("it is done"), made.said
        for number, one in zip(order, made.arrays, strict=True):
            argument = kernel.signature.arguments[number]
            if argument.output:
                dtype = np.dtype(argument.dtype)
                compare(one.view(dtype), np.frombuffer(after[1][number], dtype))

    setattr(Program, "_compiled", compile_both)
    setattr(Kernel, "__call__", call_both)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reason, number in seen.most_common():
        terminalreporter.write_line(f"{number:5} {reason}")


def _in_wasm(part: Part) -> Path | None:
    """The module of a function; None if there is none."""
    target = TARGETS[next(_turns) % len(TARGETS)]
    file = Path(tempfile.mkdtemp(), "program.wasm")
    try:
        write_library([part], file, target)
    except Error as error:
        seen[f"no module: {error}"] += 1
        return None
    seen[f"as {target}"] += 1
    return file


def _memory(kernel: Kernel, values: tuple[object, ...]) -> tuple[Any, list[bytes]] | None:
    """The sizes of a call, and the bytes of its arrays; None if it is refused."""
    try:
        call, checked = kernel._prepared(values)
    except Error:
        return None
    bytes_of = zip(call.addresses, checked.before, checked.reached, strict=True)
    return call.sizes, [ctypes.string_at(at, before + more) for at, before, more in bytes_of]
