"""Arithmetic, comparisons and casts; elements of vectors and members of structures."""

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import BFloat16Type, DenseArrayBase, IntegerAttr, VectorType
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Operation

from teloom.backend.machine.llvm_ir.function_text import FunctionText, Printer, integer_property
from teloom.dialects.upstream import llvm
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


def fast_math_flags(op: Operation) -> str:
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


def refuse_bfloat(op: Operation) -> None:
    """Raises `PassError` where an op computes with bf16, which is an integer in our text."""
    for value in (*op.operands, *op.results):
        type = value.type
        element = type.element_type if isinstance(type, VectorType) else type
        if isinstance(element, BFloat16Type):
            raise PassError(
                f"LLVM IR has no text for {op.name} of {type}; "
                "compute in f32, as lower-to-llvm does with ops of arith",
                op,
            )


def _binary(name: str) -> Printer:
    floats = name.startswith("f")

    def text(f: FunctionText, op: Operation) -> None:
        if floats:
            refuse_bfloat(op)
        lhs, rhs = op.operands
        flags = fast_math_flags(op) if floats else _integer_flags(op)
        f.define(op, f"{name} {flags}{f.typed(lhs)}, {f.name(rhs)}")

    return text


def _cast(name: str) -> Printer:
    def text(f: FunctionText, op: Operation) -> None:
        if name != "bitcast":
            refuse_bfloat(op)
        to = f.type(op.results[0])
        f.define(op, f"{name} {_integer_flags(op)}{f.typed(op.operands[0])} to {to}")

    return text


def _icmp(f: FunctionText, op: Operation) -> None:
    lhs, rhs = op.operands
    predicate = INTEGER_PREDICATES[integer_property(op, "predicate") or 0]
    f.define(op, f"icmp {predicate} {f.typed(lhs)}, {f.name(rhs)}")


def _fcmp(f: FunctionText, op: Operation) -> None:
    refuse_bfloat(op)
    lhs, rhs = op.operands
    predicate = FLOAT_PREDICATES[integer_property(op, "predicate") or 0]
    f.define(op, f"fcmp {fast_math_flags(op)}{predicate} {f.typed(lhs)}, {f.name(rhs)}")


def _fneg(f: FunctionText, op: Operation) -> None:
    refuse_bfloat(op)
    f.define(op, f"fneg {fast_math_flags(op)}{f.typed(op.operands[0])}")


def _plain(name: str) -> Printer:
    """The operands, each with its type, behind the name and its flags."""

    def text(f: FunctionText, op: Operation) -> None:
        f.define(op, f"{name} {fast_math_flags(op)}{f.arguments(op.operands)}{_position(op)}")

    return text


def _position(op: Operation) -> str:
    position = op.properties.get("position")
    if not isinstance(position, DenseArrayBase):
        return ""
    return "".join(f", {number}" for number in position.get_values())


def _shufflevector(f: FunctionText, op: upstream.ShuffleVectorOp) -> None:
    lanes = ["i32 poison" if lane < 0 else f"i32 {lane}" for lane in op.mask.get_values()]
    f.define(
        op, f"shufflevector {f.arguments(op.operands)}, <{len(lanes)} x i32> <{', '.join(lanes)}>"
    )


PRINTERS: dict[type[Operation], Printer] = {
    **{kind: _binary(name) for kind, name in BINARY.items()},
    **{kind: _cast(name) for kind, name in CASTS.items()},
    upstream.ICmpOp: _icmp,
    llvm.FCmpOp: _fcmp,
    llvm.SelectOp: _plain("select"),
    upstream.FNegOp: _fneg,
    llvm.FreezeOp: _plain("freeze"),
    llvm.ExtractElementOp: _plain("extractelement"),
    upstream.InsertElementOp: _plain("insertelement"),
    upstream.ShuffleVectorOp: _shufflevector,
    upstream.ExtractValueOp: _plain("extractvalue"),
    upstream.InsertValueOp: _plain("insertvalue"),
}
