"""Shared memory never changes what is loaded: every load of a run, before and after.

So with loops that have no order run from their last iteration to their first.
"""

from collections import Counter
from functools import partial

import pytest
from analysis.memory_runner import TooLong, run_memory
from budget import EXAMPLES
from hypothesis import given, settings
from loop_kernels import STANDARD, compile_loops
from properties.agreement import assert_as_interpreted
from properties.build import run_script, unwritten
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from teloom.dialects import loop
from teloom.dialects.target import Target
from teloom.errors import ScheduleError
from teloom.frontend.call.build import lower
from teloom.passes.copies.double_buffer import DoubleBufferPass
from teloom.passes.memory.buffer_reuse import BufferReusePass
from teloom.passes.storage.storage_flatten import StorageFlattenPass

LEAST_CHANGED = 0.05  # of the programs: most have few buffers
LEAST_IN_PLACE = 0.01
MOST_OPS = 20_000  # that a program runs: Python visits them one by one
UNORDERED = (loop.LoopKind.PARALLEL, loop.LoopKind.VECTORIZED)


def function_of(module: ModuleOp) -> func.FuncOp:
    return next(op for op in module.ops if isinstance(op, func.FuncOp))


def looped(scheduled: ScheduledProgram) -> tuple[dict, ModuleOp]:
    """The names of a script, and its program as loops."""
    names = run_script(scheduled.lines())
    program = scheduled.program
    arguments = [names[tensor.name] for tensor in (*program.inputs, *program.outputs)]
    return names, lower(names["s"], arguments, "generated", level="loop")


@pytest.mark.parametrize(("stack_bytes", "examples"), [(0, EXAMPLES // 2), (65536, EXAMPLES // 4)])
def test_every_load_gives_what_it_gave(
    stack_bytes: int, examples: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Target, "fits_registers", lambda *_: False)
    count = Counter()
    flatten = StorageFlattenPass(stack_bytes), DoubleBufferPass()

    @settings(max_examples=examples)
    @given(scheduled_programs())
    def check(scheduled: ScheduledProgram):
        program = scheduled.program
        try:
            names, original = looped(scheduled)
            module = original.clone()
            for step in flatten:
                step.apply(Context(), module)
        except ScheduleError:
            return
        arrays = program.arrays()
        given_arrays = {t.name: array for t, array in zip(program.inputs, arrays, strict=True)}
        loops = [op for op in module.walk() if isinstance(op, loop.ForOp)]
        unordered = [op for op in loops if op.kind.data in UNORDERED]
        orders = (), unordered
        run = partial(run_memory, sizes=program.sizes, inputs=given_arrays)
        try:
            apart = [run(function_of(module), backwards=o, most_ops=MOST_OPS) for o in orders]
        except TooLong:
            return
        text, taking_turns = str(module), module.clone()
        BufferReusePass().apply(Context(), module)
        module.verify()
        BufferReusePass(in_place=False).apply(Context(), taking_turns)
        count["run"] += 1
        count["changed"] += str(module) != text
        count["in place"] += str(module) != str(taking_turns)
        shared = [run(function_of(module), backwards=o) for o in orders]
        assert shared == apart

        results = unwritten(program.outputs)
        compile_loops(original, (*flatten, BufferReusePass(), *STANDARD))(*arrays, *results)
        assert_as_interpreted(results, program, names, arrays)

    check()
    assert count["changed"] >= LEAST_CHANGED * count["run"], count
    assert count["in place"] >= LEAST_IN_PLACE * count["run"], count
