"""How many threads a call may use, and which of them runs: as OpenMP's functions say it.

Up to level 5 these are calls of OpenMP's functions, which upstream tools know. At level 6 the
numbers come from the workspace and from the code that shares a loop among threads.
"""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, ModuleOp, i32
from xdsl.ir import Operation, SSAValue

from teloom.passes.code.index_code import IndexCode

COUNT, NUMBER = "omp_get_max_threads", "omp_get_thread_num"


def thread_count(code: IndexCode) -> SSAValue:
    """The number of threads that a parallel loop may use."""
    return _called(COUNT, "threads", code)


def thread_number(code: IndexCode) -> SSAValue:
    """The number of the thread that runs, from 0 on."""
    return _called(NUMBER, "thread", code)


def _called(function: str, name: str, code: IndexCode) -> SSAValue:
    found = code.emit(arith.IndexCastOp(code.emit(func.CallOp(function, [], [i32])), IndexType()))
    found.name_hint = name
    return found


def declare_threads(module: ModuleOp) -> None:
    """Declares these functions, unless the module does so."""
    there = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}
    for name in (COUNT, NUMBER):
        if name not in there:
            module.body.block.add_op(func.FuncOp.external(name, [], [i32]))


def is_call(op: Operation, name: str) -> bool:
    """Whether `op` calls one of these functions."""
    return isinstance(op, func.CallOp) and op.callee.string_value() == name
