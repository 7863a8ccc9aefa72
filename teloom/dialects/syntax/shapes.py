"""The syntax of shapes, `tensor<?xf32>[%n]`: extents behind a type, unless that says them."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr
from xdsl.parser import Parser
from xdsl.utils.lexer import Span

from teloom.dialects.affine.operands import OperandList, parse_expr


def is_static(type: Attribute) -> TypeGuard[TensorType]:
    """Whether a tensor type has no dynamic dimension."""
    return isinstance(type, TensorType) and DYNAMIC_INDEX not in type.get_shape()


def parse_shape(
    parser: Parser, tensor: Parser.Argument, word: str, operands: OperandList
) -> list[AffineExpr]:
    """Parses the shape behind a tensor; `word` is what the tensor is, in messages."""
    said = parse_said_shape(parser, operands)
    name = f"{word} {tensor.name.text}"
    return static_shape(parser, tensor.type, name, tensor.name) if said is None else said


def parse_said_shape(parser: Parser, operands: OperandList) -> list[AffineExpr] | None:
    """Parses `[%n, ...]`, if it is there."""
    return parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parse_expr(parser, operands)
    )


def static_shape(parser: Parser, type: Attribute, what: str, place: Span) -> list[AffineExpr]:
    """The shape of what has this type, and no extents in brackets."""
    if not isinstance(type, TensorType):
        parser.raise_error(f"{what} of type {type} has no number of axes", place)
    if not is_static(type):
        parser.raise_error(
            f"{what} of type {type} needs its extents in brackets, as in tensor<?xf32>[%n]", place
        )
    return [AffineExpr.constant(extent) for extent in type.get_shape()]
