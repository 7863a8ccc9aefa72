"""Compiled programs as functions of arrays, and `compile`, which makes one from IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError

from teloom.analysis.signature import Entry, Signature, signature_of
from teloom.backend.call.callbacks import External
from teloom.backend.call.kernel import MACHINE_LEVELS, kernel_found, machine_text
from teloom.backend.machine.cpus import HERE, target_asked
from teloom.dialects.target import Target
from teloom.driver.compilation import compile_module
from teloom.driver.diagnostics import mistake_in_text
from teloom.driver.entry import find_entry, is_checked
from teloom.driver.lowering import Lowering, Options, Steps, UserPasses, checked_level, steps_of
from teloom.driver.parsed_text import parsed
from teloom.driver.program_cache import key_of, known, remember
from teloom.driver.runner import runner_of, verify
from teloom.errors import Error, depth_checked, heard


class Function:
    """A compiled program. Call it with arrays, in the order given to `build`.

    Arrays are NumPy's, or anything with the array interface or DLPack; they are used in place.
    A wrong argument raises `teloom.CallError`, and a lack of memory for temporary buffers
    `teloom.OutOfMemoryError`. The function can be pickled, unless it calls functions of Python or
    ctypes. Unpickling compiles it again, or takes it from the cache.
    """

    def __init__(
        self,
        module: ModuleOp,
        name: str,
        names: Sequence[str] | None,
        steps: Steps,
        checked: bool,
        externals: Mapping[str, External] = MappingProxyType({}),
    ):
        """Compiles function `name` of a module, or takes its code from the cache.

        `names` are the user's for its arguments, in the order of the call; without them they are
        those of the IR.
        """
        self._module, self._steps = module, steps
        self._checked, self._externals = checked, externals
        key = None if checked else key_of(module, name, names, steps)
        recipe = known(key)
        found = recipe and kernel_found(recipe, externals, self._machine_text)
        if found is not None:
            self.kernel = found
            return

        def naming(function: Entry) -> Signature:
            signature = signature_of(function)
            return signature if names is None else signature.named(names)

        module.verify()  # what the cache knows verified when it was stored
        with heard() as remarks:
            self.kernel = compile_module(
                module.clone(), name, self._lowering(), naming, externals, checked
            )
        if not remarks:  # which the next build of the program has to say again
            remember(key, self.kernel.recipe)

    def _machine_text(self) -> str:
        """The LLVM IR of the program, before it is optimised."""
        module = self._module.clone()
        self._lowering().bring(module, "te", "llvm")
        return machine_text(module)

    def _lowering(self) -> Lowering:
        return Lowering(runner_of(lambda: str(self._module)), self._steps)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._externals:
            called = ", ".join(self._externals)
            raise Error(
                f"{self.name} cannot be pickled: it calls {called}, which is in this process only"
            )
        return _unpickled, (str(self._module), self.kernel.signature, self._steps, self._checked)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.kernel.signature.name

    def __call__(self, *arrays: object) -> None:
        self.kernel(*arrays)

    def source(self, level: str) -> str:
        """The program as text, at a level of `lower` or as "llvm-ir" or "asm".

        Raises `teloom.Error` for other levels.
        """
        if checked_level(level, tuple(MACHINE_LEVELS)) in MACHINE_LEVELS:
            return self.kernel.source(level)
        module = self._module.clone()
        self._lowering().bring(module, "te", level)
        return str(module)

    def __repr__(self) -> str:
        return f"Function({self.name})"


def _unpickled(text: str, signature: Signature, steps: Steps, checked: bool) -> Function:
    """The function of a program's text, called by `signature`."""
    module = parsed(text, signature.name)
    return Function(module, signature.name, signature.names, steps, checked)


@depth_checked()
def compile(
    module: ModuleOp | str,
    name: str | None = None,
    *,
    passes: UserPasses | None = None,
    options: Options | None = None,
    sanitize: str | None = None,
    target: str | Target = HERE,
) -> Function:
    """Compiles a function of a module of IR, or of its text, to a function of arrays.

    The module may be of any level, and is not changed. `name` may be left out if there is one
    function. Sizes and arrays are passed in the order of the IR, results behind inputs.

    `passes` run behind ours, by level: texts such as "cse", classes or objects, of Teloom, xDSL
    or a plugin. `options` go to passes of ours, by their names. With `sanitize="memory"` each
    access is checked. A `target` replaces that of the module, as in `build`. Raises
    `teloom.Error` for IR that cannot be parsed or does not verify, and what `teloom.build`
    raises.

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
        try:
            module = parsed(module, "text")
        except ParseError as error:
            raise Error(str(mistake_in_text(error).diagnostic().text("text"))) from None
    elif not isinstance(module, ModuleOp):
        raise Error(f"{module!r} is no module; give a builtin.module, or its text")
    verify(module)
    entry = find_entry(module, name)
    if (machine := target_asked(target)) is not None:
        module = module.clone()
        machine.put(module)
    steps = steps_of(options, passes)
    checked = is_checked(entry, sanitize)
    return Function(module, entry.sym_name.data, None, steps, checked)
