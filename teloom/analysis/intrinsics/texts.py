"""Values of equations as a message shows them: `mulf(A[i, k], B[k, j])`."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from teloom.dialects import te
from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.postorder import operands_of, postorder

LONGEST = 80
"""Of the text of a part, in characters: a value that is used often is written as often."""


def value_text(value: SSAValue) -> str:
    """The text of the computation of a value, from the reads on."""
    texts: dict[SSAValue, str] = {}
    for one in postorder([value], operands_of):
        texts[one] = _shortened(_text(one, texts))
    return texts[value]


def op_text(op: Operation) -> str:
    """The text of an op."""
    return value_text(op.results[0])


def _text(value: SSAValue, texts: Mapping[SSAValue, str]) -> str:
    op = value.owner
    if isinstance(op, Block):
        return value.name_hint or "a value"
    if isinstance(op, te.ReadOp):
        subscripts = (affine.text(expr, op.operands_) for expr in op.map.data.results)
        return f"{op.tensor.name_hint or 'a tensor'}[{', '.join(subscripts)}]"
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        return f"{op.value.value.data} : {value.type}"
    word = op.name.partition(".")[2]
    return f"{word}({', '.join(texts[operand] for operand in op.operands)})"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
