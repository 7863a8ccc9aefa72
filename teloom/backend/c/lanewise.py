"""Ops that compute each lane by itself: one rule for a scalar, and for a lane of a vector.

Where vectors are the compiler's, an op may have a second one, on whole vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xdsl.ir import Operation

from teloom.backend.c.expressions import CExpr, as_signed, as_unsigned, binary, reads_of
from teloom.backend.c.types import NumberType, lanes_of
from teloom.backend.c.writer import FunctionWriter, Rule

Scalar = Callable[[Any, list[CExpr], FunctionWriter], CExpr]
"""The result of an op on scalars."""

Whole = Callable[[Any, list[CExpr], FunctionWriter], CExpr | None]
"""The result of an op on whole vectors, or splats; None where C has no such operation."""


def lanewise(scalar: Scalar, whole: Whole | None = None) -> Rule:
    """Writes an op by its rule for scalars, or by that for whole vectors."""

    def write(op: Operation, w: FunctionWriter) -> None:
        (result,) = op.results
        lanes = lanes_of(result.type)
        if not lanes:
            w.define(result, scalar(op, w.scalars(op), w))
            return
        given = [w.use(operand) for operand in op.operands]
        is_splat = all(one.form in ("", "splat") for one in given)
        if w.parts.extension and whole and not is_splat:
            found = whole(op, given, w)
            if found is not None:
                w.define(result, replace(found, lanes=lanes, form="whole"))
                return
        found = scalar(op, [w.lane(one) for one in given], w)
        form = "splat" if is_splat else "lane"
        w.define(result, replace(found, lanes=lanes, form=form))

    return write


def scalar_part(value: CExpr, w: FunctionWriter) -> CExpr:
    """An operand of an operation of vectors: C takes a scalar for a vector of equal lanes."""
    if value.form == "splat":
        return replace(value, lanes=0, form="")
    return w.whole(value)


def vector_cast(value: CExpr, type: NumberType, w: FunctionWriter) -> CExpr:
    """The bits of a whole vector as lanes of another type; of a splat, the number's."""
    if value.type == type:
        return value
    if not value.lanes:
        return as_unsigned(value) if type.family == "u" else as_signed(value)
    text = f"({w.parts.vector_type(type, value.lanes)}){value.at_least(8)}"
    return replace(value, text=text, rank=8, type=type)


def vector_binary(operator: str, left: CExpr, right: CExpr, type: NumberType) -> CExpr:
    """`left operator right`, of whole vectors or of one and a scalar."""
    return replace(binary(operator, left, right, type), literal=None)


def converted(value: CExpr, type: NumberType, w: FunctionWriter) -> CExpr:
    """A whole vector, each lane converted to a number."""
    target = w.parts.vector_type(type, value.lanes)
    text = f"__builtin_convertvector({value.text}, {target})"
    return CExpr(text, 9, type, reads_of(value), None, value.lanes, "whole")


def mask_for(mask: CExpr, bits: int, w: FunctionWriter) -> CExpr:
    """A mask with lanes of so many bits."""
    return mask if mask.type.bits == bits else converted(mask, NumberType("m", bits), w)
