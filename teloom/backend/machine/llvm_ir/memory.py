"""Addresses, loads and stores."""

from xdsl.dialects import llvm as upstream
from xdsl.ir import Operation

from teloom.backend.machine.llvm_ir.function_text import FunctionText, Printer, integer_property
from teloom.dialects.upstream import llvm


def _getelementptr(f: FunctionText, op: llvm.GEPOp | upstream.GEPOp) -> None:
    pointer, *indices = op.operands
    values = iter(indices)
    texts = [
        f.typed(next(values)) if index == upstream.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.get_values()
    ]
    inbounds = "inbounds " if "inbounds" in op.properties else ""
    element = f.type_of(op.elem_type)
    f.define(op, f"getelementptr {inbounds}{element}, {f.typed(pointer)}, {', '.join(texts)}")


def _alloca(f: FunctionText, op: upstream.AllocaOp) -> None:
    element = f.type_of(op.elem_type)
    alignment = integer_property(op, "alignment")
    suffix = f", align {alignment}" if alignment else ""
    f.define(op, f"alloca {element}, {f.typed(op.operands[0])}{suffix}")


def _access_suffix(f: FunctionText, op: Operation) -> tuple[str, str]:
    """The words in front of the type of an access, and those behind its address."""
    number = integer_property(op, "ordering")
    ordering = upstream.ATOMIC_ORDERING_KEYWORDS[number] if number else ""
    prefix = "atomic " if ordering else ""
    suffix = f" {ordering}" if ordering else ""
    if "volatile_" in op.properties:
        prefix += "volatile "
    if alignment := integer_property(op, "alignment"):
        suffix += f", align {alignment}"
    if "nontemporal" in op.properties or "nontemporal" in op.attributes:
        suffix += f", !nontemporal !{f.metadata.one()}"
    return prefix, suffix + f.metadata.scopes(op)


def _load(f: FunctionText, op: Operation) -> None:
    prefix, suffix = _access_suffix(f, op)
    f.define(op, f"load {prefix}{f.type(op.results[0])}, {f.typed(op.operands[0])}{suffix}")


def _store(f: FunctionText, op: Operation) -> None:
    prefix, suffix = _access_suffix(f, op)
    f.line(f"  store {prefix}{f.arguments(op.operands)}{suffix}")


def _masked_gather(f: FunctionText, op: Operation) -> None:
    pointers, mask, default = op.operands
    alignment = f"align {integer_property(op, 'alignment')}"
    f.define(
        op,
        f"call {f.type(default)} @llvm.masked.gather({f.type(pointers)} {alignment}"
        f" {f.name(pointers)}, {f.typed(mask)}, {f.typed(default)}){f.metadata.scopes(op)}",
    )


def _masked_load(f: FunctionText, op: Operation) -> None:
    pointer, mask, default = op.operands
    f.define(
        op,
        f"call {f.type(default)} @llvm.masked.load(ptr align {integer_property(op, 'alignment')}"
        f" {f.name(pointer)}, {f.typed(mask)}, {f.typed(default)}){f.metadata.scopes(op)}",
    )


def _masked_store(f: FunctionText, op: Operation) -> None:
    value, pointer, mask = op.operands
    f.line(
        f"  call void @llvm.masked.store({f.typed(value)}, ptr align"
        f" {integer_property(op, 'alignment')} {f.name(pointer)}, {f.typed(mask)})"
        f"{f.metadata.scopes(op)}"
    )


def _prefetch(f: FunctionText, op: Operation) -> None:
    said = [f"i32 {integer_property(op, name)}" for name in ("rw", "hint", "cache")]
    f.line(f"  call void @llvm.prefetch({', '.join([f.typed(op.operands[0]), *said])})")


def _fence(f: FunctionText, op: llvm.FenceOp) -> None:
    f.line(f"  fence {op.keyword}")


PRINTERS: dict[type[Operation], Printer] = {
    llvm.GEPOp: _getelementptr,
    upstream.GEPOp: _getelementptr,
    upstream.AllocaOp: _alloca,
    upstream.LoadOp: _load,
    upstream.StoreOp: _store,
    llvm.MaskedGatherOp: _masked_gather,
    llvm.MaskedLoadOp: _masked_load,
    llvm.MaskedStoreOp: _masked_store,
    llvm.FenceOp: _fence,
    llvm.PrefetchOp: _prefetch,
}
