"""Buffers in C: arrays and pointers, what is loaded and stored there."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from xdsl.dialects import llvm as upstream
from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation, SSAValue

from teloom.analysis.memory.storage import Allocation, boundary_of, bytes_to_take
from teloom.backend.c.expressions import (
    ATOM,
    LANE,
    SUM,
    UNARY,
    CExpr,
    binary,
    cast,
    choice,
    integer,
    name,
)
from teloom.backend.c.types import BOOL, I32, I64, POINTER, NumberType, lanes_of, number_of
from teloom.backend.c.writer import FunctionWriter, Rule
from teloom.dialects.runtime import OUT_OF_MEMORY
from teloom.dialects.target import target_of
from teloom.dialects.upstream import llvm
from teloom.dialects.upstream.memref import PrefetchOp
from teloom.dialects.upstream.vector import GatherOp
from teloom.errors import PassError
from teloom.passes.expected_level import refuse_unless_flat
from teloom.passes.llvm.conversions.memory import alignment_of
from teloom.passes.llvm.types import is_set


def element_of(buffer: SSAValue, w: FunctionWriter) -> NumberType:
    """The type of the elements of a buffer; those of an argument may be unsigned."""
    assert isinstance(buffer.type, MemRefType)
    refuse_unless_flat(buffer.type)
    return w.elements.get(buffer) or number_of(buffer.type.element_type)


def _subscript(indices: list[CExpr]) -> CExpr:
    return indices[0] if indices else integer(0, I64)


def _at(buffer: CExpr, index: CExpr, type: NumberType) -> CExpr:
    return CExpr(f"{buffer.text}[{index.text}]", ATOM, type, index.reads)


def _from_memory(stored: CExpr, buffer: SSAValue, w: FunctionWriter) -> CExpr:
    """What stands in memory, as a value."""
    stored = replace(stored, reads=stored.reads | {w.root(buffer)})
    if stored.type.family != "b":
        return stored
    return replace(binary("!=", replace(stored, type=I32), integer(0, I32), BOOL))


def write_load(op: Any, w: FunctionWriter) -> None:
    buffer, *indices = op.operands
    pointer, index = w.use(buffer), _subscript([w.use(one) for one in indices])
    number, lanes = element_of(buffer, w), lanes_of(op.results[0].type)
    if not lanes:
        w.define(op.results[0], _from_memory(_at(pointer, index, number), buffer, w))
        return
    if w.parts.extension and number.family != "b":
        type = w.parts.access_type(number, lanes, alignment_of(op) or number.bytes)
        text = f"*(const {type} *){_address(pointer, index)}"
        found = CExpr(text, UNARY, number, index.reads | {w.root(buffer)})
        w.define(op.results[0], replace(found, lanes=lanes, form="whole"))
        return
    found = _from_memory(_at(pointer, _plus_lane(index), number), buffer, w)
    w.define(op.results[0], replace(found, lanes=lanes, form="lane"))


def _address(pointer: CExpr, index: CExpr) -> str:
    return pointer.text if index.literal == 0 else f"&{pointer.text}[{index.text}]"


def _plus_lane(index: CExpr) -> CExpr:
    lane = name(LANE, I64)
    return lane if index.literal == 0 else binary("+", index, lane, I64)


def write_store(op: Any, w: FunctionWriter) -> None:
    value, buffer, *indices = op.operands
    pointer, index = w.use(buffer), _subscript([w.use(one) for one in indices])
    stored, number = w.use(value), element_of(buffer, w)
    if not lanes_of(value.type):
        w.settle(w.root(buffer))
        w.line(f"{_at(pointer, index, number).text} = {stored.text};")
        return
    is_streamed = is_set(op.properties.get("nontemporal"))
    is_whole = stored.form != "lane" or is_streamed
    if w.parts.extension and number.family != "b" and is_whole:
        _store_whole(op, pointer, index, stored, w)
        return
    if any(w.may_meet(one, w.root(buffer)) for one in stored.reads):
        stored = w.held(stored)
    lane = w.lane(stored)
    w.settle(w.root(buffer))
    at = _at(pointer, _plus_lane(index), number).text
    w.each_lane(stored.lanes, f"{at} = {lane.text};")


def _store_whole(op: Any, pointer: CExpr, index: CExpr, stored: CExpr, w: FunctionWriter) -> None:
    buffer = op.operands[1]
    whole = w.whole(stored)
    type = w.parts.access_type(whole.type, whole.lanes, alignment_of(op) or whole.type.bytes)
    w.settle(w.root(buffer))
    if is_set(op.properties.get("nontemporal")):
        w.streams = True
        w.parts.macros["TELOOM_STREAM"] = None
        w.parts.include("stdatomic.h")
        w.line(f"TELOOM_STREAM({whole.text}, ({type} *){_address(pointer, index)});")
        return
    w.line(f"*({type} *){_address(pointer, index)} = {whole.text};")


# Accesses under a mask


def write_maskedload(op: Any, w: FunctionWriter) -> None:
    buffer, index, mask, default = op.operands
    at = _plus_lane(w.use(index))
    _write_masked(op, buffer, at, mask, default, w)


def write_gather(op: GatherOp, w: FunctionWriter) -> None:
    offsets = [w.use(one) for one in op.offsets]
    base, distance = _subscript(offsets), w.lane(w.use(op.indices))
    at = distance if base.literal == 0 else binary("+", base, _as_index(distance), I64)
    _write_masked(op, op.base, at, op.mask, op.pass_thru, w)


def _as_index(distance: CExpr) -> CExpr:
    return distance if distance.type.bits == 64 else cast(distance, I64)


def _write_masked(
    op: Any, buffer: SSAValue, at: CExpr, mask: SSAValue, default: SSAValue, w: FunctionWriter
) -> None:
    number = element_of(buffer, w)
    loaded = _from_memory(_at(w.use(buffer), at, number), buffer, w)
    test, other = w.lane(w.use(mask)), w.lane(w.use(default))
    if loaded.type != other.type:
        loaded = cast(loaded, other.type)
    found = loaded if test.literal == 1 else choice(test, loaded, other, other.type)
    w.define(op.results[0], replace(found, lanes=lanes_of(op.results[0].type), form="lane"))


def write_maskedstore(op: Any, w: FunctionWriter) -> None:
    buffer, index, mask, value = op.operands
    stored, test = w.use(value), w.use(mask)
    at = _at(w.use(buffer), _plus_lane(w.use(index)), element_of(buffer, w)).text
    stored, test = (
        w.held(one) if any(w.may_meet(read, w.root(buffer)) for read in one.reads) else one
        for one in (stored, test)
    )
    lanes, condition, lane = lanes_of(value.type), w.lane(test), w.lane(stored)
    w.settle(w.root(buffer))
    w.each_lane(lanes, f"if ({condition.text}) {at} = {lane.text};")


# Allocation


def _count(op: Allocation) -> int | None:
    refuse_unless_flat(op.memref.type, op)
    shape = op.memref.type.get_shape()
    return None if DYNAMIC_INDEX in shape else prod(shape)


def write_alloca(op: memref.AllocaOp, w: FunctionWriter) -> None:
    count = _count(op)
    if count is None:
        raise PassError(
            f"memref.alloca of {op.memref.type} has a size unknown at compile time; "
            "use memref.alloc",
            op,
        )
    number = element_of(op.memref, w)
    w.stack_bytes += count * number.bytes
    most = target_of(op).stack_bytes
    if w.stack_bytes > most:
        raise PassError(
            f"the function needs {w.stack_bytes} bytes of stack, more than {most}; "
            "use memref.alloc for large buffers",
            op,
        )
    if not w.is_used(op.memref):
        return
    named = w.scopes.new(op.memref.name_hint)
    w.parts.include("stdalign.h")
    alignment = max(number.bytes, boundary_of(op))
    w.line(f"alignas({alignment}) {number.stored} {named}[{max(1, count)}];")
    w.values[op.memref] = name(named, POINTER)


def write_alloc(op: memref.AllocOp, w: FunctionWriter) -> None:
    count, number = _count(op), element_of(op.memref, w)
    if not w.returns_status:
        raise PassError(
            f"{op.name} stands in a function with results, which cannot report "
            "that it failed; give that function a buffer for its result",
            op,
        )
    alignment = max(number.bytes, boundary_of(op))
    w.parts.include("stdlib.h")
    if count is None:
        w.parts.helpers["allocate", number, None] = None
        size = w.use(op.dynamic_sizes[0])
        memory = f"teloom_allocate({size.text}, {number.bytes}, {alignment})"
    else:
        bytes = bytes_to_take(count * number.bytes, alignment)
        memory = f"aligned_alloc({alignment}, {bytes})"
    named = w.scopes.new(op.memref.name_hint)
    w.line(f"{number.stored} *restrict {named} = {memory};")
    w.fail_if(f"!{named}", str(OUT_OF_MEMORY))
    w.live.append(named)
    w.values[op.memref] = name(named, POINTER)


def write_dealloc(op: memref.DeallocOp, w: FunctionWriter) -> None:
    named = w.use(op.memref).text
    w.settle()
    w.line(f"free({named});")
    owner = op.memref.owner
    if isinstance(owner, Operation) and owner.parent is op.parent and named in w.live:
        w.live.remove(named)
    else:
        w.line(f"{named} = NULL;")


def write_view(op: memref.ViewOp, w: FunctionWriter) -> None:
    """Bytes of a buffer as elements; on the stack, these may alias, as C's rules do not allow."""
    refuse_unless_flat(op.result.type, op)
    root = w.roots[op.result] = w.root(op.source)
    pointer, shift = w.use(op.source), w.use(op.byte_shift)
    number = element_of(op.result, w)
    stored = number.stored
    if isinstance(root.owner, memref.AllocaOp):
        w.parts.aliased[number] = None
        stored = f"{number.short}_aliased"
    at = pointer.text
    if shift.literal != 0:
        at = f"({binary('+', pointer, shift, I64).text})"
    if not w.is_used(op.result):
        return
    named = w.scopes.new(op.result.name_hint)
    w.line(f"{stored} *const {named} = ({stored} *){at};")
    w.values[op.result] = name(named, POINTER)


def write_cast(op: Any, w: FunctionWriter) -> None:
    refuse_unless_flat(op.results[0].type, op)
    w.values[op.results[0]] = w.use(op.operands[0])
    w.roots[op.results[0]] = w.root(op.operands[0])
    if op.operands[0] in w.constant:
        w.constant.add(op.results[0])
    if op.operands[0] in w.elements:
        w.elements[op.results[0]] = w.elements[op.operands[0]]


# Addresses


def write_address(op: memref.ExtractAlignedPointerAsIndexOp, w: FunctionWriter) -> None:
    pointer = w.use(op.operands[0])
    w.define(op.results[0], CExpr(f"(int64_t)(intptr_t){pointer.text}", UNARY, I64))


def write_pointer(op: upstream.IntToPtrOp, w: FunctionWriter) -> None:
    address = w.use(op.operands[0])
    expr = CExpr(f"(void *)(intptr_t){address.at_least(UNARY)}", UNARY, POINTER, address.reads)
    w.define(op.results[0], expr)


def write_prefetch(op: PrefetchOp, w: FunctionWriter) -> None:
    """The address need not be inside of the buffer, where C allows no pointer."""
    buffer, *indices = op.operands
    pointer, index = w.use(buffer), _subscript([w.use(one) for one in indices])
    w.parts.macros["TELOOM_PREFETCH"] = None
    bytes = element_of(buffer, w).bytes
    hints = f"{int(is_set(op.isWrite))}, {op.localityHint.value.data}"
    w.line(f"TELOOM_PREFETCH({pointer.text}, {index.at_least(SUM)}, {bytes}, {hints});")


def write_fence(op: llvm.FenceOp, w: FunctionWriter) -> None:
    w.parts.include("stdatomic.h")
    w.settle()
    w.line(f"atomic_thread_fence(memory_order_{op.keyword.split()[-1]});")


RULES: dict[type[Operation], Rule] = {
    memref.LoadOp: write_load,
    memref.StoreOp: write_store,
    memref.AllocOp: write_alloc,
    memref.AllocaOp: write_alloca,
    memref.DeallocOp: write_dealloc,
    memref.ViewOp: write_view,
    memref.CastOp: write_cast,
    memref.MemorySpaceCastOp: write_cast,
    memref.ExtractAlignedPointerAsIndexOp: write_address,
    PrefetchOp: write_prefetch,
    vector.LoadOp: write_load,
    vector.StoreOp: write_store,
    vector.MaskedLoadOp: write_maskedload,
    vector.MaskedStoreOp: write_maskedstore,
    GatherOp: write_gather,
    upstream.IntToPtrOp: write_pointer,
    llvm.FenceOp: write_fence,
}
