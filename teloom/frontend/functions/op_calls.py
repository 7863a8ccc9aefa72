"""`te.call_op`: what an op of a plug-in computes, as an expression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.dtypes import scalar_type
from teloom.dialects.interfaces import ScalarOp
from teloom.errors import Error, said_by_verifier
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, as_expr, texts


@dataclass(frozen=True, eq=False, repr=False)
class OpCall(Expr):
    """The result of a `ScalarOp` of its arguments."""

    op: type[Any]
    arguments: tuple[Expr, ...]
    properties: Mapping[str, Attribute]
    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        return self.arguments

    def text(self, depth: int) -> str:
        return f"{self.op.name}({', '.join(texts(self.arguments, depth))})"

    def applied_to(self, values: list[SSAValue]) -> Operation:
        """The op, with these operands."""
        return self.op.create(
            operands=values, result_types=[scalar_type(self.dtype)], properties=self.properties
        )


def call_op(dtype: object, op: object, *args: object, **properties: Attribute) -> OpCall:
    """The result, of `dtype`, of an op of a plug-in: the class of one that is a `ScalarOp`.

    The arguments are the op's operands, scalars of their dtypes; numbers are of `dtype`, if they
    fit. Properties are attributes of xDSL. Raises `teloom.Error` for what is no such class, for an
    op that is not `Pure`, and for one that does not verify with these.

    ```python
    te.compute((n,), lambda i: te.call_op("float32", HypotOp, A[i], B[i]))
    ```
    """
    known = dtypes.checked_name(dtype)
    if not isinstance(op, type) or not issubclass(op, ScalarOp) or not issubclass(op, Operation):
        name = getattr(op, "__name__", repr(op))
        raise Error(f"call_op wants the class of an op that is a ScalarOp, got {name}")
    if not op.has_trait(Pure):
        raise Error(f"{op.name} is called in an equation, and is not declared Pure")
    for name, value in properties.items():
        if not isinstance(value, Attribute):
            raise Error(f"{name} of {op.name} is {value!r}, no attribute of xDSL")
    call = OpCall(op, tuple(as_expr(one, known) for one in args), properties, known)
    types = [scalar_type(one.dtype) for one in call.arguments]
    try:
        call.applied_to([*Block(arg_types=types).args]).verify()
    except VerifyException as error:
        of = ", ".join(one.dtype for one in call.arguments) or "nothing"
        raise Error(f"no {op.name} of {of} gives {known}: {said_by_verifier(error)}") from error
    return call
