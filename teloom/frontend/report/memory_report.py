"""`memory_report`: the memory that a scheduled program takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.memory.report import MemoryReport
from teloom.analysis.memory.use import check_size
from teloom.backend.machine.cpus import HERE, target_asked
from teloom.dialects.target import Target
from teloom.driver.lowering import Lowering
from teloom.driver.memory_sharing import memory_before_and_after
from teloom.driver.runner import runner_of
from teloom.errors import Error, check_names
from teloom.frontend.call.build import lower, steps_asked
from teloom.frontend.call.calls import sizes_of_call
from teloom.frontend.expr.expressions import Var
from teloom.frontend.expr.integers import checked_integer
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor


def memory_report(
    program: Schedule | ModuleOp,
    args: Sequence[Tensor | Var] = (),
    name: str | None = None,
    sizes: Mapping[str | Var, int] | None = None,
    alignment: int | None = None,
    target: str | Target | None = HERE,
) -> MemoryReport:
    """The memory that the buffers of a scheduled program, or of a function of a module, take.

    `sizes` gives values to symbolic sizes, by their vars or names. Bytes that depend on other
    sizes stay expressions. `alignment` and `target` are as for `build`. Raises what `lower`
    raises, and `teloom.Error` if no single function of a module is meant, for unknown sizes, and
    for values outside of the range of sizes.

    >>> from teloom import te
    >>> A = te.placeholder((1 << 20,), name="A")
    >>> B = te.compute(A.shape, lambda i: A[i] + 1, name="B")
    >>> C = te.compute(A.shape, lambda i: B[i] + 1, name="C")
    >>> D = te.compute(A.shape, lambda i: C[i] + 1, name="D")
    >>> memory_report(te.create_schedule(D), [A, D]).after.peak()
    4194304
    """
    steps, machine = steps_asked(alignment), target_asked(target)
    given = {
        size: checked_integer(value, f"size {size}", Error) for size, value in (sizes or {}).items()
    }
    if isinstance(program, Schedule):
        name = name or "main"
        module = lower(program, args, name, level="loop", target=target)
        values = _by_position(given, sizes_of_call(program.program, args))
    elif isinstance(program, ModuleOp):
        module = program.clone()
        if machine is not None:
            machine.put(module)
        values = {size.name if isinstance(size, Var) else size: given[size] for size in given}
    else:
        raise Error(f"memory_report wants a schedule or a module, got {program!r}")
    lowering = Lowering(runner_of(lambda: str(module)), steps)
    return memory_before_and_after(module, values, name, lowering)


def _by_position(sizes: Mapping[str | Var, int], known: Sequence[Var]) -> dict[int, int]:
    """Values by the positions of sizes; all sizes of one name get its value."""
    found: dict[int, int] = {}
    names = [size.name for size in known]
    for key, value in sizes.items():
        wanted = [key] if isinstance(key, Var) else [size for size in known if size.name == key]
        here = [at for at, size in enumerate(known) if any(size is one for one in wanted)]
        if not here:
            other = (
                names if isinstance(key, str) else [f"{one}, of another te.var" for one in names]
            )
            check_names("size", [str(key)], other)
        check_size(key, value)
        found |= dict.fromkeys(here, value)
    return found
