"""LLVM IR text, straight from the `llvm` dialect."""

import struct
from collections.abc import Callable, Iterable, Mapping

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    i1,
)
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teloom.backend.loop_metadata import LoopMetadata
from teloom.dialects import llvm
from teloom.errors import PassError

BINARY = {
    upstream.AddOp: "add",
    upstream.SubOp: "sub",
    upstream.MulOp: "mul",
    upstream.ShlOp: "shl",
    upstream.LShrOp: "lshr",
    upstream.AShrOp: "ashr",
    upstream.AndOp: "and",
    upstream.OrOp: "or",
    upstream.XOrOp: "xor",
    upstream.SDivOp: "sdiv",
    upstream.UDivOp: "udiv",
    upstream.SRemOp: "srem",
    upstream.URemOp: "urem",
    upstream.FAddOp: "fadd",
    upstream.FSubOp: "fsub",
    upstream.FMulOp: "fmul",
    upstream.FDivOp: "fdiv",
    upstream.FRemOp: "frem",
}

CASTS = {
    upstream.TruncOp: "trunc",
    upstream.ZExtOp: "zext",
    upstream.SExtOp: "sext",
    upstream.FPTruncOp: "fptrunc",
    upstream.FPExtOp: "fpext",
    upstream.SIToFPOp: "sitofp",
    llvm.UIToFPOp: "uitofp",
    llvm.FPToSIOp: "fptosi",
    llvm.FPToUIOp: "fptoui",
    upstream.BitcastOp: "bitcast",
    upstream.PtrToIntOp: "ptrtoint",
    upstream.IntToPtrOp: "inttoptr",
}

INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = ("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true").split()

ARGUMENT_FLAGS = {
    f"llvm.{name}": name
    for name in (
        "noalias nonnull noundef readonly readnone writeonly nocapture nofree signext zeroext inreg"
    ).split()
}
ARGUMENT_NUMBERS = {
    "llvm.align": "align {}",
    "llvm.dereferenceable": "dereferenceable({})",
    "llvm.dereferenceable_or_null": "dereferenceable_or_null({})",
}


def type_text(type: Attribute) -> str:
    """The LLVM spelling of a type of the `llvm` dialect."""
    match type:
        case IntegerType():
            return f"i{type.width.data}"
        case Float32Type():
            return "float"
        case Float64Type():
            return "double"
        case Float16Type():
            return "half"
        case BFloat16Type():
            return "bfloat"
        case VectorType():
            (lanes,) = type.get_shape()
            return f"<{lanes} x {type_text(type.element_type)}>"
        case upstream.LLVMPointerType():
            space = type.addr_space
            if isinstance(space, NoneAttr):
                return "ptr"
            return f"ptr addrspace({space.data})"
        case upstream.LLVMVoidType():
            return "void"
        case upstream.LLVMArrayType():
            return f"[{type.size.data} x {type_text(type.type)}]"
        case upstream.LLVMStructType():
            return "{ " + ", ".join(map(type_text, type.types)) + " }"
        case _:
            raise PassError(f"LLVM has no type {type}")


def number_text(value: float, type: Attribute) -> str:
    """A number as LLVM writes it; floats by their bits, so that none is rounded."""
    match type:
        case IntegerType():
            return str(int(value)) if type != i1 else ("true" if value else "false")
        case Float16Type():
            return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
        case BFloat16Type():
            return f"0xR{_float_bits(value) >> 16:04X}"
        case Float32Type():
            rounded = struct.unpack("<f", struct.pack("<f", value))[0]
            return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
        case Float64Type():
            return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        case _:
            raise PassError(f"LLVM has no numbers of type {type}")


def _float_bits(value: float) -> int:
    """The bits of `value` in f32, rounded so that the upper half is the nearest bf16."""
    bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return bits if value != value else bits + 0x7FFF + (bits >> 16 & 1)


def constant_text(value: Attribute, type: Attribute) -> str:
    """The operand that stands for an `llvm.mlir.constant`."""
    if isinstance(value, IntegerAttr | FloatAttr):
        return number_text(value.value.data, type)
    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(type, VectorType):
        raise PassError(f"LLVM has no constant {value}")
    element = type.element_type
    name = type_text(element)
    if value.is_splat():
        return f"splat ({name} {number_text(value.get_values()[0], element)})"
    lanes = (f"{name} {number_text(number, element)}" for number in value.get_values())
    return f"<{', '.join(lanes)}>"


def quoted(name: str) -> str:
    """A name of the module, escaped where LLVM's plain names do not reach."""
    if name.replace(".", "_").replace("$", "_").replace("-", "_").isidentifier():
        return name if name.isascii() else _escaped(name)
    return _escaped(name)


def _escaped(name: str) -> str:
    plain = (chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in name.encode())
    return '"' + "".join(plain) + '"'


class _Shared:
    """What the functions of one module have in common."""

    def __init__(self, module: ModuleOp, attributes: Mapping[str, str], prefix: str):
        self.attributes = "".join(f'"{name}"="{value}" ' for name, value in attributes.items())
        self.metadata = LoopMetadata()
        self.types: dict[Attribute, str] = {}
        self.symbols = {
            op.sym_name.data: prefix + op.sym_name.data
            for op in module.ops
            if isinstance(op, upstream.FuncOp) and op.body.blocks
        }


class _FunctionText:
    """Prints the body of one function."""

    def __init__(self, shared: "_Shared"):
        self.metadata = shared.metadata
        self.symbols = shared.symbols
        self.types = shared.types
        self.lines: list[str] = []
        self.names: dict[SSAValue, str] = {}
        self.labels: dict[Block, str] = {}
        # The label that control comes from, and the values it brings, per block.
        self.edges: dict[Block, list[tuple[str, tuple[SSAValue, ...]]]] = {}

    def type(self, value: SSAValue) -> str:
        return self.type_of(value.type)

    def type_of(self, type: Attribute) -> str:
        text = self.types.get(type)
        if text is None:
            text = self.types[type] = type_text(type)
        return text

    def name(self, value: SSAValue) -> str:
        text = self.names.get(value)
        if text is None:
            literal = _LITERALS.get(value.owner.__class__)  # pyright: ignore
            text = literal(self, value.owner) if literal else f"%v{len(self.names)}"  # pyright: ignore
            self.names[value] = text
        return text

    def typed(self, value: SSAValue) -> str:
        return f"{self.type(value)} {self.name(value)}"

    def symbol(self, name: str) -> str:
        return f"@{quoted(self.symbols.get(name, name))}"

    def arguments(self, values: Iterable[SSAValue]) -> str:
        return ", ".join([self.typed(value) for value in values])

    def line(self, text: str) -> None:
        self.lines.append(text)

    def define(self, op: Operation, text: str) -> None:
        self.lines.append(f"  {self.name(op.results[0])} = {text}")

    def body(self, blocks: tuple[Block, ...]) -> None:
        for number, block in enumerate(blocks):
            self.labels[block] = f"b{number}"
        starts: list[int] = []
        for block in blocks:
            self.line(f"{self.labels[block]}:")
            starts.append(len(self.lines))
            for op in block.ops:
                kind = op.__class__
                if kind in _LITERALS:
                    continue
                printer = _PRINTERS.get(kind)
                if printer is None:
                    raise PassError(f"LLVM IR has no text for {op.name}", op)
                printer(self, op)
        # Only now is every edge known.
        for block, start in reversed(tuple(zip(blocks[1:], starts[1:], strict=True))):
            self.lines[start:start] = self._phis(block)

    def _phis(self, block: Block) -> Iterable[str]:
        edges = self.edges.get(block, [])
        for position, arg in enumerate(block.args):
            incoming = ", ".join(
                f"[ {self.name(values[position])}, %{label} ]" for label, values in edges
            )
            yield f"  {self.name(arg)} = phi {self.type(arg)} {incoming}"

    def flow(self, label: str, to: Block, values: tuple[SSAValue, ...]) -> None:
        self.edges.setdefault(to, []).append((label, values))


Printer = Callable[[_FunctionText, Operation], None]


def _flags(op: Operation) -> str:
    """The fast-math flags of an op, each with a space behind it."""
    flags = op.properties.get("fastmathFlags")
    if not isinstance(flags, FastMathAttr) or not flags.data:
        return ""
    return "".join(sorted(f"{flag.value} " for flag in flags.data))


def _integer_flags(op: Operation) -> str:
    text = ""
    overflow = op.properties.get("overflowFlags")
    if isinstance(overflow, IntegerAttr) and (bits := overflow.value.data):
        text += ("nsw " if bits & 1 else "") + ("nuw " if bits & 2 else "")
    if "isExact" in op.properties:
        text += "exact "
    if "isDisjoint" in op.properties:
        text += "disjoint "
    if "nonNeg" in op.properties:
        text += "nneg "
    return text


def _number(op: Operation, name: str) -> int | None:
    value = op.properties.get(name)
    return value.value.data if isinstance(value, IntegerAttr) else None


def _binary(name: str) -> Printer:
    floats = name.startswith("f")

    def text(f: _FunctionText, op: Operation) -> None:
        lhs, rhs = op.operands
        flags = _flags(op) if floats else _integer_flags(op)
        f.define(op, f"{name} {flags}{f.type(lhs)} {f.name(lhs)}, {f.name(rhs)}")

    return text


def _cast(name: str) -> Printer:
    def text(f: _FunctionText, op: Operation) -> None:
        to = f.type(op.results[0])
        f.define(op, f"{name} {_integer_flags(op)}{f.typed(op.operands[0])} to {to}")

    return text


def _icmp(f: _FunctionText, op: Operation) -> None:
    lhs, rhs = op.operands
    predicate = INTEGER_PREDICATES[_number(op, "predicate") or 0]
    f.define(op, f"icmp {predicate} {f.type(lhs)} {f.name(lhs)}, {f.name(rhs)}")


def _fcmp(f: _FunctionText, op: Operation) -> None:
    lhs, rhs = op.operands
    predicate = FLOAT_PREDICATES[_number(op, "predicate") or 0]
    f.define(op, f"fcmp {_flags(op)}{predicate} {f.type(lhs)} {f.name(lhs)}, {f.name(rhs)}")


def _select(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"select {_flags(op)}{f.arguments(op.operands)}")


def _fneg(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"fneg {_flags(op)}{f.typed(op.operands[0])}")


def _freeze(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"freeze {f.typed(op.operands[0])}")


def _extractelement(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"extractelement {f.arguments(op.operands)}")


def _insertelement(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"insertelement {f.arguments(op.operands)}")


def _shufflevector(f: _FunctionText, op: Operation) -> None:
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    lanes = ["i32 poison" if lane < 0 else f"i32 {lane}" for lane in mask.get_values()]
    f.define(
        op,
        f"shufflevector {f.arguments(op.operands)}, <{len(lanes)} x i32> <{', '.join(lanes)}>",
    )


def _extractvalue(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"extractvalue {f.typed(op.operands[0])}, {_position(op)}")


def _insertvalue(f: _FunctionText, op: Operation) -> None:
    f.define(op, f"insertvalue {f.arguments(op.operands)}, {_position(op)}")


def _position(op: Operation) -> str:
    position = op.properties["position"]
    assert isinstance(position, DenseArrayBase)
    return ", ".join(map(str, position.get_values()))


def _getelementptr(f: _FunctionText, op: Operation) -> None:
    pointer, *indices = op.operands
    given = op.properties["rawConstantIndices"]
    assert isinstance(given, DenseArrayBase)
    values = iter(indices)
    texts = [
        f.typed(next(values)) if index == upstream.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in given.get_values()
    ]
    inbounds = "inbounds " if "inbounds" in op.properties else ""
    element = f.type_of(op.properties["elem_type"])
    f.define(op, f"getelementptr {inbounds}{element}, {f.typed(pointer)}, {', '.join(texts)}")


def _alloca(f: _FunctionText, op: Operation) -> None:
    element = f.type_of(op.properties["elem_type"])
    alignment = _number(op, "alignment")
    suffix = f", align {alignment}" if alignment else ""
    f.define(op, f"alloca {element}, {f.typed(op.operands[0])}{suffix}")


def _access_suffix(f: _FunctionText, op: Operation) -> tuple[str, str]:
    """What stands before the type of an access, and what behind its address."""
    number = _number(op, "ordering")
    ordering = upstream.ATOMIC_ORDERING_KEYWORDS[number] if number else ""
    prefix = "atomic " if ordering else ""
    suffix = f" {ordering}" if ordering else ""
    if "volatile_" in op.properties:
        prefix += "volatile "
    if alignment := _number(op, "alignment"):
        suffix += f", align {alignment}"
    if "nontemporal" in op.properties or "nontemporal" in op.attributes:
        suffix += f", !nontemporal !{f.metadata.one()}"
    return prefix, suffix


def _load(f: _FunctionText, op: Operation) -> None:
    prefix, suffix = _access_suffix(f, op)
    f.define(op, f"load {prefix}{f.type(op.results[0])}, {f.typed(op.operands[0])}{suffix}")


def _store(f: _FunctionText, op: Operation) -> None:
    prefix, suffix = _access_suffix(f, op)
    f.line(f"  store {prefix}{f.arguments(op.operands)}{suffix}")


def _masked_load(f: _FunctionText, op: Operation) -> None:
    pointer, mask, default = op.operands
    f.define(
        op,
        f"call {f.type(default)} @llvm.masked.load(ptr align {_number(op, 'alignment')}"
        f" {f.name(pointer)}, {f.typed(mask)}, {f.typed(default)})",
    )


def _masked_store(f: _FunctionText, op: Operation) -> None:
    value, pointer, mask = op.operands
    f.line(
        f"  call void @llvm.masked.store({f.typed(value)}, ptr align"
        f" {_number(op, 'alignment')} {f.name(pointer)}, {f.typed(mask)})"
    )


def _call_text(f: _FunctionText, op: Operation, callee: str, operands: Iterable[SSAValue]) -> None:
    output = f.type(op.results[0]) if op.results else "void"
    text = f"call {_flags(op)}{output} {callee}({f.arguments(operands)})"
    if op.results:
        f.define(op, text)
    else:
        f.line(f"  {text}")


def _call(f: _FunctionText, op: Operation) -> None:
    callee = op.properties.get("callee")
    if "var_callee_type" in op.properties:
        raise PassError("LLVM IR has no text for a call with variable arguments", op)
    if isinstance(callee, SymbolRefAttr):
        _call_text(f, op, f.symbol(callee.string_value()), op.operands)
    else:
        _call_text(f, op, f.name(op.operands[0]), op.operands[1:])


def _call_intrinsic(f: _FunctionText, op: Operation) -> None:
    # LLVM's parser completes the name with the suffix for the types of each call.
    name = op.properties["intrin"]
    assert isinstance(name, StringAttr)
    _call_text(f, op, f"@{name.data}", op.operands)


def _intrinsic(f: _FunctionText, op: Operation) -> None:
    _call_text(f, op, "@" + op.name.replace("llvm.intr.", "llvm."), op.operands)


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


def _br(f: _FunctionText, op: Operation) -> None:
    (to,) = op.successors
    f.flow(f.labels[_block_of(op)], to, tuple(op.operands))
    f.line(f"  br label %{f.labels[to]}{_loop(f, op)}")


def _cond_br(f: _FunctionText, op: Operation) -> None:
    then, otherwise = op.successors
    label = f.labels[_block_of(op)]
    sizes = op.properties["operandSegmentSizes"]
    assert isinstance(sizes, DenseArrayBase)
    count = int(sizes.get_values()[1])
    condition, *values = op.operands
    f.flow(label, then, tuple(values[:count]))
    target = f.labels[otherwise]
    extra: str | None = None
    if then is otherwise and then.args:
        # A phi knows where control came from, not by which of two edges.
        extra = f"e{label}"
        f.flow(extra, otherwise, tuple(values[count:]))
    else:
        f.flow(label, otherwise, tuple(values[count:]))
    f.line(
        f"  br i1 {f.name(condition)}, label %{f.labels[then]}, "
        f"label %{extra or target}{_loop(f, op)}"
    )
    if extra is not None:
        f.line(f"{extra}:")
        f.line(f"  br label %{target}")


def _loop(f: _FunctionText, op: Operation) -> str:
    annotation = op.attributes.get("loop_annotation")
    if not isinstance(annotation, llvm.LoopAnnotationAttr):
        return ""
    return f", !llvm.loop !{f.metadata.loop(annotation)}"


def _return(f: _FunctionText, op: Operation) -> None:
    f.line(f"  ret {f.typed(op.operands[0])}" if op.operands else "  ret void")


def _unreachable(f: _FunctionText, op: Operation) -> None:
    f.line("  unreachable")


_LITERALS: dict[type[Operation], Callable[[_FunctionText, Operation], str]] = {
    upstream.ConstantOp: lambda f, op: constant_text(op.properties["value"], op.results[0].type),
    upstream.UndefOp: lambda f, op: "undef",
    llvm.PoisonOp: lambda f, op: "poison",
    upstream.ZeroOp: lambda f, op: (
        "zeroinitializer"
        if not isinstance(op.results[0].type, upstream.LLVMPointerType)
        else "null"
    ),
    upstream.AddressOfOp: lambda f, op: f.symbol(op.properties["global_name"].string_value()),  # pyright: ignore
}
"""Ops that print nothing: their value is written where it is used."""

_PRINTERS: dict[type[Operation], Printer] = {
    **{kind: _binary(name) for kind, name in BINARY.items()},
    **{kind: _cast(name) for kind, name in CASTS.items()},
    **{op: _intrinsic for op in upstream.LLVM.operations if op.name.startswith("llvm.intr.")},
    upstream.AllocaOp: _alloca,
    upstream.BrOp: _br,
    upstream.CallIntrinsicOp: _call_intrinsic,
    upstream.CallOp: _call,
    upstream.CondBrOp: _cond_br,
    upstream.ExtractValueOp: _extractvalue,
    upstream.FNegOp: _fneg,
    upstream.GEPOp: _getelementptr,
    upstream.ICmpOp: _icmp,
    upstream.InsertElementOp: _insertelement,
    upstream.InsertValueOp: _insertvalue,
    upstream.LoadOp: _load,
    upstream.ReturnOp: _return,
    upstream.ShuffleVectorOp: _shufflevector,
    upstream.StoreOp: _store,
    upstream.UnreachableOp: _unreachable,
    llvm.ExtractElementOp: _extractelement,
    llvm.FCmpOp: _fcmp,
    llvm.FreezeOp: _freeze,
    llvm.MaskedLoadOp: _masked_load,
    llvm.MaskedStoreOp: _masked_store,
    llvm.SelectOp: _select,
}


def _argument_attributes(attributes: DictionaryAttr) -> str:
    texts: list[str] = []
    for name, value in attributes.data.items():
        if name in ARGUMENT_FLAGS and isinstance(value, UnitAttr):
            texts.append(ARGUMENT_FLAGS[name])
        elif name in ARGUMENT_NUMBERS and isinstance(value, IntegerAttr):
            texts.append(ARGUMENT_NUMBERS[name].format(value.value.data))
        else:
            raise PassError(f"LLVM IR has no text for the argument attribute {name} = {value}")
    return "".join(f"{text} " for text in texts)


def _parameters(op: upstream.FuncOp, names: Iterable[str]) -> str:
    types = op.function_type.inputs.data
    given = op.arg_attrs.data if op.arg_attrs else (DictionaryAttr({}),) * len(types)
    return ", ".join(
        f"{type_text(type)} {_argument_attributes(said)}{name}".rstrip()
        for type, said, name in zip(types, given, names, strict=True)
    )


def _function(op: upstream.FuncOp, shared: _Shared) -> Iterable[str]:
    output = type_text(op.function_type.output)
    f = _FunctionText(shared)
    symbol = f.symbol(op.sym_name.data)
    blocks = tuple(op.body.blocks)
    if not blocks:
        parameters = _parameters(op, [""] * len(op.function_type.inputs.data))
        yield f"declare {output} {symbol}({parameters})"
        return
    parameters = _parameters(op, [f.name(arg) for arg in blocks[0].args])
    f.body(blocks)
    linkage = op.linkage.linkage.data
    visibility = "" if linkage == "external" else f"{linkage} "
    yield f"define {visibility}{output} {symbol}({parameters}) {shared.attributes}{{"
    yield from f.lines
    yield "}"


def llvm_text(
    module: ModuleOp, attributes: Mapping[str, str] | None = None, prefix: str = ""
) -> str:
    """The LLVM IR text of a module of the `llvm` dialect.

    `attributes` are string attributes that every function of the module is given;
    `prefix` goes before the name of each function that the module defines.
    Intrinsics are called by their bare name, which LLVM's parser completes.
    Raises `PassError` at an op that LLVM IR does not have.
    """
    shared = _Shared(module, attributes or {}, prefix)
    lines: list[str] = []
    for op in module.ops:
        if not isinstance(op, upstream.FuncOp):
            raise PassError(f"LLVM IR has no text for {op.name}", op)
        lines.extend(_function(op, shared))
    lines.extend(shared.metadata.lines)
    return "\n".join(lines) + "\n"
