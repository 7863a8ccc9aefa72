"""Tensor regions in logical coordinates: their storage and their layout."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import (
    Attribute,
    Operation,
    ParametrizedAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryAllocEffect,
    NoMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.box_buffers import BoxBufferOp
from teloom.dialects.loop.control import INDEX
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.boxes import pack_box, parse_box, print_box
from teloom.dialects.syntax.layouts import LayoutAttr, parse_layout_clause
from teloom.dialects.syntax.placements import (
    USUAL,
    Placement,
    parse_strides,
    print_strides,
    row_major,
)
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.dialects.syntax.storage import USUAL_STORAGE, StorageAttr, parse_storage


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """A tensor region in logical coordinates: `!loop.tensor<2, f32>` has a rank and elements."""

    name = "loop.tensor"

    rank: IntAttr
    element_type: Attribute

    @classmethod
    def of(cls, rank: int, element_type: Attribute) -> TensorType:
        return TensorType(IntAttr(rank), element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            rank = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            return [IntAttr(rank), parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.rank.data}, ")
        printer.print_attribute(self.element_type)
        printer.print_string(">")


def _constants(exprs: Sequence[AffineExpr]) -> list[int] | None:
    """The values of `exprs`, if all are constant."""
    found = [expr.value for expr in exprs if isinstance(expr, AffineConstantExpr)]
    return found if len(found) == len(exprs) else None


class TensorRegionOp(IRDLOperation):
    """Base of the ops that define a tensor region, by `[offset : extent, ...]` per axis."""

    operands_ = var_operand_def(INDEX)
    offsets = prop_def(AffineMapAttr)
    extents = prop_def(AffineMapAttr)

    @property
    @abstractmethod
    def stored(self) -> StorageAttr:
        """How the elements of the region are stored."""

    @property
    def stored_extents(self) -> list[AffineExpr]:
        """The extents after folding, over `operands_`: coordinates with memory of their own."""
        extents = list(self.extents.data.results)
        for axis, factor in self.stored.factors.items():
            extents[axis] = AffineExpr.constant(factor)
        return extents

    def verify_region(self, type: Attribute) -> None:
        assert isinstance(type, TensorType)
        for map, what in ((self.offsets, "offset"), (self.extents, "extent")):
            affine.verify_map(map, self.operands_, what)
            if len(map.data.results) != type.rank.data:
                raise VerifyException(
                    f"{len(map.data.results)} {what}s for the {type.rank.data} axes of {type}"
                )
        self.stored.verify_axes(type.rank.data)


@irdl_op_definition
class RealizeOp(TensorRegionOp):
    """Storage for a region of a tensor, valid until the end of the enclosing block.

    Per axis, `[offset : extent, ...]` holds the logical coordinates from `offset` to
    `offset + extent`, the end excluded. The elements are undefined at first. A `#loop.storage`
    follows: the memory, the layout and the number of copies. With a layout, an alignment is that
    of the physical axis which equals the axis.

    ```mlir
    func.func @rows(%n: index) {
      %one = arith.constant 1.0 : f32
      loop.for %y = 0 to %n {
        %b = loop.realize "b" [%y : 3, 0 : 64] : !loop.tensor<2, f32>
        %c = loop.realize "c" [0 : 66, 0 : 64] folded axis 0 factor 3 : !loop.tensor<2, f32>
        %t = loop.realize "t" [0 : 8] in "local" : !loop.tensor<1, f32>
        %u = loop.realize "u" [0 : 8, 0 : 9] aligned axis 0 factor 2 offset 1 : !loop.tensor<2, f32>
        %w = loop.realize "w" [0 : 8] layout affine_map<(d0) -> (d0 * -1)> : !loop.tensor<1, f32>
        %l = loop.realize "l" [0 : 4, 0 : 4] layout affine_map<(i, j) -> (i, j)> packed lower
          : !loop.tensor<2, f32>
        loop.store %one, %b[%y + 2, 63] : f32
        loop.store %one, %t[7] : f32
      }
      func.return
    }
    ```

    Shape: one pair per axis of the tensor, in elements.
    Refused: another number of pairs, a map that does not fit its operands, an unknown scope; an
    alignment of an axis that does not exist, by a factor below 1 or by an offset outside
    0 .. factor - 1; a fold by a factor below 1; a layout of another number of axes, or one in
    which an aligned axis is no physical axis with a stride; a packed one of folded axes.
    Like: `memref.alloc`, `ProducerRealize` of TVM.
    """

    name = "loop.realize"

    stage_name = prop_def(StringAttr)
    storage = prop_def(StorageAttr, default_value=USUAL_STORAGE)
    tensor = result_def(TensorType)

    # An unused allocation may be erased, unlike the stores into a used one.
    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self,
        stage_name: str,
        box: Sequence[tuple[AffineExpr, AffineExpr]],
        values: Sequence[SSAValue],
        element_type: Attribute,
        storage: StorageAttr = USUAL_STORAGE,
    ):
        """`box` holds (offset, extent) per axis, over `values`."""
        operands, offsets, extents = pack_box(box, values)
        Operation.__init__(
            self,
            operands=operands,
            properties={
                "stage_name": StringAttr(stage_name),
                "offsets": offsets,
                "extents": extents,
                "storage": storage,
            },
            result_types=[TensorType.of(len(box), element_type)],
        )

    @property
    def stored(self) -> StorageAttr:
        return self.storage

    @property
    def scope(self) -> str:
        """The scope of the memory that holds the region."""
        return self.storage.own_scope or GLOBAL

    def verify_(self) -> None:
        self.verify_region(self.tensor.type)

    @classmethod
    def parse(cls, parser: Parser) -> RealizeOp:
        name = parser.parse_str_literal(" as stage name")
        operands = affine.OperandList()
        box = parse_box(parser, operands)
        storage = parse_storage(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        end = parser.pos
        if not isinstance(type, TensorType):
            parser.raise_error(f"loop.realize gives a !loop.tensor, not {type}", place, end)
        realize = RealizeOp(name, box, operands.values, type.element_type, storage)
        if realize.tensor.type != type:
            parser.raise_error(f"{len(box)} axes for a result of type {type}", place, end)
        realize.attributes.update(attributes)
        return realize

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.stage_name.data)
        printer.print_string(" ")
        print_box(printer, self.offsets, self.extents, self.operands_)
        self.storage.print_clauses(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


@irdl_op_definition
@attributes_behind
class BindOp(TensorRegionOp):
    """A tensor region in given storage, row-major and without gaps.

    With `layout affine_map<...>` it is row-major in these physical coordinates. `strides [...]`
    are the distances between neighbours on each axis instead, in elements. `offset` is the
    distance from the first element of the storage to that of the region.

    ```mlir
    func.func @first(%n: index, %s: index, %data: memref<?xf32>) {
      %A = loop.bind %data [0 : %n, 0 : 4] : memref<?xf32>
      %B = loop.bind %data [0 : 4, 0 : %n] layout affine_map<(d0, d1) -> (d1, d0)> : memref<?xf32>
      %T = loop.bind %data [0 : 4, 0 : %n] strides [1, %s] offset 2 : memref<?xf32>
      %a = loop.load %A[0, 3] : f32
      loop.store %a, %T[0, 0] : f32
      func.return
    }
    ```

    Shape: the storage is a 1-D memref of as many elements as the region, or as the box
    around its physical coordinates; with strides or an offset, of at least as many as it
    reaches.
    Refused: storage of another rank or length; another number of strides than axes; a layout
    of another number of axes, or with separators or strides.
    Like: `memref.reinterpret_cast`, `match_buffer` of TVM.
    """

    name = "loop.bind"

    buffer = operand_def(MemRefType)
    strides = opt_prop_def(AffineMapAttr)
    start = opt_prop_def(AffineMapAttr)
    layout = opt_prop_def(LayoutAttr)
    tensor = result_def(TensorType)

    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        buffer: SSAValue,
        box: Sequence[tuple[AffineExpr, AffineExpr]],
        values: Sequence[SSAValue],
        layout: LayoutAttr | None = None,
        placement: Placement = USUAL,
    ):
        """`box` holds (offset, extent) per axis; it and `placement` are over `values`."""
        exprs = [*(expr for pair in box for expr in pair), *placement.expressions]
        packed, operands = affine.pack(exprs, values)
        found = packed.data.results
        end, usual = 2 * len(box), placement.strides is None
        assert isinstance(buffer.type, MemRefType)
        super().__init__(
            operands=[buffer, operands],
            properties={
                "offsets": affine.map_of(found[:end:2], operands),
                "extents": affine.map_of(found[1:end:2], operands),
                "strides": None if usual else affine.map_of(found[end:-1], operands),
                "start": affine.map_of(found[-1:], operands) if placement.has_offset else None,
                "layout": layout,
            },
            result_types=[TensorType.of(len(box), buffer.type.element_type)],
        )

    @property
    def stored(self) -> StorageAttr:
        return USUAL_STORAGE if self.layout is None else USUAL_STORAGE.laid_out(self.layout)

    @property
    def placement(self) -> Placement:
        """The strides and the offset of the region in the storage, over `operands_`."""
        placement = USUAL
        if self.strides is not None:
            placement = placement._replace(strides=self.strides.data.results)
        if self.start is not None:
            placement = placement._replace(offset=self.start.data.results[0])
        return placement

    def verify_(self) -> None:
        self.verify_region(self.tensor.type)
        assert isinstance(self.buffer.type, MemRefType)
        assert isinstance(self.tensor.type, TensorType)
        if len(self.buffer.type.get_shape()) != 1:
            raise VerifyException(f"storage {self.buffer.type} is not 1-D")
        if self.layout is not None and self.layout.separators:
            raise VerifyException(f"storage {self.buffer.type} has no place for separators")
        if self.buffer.type.element_type != self.tensor.type.element_type:
            raise VerifyException(
                f"storage {self.buffer.type} holds no {self.tensor.type.element_type}"
            )
        for map, what, count in (
            (self.strides, "stride", self.tensor.type.rank.data),
            (self.start, "storage offset", 1),
        ):
            if map is None:
                continue
            affine.verify_map(map, self.operands_, what)
            if len(map.data.results) != count:
                raise VerifyException(f"{len(map.data.results)} {what}s, expected {count}")
        (length,) = self.buffer.type.get_shape()
        if self.layout is not None and self.strides is not None:
            raise VerifyException("a region lies by a layout or by strides, not by both")
        if length != DYNAMIC_INDEX and self.layout is None:
            self._verify_length(length)

    def _verify_length(self, length: int) -> None:
        placement = self.placement
        extents = _constants(self.extents.data.results)
        if extents is None:
            return
        if placement.is_usual and prod(extents) != length:
            raise VerifyException(
                f"a region of {prod(extents)} elements in storage {self.buffer.type}"
            )
        strides: Sequence[int] | None = row_major(extents)
        if placement.strides is not None:
            strides = _constants(placement.strides)
        start = _constants([placement.offset])
        if strides is None or start is None or 0 in extents:
            return
        reach = sum((extent - 1) * stride for extent, stride in zip(extents, strides, strict=True))
        if start[0] + reach >= length:
            raise VerifyException(
                f"a region that reaches element {start[0] + reach} in storage {self.buffer.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> BindOp:
        buffer = affine.parse_operand(parser)
        operands = affine.OperandList()
        box = parse_box(parser, operands)
        layout = parse_layout_clause(parser)
        placement = Placement(*parse_strides(parser, operands))
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        if type != buffer.type or not isinstance(type, MemRefType):
            parser.raise_error(f"{buffer.type} is not a memref of type {type}", place, parser.pos)
        return BindOp(buffer, box, operands.values, layout, placement)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.buffer)
        printer.print_string(" ")
        print_box(printer, self.offsets, self.extents, self.operands_)
        if self.layout is not None:
            printer.print_string(f" layout {self.layout.bare}")
        print_strides(printer, self.placement, self.operands_)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class BufferOp(BoxBufferOp):
    """The memory of a box of a tensor region, as a buffer for the code of an extern.

    Its type, `aligned` and `factor` are demands on the memory: see `te.buffer`.

    ```mlir
    func.func @row(%i: index, %data: memref<12xf32>) -> f32 {
      %A = loop.bind %data [0 : 3, 0 : 4] : memref<12xf32>
      %a = loop.buffer %A[2 : 1, 0 : 4] aligned 4 : memref<1x4xf32, strided<[4, 1], offset: 8>>
      %zero = arith.constant 0 : index
      %x = memref.load %a[%zero, %i] : memref<1x4xf32, strided<[4, 1], offset: 8>>
      func.return %x : f32
    }
    ```

    Shape: one pair (offset : extent) per axis, inside the region; the buffer has these
    extents.
    Refused: another number of pairs than axes, another element type; strides, an offset or
    an alignment that `storage-flatten` cannot prove.
    Like: `memref.subview`.
    """

    name = "loop.buffer"

    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        type = self.tensor.type
        if not isinstance(type, TensorType):
            raise VerifyException(f"loop.buffer needs a !loop.tensor, got {type}")
        self.verify_buffer(type.element_type, type.rank.data)
