"""From a tensor intrinsic to its declaration in the module of a program."""

from __future__ import annotations

from xdsl.ir import Region

from teloom.dialects import te
from teloom.errors import ScheduleError
from teloom.frontend.emit.externals import Externals
from teloom.frontend.emit.locations import location
from teloom.frontend.emit.program import EmittedProgram, OperationEmitter, sizes_of
from teloom.frontend.extern.tensor_intrins import TensorIntrin
from teloom.frontend.tensor.tensors import PlaceholderOp


def declare_intrinsic(program: EmittedProgram, intrin: TensorIntrin, name: str) -> None:
    """Adds an intrinsic to the module of a program, with the functions that its code calls.

    Raises `ScheduleError` for one with sizes or with `scalar_params`, for which loops have no
    values.
    """
    codes = intrin.codes()
    inputs = [tensor.op for tensor in intrin.inputs if isinstance(tensor.op, PlaceholderOp)]
    operations = (*inputs, intrin.op, *codes)
    named = [*intrin.scalar_params, *sizes_of(operations)]
    if named:
        raise ScheduleError(
            f"cannot tensorize by {intrin.name!r}: it depends on {named[0]}, and loops give it no "
            "value; its extents have to be numbers"
        )
    module = program.module
    known = Externals.of(module, program.externals)
    before = set(known.declared)
    emitter = OperationEmitter(operations)
    emitter.externals = known
    emitter.stage_names.update((op, op.name) for op in operations)
    for op in inputs:
        emitter.placeholder(op)
    emitter.equation(intrin.op)
    for op in codes:
        emitter.extern(op)
    declared = te.IntrinsicOp(name, Region(emitter.block))
    declared.location = location(intrin.op.location)
    new = [one for one in known.declarations() if one.sym_name.data not in before]
    module.body.block.insert_ops_after([*new, declared], program.func)
    module.verify()
