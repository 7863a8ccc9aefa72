"""`tvm.runtime.Module`: compiled functions with the methods of TVM's modules."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from teloom.backend.call.array_dtypes import BFLOAT16
from teloom.driver.function import Function
from teloom.errors import Error, check_names
from teloom.frontend.call.export import export
from teloom.frontend.call.loading import LibraryFunction, load
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.runtime.device import Device, on_cpu
from teloom.tvm_compat.runtime.ndarray import as_stored
from teloom.tvm_compat.runtime.shared_libraries import create_shared

LEVELS = {"": "llvm-ir", "ll": "llvm-ir", "s": "asm", "asm": "asm"}
"""TVM's formats of sources, as levels of `Function.source`; others are those levels."""


class BenchmarkResult(NamedTuple):
    """Times of one call, in seconds, one for each repetition. Source: TVM's BenchmarkResult."""

    results: Sequence[float]

    @property
    def mean(self) -> float:
        """The mean, in seconds."""
        return statistics.fmean(self.results)

    @property
    def median(self) -> float:
        """The median, in seconds."""
        return statistics.median(self.results)

    @property
    def min(self) -> float:
        """The shortest, in seconds."""
        return min(self.results)

    @property
    def max(self) -> float:
        """The longest, in seconds."""
        return max(self.results)

    @property
    def std(self) -> float:
        """The standard deviation, in seconds."""
        return statistics.pstdev(self.results)


class Module:
    """Compiled functions by their names; called, it is the only one.

    `imported_modules` is empty: there is no code for devices. Source: TVM's runtime.Module.
    """

    type_key = "llvm"

    def __init__(self, functions: Mapping[str, Function | LibraryFunction]):
        self._functions = dict(functions)
        self.imported_modules: list[Module] = []

    def __call__(self, *args: object) -> None:
        """Calls the only function; for bfloat16, arrays of uint16 are bits, as in TVM."""
        if self._short_floats:
            given = enumerate(args)
            args = (*(as_stored(one, k in self._short_floats) for k, one in given),)
        self.entry_func(*args)

    @cached_property
    def _short_floats(self) -> frozenset[int]:
        """The places of the arguments of the only function that are of bfloat16."""
        signature = self.entry_func.kernel.signature
        dtypes = [*("int64" for _ in signature.sizes), *(one.dtype for one in signature.arguments)]
        return frozenset(k for k, at in enumerate(signature.order) if dtypes[at] == BFLOAT16)

    def __getitem__(self, name: str) -> Function | LibraryFunction:
        return self.get_function(name)

    def get_function(self, name: str, query_imports: bool = False) -> Function | LibraryFunction:
        """The function of that name; raises `teloom.Error` for an unknown one."""
        check_names("function", [name], self._functions)
        return self._functions[name]

    @property
    def entry_func(self) -> Function | LibraryFunction:
        """The only function; raises `teloom.Error` if there are several."""
        if len(self._functions) != 1:
            names = ", ".join(self._functions)
            raise Error(f"the module has the functions {names}; module[name] says which is meant")
        return next(iter(self._functions.values()))

    @property
    def entry_name(self) -> str:
        """The name of the only function."""
        return self.entry_func.name

    def get_source(self, fmt: str = "") -> str:
        """The code as text: LLVM IR, with "asm" assembly, or a level of `Function.source`.

        Raises `teloom.Error` for a function that was loaded.
        """
        function = self.entry_func
        if isinstance(function, LibraryFunction):
            raise Error(f"{function.name} was loaded from a library, which has no text of its code")
        return function.source(LEVELS.get(fmt, fmt))

    def export_library(self, file_name: str | os.PathLike[str], fcompile: Any = None) -> None:
        """Writes the functions as a library, `.so`, `.a` or `.o`, and a C header beside it.

        It is `teloom.export`, for the target that the functions are for. `fcompile` may be what
        links libraries anyway. Raises `teloom.Error` for functions that were loaded, too, and for
        another `fcompile`.
        """
        if fcompile not in (None, create_shared):
            raise Error("fcompile is not tvm.contrib.cc.create_shared; write a .o, and link that")
        made = {name: one for name, one in self._functions.items() if isinstance(one, Function)}
        if loaded := [name for name in self._functions if name not in made]:
            raise Error(f"{', '.join(loaded)} was loaded from a library; copy that")
        export(made, file_name)

    def save(self, file_name: str | os.PathLike[str], fmt: str = "") -> None:
        """Writes a library as `export_library`, or with `.ll` or `.s` the text of `get_source`."""
        ending = fmt or Path(file_name).suffix.removeprefix(".")
        if ending and ending in LEVELS:
            Path(file_name).write_text(self.get_source(ending))
        else:
            self.export_library(file_name)

    def time_evaluator(
        self,
        func_name: str,
        dev: Device | None = None,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: int = 0,
        limit_zero_time_iterations: int = 100,
        cooldown_interval_ms: int = 0,
        repeats_to_cooldown: int = 1,
    ) -> Callable[..., BenchmarkResult]:
        """A function that times calls with given arrays: `repeat` times `number` calls.

        A repetition that takes less than `min_repeat_ms` milliseconds is taken again with more
        calls. It sleeps for `cooldown_interval_ms` behind each `repeats_to_cooldown` repetitions.
        As no repetition takes no time here, `limit_zero_time_iterations` changes nothing. Raises
        `teloom.Error` for numbers below 1, and for another device than the CPU.
        """
        function = self.get_function(func_name)
        on_cpu(dev)
        if number < 1 or repeat < 1:
            raise Error(f"number is {number} and repeat is {repeat}; both must be at least 1")

        def timed(*args: object) -> BenchmarkResult:
            call, found = function.bind(*args), list[float]()
            for count in range(1, repeat + 1):
                found.append(_seconds(call, number, min_repeat_ms))
                if cooldown_interval_ms and count % max(1, repeats_to_cooldown) == 0:
                    time.sleep(cooldown_interval_ms / 1000)
            return BenchmarkResult(found)

        return timed

    def __getattr__(self, name: str) -> Any:
        raise missing_part("a module", name)


def load_module(path: str | os.PathLike[str]) -> Module:
    """The functions of a shared library that `export_library` has written.

    It is `teloom.load`, and raises what that does. Source: TVM's runtime.load_module.
    """
    found = load(path)
    return Module({found.name: found} if isinstance(found, LibraryFunction) else found)


def _seconds(call: Callable[[], None], number: int, min_repeat_ms: int) -> float:
    """The mean time of one call, in seconds."""
    while True:
        begin = time.perf_counter()
        for _ in range(number):
            call()
        taken = time.perf_counter() - begin
        if taken * 1000 >= min_repeat_ms:
            return taken / number
        number = max(number + 1, int(number * min_repeat_ms / 1000 / max(taken, 1e-9)) + 1)
