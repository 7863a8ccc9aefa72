"""The `amx` dialect of upstream MLIR, which xDSL lacks: tiles, the matrix registers of x86-64."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl import irdl
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float32Type,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnitAttr,
    i8,
    i32,
)
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.interfaces import Access, AccessingOp, MatrixRows, identity
from teloom.dialects.tile_registers import MOST_BYTES, MOST_ROWS, SUM_BYTES


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute):
    """Rows of numbers in a register.

    ```mlir
    %a = "test.op"() : () -> !amx.tile<16x64xi8>
    ```

    Shape: 1 to 16 rows of 4 to 64 bytes, a multiple of 4.
    Refused: other shapes, elements but i8, bf16, i32 and f32.
    Like: upstream's, whose rows may have any bytes.
    """

    name = "amx.tile"

    rows: IntAttr
    columns: IntAttr
    element_type: Attribute

    def __init__(self, rows: int, columns: int, element: Attribute):
        super().__init__(IntAttr(rows), IntAttr(columns), element)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.data, self.columns.data

    @property
    def element_bytes(self) -> int:
        assert isinstance(self.element_type, IntegerType | AnyFloat)
        return self.element_type.bitwidth // 8

    @property
    def row_bytes(self) -> int:
        return self.columns.data * self.element_bytes

    @property
    def group(self) -> int:
        """How many neighbours in a row are in as many bytes as a sum."""
        return SUM_BYTES // self.element_bytes

    def verify(self) -> None:
        if self.element_type not in (i8, i32, BFloat16Type(), Float32Type()):
            raise VerifyException(f"a tile of {self.element_type}; it may be of i8, bf16, i32, f32")
        if not 1 <= self.rows.data <= MOST_ROWS:
            raise VerifyException(f"{self.rows.data} rows of a tile; it has 1 to {MOST_ROWS}")
        if self.row_bytes % SUM_BYTES or not 1 <= self.row_bytes <= MOST_BYTES:
            raise VerifyException(
                f"rows of {self.row_bytes} bytes; those of a tile have a multiple of {SUM_BYTES}, "
                f"at most {MOST_BYTES}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            rows, columns = (cls._parse_extent(parser) for _ in range(2))
            return [rows, columns, parser.parse_type()]

    @staticmethod
    def _parse_extent(parser: AttrParser) -> IntAttr:
        extent = parser.parse_shape_dimension()
        parser.parse_shape_delimiter()
        return IntAttr(extent)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.rows.data}x{self.columns.data}x")
            printer.print_attribute(self.element_type)


class TileAccessOp(IRDLOperation, AccessingOp):
    """Base of the ops that access a matrix in a buffer, row by row.

    The buffer has two axes, or one and the distance of rows, in elements.
    """

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    stride = opt_operand_def(IndexType())

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    @abstractmethod
    def tile(self) -> SSAValue:
        """What is read or written."""

    @abstractmethod
    def in_rows_of(self, buffer: SSAValue, at: SSAValue, stride: SSAValue) -> TileAccessOp:
        """The same access to a buffer of one axis, from an element on."""

    def access(self, **said: Any) -> Access:
        """Of its rows, if it is known how far they are from each other."""
        distance = self.stride and self.stride.owner
        value = distance.value if isinstance(distance, arith.ConstantOp) else None
        position = [*self.operands].index(self.base)
        if not isinstance(value, IntegerAttr) or value.value.data < 0:
            return Access(self, position, value=self.tile, **said)
        assert isinstance(self.tile.type, TileType)
        rows = MatrixRows(*self.tile.type.shape, value.value.data)
        return Access(self, position, identity(1), value=self.tile, rows=rows, **said)

    def verify_(self) -> None:
        buffer, tile = self.base.type, self.tile.type
        assert isinstance(buffer, MemRefType)
        assert isinstance(tile, TileType)
        axes = len(buffer.get_shape())
        if len(self.indices) != axes:
            raise VerifyException(f"{len(self.indices)} indices for {buffer}")
        if axes != (2 if self.stride is None else 1):
            raise VerifyException(
                f"{buffer} is no matrix; a buffer of one axis needs the distance of its rows"
            )
        if buffer.element_type != tile.element_type:
            raise VerifyException(f"{tile} and {buffer} have other elements")


@irdl_op_definition
class TileLoadOp(TileAccessOp):
    """Loads the rows of a matrix that begins at an element.

    ```mlir
    %A, %B, %i = "test.op"() : () -> (memref<?x?xi8, strided<[?, 1]>>, memref<?xi8>, index)
    %a = amx.tile_load %A[%i, %i] : memref<?x?xi8, strided<[?, 1]>> into !amx.tile<16x64xi8>
    %b = amx.tile_load %B[%i], %i : memref<?xi8> into !amx.tile<16x64xi8>
    ```

    Shape: two indices, or one and the distance of two rows, in elements.
    Refused: other buffers, elements of another type.
    Like: upstream's.
    """

    name = "amx.tile_load"

    result = result_def(TileType)

    assembly_format = (
        "$base `[` $indices `]` (`,` $stride^)? attr-dict `:` type($base) `into` type($result)"
    )

    traits = irdl.traits_def(MemoryReadEffect())

    def __init__(
        self,
        base: SSAValue,
        indices: Sequence[SSAValue],
        type: Attribute,
        stride: SSAValue | None = None,
    ):
        super().__init__(operands=[base, indices, stride], result_types=[type])

    @property
    def tile(self) -> SSAValue:
        return self.result

    def in_rows_of(self, buffer: SSAValue, at: SSAValue, stride: SSAValue) -> TileLoadOp:
        return TileLoadOp(buffer, [at], self.result.type, stride)

    def accesses(self) -> Sequence[Access]:
        return (self.access(reads=True),)


@irdl_op_definition
class TileStoreOp(TileAccessOp):
    """Stores a tile in the rows of a matrix that begins at an element.

    ```mlir
    %C, %c, %i = "test.op"() : () -> (memref<?x?xi32>, !amx.tile<16x16xi32>, index)
    amx.tile_store %C[%i, %i], %c : memref<?x?xi32>, !amx.tile<16x16xi32>
    ```

    Shape: two indices, or one and, behind the tile, the distance of two rows, in elements.
    Refused: other buffers, elements of another type.
    Like: upstream's.
    """

    name = "amx.tile_store"

    val = operand_def(TileType)

    assembly_format = (
        "$base `[` $indices `]` `,` $val (`,` $stride^)? attr-dict `:` type($base) `,` type($val)"
    )

    traits = irdl.traits_def(MemoryWriteEffect())

    def __init__(
        self,
        base: SSAValue,
        indices: Sequence[SSAValue],
        tile: SSAValue,
        stride: SSAValue | None = None,
    ):
        super().__init__(operands=[tile, base, indices, stride])

    @property
    def tile(self) -> SSAValue:
        return self.val

    def in_rows_of(self, buffer: SSAValue, at: SSAValue, stride: SSAValue) -> TileStoreOp:
        return TileStoreOp(buffer, [at], self.val, stride)

    def accesses(self) -> Sequence[Access]:
        return (self.access(writes=True),)


@irdl_op_definition
class TileZeroOp(IRDLOperation):
    """A tile of zeros.

    ```mlir
    %c = amx.tile_zero : !amx.tile<16x16xi32>
    ```

    Like: upstream's.
    """

    name = "amx.tile_zero"

    result = result_def(TileType)

    assembly_format = "attr-dict `:` type($result)"

    traits = irdl.traits_def(Pure())

    def __init__(self, type: Attribute):
        super().__init__(result_types=[type])


class TileProductOp(IRDLOperation):
    """Base of the ops that add the product of two matrices to a third.

    Element (i, j) of the sums gets the products of row i of `lhs` with column j of `rhs`, of whose
    rows each holds as many of a column as are in 4 bytes, side by side.
    """

    T: ClassVar = irdl.VarConstraint("T", irdl.BaseAttr(TileType))

    lhs = operand_def(TileType)
    rhs = operand_def(TileType)
    acc = operand_def(T)
    result = result_def(T)

    traits = irdl.traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, sums: SSAValue):
        super().__init__(operands=[lhs, rhs, sums], result_types=[sums.type])

    @property
    @abstractmethod
    def elements(self) -> tuple[Attribute, Attribute]:
        """The types of a factor and of a sum."""

    def verify_(self) -> None:
        left, right, sums = (one.type for one in self.operands)
        assert isinstance(left, TileType)
        assert isinstance(right, TileType)
        assert isinstance(sums, TileType)
        factor, element = self.elements
        if {left.element_type, right.element_type} != {factor} or sums.element_type != element:
            raise VerifyException(f"{self.name} adds products of {factor} to sums of {element}")
        (rows, terms), (groups, columns) = left.shape, right.shape
        if terms != groups * left.group or sums.shape != (rows, columns // left.group):
            raise VerifyException(
                f"{sums} for {left} times {right}, which are {rows} x {terms} and "
                f"{groups * right.group} x {columns // right.group}"
            )


@irdl_op_definition
class TileMulIOp(TileProductOp):
    """Adds products of bytes to sums, which wrap.

    ```mlir
    %a, %b, %c = "test.op"() : () -> (!amx.tile<8x32xi8>, !amx.tile<8x64xi8>, !amx.tile<8x16xi32>)
    %d = amx.tile_muli %a zext, %b, %c : !amx.tile<8x32xi8>, !amx.tile<8x64xi8>, !amx.tile<8x16xi32>
    ```

    Shape: M x K bytes, K / 4 rows of 4 * N bytes, M x N sums; `zext` says that bytes are unsigned.
    Refused: other shapes, other elements.
    Like: upstream's.
    """

    name = "amx.tile_muli"

    isZextLhs = opt_prop_def(UnitAttr)
    isZextRhs = opt_prop_def(UnitAttr)

    assembly_format = (
        "$lhs (`zext` $isZextLhs^)? `,` $rhs (`zext` $isZextRhs^)? `,` $acc attr-dict "
        "`:` type($lhs) `,` type($rhs) `,` type($acc)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        sums: SSAValue,
        lhs_unsigned: bool = False,
        rhs_unsigned: bool = False,
    ):
        super().__init__(lhs, rhs, sums)
        self.isZextLhs = UnitAttr() if lhs_unsigned else None
        self.isZextRhs = UnitAttr() if rhs_unsigned else None

    @property
    def are_unsigned(self) -> tuple[bool, bool]:
        """Whether the bytes of each factor are."""
        return self.isZextLhs is not None, self.isZextRhs is not None

    @property
    def elements(self) -> tuple[Attribute, Attribute]:
        return i8, i32


@irdl_op_definition
class TileMulFOp(TileProductOp):
    """Adds products of bf16 to sums of f32, two for each step, each rounded to the nearest.

    Numbers below 2^-126 are taken for 0, in factors and in sums.

    ```mlir
    %a, %b = "test.op"() : () -> (!amx.tile<8x32xbf16>, !amx.tile<16x32xbf16>)
    %c = amx.tile_zero : !amx.tile<8x16xf32>
    %d = amx.tile_mulf %a, %b, %c
        : !amx.tile<8x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<8x16xf32>
    ```

    Shape: M x K, K / 2 rows of 2 * N, M x N sums.
    Refused: other shapes, other elements.
    Like: upstream's.
    """

    name = "amx.tile_mulf"

    assembly_format = (
        "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)"
    )

    @property
    def elements(self) -> tuple[Attribute, Attribute]:
        return BFloat16Type(), Float32Type()


Amx = Dialect("amx", [TileLoadOp, TileMulFOp, TileMulIOp, TileStoreOp, TileZeroOp], [TileType])
