"""`lower` and `build`: from a schedule to IR at any level, and to machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from xdsl.dialects.builtin import ModuleOp

from teloom.backend.machine.cpus import HERE, target_asked
from teloom.dialects.target import Target
from teloom.driver.entry import find_entry, is_checked
from teloom.driver.function import Function, functions_of
from teloom.driver.lowering import (
    Lowering,
    Options,
    Steps,
    UserPasses,
    checked_level,
    checked_options,
    steps_of,
)
from teloom.driver.program import Program
from teloom.driver.runner import compiling, runner_of
from teloom.frontend.call.merging import Programs, merged, together
from teloom.frontend.call.sources import RulesFor, Sources, programs_of
from teloom.frontend.expr.integers import checked_alignment, checked_integer
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.scalars import Argument
from teloom.frontend.tensor.tensors import Tensor
from teloom.lazy import loaded


@compiling()
def lower(
    s: Sources,
    args: Sequence[Argument] | None = None,
    name: str = "main",
    level: str = "memref",
    binds: Mapping[Tensor, Buffer] | None = None,
    alignment: int | None = None,
    mode: str | None = None,
    budget: int | None = None,
    options: Options | None = None,
    passes: UserPasses | None = None,
    target: str | Target | None = HERE,
    math: str | None = None,
    strict: bool = False,
) -> ModuleOp:
    """The scheduled program as a module at `level`: a function `name` called with `args`.

    In place of a schedule stand tensors, which are computed in the default order, and are the
    arguments if `args` are none; IR of any level, which is copied; or a dict of several programs by
    the names of their functions, as in `{"f": (s, [A, B]), "g": [C, D]}`, which become one module.
    `args` are placeholders, computed tensors, the outputs among them, and sizes and scalars that
    the caller passes, in the order of the call. Of an output with several tensors one is enough,
    and one that others read may be left out. `binds` gives tensors of `args` a buffer
    that says how their arrays lie in memory; others are row-major, without gaps. Levels
    are te, schedule, loop, memref, standard and llvm. The schedule stays as it is.
    Temporary buffers are aligned to `alignment` bytes, or to a line of the target's cache,
    smaller ones as their size is.
    `mode` is that of all regions, "exact", "hull" or "box", and `budget` how many isl
    operations each mode that is tried may take, but for stages with a `set_mode` of their own.
    `options` are told to passes, by their names: `{"vectorize-loops": {"bytes": 32}}`. `passes`
    run, by level, when the program is there: `{"loop": ["cse", MyPass()]}`, as texts, classes or
    objects, also of xDSL and plugins. `target` is as in `build`. `math` is how exact elementary
    functions are: "precise", "default" or "fast", as docs/te.md lists. With `strict`, a schedule
    that adds floats in another order than the equation is refused, with two values that change
    places; by default it may, as a sum is declared to be associative.
    Raises `teloom.Error` for wrong arguments, `teloom.ScheduleError` where the
    schedule does not fit the program. Source: TVM's lower.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> lower(te.create_schedule(B), [A, B], name="f", level="te").body.block.first_op.name
    'te.func'
    """
    checked_level(level)
    steps = steps_asked(alignment, mode, budget, options, passes, math, strict)
    machine = target_asked(target)

    def at_first() -> ModuleOp:
        return _put(machine, merged(programs_of(s, args, name, binds)).module)

    module = at_first()
    module.verify()
    runner = runner_of(lambda: str(at_first()))
    Lowering(runner, steps).bring(module, "te", level)
    return module


@overload
def build(
    s: Schedule | Tensor | Sequence[Argument],
    args: Sequence[Argument] | None = None,
    target: str | Target | None = HERE,
    *,
    name: str = "main",
    binds: Mapping[Tensor, Buffer] | None = None,
    sanitize: str | None = None,
    alignment: int | None = None,
    mode: str | None = None,
    budget: int | None = None,
    options: Options | None = None,
    passes: UserPasses | None = None,
    math: str | None = None,
    num_threads: int | None = None,
    strict: bool = False,
    auto: bool = True,
) -> Function: ...


@overload
def build(
    s: Mapping[str, Any] | ModuleOp,
    args: Sequence[Argument] | None = None,
    target: str | Target | None = HERE,
    *,
    name: str = "main",
    binds: Mapping[Tensor, Buffer] | None = None,
    sanitize: str | None = None,
    alignment: int | None = None,
    mode: str | None = None,
    budget: int | None = None,
    options: Options | None = None,
    passes: UserPasses | None = None,
    math: str | None = None,
    num_threads: int | None = None,
    strict: bool = False,
    auto: bool = True,
) -> Any: ...  # of a dict, a dict[str, Function]


@compiling()
def build(
    s: Sources,
    args: Sequence[Argument] | None = None,
    target: str | Target | None = HERE,
    *,
    name: str = "main",
    binds: Mapping[Tensor, Buffer] | None = None,
    sanitize: str | None = None,
    alignment: int | None = None,
    mode: str | None = None,
    budget: int | None = None,
    options: Options | None = None,
    passes: UserPasses | None = None,
    math: str | None = None,
    num_threads: int | None = None,
    strict: bool = False,
    auto: bool = True,
) -> Any:  # a Function, or a dict of them: what s is decides
    """The scheduled program as a function of arrays: `args` in order, outputs are written.

    Instead of a schedule it takes what `lower` takes. Tensors are scheduled by the rules of
    `te.auto_schedule`, unless `auto` is False, or `strict` keeps sums in their order. Of several
    programs, and of IR with several functions, it gives a dict of functions by their names. These
    are one module, which is compiled once; programs that cannot be in one, because they mean
    different things by a name, or are for different targets, are compiled apart.

    `target` is "cpu", this machine or the CPU that TELOOM_CPU names ("llvm" means it too); or a
    CPU: its name, such as "znver4", "native" for this machine's, or a `Target`. Passes count with
    its registers and instructions. A function of a target that is named is for that one also where
    it is unpickled; another one is for the machine there.
    `binds` says how arrays lie in memory, as in `lower`; strides and offsets that it leaves
    open are taken from the arrays of each call. With `sanitize="memory"` a call first looks
    at each access of the program to memory, and raises `teloom.WrongAccessError` for one
    that does not find what it means. Parallel loops run on `num_threads` threads, unless a call
    is within `teloom.num_threads`; without it, on as many as TELOOM_NUM_THREADS or
    OMP_NUM_THREADS says, else on one per CPU that the process may run on. Rules write schedules
    for as many. `alignment`, `mode`, `budget`, `options`, `passes`, `math` and `strict` are as in
    `lower`. Raises what `lower` raises, and `teloom.Error` for another target.
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
    steps = steps_asked(alignment, mode, budget, options, passes, math, strict)
    machine = target_asked(target)
    rules_for = RulesFor(target, num_threads, math) if auto and not strict else None
    functions: dict[str, Function] = {}
    for one in together(programs_of(s, args, name, binds, rules_for)):
        module, checks = _put(machine, one.module), _checks(one, sanitize)
        for checked in {*checks.values()}:
            program = Program(module, steps, checked, one.externals)
            called = {each: one.functions[each] for each in checks if checks[each] == checked}
            functions |= functions_of(program, called, num_threads)
    if isinstance(s, Mapping) or len(functions) != 1:
        return functions
    return functions.popitem()[1]


def _checks(program: Programs, sanitize: str | None) -> dict[str, bool]:
    """For each function whether its accesses are checked."""
    return {
        name: is_checked(find_entry(program.module, name), sanitize) for name in program.functions
    }


def _put(target: Target | None, module: ModuleOp) -> ModuleOp:
    """The module, for a target if one is named."""
    if target is not None:
        target.put(module)
    return module


def steps_asked(
    alignment: int | None,
    mode: str | None = None,
    budget: int | None = None,
    options: Options | None = None,
    passes: UserPasses | None = None,
    math: str | None = None,
    strict: bool = False,
) -> Steps:
    """The passes of a program, and what they are told of buffers, in bytes, and of regions.

    Raises `teloom.Error` unless the alignment is a power of two up to 2^32, for a budget
    that is no integer, and for levels of functions, passes and options that there are not; the pass
    refuses other wrong modes and budgets.
    """
    regions: dict[str, int | str] = {}
    if mode is not None:
        regions["mode"] = mode
    if budget is not None:
        regions["budget"] = checked_integer(budget, "budget")
    aligned: dict[str, int] = {}
    if alignment is not None:
        aligned["alignment"] = checked_alignment(alignment, "alignment")
    functions: dict[str, str] = {}
    flushing: dict[str, bool] = {}
    if math is not None:
        functions["level"] = math
        if loaded("teloom.passes.elementary.accuracy", "flushes")(math) and not strict:
            flushing["flush"] = True
    said = {
        "storage-flatten": aligned,
        "infer-bounds": regions,
        "expand-math": functions,
        "privatize-reductions": flushing,
        "multiply-tiles": flushing,
        "vectorize-loops": flushing,
        "check-schedule": {"strict": True} if strict else {},
    }
    given = checked_options(options)
    for name, each in said.items():
        if each:
            given[name] = {**each, **given.get(name, {})}
    return steps_of(given, passes)
