"""What `te.extern` and `schedule.extern` share: a body that sees buffers, and fills tensors.

The region has one argument per result, the tensor that the body fills. The body gets its
memory, and that of the tensors it reads, from `te.buffer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, TensorType
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, prop_def, region_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects import affine_operands as affine
from teloom.dialects.box_buffers import BoxBufferOp
from teloom.dialects.stage_header import is_static, verify_extents

INDEX = IndexType()


class ExternParts(NamedTuple):
    """The shapes of what a body fills, over `sizes`, and the body."""

    sizes: Sequence[SSAValue]
    shapes: ArrayAttr[AffineMapAttr]
    body: Region

    @staticmethod
    def of(
        extents: Sequence[Sequence[AffineExpr]], sizes: Sequence[SSAValue], body: Region
    ) -> ExternParts:
        """From extents whose dimension k stands for `sizes[k]`."""
        maps = [AffineMapAttr(AffineMap(len(sizes), 0, tuple(one))) for one in extents]
        return ExternParts(sizes, ArrayAttr(maps), body)


class Extern(IRDLOperation):
    """Base of the ops that hold an opaque body."""

    sizes = var_operand_def(INDEX)
    shapes = prop_def(ArrayAttr[AffineMapAttr])
    body = region_def("single_block")

    @property
    def outputs(self) -> Sequence[BlockArgument]:
        """The tensors that the body fills, as it names them."""
        return self.body.block.args

    def shape_of(self, position: int) -> tuple[AffineExpr, ...]:
        """The extents of result `position`; dimension k stands for `sizes[k]`."""
        return self.shapes.data[position].data.results

    def detach_parts(self) -> ExternParts:
        """Takes the body out of this op, leaving an empty region behind."""
        return ExternParts(tuple(self.sizes), self.shapes, self.detach_region(self.body))

    def regions_with_values(self) -> Sequence[Region]:
        """The regions that say what is read: the body."""
        return (self.body,)


def verify_extern(op: Extern, result_types: Sequence[Attribute]) -> None:
    """Checks the tensors that a body fills, and that it writes no other.

    Raises VerifyException.
    """
    if not result_types:
        raise VerifyException("a stage needs at least one result")
    types = [argument.type for argument in op.outputs]
    if types != list(result_types) or len(types) != len(op.shapes):
        raise VerifyException("the body needs one argument per result, of its type and shape")
    for type, shape in zip(types, op.shapes, strict=True):
        if shape.data.num_dims != len(op.sizes):
            raise VerifyException("a shape's map does not fit its operands")
        assert isinstance(type, TensorType)
        verify_extents(shape.data.results, type)
    for inner in op.body.walk():
        if inner.name == "te.read":
            raise VerifyException("te.read stands in an equation; an extern takes a te.buffer")
        if isinstance(inner, memref.StoreOp):
            _verify_written(inner.memref, op.outputs)
        if isinstance(inner, vector.StoreOp):
            _verify_written(inner.base, op.outputs)


def _verify_written(target: SSAValue, outputs: Sequence[SSAValue]) -> None:
    buffer = target.owner
    while isinstance(buffer, memref.SubviewOp | memref.CastOp):
        buffer = buffer.source.owner
    if not isinstance(buffer, BoxBufferOp) or not isinstance(buffer.tensor.type, TensorType):
        return  # memory of the body's own
    if buffer.tensor not in outputs:
        name = buffer.tensor.name_hint or "a tensor"
        raise VerifyException(f"writes {name}, which is none of its results")


def parse_extern(parser: Parser) -> tuple[ExternParts, list[Attribute]]:
    """Parses `(%c: tensor<?xf32>[%n], ...) { ... }`; also gives the types."""
    operands = affine.OperandList()
    shapes: list[list[AffineExpr]] = []

    def parse_output() -> Parser.Argument:
        argument = parser.parse_argument()
        extents = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: affine.parse_expr(parser, operands)
        )
        if extents is None:
            if not isinstance(argument.type, TensorType) or not is_static(argument.type):
                parser.raise_error(
                    f"result {argument.name.text} of type {argument.type} needs its extents "
                    "in brackets, as in tensor<?xf32>[%n]",
                    argument.name,
                )
            extents = [AffineExpr.constant(extent) for extent in argument.type.get_shape()]
        shapes.append(extents)
        return argument

    outputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_output)
    body = parser.parse_region(outputs)
    parts = ExternParts.of(shapes, operands.values, body)
    return parts, [argument.type for argument in outputs]


def print_extern(printer: Printer, op: Extern) -> None:
    """Prints what `parse_extern` reads."""

    def print_output(position: int) -> None:
        argument = op.outputs[position]
        printer.print_block_argument(argument)
        if not is_static(argument.type):
            affine.print_exprs(printer, op.shape_of(position), op.sizes)

    printer.print_string(" (")
    printer.print_list(range(len(op.outputs)), print_output)
    printer.print_string(") ")
    printer.print_region(op.body, print_entry_block_args=False)
