"""`tvm.topi.utils`: extents as numbers, and walks over the stages of operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom.errors import Error
from teloom.frontend.expr.expressions import Const, as_expr
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Operation, PlaceholderOp
from teloom.topi import tag


def get_const_int(expr: Any) -> int:
    """The integer of a constant; raises `teloom.Error` for what is known at the call only.

    >>> from teloom import te
    >>> get_const_int(te.const(3) + 1)
    4
    """
    value = as_expr(expr)
    if not isinstance(value, Const) or not isinstance(value.value, int):
        raise Error(f"{expr} is no constant integer")
    return value.value


def get_const_tuple(in_tuple: Sequence[Any]) -> tuple[Any, ...]:
    """The integers of constants, such as those of a shape; sizes stay as they are.

    >>> from teloom import te
    >>> get_const_tuple(te.placeholder((te.var("n"), 4)).shape)
    (n, 4)
    """
    values = [as_expr(one) for one in in_tuple]
    return tuple(get_const_int(one) if isinstance(one, Const) else one for one in values)


def traverse_inline(s: Schedule, final_op: Operation, callback: Callable[[Operation], Any]) -> None:
    """Inlines the elementwise stages that an operation reads, and calls back for all, once each.

    Source: TVM's topi.utils.traverse_inline.
    """
    visited: set[Operation] = set()
    pending = [final_op]
    while pending:
        op = pending.pop()
        if op in visited:
            continue
        visited.add(op)
        if tag.is_broadcast(op.tag):
            if op not in s.outputs:
                s[op].compute_inline()
            pending += [
                tensor.op for tensor in op.input_tensors if not isinstance(tensor.op, PlaceholderOp)
            ]
        callback(op)
