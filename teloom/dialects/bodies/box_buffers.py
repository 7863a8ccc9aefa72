"""What `te.buffer` and `loop.buffer` share: a box of a tensor as a memref, and what it demands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Self

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.syntax.alignments import LARGEST_ALIGNMENT, is_alignment
from teloom.dialects.syntax.boxes import pack_box, parse_box, print_box
from teloom.dialects.syntax.scopes import scope_of_buffer

_ONE = AffineExpr.constant(1)


class BoxBufferOp(IRDLOperation):
    """Base of the ops that give the memory of a box of a tensor.

    `aligned` is what the address of the memory is a multiple of, in bytes; `factor` what
    the offset of the box in it is a multiple of, in elements. A memory space in the type is
    the scope in which the tensor has to be.
    """

    tensor = operand_def()
    operands_ = var_operand_def(IndexType())
    offsets = prop_def(AffineMapAttr)
    extents = prop_def(AffineMapAttr)
    aligned = opt_prop_def(IntegerAttr)
    factor = opt_prop_def(IntegerAttr)
    buffer = result_def(MemRefType)

    def __init__(
        self,
        tensor: SSAValue,
        box: Sequence[tuple[AffineExpr, AffineExpr]],
        values: Sequence[SSAValue],
        type: Attribute,
        aligned: int | None = None,
        factor: int | None = None,
    ):
        """`box` holds (offset, extent) per axis, over `values`."""
        operands, offsets, extents = pack_box(box, values)
        super().__init__(
            operands=[tensor, operands],
            properties={
                "offsets": offsets,
                "extents": extents,
                "aligned": None if aligned is None else IntegerAttr(aligned, i64),
                "factor": None if factor is None else IntegerAttr(factor, i64),
            },
            result_types=[type],
        )

    @property
    def sides(self) -> list[AffineExpr]:
        """The offset and the extent of each axis, over `operands_`."""
        sides = zip(self.offsets.data.results, self.extents.data.results, strict=True)
        return [*chain.from_iterable(sides)]

    @property
    def left_out(self) -> int:
        """How many leading axes of the box, of one element each, the buffer does not have."""
        return len(self.extents.data.results) - len(self.buffer.type.get_shape())

    def verify_buffer(self, element_type: Attribute, rank: int) -> None:
        """Checks the box, and the type of the buffer, against those of the tensor."""
        type = self.buffer.type
        for map in (self.offsets.data, self.extents.data):
            if map.num_dims != len(self.operands_):
                raise VerifyException("the box's maps do not fit their operands")
            if len(map.results) != rank:
                raise VerifyException(f"{len(map.results)} pairs for {rank} axes")
        if type.element_type != element_type:
            raise VerifyException(f"{type} holds no {element_type}")
        _verify_shape(self.extents.data.results, type)
        match type.layout:
            case NoneAttr():
                pass
            case StridedLayoutAttr() if len(type.layout.strides) == rank - self.left_out:
                pass
            case _:
                count = rank - self.left_out
                raise VerifyException(f"the layout of {type} does not say {count} strides")
        if scope_of_buffer(type) is None:
            raise VerifyException(f"{type} names a memory space that is no scope")
        self._verify_demands()

    def _verify_demands(self) -> None:
        aligned, factor = number(self.aligned), number(self.factor)
        if not is_alignment(aligned):
            raise VerifyException(
                f"an alignment of {aligned} bytes is no power of two up to {LARGEST_ALIGNMENT}"
            )
        if factor < 1:
            raise VerifyException(f"factor {factor} is not positive")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        tensor = affine.parse_operand(parser)
        operands = affine.OperandList()
        box = parse_box(parser, operands)
        aligned, factor = (_parse_demand(parser, word) for word in ("aligned", "factor"))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        buffer = cls(tensor, box, operands.values, type, aligned, factor)
        buffer.attributes.update(attributes)
        return buffer

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.tensor)
        print_box(printer, self.offsets, self.extents, self.operands_)
        for word, demand in (("aligned", self.aligned), ("factor", self.factor)):
            if demand is not None:
                printer.print_string(f" {word} {demand.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


def number(demand: IntegerAttr | None) -> int:
    """The number that is demanded; 1 demands nothing."""
    return 1 if demand is None else demand.value.data


def _parse_demand(parser: Parser, word: str) -> int | None:
    if parser.parse_optional_keyword(word) is None:
        return None
    return parser.parse_integer(allow_boolean=False, allow_negative=False)


def _verify_shape(extents: Sequence[AffineExpr], type: MemRefType) -> None:
    shape = type.get_shape()
    left_out = len(extents) - len(shape)
    if left_out < 0 or any(extent != _ONE for extent in extents[:left_out]):
        raise VerifyException(f"{len(extents)} pairs for the {len(shape)} axes of {type}")
    for axis, (extent, dimension) in enumerate(zip(extents[left_out:], shape, strict=True)):
        constant = extent.value if isinstance(extent, AffineConstantExpr) else DYNAMIC_INDEX
        if isinstance(extent, AffineConstantExpr) and constant < 0:
            raise VerifyException(f"axis {axis} has the negative extent {constant}")
        if constant != dimension:
            shown = "symbolic" if constant == DYNAMIC_INDEX else constant
            raise VerifyException(
                f"axis {axis} of the box has the extent {shown}, which is not that of {type}"
            )
