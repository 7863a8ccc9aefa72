"""Conversions of the `amx` dialect: LLVM says which registers tiles are in, and their shapes."""

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import i16, i64
from xdsl.ir import Operation, SSAValue

from teloom.dialects.tile_registers import OF_BF16, OF_BYTES, TILES
from teloom.dialects.upstream import amx
from teloom.errors import PassError
from teloom.passes.llvm.builder import Builder, Conversion

_PRODUCTS_OF_BYTES = {
    (False, False): "llvm.x86.tdpbssd.internal",
    (False, True): "llvm.x86.tdpbsud.internal",
    (True, False): "llvm.x86.tdpbusd.internal",
    (True, True): "llvm.x86.tdpbuud.internal",
}
"""The intrinsic, by whether the bytes of each factor are unsigned."""


def convert_load(op: amx.TileLoadOp, b: Builder) -> SSAValue:
    operands = (*_shape(op.result, b), *_rows(op, b))
    return _intrinsic(op, "llvm.x86.tileloadd64.internal", operands, b)


def convert_store(op: amx.TileStoreOp, b: Builder) -> None:
    operands = (*_shape(op.val, b), *_rows(op, b), op.val)
    _check_target(op, TILES, b)
    b.block.add_op(upstream.CallIntrinsicOp("llvm.x86.tilestored64.internal", operands, []))


def convert_zero(op: amx.TileZeroOp, b: Builder) -> SSAValue:
    return _intrinsic(op, "llvm.x86.tilezero.internal", _shape(op.result, b), b)


def convert_muli(op: amx.TileMulIOp, b: Builder) -> SSAValue:
    return _product(op, _PRODUCTS_OF_BYTES[op.are_unsigned], OF_BYTES, b)


def convert_mulf(op: amx.TileMulFOp, b: Builder) -> SSAValue:
    return _product(op, "llvm.x86.tdpbf16ps.internal", OF_BF16, b)


def _product(op: amx.TileProductOp, name: str, extension: str, b: Builder) -> SSAValue:
    _check_target(op, extension, b)
    rows, columns = _shape(op.result, b)
    _, terms = _shape(op.lhs, b)
    return _intrinsic(op, name, (rows, columns, terms, op.acc, op.lhs, op.rhs), b)


def _shape(tile: SSAValue, b: Builder) -> tuple[SSAValue, SSAValue]:
    """The rows of a tile and the bytes of each, as intrinsics take them."""
    assert isinstance(tile.type, amx.TileType)
    return b.constant(tile.type.rows.data, i16), b.constant(tile.type.row_bytes, i16)


def _rows(op: amx.TileAccessOp, b: Builder) -> tuple[SSAValue, SSAValue]:
    """The address of the first row, and how many bytes the next one is behind it."""
    if op.stride is None:
        raise PassError(f"{op.name} of a matrix: its buffer has one axis after flatten-views", op)
    type = op.tile.type
    assert isinstance(type, amx.TileType)
    bytes = b.constant(type.element_bytes, i64)
    address = b.address(op.base, op.indices, b.element_of(op.base))
    return address, b.wrapping(upstream.MulOp, op.stride, bytes)


def _intrinsic(op: Operation, name: str, operands: tuple[SSAValue, ...], b: Builder) -> SSAValue:
    _check_target(op, TILES, b)
    return b.intrinsic(name, operands, op.results[0].type)


def _check_target(op: Operation, extension: str, b: Builder) -> None:
    if not b.target.has(extension):
        raise PassError(f"{op.name} needs {extension}, which {b.target.name} lacks", op)


CONVERSIONS: dict[type[Operation], Conversion] = {
    amx.TileLoadOp: convert_load,
    amx.TileStoreOp: convert_store,
    amx.TileZeroOp: convert_zero,
    amx.TileMulIOp: convert_muli,
    amx.TileMulFOp: convert_mulf,
}
