"""What `te.extern` and `schedule.extern` share: a body that sees buffers, and fills tensors.

body: one index argument per axis (data axes, then reduce axes), and one argument per
result, the tensor that the body fills. It gets the memory of that, and of the tensors it
reads, from `te.buffer`. With reduce axes there is also
init: the same for the data axes alone; it fills what the body then updates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, prop_def, region_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.box_buffers import BoxBufferOp
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.syntax.shapes import is_static, parse_shape
from teloom.dialects.syntax.stage_header import verify_extents
from teloom.dialects.syntax.upstream_text import print_location
from teloom.dialects.upstream.accesses import accesses_of

INDEX = IndexType()


class ExternParts(NamedTuple):
    """The shapes of what a body fills, over `sizes`, and the regions."""

    sizes: Sequence[SSAValue]
    shapes: ArrayAttr[AffineMapAttr]
    body: Region
    init: Region

    @staticmethod
    def of(
        extents: Sequence[Sequence[AffineExpr]],
        sizes: Sequence[SSAValue],
        body: Region,
        init: Region | None = None,
    ) -> ExternParts:
        """From extents whose dimension k stands for `sizes[k]`."""
        maps = [AffineMapAttr(AffineMap(len(sizes), 0, tuple(one))) for one in extents]
        return ExternParts(sizes, ArrayAttr(maps), body, Region() if init is None else init)


class Extern(IRDLOperation):
    """Base of the ops that hold an opaque body."""

    sizes = var_operand_def(INDEX)
    shapes = prop_def(ArrayAttr[AffineMapAttr])
    body = region_def("single_block")
    init = region_def()

    @property
    def axes(self) -> Sequence[BlockArgument]:
        """The axes, as the body names them: data axes, then reduce axes."""
        return axes_in(self.body.block)

    @property
    def outputs(self) -> Sequence[BlockArgument]:
        """The tensors that the body fills, as it names them."""
        return outputs_in(self.body.block)

    @property
    def has_init(self) -> bool:
        return bool(self.init.blocks)

    def shape_of(self, position: int) -> tuple[AffineExpr, ...]:
        """The extents of result `position`; dimension k stands for `sizes[k]`."""
        return self.shapes.data[position].data.results

    def detach_parts(self) -> ExternParts:
        """Takes the body out of this op, leaving an empty region behind."""
        init = Region()
        self.init.move_blocks(init)
        return ExternParts(tuple(self.sizes), self.shapes, self.detach_region(self.body), init)

    def regions_with_values(self) -> Sequence[Region]:
        """The regions that say what is read: body, then init."""
        return (self.body, self.init) if self.has_init else (self.body,)


def no_lane(body: Extern) -> Operation | None:
    """An op for which the body can be no lane: a call of other code, or one with lanes itself."""
    for region in body.regions_with_values():
        for op in preorder(region):
            types = [value.type for value in (*op.operands, *op.results)]
            if isinstance(op, func.CallOp) or any(isinstance(one, VectorType) for one in types):
                return op
    return None


def axes_in(block: Block) -> Sequence[BlockArgument]:
    """The axes that a region of an extern or an update names."""
    return [argument for argument in block.args if argument.type == INDEX]


def outputs_in(block: Block) -> Sequence[BlockArgument]:
    """The tensors that a region of an extern fills, or one of an update changes."""
    return [argument for argument in block.args if argument.type != INDEX]


def verify_extern(
    op: Extern, axis_count: int, data_axis_count: int, result_types: Sequence[Attribute]
) -> None:
    """Checks the tensors that the regions fill, and that they write no other.

    Raises VerifyException.
    """
    if not result_types:
        raise VerifyException("a stage needs at least one result")
    if len(result_types) != len(op.shapes):
        raise VerifyException(f"{len(op.shapes)} shapes for {len(result_types)} results")
    _verify_region(op.body, "body", axis_count, data_axis_count, result_types)
    for type, shape in zip(result_types, op.shapes, strict=True):
        if shape.data.num_dims != len(op.sizes):
            raise VerifyException("a shape's map does not fit its operands")
        assert isinstance(type, TensorType)
        verify_extents(shape.data.results, type)
    if (axis_count > data_axis_count) != op.has_init:
        raise VerifyException(
            "an init region needs reduce axes"
            if op.has_init
            else "reduce axes need an init region, which fills what the body updates"
        )
    if op.has_init:
        _verify_region(op.init, "init", data_axis_count, data_axis_count, result_types)


def _verify_region(
    region: Region,
    name: str,
    axis_count: int,
    data_axis_count: int,
    result_types: Sequence[Attribute],
) -> None:
    block = region.block
    types = [argument.type for argument in block.args]
    if types[:axis_count] != [INDEX] * axis_count or types[axis_count:] != list(result_types):
        axes = "one index per axis, and " if axis_count else ""
        raise VerifyException(
            f"the {name} needs {axes}one argument per result, of its type and shape"
        )
    outputs, reduce_axes = block.args[axis_count:], block.args[data_axis_count:axis_count]
    for inner in preorder(region):
        if inner.name == "te.read":
            raise VerifyException("te.read stands in an equation; an extern takes a te.buffer")
        for access in accesses_of(inner):
            if access.is_known and access.writes:
                _verify_written(access.buffer, outputs)
        if isinstance(inner, BoxBufferOp) and inner.tensor in outputs:
            for axis in inner.operands_:
                if axis in reduce_axes:
                    raise VerifyException(
                        f"what a point fills is over data axes; {axis.name_hint or 'an axis'} is "
                        "a reduce axis"
                    )


def _verify_written(target: SSAValue, outputs: Sequence[SSAValue]) -> None:
    buffer = target.owner
    while isinstance(buffer, memref.SubviewOp | memref.CastOp):
        buffer = buffer.source.owner
    if not isinstance(buffer, BoxBufferOp) or not isinstance(buffer.tensor.type, TensorType):
        return  # memory of the body's own
    if buffer.tensor not in outputs:
        name = buffer.tensor.name_hint or "a tensor"
        raise VerifyException(f"writes {name}, which is none of its results")


def parse_extern(
    parser: Parser,
    operands: affine.OperandList,
    parse_bounds: Callable[[], None] = lambda: None,
    parse_reduce_axes: bool = False,
) -> tuple[ExternParts, list[Attribute], int]:
    """Parses `(%i, ...) reduce (%k, ...) (%c: tensor<?xf32>[%n], ...) { ... } init (...) { ... }`.

    Axes may be missing, and have behind their names what `parse_bounds` reads. Also gives the
    types of the results and the number of data axes. The shapes are over `operands`.
    """
    shapes: list[list[AffineExpr]] = []
    misplaced = "axes stand in parentheses of their own, before the results"

    def parse_item() -> Parser.UnresolvedArgument | Parser.Argument:
        """An axis, or a result, which has a type."""
        name = parser.parse_argument(expect_type=False)
        if parser.parse_optional_punctuation(":") is None:
            if shapes:
                parser.raise_error(misplaced)
            parse_bounds()
            return name
        output = name.resolve(parser.parse_type())
        shapes.append(parse_shape(parser, output, "result", operands))
        output.location = parser.parse_optional_location()
        return output

    def parse_items() -> list[Parser.UnresolvedArgument | Parser.Argument]:
        return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_item)

    groups = [parse_items()]
    if not shapes and parse_reduce_axes and parser.parse_optional_keyword("reduce"):
        groups += [parse_items(), parse_items()]
    elif not shapes and groups[0]:
        groups.append(parse_items())
    *axis_groups, results = groups
    axes = [one for group in axis_groups for one in group if not isinstance(one, Parser.Argument)]
    outputs = [one for one in results if isinstance(one, Parser.Argument)]
    if len(axes) + len(outputs) < sum(map(len, groups)):
        parser.raise_error(misplaced)
    types = [output.type for output in outputs]
    body = parser.parse_region([*(axis.resolve(INDEX) for axis in axes), *outputs])
    init = Region()
    if parser.parse_optional_keyword("init"):
        init = parser.parse_region(_parse_init_arguments(parser, types))
    data_axes = len(axis_groups[0]) if axis_groups else 0
    return ExternParts.of(shapes, operands.values, body, init), types, data_axes


def _parse_init_arguments(parser: Parser, types: Sequence[Attribute]) -> list[Parser.Argument]:
    """`(%i, ..., %c, ...)`: data axes, then the results, of these types."""
    names = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    first = max(0, len(names) - len(types))
    indices = [name.resolve(INDEX) for name in names[:first]]
    return [*indices, *(name.resolve(type) for name, type in zip(names[first:], types))]


def print_extern(printer: Printer, op: Extern) -> None:
    """Prints what `parse_extern` reads, behind the axes."""

    def print_output(position: int) -> None:
        argument = op.outputs[position]
        printer.print_operand(argument)
        printer.print_string(": ")
        printer.print_attribute(argument.type)
        if not is_static(argument.type):
            affine.print_exprs(printer, op.shape_of(position), op.sizes)
        print_location(printer, argument)

    printer.print_string(" (")
    printer.print_list(range(len(op.outputs)), print_output)
    printer.print_string(") ")
    printer.print_region(op.body, print_entry_block_args=False, print_empty_block=False)
    if op.has_init:
        printer.print_string(" init (")
        printer.print_list(op.init.block.args, printer.print_operand)
        printer.print_string(") ")
        printer.print_region(op.init, print_entry_block_args=False, print_empty_block=False)
