"""`lower` and `build`: from a schedule to IR at any level, and to machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.memory.storage import BUFFER_ALIGNMENT
from teloom.analysis.signature import Signature, signature_of
from teloom.backend.call.callbacks import External
from teloom.backend.call.kernel import MACHINE_LEVELS, compile_module
from teloom.backend.checks.memory_check import memory_check
from teloom.backend.checks.repeated_calls import RepeatedCalls
from teloom.errors import Error, depth_checked, did_you_mean
from teloom.frontend.call.calls import callable_module
from teloom.frontend.expr.expressions import Var
from teloom.frontend.expr.integers import checked_alignment, checked_integer
from teloom.frontend.expr.names import function_name
from teloom.frontend.parsed_text import parsed
from teloom.frontend.pass_failures import reporting
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.lowering import (
    Options,
    checked_level,
    lower_module,
    run_passes,
    sanitizer,
)

TARGETS = ("cpu", "llvm")
"""What code can be made for: the processor of this machine, by two names."""


@depth_checked()
def lower(
    s: Schedule,
    args: Sequence[Tensor | Var],
    name: str = "main",
    level: str = "memref",
    binds: Mapping[Tensor, Buffer] | None = None,
    alignment: int = BUFFER_ALIGNMENT,
    mode: str | None = None,
    budget: int | None = None,
) -> ModuleOp:
    """The scheduled program as a module at `level`: a function `name` called with `args`.

    `args` are placeholders, computed tensors, all outputs among them, and sizes that
    the caller passes, in the order of the call. `binds` gives tensors of `args` a buffer
    that says how their arrays lie in memory; others are row-major, without gaps. Levels
    are te, schedule, loop, memref, standard and llvm. The schedule stays as it is.
    Temporary buffers are aligned to `alignment` bytes, smaller ones as their size is.
    `mode` is that of all regions, "exact", "hull" or "box", and `budget` how many isl
    operations each mode that is tried may take, but for stages with a `set_mode` of their own.
    Raises `teloom.Error` for wrong arguments, `teloom.ScheduleError` where the
    schedule does not fit the program. Source: TVM's lower.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> lower(te.create_schedule(B), [A, B], name="f", level="te").body.block.first_op.name
    'te.func'
    """
    checked_level(level)
    name = function_name(name)
    options = pass_options(alignment, mode, budget)
    module = _module(s, args, name, binds)
    if level != "te":
        _lower(module, "schedule", level, lambda: _module(s, args, name, binds), options)
    return module


@depth_checked()
def build(
    s: Schedule,
    args: Sequence[Tensor | Var],
    target: str = "cpu",
    *,
    name: str = "main",
    binds: Mapping[Tensor, Buffer] | None = None,
    sanitize: str | None = None,
    alignment: int = BUFFER_ALIGNMENT,
    mode: str | None = None,
    budget: int | None = None,
) -> Function:
    """The scheduled program as a function of arrays: `args` in order, outputs are written.

    `target` is "cpu", this machine's, which "llvm" means too.
    `binds` says how arrays lie in memory, as in `lower`; strides and offsets that it leaves
    open are taken from the arrays of each call. With `sanitize="memory"` a call first looks
    at each access of the program to memory, and raises `teloom.WrongAccessError` for one
    that does not find what it means. `alignment`, `mode` and `budget` are as in `lower`.
    Raises what `lower` raises, and `teloom.Error` for another target.
    Source: TVM's build.

    >>> import numpy as np
    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> add_one = build(te.create_schedule(B), [A, B], "llvm", name="add_one")
    >>> b = np.empty(4, "float32")
    >>> add_one(np.arange(4, dtype="float32"), b)
    >>> b
    array([1., 2., 3., 4.], dtype=float32)
    """
    if target not in TARGETS:
        raise Error(
            f"no target {target!r}; targets: {', '.join(TARGETS)} (a name of the function is "
            f"name={target!r}){did_you_mean(str(target), TARGETS)}"
        )
    name, args = function_name(name), tuple(args)
    return Function(
        _module(s, args, name, binds),
        name,
        lambda signature: _named(signature, s, args),
        pass_options(alignment, mode, budget),
        bool(sanitizer(sanitize)),
        s.program.externals,
    )


def pass_options(alignment: int, mode: str | None = None, budget: int | None = None) -> Options:
    """What passes are told of temporary buffers, in bytes, and of how regions are computed.

    Raises `teloom.Error` unless the alignment is a power of two up to 2^32, and for a budget
    that is no integer; the pass refuses other wrong modes and budgets.
    """
    regions: dict[str, int | str] = {}
    if mode is not None:
        regions["mode"] = mode
    if budget is not None:
        regions["budget"] = checked_integer(budget, "budget")
    aligned = checked_alignment(alignment, "alignment")
    return {"storage-flatten": {"alignment": aligned}, InferBoundsPass.name: regions}


class Function:
    """A compiled program; call it with arrays, in the order given to `build`.

    Arrays are NumPy's, or anything with the array interface or DLPack, used in place.
    A wrong argument raises `teloom.CallError`, too little memory for temporary buffers
    `teloom.OutOfMemoryError`. It can be pickled, unless it calls functions of Python or
    ctypes; where it is unpickled, it is compiled again, or comes from the cache.
    """

    def __init__(
        self,
        module: ModuleOp,
        name: str,
        named: Callable[[Signature], Signature],
        options: Options,
        checked: bool,
        externals: Mapping[str, External] = MappingProxyType({}),
    ):
        """Compiles function `name` of a module; `named` gives its arguments the user's names."""
        self._module, self._options = module, options
        self._checked, self._externals = checked, externals
        original = module.clone

        def run(copy: ModuleOp, names: Sequence[str]) -> None:
            run_passes(copy, names, Context(), reporting(original, options), options)

        check = None
        if checked:
            calls = RepeatedCalls(externals)
            externals, check = calls.second, partial(memory_check, run=run, calls=calls)
        lowered = original()
        self.kernel = compile_module(
            lowered,
            name,
            lambda first, last: _lower(lowered, first, last, original, options),
            lambda op: named(signature_of(op)),
            externals,
            check,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        if self._externals:
            called = ", ".join(self._externals)
            raise Error(
                f"{self.name} cannot be pickled: it calls {called}, which is in this process only"
            )
        options = {name: dict(given) for name, given in self._options.items()}
        return _unpickled, (str(self._module), self.kernel.signature, options, self._checked)

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
        if level != "te":
            _lower(module, "schedule", level, self._module.clone, self._options)
        return str(module)

    def __repr__(self) -> str:
        return f"Function({self.name})"


def _unpickled(text: str, signature: Signature, options: Options, checked: bool) -> Function:
    """The function whose program is a text, and which is called as `signature` says."""
    module = parsed(text, signature.name)
    return Function(module, signature.name, lambda found: signature, options, checked)


def _module(
    s: Schedule, args: Sequence[Tensor | Var], name: str, binds: Mapping[Tensor, Buffer] | None
) -> ModuleOp:
    if not isinstance(s, Schedule):
        raise Error(f"{s!r} is not a schedule; make one with te.create_schedule")
    return callable_module(s, args, name, binds)


def _lower(
    module: ModuleOp,
    first: str,
    last: str,
    original: Callable[[], ModuleOp],
    options: Options,
) -> None:
    lower_module(module, first, last, Context(), reporting(original, options), options)


def _named(signature: Signature, s: Schedule, args: Sequence[Tensor | Var]) -> Signature:
    """The signature with the user's names: those of SSA values lose numbers at their end."""
    sizes, arguments = list(signature.sizes), list(signature.arguments)
    for position, arg in zip(signature.order, args, strict=True):
        if isinstance(arg, Var):
            sizes[position] = arg.name
            continue
        number = position - len(sizes)
        name = s.program.stage_names.get(arg.op, arg.name)
        if arg.op.num_outputs > 1:
            name = f"{name}.v{arg.value_index}"
        arguments[number] = replace(arguments[number], name=name)
    return replace(signature, sizes=tuple(sizes), arguments=tuple(arguments))
