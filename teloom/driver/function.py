"""Compiled programs as functions of arrays, and `compile`, which makes one from IR."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ref

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Signature
from teloom.backend.call.kernel import Kernel
from teloom.backend.call.threads import checked_threads
from teloom.backend.machine.cpus import HERE, target_asked
from teloom.backend.machine.generators import MACHINE_LEVELS
from teloom.dialects.target import Target
from teloom.driver.entry import find_entry, is_checked
from teloom.driver.lowering import Options, Steps, UserPasses, checked_level, steps_of
from teloom.driver.program import Called, Program
from teloom.driver.reading.parsed_text import given_text, parsed, without_places
from teloom.driver.runner import compiling, verify_given
from teloom.errors import CallError, Error, check_names
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.driver.library.writing import Part

# Loaded where they are used: most programs are built to be called.
_LIBRARIES = "teloom.driver.library.writing"
_C_CODE = "teloom.driver.translate.c_code"

CALLED_WITH = inspect.Signature(
    [inspect.Parameter("arrays", inspect.Parameter.VAR_POSITIONAL, annotation=object)],
    return_annotation=None,
)
"""The answer of `inspect.signature`, which does not find `__call__` in attributes of an object."""


class Function:
    """A compiled program. Call it with arrays, in the order given to `build`.

    Arrays are NumPy's, or anything with the array interface or DLPack; they are used in place.
    A wrong argument raises `teloom.CallError`, and a lack of memory for temporary buffers
    `teloom.OutOfMemoryError`. The function can be pickled, unless it calls functions of Python or
    ctypes. Unpickling compiles it again, or takes it from the cache.
    """

    if TYPE_CHECKING:

        def __call__(self, *arrays: object) -> None: ...
    else:
        # A call goes to what this attribute of the object holds, through no function of Python.
        __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(self, kernel: Kernel, program: Program, num_threads: int | None = None):
        """`kernel` is that of a function of the program, perhaps of several."""
        self._num_threads = None if num_threads is None else checked_threads(num_threads)
        self._program, self.kernel = program.only(kernel.signature.name), kernel
        if program.checked and self._program.externals:
            kernel.num_threads = 1  # the second run calls them in the order of the first
        else:
            kernel.num_threads = self._num_threads
        self.__call__ = partial(until_known, kernel, ref(self))
        self.__signature__ = CALLED_WITH

    def __reduce__(self) -> tuple[Any, ...]:
        if self._program.externals:
            called = ", ".join(self._program.externals)
            raise Error(
                f"{self.name} cannot be pickled: it calls {called}, which is in this process only"
            )
        module, steps, checked, _ = self._program
        given = (str(module), self.kernel.signature, steps, checked, self._num_threads)
        return _unpickled, given

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.kernel.signature.name

    def bind(self, *arrays: object) -> Callable[[], None]:
        """A function without arguments that makes this call, as often as it is called.

        What a call checks is checked here, once: the arrays must stay where they are.
        """
        return self.kernel.bind(*arrays)

    def source(self, level: str, **options: str) -> str:
        """The program as text, at a level of `lower` or as "llvm-ir", "asm" or "c".

        The last one is C11 and has options: `vectors`, "extension" for those of GCC and Clang or
        "loops" for loops over lanes, and `math`, "library" for functions of <math.h> or the level
        of formulas, as of `lower`. Raises `teloom.Error` for other levels and options.
        """
        checked_level(level, (*MACHINE_LEVELS, "c"))
        c_options = loaded(_C_CODE, "C_OPTIONS") if level == "c" else ()
        check_names(f'option of "{level}"', options, c_options)
        if level in MACHINE_LEVELS:
            return self.kernel.source(level)
        if level == "c":
            c_code = loaded(_C_CODE, "c_code")
            return c_code(self._program.on_machine(), self._program.lowering(), **options)
        return str(self._program.at_level(level))

    def export(
        self,
        path: str | PathLike[str],
        targets: str | Target | Sequence[str | Target] | None = None,
    ) -> list[Path]:
        """Writes the function as a library for C, with a header, as `teloom.export` does."""
        return loaded(_LIBRARIES, "write_library")([self.part], path, targets)

    @property
    def part(self) -> Part:
        """What a library of this function is made of."""
        return loaded(_LIBRARIES, "Part")(self.kernel.signature, self._program)

    def __repr__(self) -> str:
        return f"Function({self.name})"


def functions_of(
    program: Program, called: Called, num_threads: int | None = None
) -> dict[str, Function]:
    """Functions of a program, compiled together, by their names."""
    kernels = program.kernels(called)
    return {kernel.signature.name: Function(kernel, program, num_threads) for kernel in kernels}


def until_known(kernel: Kernel, function: ref[Any], /, *arrays: object, **named: object) -> None:
    """Calls the kernel; as soon as it knows calls, they go to machine code.

    Raises `teloom.CallError` for arguments by name.
    """
    if named:
        raise CallError(
            f"{kernel.signature.name} is called with arguments by name, {', '.join(named)}; it "
            f"takes them by position: {', '.join(kernel.signature.names)}"
        )
    kernel(*arrays)
    caller = function()
    if kernel.knows_calls and caller is not None:
        caller.__call__ = kernel.builtin()


def _unpickled(
    text: str, signature: Signature, steps: Steps, checked: bool, num_threads: int | None
) -> Function:
    """The function of a program's text, called by `signature`."""
    module = without_places(parsed(text, signature.name), signature.name)
    verify_given(module)
    program = Program(module, steps, checked)
    return functions_of(program, {signature.name: signature.names}, num_threads)[signature.name]


@compiling()
def compile(
    module: ModuleOp | str,
    name: str | None = None,
    *,
    passes: UserPasses | None = None,
    options: Options | None = None,
    sanitize: str | None = None,
    target: str | Target | None = HERE,
    num_threads: int | None = None,
) -> Function:
    """Compiles a function of a module of IR, or of its text, to a function of arrays.

    The module may be of any level, and is not changed. `name` may be left out if there is one
    function that no other one calls. Sizes and arrays are passed in the order of the IR, results
    behind inputs.

    `passes` run behind ours, by level: texts such as "cse", classes or objects, of Teloom, xDSL
    or a plugin. `options` go to passes of ours, by their names. With `sanitize="memory"` each
    access is checked. A `target` replaces that of the module, as in `build`, and `num_threads` is
    as there. Raises `teloom.Error` for IR that cannot be parsed or does not verify, with its place,
    and what `teloom.build` raises.

    >>> import numpy as np
    >>> add_one = compile('''
    ... func.func @add_one(%a: memref<4xf32>, %b: memref<4xf32>) {
    ...   %one = arith.constant 1.0 : f32
    ...   loop.for %i = 0 to 4 {
    ...     %0 = memref.load %a[%i] : memref<4xf32>
    ...     %1 = arith.addf %0, %one : f32
    ...     memref.store %1, %b[%i] : memref<4xf32>
    ...   }
    ...   func.return
    ... }''', passes={"standard": ["cse"]})
    >>> b = np.empty(4, "float32")
    >>> add_one(np.arange(4, dtype="float32"), b)
    >>> b
    array([1., 2., 3., 4.], dtype=float32)
    """
    if isinstance(module, str):
        if module.endswith(".mlir"):
            raise Error(f"{module!r} looks like a path; give the text of the file")
        module = given_text(module, "text")
    elif not isinstance(module, ModuleOp):
        raise Error(f"{module!r} is no module; give a builtin.module, or its text")
    verify_given(module)
    entry = find_entry(module, name)
    if (machine := target_asked(target)) is not None:
        module = module.clone()
        machine.put(module)
    steps = steps_of(options, passes)
    checked = is_checked(entry, sanitize)
    name = entry.sym_name.data
    return functions_of(Program(module, steps, checked), {name: None}, num_threads)[name]
