"""Calls, branches and returns."""

from collections.abc import Iterable

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue

from teloom.backend.llvm_ir.arithmetic import fast_math_flags
from teloom.backend.llvm_ir.function_text import FunctionText, Printer
from teloom.dialects import llvm
from teloom.errors import PassError


def _call_text(f: FunctionText, op: Operation, callee: str, operands: Iterable[SSAValue]) -> None:
    output = f.type(op.results[0]) if op.results else "void"
    text = f"call {fast_math_flags(op)}{output} {callee}({f.arguments(operands)})"
    if op.results:
        f.define(op, text)
    else:
        f.line(f"  {text}")


def _call(f: FunctionText, op: Operation) -> None:
    callee = op.properties.get("callee")
    if "var_callee_type" in op.properties:
        raise PassError("LLVM IR has no text for a call with variable arguments", op)
    if isinstance(callee, SymbolRefAttr):
        _call_text(f, op, f.symbol(callee.string_value()), op.operands)
    else:
        _call_text(f, op, f.name(op.operands[0]), op.operands[1:])


def _call_intrinsic(f: FunctionText, op: Operation) -> None:
    # LLVM's parser completes the name with the suffix for the types of each call.
    name = op.properties["intrin"]
    assert isinstance(name, StringAttr)
    _call_text(f, op, f"@{name.data}", op.operands)


def _intrinsic(f: FunctionText, op: Operation) -> None:
    _call_text(f, op, "@" + op.name.replace("llvm.intr.", "llvm."), op.operands)


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


def _br(f: FunctionText, op: Operation) -> None:
    (to,) = op.successors
    f.flow(f.labels[_block_of(op)], to, tuple(op.operands))
    f.line(f"  br label %{f.labels[to]}{_loop(f, op)}")


def _cond_br(f: FunctionText, op: Operation) -> None:
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


def _loop(f: FunctionText, op: Operation) -> str:
    annotation = op.attributes.get("loop_annotation")
    if not isinstance(annotation, llvm.LoopAnnotationAttr):
        return ""
    return f", !llvm.loop !{f.metadata.loop(annotation)}"


def _return(f: FunctionText, op: Operation) -> None:
    f.line(f"  ret {f.typed(op.operands[0])}" if op.operands else "  ret void")


def _unreachable(f: FunctionText, op: Operation) -> None:
    f.line("  unreachable")


PRINTERS: dict[type[Operation], Printer] = {
    **{op: _intrinsic for op in upstream.LLVM.operations if op.name.startswith("llvm.intr.")},
    upstream.CallOp: _call,
    upstream.CallIntrinsicOp: _call_intrinsic,
    upstream.BrOp: _br,
    upstream.CondBrOp: _cond_br,
    upstream.ReturnOp: _return,
    upstream.UnreachableOp: _unreachable,
}
