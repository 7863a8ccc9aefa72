"""Conversions of the `memref` dialect: buffers on the stack, on the heap, accesses."""

from math import prod

from xdsl.dialects import llvm as upstream
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, UnitAttr, i8, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from teloom.analysis.memory.storage import (
    Allocation,
    boundary_of,
    byte_width,
    bytes_to_take,
    most_bytes,
)
from teloom.dialects.runtime import GIVE, OUT_OF_MEMORY, TAKE
from teloom.dialects.syntax.alignments import LARGEST_ALIGNMENT, is_alignment
from teloom.dialects.upstream import llvm
from teloom.dialects.upstream.memref import PrefetchOp
from teloom.errors import PassError
from teloom.passes.llvm.builder import Builder, Conversion
from teloom.passes.llvm.instructions import EQ, UGT
from teloom.passes.llvm.types import POINTER, is_set, machine_type, memory_type


def alignment_of(op: Operation) -> int | None:
    """The alignment of an access in bytes, if it has one; raises `PassError` if it is none."""
    given = op.properties.get("alignment") or op.attributes.get("alignment")
    return _checked_alignment(given.value.data, op) if isinstance(given, IntegerAttr) else None


def _checked_alignment(alignment: int, op: Operation) -> int:
    if not is_alignment(alignment):
        raise PassError(
            f"alignment {alignment} of {op.name} is no power of two up to {LARGEST_ALIGNMENT}", op
        )
    return alignment


def _nontemporal(op: Operation) -> dict[str, Attribute]:
    return {"nontemporal": UnitAttr()} if is_set(op.properties.get("nontemporal")) else {}


def convert_load(op: Operation, b: Builder) -> SSAValue:
    """Loads a scalar or a vector; operands as in `memref.load`."""
    buffer, *indices = op.operands
    type = machine_type(op.results[0].type)
    return b.load(buffer, indices, type, alignment_of(op), _nontemporal(op))


def convert_store(op: Operation, b: Builder) -> None:
    """Stores a scalar or a vector; operands as in `memref.store`."""
    value, buffer, *indices = op.operands
    b.store(value, buffer, indices, alignment_of(op), _nontemporal(op))


def _flat_type(op: Allocation) -> tuple[Attribute, int | None, int, int]:
    """The elements of a flat buffer: type, number if constant, bytes of one, boundary in bytes."""
    type = op.memref.type
    machine_type(type)  # refuses one that is not flat
    shape, element = type.get_shape(), memory_type(machine_type(type.element_type))
    width = byte_width(element, op)
    count = None if DYNAMIC_INDEX in shape else prod(shape)
    return element, count, width, max(width, _checked_alignment(boundary_of(op), op))


def convert_alloca(op: memref.AllocaOp, b: Builder) -> SSAValue:
    element, count, width, alignment = _flat_type(op)
    if count is None:
        raise PassError(
            f"memref.alloca of {op.memref.type} has a size unknown at compile time; "
            "use memref.alloc",
            op,
        )
    if count * width >= 2**63:
        raise PassError(f"memref.alloca of {op.memref.type} has more bytes than an address", op)
    return b.stack_slot(upstream.LLVMArrayType(count, element), count * width, alignment)


def convert_alloc(op: memref.AllocOp, b: Builder) -> SSAValue:
    _, count, width, alignment = _flat_type(op)
    if count is not None:
        size = b.constant(bytes_to_take(count * width, alignment), i64)
    else:
        size = _dynamic_size(op.operands[0], width, alignment, b)
    pointer = b.call_runtime(TAKE, (b.workspace, b.constant(alignment, i64), size), POINTER)
    assert pointer is not None
    null = b.emit(upstream.ZeroOp, (), POINTER)
    # As integers, because xDSL's llvm.icmp takes no pointers.
    given, none = (b.emit(upstream.PtrToIntOp, (one,), i64) for one in (pointer, null))
    b.fail_if(b.compare(EQ, given, none), b.constant(OUT_OF_MEMORY, i32), op)
    return pointer


def _dynamic_size(count: SSAValue, width: int, alignment: int, b: Builder) -> SSAValue:
    # A negative count asks for what no system can give. One more byte is asked for than needed,
    # never none.
    most = most_bytes(alignment)
    limit = b.constant((most - alignment) // width, i64)
    too_many = b.compare(UGT, count, limit)
    size = b.wrapping(upstream.MulOp, count, b.constant(width, i64))
    size = b.add(size, b.constant(alignment, i64))
    size = b.binary(upstream.AndOp, size, b.constant(-alignment, i64))
    return b.select(too_many, b.constant(most, i64), size)


def convert_dealloc(op: Operation, b: Builder) -> None:
    b.call_runtime(GIVE, (b.workspace, *op.operands), None)


def convert_cast(op: Operation, b: Builder) -> SSAValue:
    machine_type(op.results[0].type)
    return op.operands[0]


def convert_view(op: Operation, b: Builder) -> SSAValue:
    machine_type(op.results[0].type)
    pointer = b.address(op.operands[0], op.operands[1:2], i8)
    b.note_view(op, pointer)
    return pointer


def convert_prefetch(op: PrefetchOp, b: Builder) -> None:
    """A hint: the address need not be inside of the buffer, and what is there is always data.

    LLVM aborts where a processor has no instruction that prefetches instructions.
    """
    buffer, *indices = op.operands
    prefetch = llvm.PrefetchOp.create(
        operands=(b.address(buffer, indices, b.element_of(buffer), inbounds=False),),
        properties={
            "rw": IntegerAttr(int(is_set(op.isWrite)), i32),
            "hint": op.localityHint,
            "cache": IntegerAttr(1, i32),
        },
    )
    b.block.add_op(prefetch)


CONVERSIONS: dict[type[Operation], Conversion] = {
    memref.AllocOp: convert_alloc,
    memref.AllocaOp: convert_alloca,
    memref.DeallocOp: convert_dealloc,
    memref.LoadOp: convert_load,
    memref.StoreOp: convert_store,
    memref.ViewOp: convert_view,
    PrefetchOp: convert_prefetch,
    memref.CastOp: convert_cast,
    memref.ExtractAlignedPointerAsIndexOp: lambda op, b: b.emit(
        upstream.PtrToIntOp, op.operands, i64
    ),
    memref.MemorySpaceCastOp: convert_cast,
}
