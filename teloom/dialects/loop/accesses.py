"""Accesses of the `loop` dialect: loads, stores and prefetches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    BoolAttr,
    MemRefType,
    UnitAttr,
)
from xdsl.ir import (
    Attribute,
    Operation,
    SSAValue,
)
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.interfaces import Access, AccessingOp
from teloom.dialects.loop.control import INDEX
from teloom.dialects.loop.regions import TensorType
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.upstream import memref as upstream_memref


class AccessOp(IRDLOperation, AccessingOp):
    """Base of the ops that access one element of a tensor region."""

    tensor = operand_def(TensorType)
    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)

    @property
    def subscripts(self) -> Sequence[AffineExpr]:
        """One expression per axis, over `operands_`."""
        return self.map.data.results

    def accesses(self) -> Sequence[Access]:
        return (Access(self, 0, self.map.data),)

    @abstractmethod
    def flat(self, buffer: SSAValue, at: Sequence[SSAValue]) -> Operation:
        """The same access, as one of a buffer that holds the element at the indices `at`."""

    def verify_access(self, type: Attribute) -> None:
        assert isinstance(self.tensor.type, TensorType)
        affine.verify_map(self.map, self.operands_, "subscript")
        if len(self.subscripts) != self.tensor.type.rank.data:
            raise VerifyException(
                f"{len(self.subscripts)} subscripts for the "
                f"{self.tensor.type.rank.data} axes of {self.tensor.type}"
            )
        if type != self.tensor.type.element_type:
            raise VerifyException(f"{type} is not the element type of {self.tensor.type}")

    @classmethod
    def parse_access(cls, parser: Parser) -> tuple[SSAValue, list[AffineExpr], list[SSAValue]]:
        place = parser.pos
        tensor = affine.parse_operand(parser)
        if not isinstance(tensor.type, TensorType):
            parser.raise_error(
                f"{cls.name} needs a !loop.tensor, got {tensor.type}", place, parser.pos
            )
        operands = affine.OperandList()
        exprs = affine.parse_exprs(parser, operands)
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        if type != tensor.type.element_type:
            parser.raise_error(
                f"{type} is not the element type of {tensor.type}", place, parser.pos
            )
        return tensor, exprs, operands.values

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_access(printer)

    def print_access(self, printer: Printer) -> None:
        printer.print_operand(self.tensor)
        affine.print_exprs(printer, self.subscripts, self.operands_)
        printer.print_string(" : ")
        assert isinstance(self.tensor.type, TensorType)
        printer.print_attribute(self.tensor.type.element_type)


@irdl_op_definition
@attributes_behind
class LoadOp(AccessOp):
    """Reads one element of a tensor region, at logical coordinates.

    ```mlir
    func.func @read(%i: index, %data: memref<12xf32>) -> f32 {
      %A = loop.bind %data [0 : 3, 0 : 4] : memref<12xf32>
      %a = loop.load %A[%i + 1, %i floordiv 2] : f32
      func.return %a : f32
    }
    ```

    Shape: one subscript per axis; the coordinates lie in the region.
    Refused: another number of subscripts, another element type.
    Like: `affine.load`.
    """

    name = "loop.load"

    value = result_def()

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        tensor: SSAValue,
        subscripts: Sequence[AffineExpr],
        values: Sequence[SSAValue],
    ):
        """`subscripts` are expressions of `values`."""
        map, operands = affine.pack(subscripts, values)
        assert isinstance(tensor.type, TensorType)
        Operation.__init__(
            self,
            operands=[tensor, *operands],
            properties={"map": map},
            result_types=[tensor.type.element_type],
        )

    def accesses(self) -> Sequence[Access]:
        return (Access(self, 0, self.map.data, reads=True, value=self.value),)

    def flat(self, buffer: SSAValue, at: Sequence[SSAValue]) -> memref.LoadOp:
        assert isinstance(buffer.type, MemRefType)
        return memref.LoadOp.create(operands=[buffer, *at], result_types=[buffer.type.element_type])

    def verify_(self) -> None:
        self.verify_access(self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        return LoadOp(*cls.parse_access(parser))


class WriteOp(AccessOp):
    """Base of the ops that write a value to one element of a tensor region."""

    value = operand_def()

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        tensor: SSAValue,
        subscripts: Sequence[AffineExpr],
        values: Sequence[SSAValue],
    ):
        """`subscripts` are expressions of `values`."""
        map, operands = affine.pack(subscripts, values)
        Operation.__init__(self, operands=[value, tensor, *operands], properties={"map": map})

    def accesses(self) -> Sequence[Access]:
        return (Access(self, 1, self.map.data, writes=True, value=self.value),)

    def flat(self, buffer: SSAValue, at: Sequence[SSAValue]) -> memref.StoreOp:
        return memref.StoreOp.create(operands=[self.value, buffer, *at])

    def verify_(self) -> None:
        self.verify_access(self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = affine.parse_operand(parser)
        parser.parse_punctuation(",")
        return cls(value, *cls.parse_access(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        self.print_access(printer)


@irdl_op_definition
@attributes_behind
class StoreOp(WriteOp):
    """Writes one element of a tensor region, at logical coordinates.

    ```mlir
    func.func @write(%i: index, %a: f32, %data: memref<12xf32>) {
      %A = loop.bind %data [0 : 3, 0 : 4] : memref<12xf32>
      loop.store %a, %A[%i, 0] : f32
      loop.store %a, %A[%i, 1] : f32 streamed
      func.return
    }
    ```

    A streamed store is one past the caches, where it can be.

    Shape: one subscript per axis; the coordinates lie in the region.
    Refused: another number of subscripts, another element type.
    Like: `affine.store`; `nontemporal` of `memref.store`.
    """

    name = "loop.store"

    streamed = opt_prop_def(UnitAttr)

    def flat(self, buffer: SSAValue, at: Sequence[SSAValue]) -> memref.StoreOp:
        store = super().flat(buffer, at)
        if self.streamed is not None:
            store.nontemporal = BoolAttr.from_bool(True)
        return store

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        store = super().parse(parser)
        if parser.parse_optional_keyword("streamed"):
            store.streamed = UnitAttr()
        return store

    def print(self, printer: Printer) -> None:
        super().print(printer)
        if self.streamed is not None:
            printer.print_string(" streamed")


@irdl_op_definition
@attributes_behind
class InitOp(WriteOp):
    """Writes the start value of the reductions into an element.

    ```mlir
    func.func @sum(%data: memref<1xf32>, %rows: memref<8xf32>) {
      %C = loop.bind %data [] : memref<1xf32>
      %A = loop.bind %rows [0 : 8] : memref<8xf32>
      %zero = arith.constant 0.0 : f32
      loop.init %zero, %C[] : f32
      loop.for %k = 0 to 8 {
        %a = loop.load %A[%k] : f32
        loop.reduce %a into %C[] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
      func.return
    }
    ```

    Shape: one subscript per axis; the coordinates lie in the region.
    Refused: another number of subscripts, another element type.
    Like: `linalg.fill` in front of a `linalg` reduction.
    """

    name = "loop.init"


@irdl_op_definition
@attributes_behind
class PrefetchOp(AccessOp):
    """Prefetches one element of a tensor region; no value depends on it.

    ```mlir
    func.func @ahead(%i: index, %data: memref<12xf32>) {
      %A = loop.bind %data [0 : 3, 0 : 4] : memref<12xf32>
      loop.prefetch %A[%i + 1, 0] : f32
      func.return
    }
    ```

    Shape: one subscript per axis; the element may be undefined, or dead.
    Refused: another number of subscripts, another element type.
    Like: `affine.prefetch`.
    """

    name = "loop.prefetch"

    def __init__(
        self,
        tensor: SSAValue,
        subscripts: Sequence[AffineExpr],
        values: Sequence[SSAValue],
    ):
        """`subscripts` are expressions of `values`."""
        map, operands = affine.pack(subscripts, values)
        super().__init__(operands=[tensor, operands], properties={"map": map})

    def flat(self, buffer: SSAValue, at: Sequence[SSAValue]) -> upstream_memref.PrefetchOp:
        return upstream_memref.PrefetchOp(buffer, at)

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        self.verify_access(self.tensor.type.element_type)

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        return PrefetchOp(*cls.parse_access(parser))
