"""Runs tests through C, too: each call of a kernel once more, by the C source of its program.

    python -m pytest -p through_c tests/programs tests/examples

A test fails where the results differ. At the end stand the numbers of programs that were
compared, and of those that have no C source, with the reasons.
"""

import ctypes
from collections import Counter
from typing import Any

import numpy as np
import pytest
from c_functions import library
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from teloom.backend.c.source import VECTOR_FORMS, c_source
from teloom.backend.call import compiled
from teloom.backend.call.kernel import Kernel
from teloom.driver import compilation
from teloom.driver.reading.parsed_text import parsed
from teloom.errors import Error, PassError
from teloom.passes import pass_named
from teloom.passes.pipelines import LEVELS

STANDARD = "test.standard"
"""The attribute of a module that keeps its text at level standard."""

TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12}
"""What results may differ by, relative to the largest: sums are contracted, or not."""

seen: Counter[str] = Counter()
_forms: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Puts itself between the compiler and its kernels."""
    first, _ = LEVELS["llvm"][0]
    behind_standard = pass_named(first)
    lower, kernels_of, call = behind_standard.apply, compiled.kernels_of, Kernel.__call__

    def keep_standard(step: ModulePass, context: Context, module: ModuleOp) -> None:
        module.attributes[STANDARD] = StringAttr(str(module))
        lower(step, context, module)

    def compile_both(module: ModuleOp, *given: Any, **named: Any) -> list[Kernel]:
        standard = module.attributes.pop(STANDARD, None)
        kernels = kernels_of(module, *given, **named)
        if isinstance(standard, StringAttr):
            for kernel in kernels:
                vars(kernel)["c"] = _in_c(standard.data, kernel)
        return kernels

    def call_both(kernel: Kernel, *values: object) -> None:
        found = vars(kernel).get("c")
        if found is None:
            call(kernel, *values)
            return
        outputs = _outputs(kernel, values)
        before = [one.copy() for one in outputs]
        call(kernel, *values)
        after = [one.copy() for one in outputs]
        for one, copy in zip(outputs, before, strict=True):
            one[...] = copy
        own = kernel._entry, kernel.check
        kernel._entry, kernel.check = found, _nothing
        try:
            call(kernel, *values)
        finally:
            kernel._entry, kernel.check = own
        for one, copy in zip(outputs, after, strict=True):
            compare(one, copy)

    for place, name, replacement in (
        (behind_standard, "apply", keep_standard),
        (Kernel, "__call__", call_both),
        (compiled, "kernels_of", compile_both),
        (compilation, "kernels_of", compile_both),
    ):
        setattr(place, name, replacement)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reason, number in seen.most_common():
        terminalreporter.write_line(f"{number:5} {reason}")


def _nothing(*arguments: object) -> None:
    """A check that finds nothing: with one, a call runs on guarded copies."""


def _in_c(text: str, kernel: Kernel) -> Any:
    """The function in C; None if there is none."""
    if kernel._externals:
        seen["no C: functions of this process"] += 1
        return None
    try:
        form = VECTOR_FORMS[len(_forms) % 2]
        source = c_source(parsed(text, "standard"), form)
    except PassError as error:
        seen[f"no C: {error}"] += 1
        return None
    name = kernel.signature.name
    found = getattr(library(source), _c_name(source, name))
    sizes = len(kernel.signature.sizes)
    arrays = len(kernel.signature.arguments)
    found.argtypes = [ctypes.c_int64] * sizes + [ctypes.c_void_p] * arrays
    found.restype = ctypes.c_int32
    seen[f"in C, vectors as {form}"] += 1
    _forms.append(form)
    return found


def _c_name(source: str, name: str) -> str:
    """The name in C: another one where C has that name itself."""
    return name if f" {name}(" in source else f"{name}_"


def _outputs(kernel: Kernel, values: tuple[object, ...]) -> list[np.ndarray]:
    try:
        call, _ = kernel._prepared(values)
    except Error:
        return []  # the call is refused
    return [call.arrays[number] for number in kernel._outputs]


def compare(found: np.ndarray, expected: np.ndarray) -> None:
    """Asserts that results agree with known ones, as closely as their type and sums allow."""
    tolerance = TOLERANCES.get(found.dtype.name)
    if tolerance is None:
        np.testing.assert_array_equal(found, expected)
        return
    wide, known = found.astype("float64"), expected.astype("float64")
    finite = np.abs(known[np.isfinite(known)])
    largest = float(np.max(finite, initial=0))
    np.testing.assert_allclose(wide, known, rtol=tolerance, atol=tolerance * largest)
