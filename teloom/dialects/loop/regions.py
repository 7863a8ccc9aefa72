"""Regions of tensors in logical coordinates: storage for them, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseArrayBase,
    IntAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import (
    Attribute,
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
from teloom.dialects.syntax.boxes import (
    folds_in,
    pack_box,
    pack_folds,
    parse_box,
    parse_stored_box,
    print_box,
    verify_folds,
)
from teloom.dialects.syntax.layouts import LayoutAttr, parse_layout_clause
from teloom.dialects.syntax.placements import (
    USUAL,
    Placement,
    parse_strides,
    print_strides,
    row_major,
)
from teloom.dialects.syntax.scopes import GLOBAL, parse_scope, print_scope, verify_scope


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """A region of a tensor in logical coordinates, `!loop.tensor<2, f32>`: rank, element."""

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


class RegionOp(IRDLOperation):
    """Base of the ops that give a tensor region: `[offset : extent, ...]` per axis."""

    operands_ = var_operand_def(INDEX)
    offsets = prop_def(AffineMapAttr)
    extents = prop_def(AffineMapAttr)
    layout = opt_prop_def(LayoutAttr)

    @property
    def folds(self) -> list[int]:
        """The factor per axis modulo which it is stored, 0 where it is not folded."""
        return [0] * len(self.extents.data.results)

    @property
    def stored_extents(self) -> list[AffineExpr]:
        """How many coordinates of each axis have memory of their own, over `operands_`."""
        return [
            AffineExpr.constant(fold) if fold else extent
            for extent, fold in zip(self.extents.data.results, self.folds, strict=True)
        ]

    def verify_region(self, type: Attribute) -> None:
        assert isinstance(type, TensorType)
        for map, what in ((self.offsets, "offset"), (self.extents, "extent")):
            affine.verify_map(map, self.operands_, what)
            if len(map.data.results) != type.rank.data:
                raise VerifyException(
                    f"{len(map.data.results)} {what}s for the {type.rank.data} axes of {type}"
                )
        if self.layout is not None:
            self.layout.verify_axes(type.rank.data)


class Alignment(NamedTuple):
    """The stride of an axis is `offset` modulo `factor`, in elements."""

    axis: int
    factor: int
    offset: int


@irdl_op_definition
class RealizeOp(RegionOp):
    """Storage for a region of a tensor, valid until the end of the enclosing block.

    `[offset : extent, ...]` says per axis which logical coordinates are held:
    `offset` up to `offset + extent`, the end excluded. Its elements start undefined.
    `in "shared"` says in which memory; without it, that is global. `aligned axis 0
    factor 32 offset 1` asks for a stride of that axis that is 1 modulo 32. `fold 3` behind an
    extent: coordinates that differ by multiples of 3 share memory, in which the last that was
    written lies. `layout affine_map<...>` gives the physical coordinates of an element, from
    its distances to the offsets, modulo the folds; without one, these are the physical
    coordinates. An alignment is then of the physical axis that is the axis alone.
    `double_buffered` asks for two copies, of which one is written an iteration of the loop
    around ahead.

    ```mlir
    func.func @rows(%n: index) {
      %one = arith.constant 1.0 : f32
      loop.for %y = 0 to %n {
        %b = loop.realize "b" [%y : 3, 0 : 64] : !loop.tensor<2, f32>
        %c = loop.realize "c" [0 : 66 fold 3, 0 : 64] : !loop.tensor<2, f32>
        %t = loop.realize "t" [0 : 8] in "local" : !loop.tensor<1, f32>
        %u = loop.realize "u" [0 : 8, 0 : 9] aligned axis 0 factor 2 offset 1 : !loop.tensor<2, f32>
        %w = loop.realize "w" [0 : 8] layout affine_map<(d0) -> (d0 * -1)> : !loop.tensor<1, f32>
        loop.store %one, %b[%y + 2, 63] : f32
        loop.store %one, %t[7] : f32
      }
      func.return
    }
    ```

    Shape: one pair per axis of the tensor, in elements.
    Refused: another number of pairs, a map that does not fit its operands, a scope that
    is none; an alignment of an axis that is not there, or by a factor below 1 or an
    offset outside 0 .. factor - 1; a fold by a factor below 1; a layout of another number
    of axes, or one in which an aligned axis is no physical axis.
    Like: `memref.alloc`, `ProducerRealize` of TVM.
    """

    name = "loop.realize"

    stage_name = prop_def(StringAttr)
    scope = prop_def(StringAttr, default_value=StringAttr(GLOBAL))
    aligned = opt_prop_def(DenseArrayBase.constr(i64))
    folded = opt_prop_def(DenseArrayBase.constr(i64))
    double_buffered = opt_prop_def(UnitAttr)
    tensor = result_def(TensorType)

    # Storage that nothing reads or writes may go; what is stored must not.
    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self,
        stage_name: str,
        box: Sequence[tuple[AffineExpr, AffineExpr]],
        values: Sequence[SSAValue],
        element_type: Attribute,
        scope: str = GLOBAL,
        alignments: Sequence[Alignment] = (),
        folds: Sequence[int] = (),
        layout: LayoutAttr | None = None,
        double_buffered: bool = False,
    ):
        """`box` holds (offset, extent) per axis, over `values`; `folds` 0 or a factor."""
        operands, offsets, extents = pack_box(box, values)
        super().__init__(
            operands=[operands],
            properties={
                "stage_name": StringAttr(stage_name),
                "offsets": offsets,
                "extents": extents,
                "scope": StringAttr(scope),
                "aligned": _flat(alignments) if alignments else None,
                "folded": pack_folds(folds),
                "layout": layout,
                "double_buffered": UnitAttr() if double_buffered else None,
            },
            result_types=[TensorType.of(len(box), element_type)],
        )

    @property
    def alignments(self) -> list[Alignment]:
        numbers = [] if self.aligned is None else self.aligned.get_values()
        return [Alignment(*numbers[k : k + 3]) for k in range(0, len(numbers), 3)]

    @property
    def folds(self) -> list[int]:
        """The factor per axis modulo which it is stored, 0 where it is not folded."""
        return folds_in(self.folded, self.tensor.type.rank.data)

    def verify_(self) -> None:
        self.verify_region(self.tensor.type)
        verify_scope(self.scope.data)
        verify_folds(self.folded, self.tensor.type.rank.data)
        if self.aligned is not None and len(self.aligned) % 3:
            raise VerifyException("an alignment has three numbers: axis, factor and offset")
        for axis, factor, offset in self.alignments:
            if not 0 <= axis < self.tensor.type.rank.data:
                raise VerifyException(f"axis {axis} is none of the {self.tensor.type.rank.data}")
            if factor < 1 or not 0 <= offset < factor:
                raise VerifyException(f"a stride cannot be {offset} modulo {factor}")
            if self.layout is not None and self.layout.position_of(axis) is None:
                raise VerifyException(f"aligned axis {axis} is no physical axis of {self.layout}")

    @classmethod
    def parse(cls, parser: Parser) -> RealizeOp:
        name = parser.parse_str_literal(" as stage name")
        operands = affine.OperandList()
        box, folds = parse_stored_box(parser, operands)
        scope = parse_scope(parser)
        alignments = _parse_alignments(parser)
        layout = parse_layout_clause(parser)
        double_buffered = parser.parse_optional_keyword("double_buffered") is not None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        end = parser.pos
        if not isinstance(type, TensorType):
            parser.raise_error(f"loop.realize gives a !loop.tensor, not {type}", place, end)
        realize = RealizeOp(
            name,
            box,
            operands.values,
            type.element_type,
            scope,
            alignments,
            folds,
            layout,
            double_buffered,
        )
        if realize.tensor.type != type:
            parser.raise_error(f"{len(box)} axes for a result of type {type}", place, end)
        realize.attributes.update(attributes)
        return realize

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.stage_name.data)
        printer.print_string(" ")
        print_box(printer, self.offsets, self.extents, self.operands_, self.folds)
        print_scope(printer, self.scope.data)
        if self.alignments:
            printer.print_string(" aligned ")
            printer.print_list(self.alignments, lambda a: printer.print_string(_text(a)))
        if self.layout is not None:
            self.layout.print_clause(printer)
        if self.double_buffered is not None:
            printer.print_string(" double_buffered")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


def _flat(alignments: Sequence[Alignment]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [number for one in alignments for number in one])


def _parse_alignments(parser: Parser) -> list[Alignment]:
    """Parses `aligned axis 0 factor 2 offset 1, ...`, or nothing."""

    def parse_one() -> Alignment:
        numbers: list[int] = []
        for word in Alignment._fields:
            parser.parse_keyword(word)
            numbers.append(parser.parse_integer(allow_boolean=False, allow_negative=False))
        return Alignment(*numbers)

    if not parser.parse_optional_keyword("aligned"):
        return []
    return parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_one)


def _text(alignment: Alignment) -> str:
    return " ".join(f"{word} {number}" for word, number in alignment._asdict().items())


@irdl_op_definition
@attributes_behind
class BindOp(RegionOp):
    """A region of a tensor that lies in given storage, row-major and without gaps.

    With `layout affine_map<...>` it is row-major in the physical coordinates that this gives.
    `strides [...]` gives instead how many elements neighbours on each axis are apart, and
    `offset` how many elements the first one of the region lies behind the storage's.

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

    storage = operand_def(MemRefType)
    strides = opt_prop_def(AffineMapAttr)
    start = opt_prop_def(AffineMapAttr)
    tensor = result_def(TensorType)

    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        storage: SSAValue,
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
        assert isinstance(storage.type, MemRefType)
        super().__init__(
            operands=[storage, operands],
            properties={
                "offsets": affine.map_of(found[:end:2], operands),
                "extents": affine.map_of(found[1:end:2], operands),
                "strides": None if usual else affine.map_of(found[end:-1], operands),
                "start": affine.map_of(found[-1:], operands) if placement.has_offset else None,
                "layout": layout,
            },
            result_types=[TensorType.of(len(box), storage.type.element_type)],
        )

    @property
    def placement(self) -> Placement:
        """How the region lies in the storage, over `operands_`."""
        placement = USUAL
        if self.strides is not None:
            placement = placement._replace(strides=self.strides.data.results)
        if self.start is not None:
            placement = placement._replace(offset=self.start.data.results[0])
        return placement

    def verify_(self) -> None:
        self.verify_region(self.tensor.type)
        assert isinstance(self.storage.type, MemRefType)
        assert isinstance(self.tensor.type, TensorType)
        if len(self.storage.type.get_shape()) != 1:
            raise VerifyException(f"storage {self.storage.type} is not 1-D")
        if self.layout is not None and self.layout.separators:
            raise VerifyException(f"storage {self.storage.type} has no place for separators")
        if self.storage.type.element_type != self.tensor.type.element_type:
            raise VerifyException(
                f"storage {self.storage.type} holds no {self.tensor.type.element_type}"
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
        (length,) = self.storage.type.get_shape()
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
                f"a region of {prod(extents)} elements in storage {self.storage.type}"
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
                f"a region that reaches element {start[0] + reach} in storage {self.storage.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> BindOp:
        storage = affine.parse_operand(parser)
        operands = affine.OperandList()
        box = parse_box(parser, operands)
        layout = parse_layout_clause(parser)
        placement = Placement(*parse_strides(parser, operands))
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        if type != storage.type or not isinstance(type, MemRefType):
            parser.raise_error(f"{storage.type} is not a memref of type {type}", place, parser.pos)
        return BindOp(storage, box, operands.values, layout, placement)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.storage)
        printer.print_string(" ")
        print_box(printer, self.offsets, self.extents, self.operands_)
        if self.layout is not None:
            self.layout.print_clause(printer)
        print_strides(printer, self.placement, self.operands_)
        printer.print_string(" : ")
        printer.print_attribute(self.storage.type)


@irdl_op_definition
class BufferOp(BoxBufferOp):
    """The memory of a box of a tensor region, for code that is no loop over its elements.

    What its type, `aligned` and `factor` say, is demanded: see `te.buffer`.

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
