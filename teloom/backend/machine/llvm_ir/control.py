"""Calls, branches and returns."""

from collections.abc import Callable, Iterable

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseArrayBase, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teloom.backend.machine.codegen.named_instructions import check_types
from teloom.backend.machine.llvm_ir.function_text import FunctionText, Printer
from teloom.backend.machine.llvm_ir.spelling import c_type_text
from teloom.backend.machine.llvm_ir.values import fast_math_flags, refuse_bfloat
from teloom.dialects.upstream import llvm
from teloom.errors import PassError


def _call_text(
    f: FunctionText,
    op: Operation,
    callee: str,
    operands: Iterable[SSAValue],
    spelled: Callable[[Attribute], str] | None = None,
) -> None:
    """A call, with types as `spelled`: those of C may differ from those of our text."""
    spelled = spelled or f.type_of
    arguments: list[str] = []
    for value in operands:
        text, type = f.typed(value), spelled(value.type)
        if type != f.type(value):
            passed = f.fresh()
            f.line(f"  {passed} = bitcast {text} to {type}")
            text = f"{type} {passed}"
        arguments.append(text)
    output = spelled(op.results[0].type) if op.results else "void"
    call = f"call {fast_math_flags(op)}{output} {callee}({', '.join(arguments)})"
    if not op.results:
        f.line(f"  {call}")
    elif output == f.type(op.results[0]):
        f.define(op, call)
    else:
        given = f.fresh()
        f.line(f"  {given} = {call}")
        f.define(op, f"bitcast {output} {given} to {f.type(op.results[0])}")


def _call(f: FunctionText, op: Operation) -> None:
    callee = op.properties.get("callee")
    if "var_callee_type" in op.properties:
        raise PassError("LLVM IR has no text for a call with variable arguments", op)
    if not isinstance(callee, SymbolRefAttr):
        _call_text(f, op, f.name(op.operands[0]), op.operands[1:])
        return
    name = callee.string_value()
    # A C function gets a bf16 as such, and not as the integer that it is here.
    spelled = None if name in f.symbols else c_type_text
    _call_text(f, op, f.symbol(name), op.operands, spelled)


def _call_intrinsic(f: FunctionText, op: upstream.CallIntrinsicOp) -> None:
    check_types(op)
    name = op.intrin.data
    is_instruction = name.startswith("llvm.x86.")
    if not is_instruction:
        refuse_bfloat(op)
    # LLVM's parser completes the name with the suffix for the types of each call.
    _call_text(f, op, f"@{name}", op.operands, c_type_text if is_instruction else None)


def _intrinsic(f: FunctionText, op: Operation) -> None:
    refuse_bfloat(op)
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


PRINTERS: dict[type[Operation], Printer] = {
    **{op: _intrinsic for op in upstream.LLVM.operations if op.name.startswith("llvm.intr.")},
    upstream.CallOp: _call,
    upstream.CallIntrinsicOp: _call_intrinsic,
    upstream.BrOp: _br,
    upstream.CondBrOp: _cond_br,
    upstream.ReturnOp: _return,
    upstream.UnreachableOp: lambda f, op: f.line("  unreachable"),
}
