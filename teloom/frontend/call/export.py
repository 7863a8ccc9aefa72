"""`export`: compiled functions as one library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from teloom.dialects.target import Target
from teloom.driver.function import Function
from teloom.driver.library.writing import parts_of, write_library
from teloom.errors import Error

Exported = Function | Mapping[str, Function] | Iterable[Function] | ModuleOp


def export(
    functions: Exported,
    path: str | os.PathLike[str],
    targets: str | Target | Sequence[str | Target] | None = None,
) -> list[Path]:
    """Writes functions as a library for C, and its header beside it; gives both paths.

    They are compiled ones, or those of a module of `lower`, which need not run on this machine.

    `path` ends in `.so`, a shared library, `.wasm`, a module of WebAssembly, `.a`, an archive, or
    `.o`, an object; only the first two need a linker. With several `targets` of one architecture
    the library has code for each, and runs that of the first one whose instructions the CPU has;
    without any it is for the target of the program, or this machine.

    Raises `teloom.Error` for another ending, or that of another machine, targets of several
    architectures, functions of one name or of a name that C does not have, functions that call
    others of this process, and where there is no linker. Nothing is written then.

    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import teloom
    >>> from teloom import te
    >>> A = te.placeholder((te.size_var("n"),), name="A")
    >>> B = te.compute(A.shape, lambda i: A[i] + 1, name="B")
    >>> add_one = teloom.build(te.create_schedule(B.op), [A, B], name="add_one")
    >>> with TemporaryDirectory() as folder:
    ...     library, header = export(add_one, f"{folder}/add_one.so", ["x86-64-v3", "x86-64"])
    ...     loaded = teloom.load(library)
    >>> b = np.empty(3, "float32")
    >>> loaded(np.arange(3, dtype="float32"), b)
    >>> b
    array([1., 2., 3.], dtype=float32)
    """
    if isinstance(functions, Function):
        return functions.export(path, targets)
    if isinstance(functions, ModuleOp):
        return write_library(parts_of(functions), path, targets)
    given = functions.values() if isinstance(functions, Mapping) else functions
    chosen = [*given] if isinstance(given, Iterable) else []
    if not chosen or not all(isinstance(one, Function) for one in chosen):
        raise Error(f"a library is made of compiled functions, got {functions!r}")
    if isinstance(functions, Mapping):
        _check_names(functions)
    return write_library([one.part for one in chosen], path, targets)


def _check_names(functions: Mapping[object, Function]) -> None:
    """Raises `Error` unless each function is listed under its own name."""
    for key, function in functions.items():
        if key != function.name:
            raise Error(
                f"the function that is listed as {key!r} is called {function.name}, and so it is "
                f"in a library; build it with name={key!r}"
            )
