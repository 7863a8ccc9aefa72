"""The `shadow` dialect: labels of accesses with the element of the region that they mean."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, StringAttr
from xdsl.ir import (
    Attribute,
    Dialect,
    ParametrizedAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.interfaces import Access
from teloom.dialects.loop import INDEX
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.boxes import pack_box, parse_box, print_box


@irdl_attr_definition
class RegionType(ParametrizedAttribute, TypeAttribute):
    """The elements of a region of a tensor, `!shadow.region`; none equals any other."""

    name = "shadow.region"


@irdl_op_definition
@attributes_behind
class RegionOp(IRDLOperation):
    """From here on there is a region of a tensor, and nothing has written its elements.

    Each time that it is reached it gives other elements, wherever they lie in memory.

    ```mlir
    func.func @rows(%n: index) {
      loop.for %y = 0 to %n {
        %b = memref.alloca() : memref<192xf32>
        %0 = shadow.region "b" [%y : 3, 0 : 64]
      }
      func.return
    }
    ```

    Shape: one pair of offset and extent per axis, in elements.
    Refused: a map that does not fit its operands, offsets and extents of other numbers.
    Like: `llvm.lifetime.start`.
    """

    name = "shadow.region"

    operands_ = var_operand_def(INDEX)
    region_name = prop_def(StringAttr)
    offsets = prop_def(AffineMapAttr)
    extents = prop_def(AffineMapAttr)
    region = result_def(RegionType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self, name: str, box: Sequence[tuple[AffineExpr, AffineExpr]], values: Sequence[SSAValue]
    ):
        """`box` holds (offset, extent) per axis, over `values`."""
        operands, offsets, extents = pack_box(box, values)
        super().__init__(
            operands=[operands],
            properties={
                "region_name": StringAttr(name),
                "offsets": offsets,
                "extents": extents,
            },
            result_types=[RegionType()],
        )

    @property
    def rank(self) -> int:
        return len(self.offsets.data.results)

    def verify_(self) -> None:
        for map in (self.offsets, self.extents):
            if map.data.num_dims != len(self.operands_) or map.data.num_symbols:
                raise VerifyException("a map of the box does not fit its operands")
        if len(self.extents.data.results) != self.rank:
            raise VerifyException(
                f"{self.rank} offsets with {len(self.extents.data.results)} extents"
            )

    @classmethod
    def parse(cls, parser: Parser) -> RegionOp:
        name = parser.parse_str_literal(" as name")
        operands = affine.OperandList()
        return RegionOp(name, parse_box(parser, operands), operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.region_name.data)
        printer.print_string(" ")
        print_box(printer, self.offsets, self.extents, self.operands_)


class ElementOp(IRDLOperation):
    """Base of the ops that say which element of a region a value is."""

    value = operand_def()
    region = operand_def(RegionType)
    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)

    @property
    def of(self) -> RegionOp:
        """What made the region."""
        owner = self.region.owner
        assert isinstance(owner, RegionOp)
        return owner

    def mean(
        self, region: SSAValue, subscripts: Sequence[AffineExpr], values: Sequence[SSAValue]
    ) -> None:
        """Says another element; `subscripts` are over `values`."""
        self.map, operands = affine.pack(subscripts, values)
        self.operands = (self.value, region, *operands)

    def verify_(self) -> None:
        if self.map.data.num_dims != len(self.operands_) or self.map.data.num_symbols:
            raise VerifyException("the map of the subscripts does not fit its operands")
        if not isinstance(self.region.owner, RegionOp):
            raise VerifyException("the region is not that of a shadow.region")
        if len(self.map.data.results) != self.of.rank:
            raise VerifyException(
                f"{len(self.map.data.results)} subscripts for the {self.of.rank} axes of the region"
            )

    @staticmethod
    def parse_element(
        parser: Parser,
    ) -> tuple[SSAValue, SSAValue, list[AffineExpr], list[SSAValue]]:
        value = affine.parse_operand(parser)
        parser.parse_punctuation(",")
        region = affine.parse_operand(parser)
        operands = affine.OperandList()
        return value, region, affine.parse_exprs(parser, operands), operands.values

    def print_element(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.region)
        affine.print_exprs(printer, self.map.data.results, self.operands_)


def _parse_type_of(value: SSAValue, parser: Parser) -> Attribute:
    parser.parse_punctuation(":")
    place = parser.pos
    type = parser.parse_type()
    if type != value.type:
        parser.raise_error(f"{value.type} is not {type}", place, parser.pos)
    return type


@irdl_op_definition
@attributes_behind
class LoadedOp(ElementOp):
    """The value was loaded as this element of a region, by the stage of that name.

    ```mlir
    func.func @read(%A: memref<12xf32>, %i: index) -> f32 {
      %0 = shadow.region "A" [0 : 3, 0 : 4]
      %at = affine.apply affine_map<(d0) -> (d0 * 4 + 3)> (%i)
      %a = memref.load %A[%at] : memref<12xf32>
      shadow.loaded %a, %0[%i, 3] by "B" : f32
      func.return %a : f32
    }
    ```

    Shape: one subscript per axis of the region, in coordinates of the tensor.
    Refused: another number of subscripts, a region that no `shadow.region` gives.
    Like: `llvm.intr.dbg.value`.
    """

    name = "shadow.loaded"

    reader = prop_def(StringAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        region: SSAValue,
        subscripts: Sequence[AffineExpr],
        values: Sequence[SSAValue],
        reader: str,
    ):
        """`subscripts` are over `values`."""
        map, operands = affine.pack(subscripts, values)
        super().__init__(
            operands=[value, region, operands],
            properties={"map": map, "reader": StringAttr(reader)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> LoadedOp:
        value, region, subscripts, values = cls.parse_element(parser)
        parser.parse_keyword("by")
        reader = parser.parse_str_literal(" as name")
        _parse_type_of(value, parser)
        return LoadedOp(value, region, subscripts, values, reader)

    def print(self, printer: Printer) -> None:
        self.print_element(printer)
        printer.print_string(" by ")
        printer.print_string_literal(self.reader.data)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


@irdl_op_definition
@attributes_behind
class StoredOp(ElementOp):
    """The value, which is stored as this element of a region.

    ```mlir
    func.func @write(%A: memref<12xf32>, %i: index, %a: f32) {
      %0 = shadow.region "A" [0 : 3, 0 : 4]
      %at = affine.apply affine_map<(d0) -> (d0 * 4 + 3)> (%i)
      %b = shadow.stored %a, %0[%i, 3] : f32
      memref.store %b, %A[%at] : memref<12xf32>
      func.return
    }
    ```

    Shape: one subscript per axis of the region, in coordinates of the tensor.
    Refused: another number of subscripts, a region that no `shadow.region` gives.
    Like: `llvm.intr.ssa.copy`.
    """

    name = "shadow.stored"

    result = result_def()

    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        value: SSAValue,
        region: SSAValue,
        subscripts: Sequence[AffineExpr],
        values: Sequence[SSAValue],
    ):
        """`subscripts` are over `values`."""
        map, operands = affine.pack(subscripts, values)
        super().__init__(
            operands=[value, region, operands],
            properties={"map": map},
            result_types=[value.type],
        )

    def verify_(self) -> None:
        super().verify_()
        if self.result.type != self.value.type:
            raise VerifyException(f"the result is {self.result.type}, not {self.value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> StoredOp:
        value, region, subscripts, values = cls.parse_element(parser)
        _parse_type_of(value, parser)
        return StoredOp(value, region, subscripts, values)

    def print(self, printer: Printer) -> None:
        self.print_element(printer)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


def labels_of(access: Access) -> Sequence[ElementOp]:
    """The label of an access, with the element that it means; None without one."""
    if access.value is None:
        return ()
    if access.writes:
        return [access.value.owner] if isinstance(access.value.owner, StoredOp) else ()
    users = (use.operation for use in access.value.uses)
    return [user for user in users if isinstance(user, LoadedOp)]


Shadow = Dialect("shadow", [RegionOp, LoadedOp, StoredOp], [RegionType])
