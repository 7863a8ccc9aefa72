"""`memory_report`: what memory a scheduled program takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.memory_report import MemoryReport
from teloom.analysis.storage import BUFFER_ALIGNMENT
from teloom.frontend.build import alignment_options, lower
from teloom.frontend.expressions import Var
from teloom.frontend.schedules import Schedule
from teloom.frontend.tensors import Tensor
from teloom.passes.memory_sharing import memory_before_and_after


def memory_report(
    program: Schedule | ModuleOp,
    args: Sequence[Tensor | Var] = (),
    name: str | None = None,
    sizes: Mapping[str, int] | None = None,
    alignment: int = BUFFER_ALIGNMENT,
) -> MemoryReport:
    """What memory a schedule with `args`, or a function of a module, takes for its buffers.

    `sizes` gives numbers to symbolic sizes, by their names; bytes that depend on others
    are expressions. `alignment` is what `build` is given. Raises what `lower` raises, and
    `teloom.Error` where it is not clear which function of a module is meant.

    >>> from teloom import te
    >>> A = te.placeholder((1 << 20,), name="A")
    >>> B = te.compute(A.shape, lambda i: A[i] + 1, name="B")
    >>> C = te.compute(A.shape, lambda i: B[i] + 1, name="C")
    >>> D = te.compute(A.shape, lambda i: C[i] + 1, name="D")
    >>> memory_report(te.create_schedule(D), [A, D]).after.peak()
    4194304
    """
    options = alignment_options(alignment)
    if isinstance(program, Schedule):
        module = lower(program, args, name or "main", level="loop")
    else:
        module = program.clone()
    return memory_before_and_after(
        module, sizes or {}, name, Context(), lambda name: nullcontext(), options
    )
