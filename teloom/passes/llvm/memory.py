"""Conversions of the `memref` dialect: buffers on the stack, on the heap, accesses."""

from collections.abc import Sequence

from xdsl.dialects import llvm as upstream
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, LLVMArrayType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from teloom.analysis.memory.storage import Allocation, boundary_of, byte_width
from teloom.dialects.upstream import llvm
from teloom.dialects.upstream.memref import PrefetchOp
from teloom.errors import PassError
from teloom.passes.llvm.arith import NE
from teloom.passes.llvm.builder import OUT_OF_MEMORY, Builder, Conversion
from teloom.passes.llvm.instructions import NO_OVERFLOW_FLAGS
from teloom.passes.llvm.types import (
    POINTER,
    element_type,
    is_set,
    machine_type,
    memory_type,
)

UGT = 8

TAKE, GIVE = "teloom_take", "teloom_give"
"""The C functions that take memory from a workspace, and give it back."""

_ELEMENT = "teloom.element"

_UNORDERED = IntegerAttr(0, i64)
_ONE_SSA_INDEX = DenseArrayBase.from_list(i32, (GEP_USE_SSA_VAL,))


def address(
    buffer: SSAValue,
    indices: Sequence[SSAValue],
    element: Attribute,
    b: Builder,
    inbounds: bool = True,
) -> SSAValue:
    """The address of one element; `element` is the type that stands in memory."""
    if not indices:
        return buffer
    properties: dict[str, Attribute] = {
        "rawConstantIndices": _ONE_SSA_INDEX,
        "elem_type": element,
        "noWrapFlags": NO_OVERFLOW_FLAGS,
    }
    if inbounds:
        properties["inbounds"] = UnitAttr()
    return b.emit(upstream.GEPOp, (buffer, *indices), POINTER, properties)


def alignment_of(op: Operation, element: Attribute) -> int:
    """The alignment of an access in bytes: as the op says, else that of an element."""
    given = op.properties.get("alignment") or op.attributes.get("alignment")
    if isinstance(given, IntegerAttr):
        return given.value.data
    return byte_width(element)


def load(op: Operation, type: Attribute, b: Builder) -> SSAValue:
    """Load a scalar or a vector of the machine type `type`; operands as in `memref`."""
    buffer, *indices = op.operands
    stored = memory_type(type)
    element = element_type(stored)
    access = upstream.LoadOp.create(
        operands=(address(buffer, indices, element, b),),
        result_types=(stored,),
        properties={
            "ordering": _UNORDERED,
            "alignment": IntegerAttr(alignment_of(op, element), i64),
        },
        attributes=(
            {"nontemporal": UnitAttr()} if is_set(op.properties.get("nontemporal")) else {}
        ),
    )
    value = b.access(access, buffer).results[0]
    if stored == type:
        return value
    return b.compare(NE, value, b.constant(0, stored))


def store(op: Operation, b: Builder) -> None:
    """Store a scalar or a vector; operands as in `memref.store`."""
    value, buffer, *indices = op.operands
    stored = memory_type(value.type)
    element = element_type(stored)
    if stored != value.type:
        value = b.emit(upstream.ZExtOp, (value,), stored)
    properties: dict[str, Attribute] = {
        "ordering": _UNORDERED,
        "alignment": IntegerAttr(alignment_of(op, element), i64),
    }
    if is_set(op.properties.get("nontemporal")):
        properties["nontemporal"] = UnitAttr()
    access = upstream.StoreOp.create(
        operands=(value, address(buffer, indices, element, b)),
        properties=properties,
    )
    b.access(access, buffer)


def convert_load(op: Operation, b: Builder) -> SSAValue:
    return load(op, machine_type(op.results[0].type), b)


def _element_count(type: MemRefType) -> int | None:
    count = 1
    for extent in type.get_shape():
        if extent == DYNAMIC_INDEX:
            return None
        count *= extent
    return count


def _buffer_alignment(op: Operation, width: int) -> int:
    """As the op says, in bytes; at least that of an element."""
    assert isinstance(op, Allocation)
    return max(width, boundary_of(op))


def convert_alloca(op: Operation, b: Builder) -> SSAValue:
    type = op.results[0].type
    assert isinstance(type, MemRefType)
    machine_type(type)
    count = _element_count(type)
    if count is None:
        raise PassError(
            f"memref.alloca of {type} has a size unknown at compile time; use memref.alloc",
            op,
        )
    element = memory_type(machine_type(type.element_type))
    width = byte_width(element)
    alignment = _buffer_alignment(op, width)
    return b.stack_slot(LLVMArrayType(count, element), count * width, alignment)


def convert_alloc(op: Operation, b: Builder) -> SSAValue:
    type = op.results[0].type
    assert isinstance(type, MemRefType)
    machine_type(type)
    width = byte_width(memory_type(machine_type(type.element_type)))
    alignment = _buffer_alignment(op, width)
    count = _element_count(type)
    if count is not None:
        size = b.constant(-(-max(1, count * width) // alignment) * alignment, i64)
    else:
        size = _dynamic_size(op.operands[0], width, alignment, b)
    pointer = b.call_runtime(TAKE, (b.workspace, b.constant(alignment, i64), size), POINTER)
    assert pointer is not None
    null = b.emit(upstream.ZeroOp, (), POINTER)
    b.fail_if(b.same_address(pointer, null), b.constant(OUT_OF_MEMORY, i32), op)
    return pointer


def _dynamic_size(count: SSAValue, width: int, alignment: int, b: Builder) -> SSAValue:
    # A count whose size in bytes does not fit asks for what no system can give; so
    # does a negative one. One more byte is asked for than needed, never none.
    most = 2**63 - alignment
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
    pointer = address(op.operands[0], op.operands[1:2], i8, b)
    b.note_view(op, pointer)
    return pointer


def note_elements(body: Region) -> None:
    """Writes on each prefetch the type of an element, which the address will not say."""
    for op in body.walk():
        if isinstance(op, PrefetchOp):
            assert isinstance(op.memref.type, MemRefType)
            op.attributes[_ELEMENT] = memory_type(machine_type(op.memref.type.element_type))


def convert_prefetch(op: Operation, b: Builder) -> None:
    """The address need not be inside of the buffer."""
    assert isinstance(op, PrefetchOp)
    buffer, *indices = op.operands
    prefetch = llvm.PrefetchOp.create(
        operands=(address(buffer, indices, op.attributes[_ELEMENT], b, inbounds=False),),
        properties={
            "rw": IntegerAttr(int(is_set(op.isWrite)), i32),
            "hint": op.localityHint,
            "cache": IntegerAttr(int(is_set(op.isDataCache)), i32),
        },
    )
    b.block.add_op(prefetch)


def convert_address(op: Operation, b: Builder) -> SSAValue:
    return b.emit(upstream.PtrToIntOp, op.operands, i64)


CONVERSIONS: dict[type[Operation], Conversion] = {
    memref.AllocOp: convert_alloc,
    memref.AllocaOp: convert_alloca,
    memref.DeallocOp: convert_dealloc,
    memref.LoadOp: convert_load,
    memref.StoreOp: store,
    memref.ViewOp: convert_view,
    PrefetchOp: convert_prefetch,
    memref.CastOp: convert_cast,
    memref.ExtractAlignedPointerAsIndexOp: convert_address,
    memref.MemorySpaceCastOp: convert_cast,
}
