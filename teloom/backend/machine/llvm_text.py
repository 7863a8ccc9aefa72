"""LLVM IR text, straight from the `llvm` dialect."""

from collections.abc import Iterable, Mapping

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation

from teloom.backend.machine.llvm_ir import control, memory, values
from teloom.backend.machine.llvm_ir.debug_info import DebugInfo
from teloom.backend.machine.llvm_ir.function_text import FunctionText, ModuleText, Printer
from teloom.backend.machine.llvm_ir.spelling import c_type_text, type_text
from teloom.dialects.interfaces import Rules
from teloom.dialects.upstream.functions import said_of_arguments
from teloom.dialects.upstream.llvm import VECTORIZED, WORKSPACE
from teloom.errors import PassError, placed

# The masked accesses are intrinsics too, with a text of their own: they come behind the others.
PRINTERS: Rules[Printer] = Rules(control.PRINTERS | values.PRINTERS | memory.PRINTERS)
"""How each op is written, except those that `function_text` writes where they are used."""

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


def _argument_attributes(attributes: DictionaryAttr) -> str:
    texts: list[str] = []
    for name, value in attributes.data.items():
        if name in ARGUMENT_FLAGS and isinstance(value, UnitAttr):
            texts.append(ARGUMENT_FLAGS[name])
        elif name in ARGUMENT_NUMBERS and isinstance(value, IntegerAttr):
            texts.append(ARGUMENT_NUMBERS[name].format(value.value.data))
        elif name != WORKSPACE:
            raise PassError(f"LLVM IR has no text for the argument attribute {name} = {value}")
    return "".join(f"{text} " for text in texts)


def _parameters(op: upstream.FuncOp, names: Iterable[str]) -> str:
    spelled = type_text if op.body.blocks else c_type_text
    types = op.function_type.inputs.data
    return ", ".join(
        f"{spelled(type)} {_argument_attributes(said)}{name}".rstrip()
        for type, said, name in zip(types, said_of_arguments(op), names, strict=True)
    )


def _output(op: upstream.FuncOp) -> str:
    said = op.res_attrs.data[0] if op.res_attrs else DictionaryAttr({})
    spelled = type_text if op.body.blocks else c_type_text
    return _argument_attributes(said) + spelled(op.function_type.output)


def _own_attributes(op: upstream.FuncOp) -> str:
    """The attributes of a function that LLVM has, too."""
    given = op.passthrough.data if op.passthrough else ()
    names = [
        f'"{name.data}"' if name.data == VECTORIZED else name.data
        for name in given
        if isinstance(name, StringAttr)
    ]
    if "no_inline" in op.properties | op.attributes:
        names.append("noinline")
    return "".join(f"{name} " for name in names)


def _function(op: upstream.FuncOp, text: ModuleText) -> Iterable[str]:
    output = _output(op)
    f = FunctionText(text)
    symbol = f.symbol(op.sym_name.data)
    blocks = () if op.sym_name.data in text.elsewhere else tuple(op.body.blocks)
    if not blocks:
        parameters = _parameters(op, [""] * len(op.function_type.inputs.data))
        yield f"declare {output} {symbol}({parameters})"
        return
    parameters = _parameters(op, [f.name(arg) for arg in blocks[0].args])
    said = ""
    if text.debug_info is not None:
        f.place = text.debug_info.function(op)
        said = f"!dbg !{f.place.function} "
    f.body(blocks, PRINTERS)
    visibility = text.linkage(op)
    attributes = text.attributes + _own_attributes(op)
    yield f"define {visibility}{output} {symbol}({parameters}) {attributes}{said}{{"
    yield from f.lines
    yield "}"


def llvm_text(
    module: ModuleOp,
    attributes: Mapping[str, str] | None = None,
    prefix: str = "",
    debug_info: bool = False,
) -> str:
    """The LLVM IR text of a module of the `llvm` dialect.

    `attributes` are string attributes that every function of the module is given;
    `prefix` goes before the name of each function that the module defines.
    With `debug_info` instructions say which lines of the program they come from.
    Intrinsics are called by their bare name, which LLVM's parser completes.
    Raises `PassError` at an op that LLVM IR does not have.
    """
    text = ModuleText(module, attributes or {}, prefix)
    if debug_info:
        text.debug_info = DebugInfo(text.metadata)
    return text_of(module.ops, text)


def text_of(functions: Iterable[Operation], text: ModuleText) -> str:
    """The text of some functions of a module. Raises `PassError` at an op LLVM IR does not have."""
    lines: list[str] = []
    for op in functions:
        if not isinstance(op, upstream.FuncOp):
            raise PassError(f"LLVM IR has no text for {op.name}", op)
        with placed(op):
            lines.extend(_function(op, text))
    if text.debug_info is not None:
        lines.extend(text.debug_info.named())
    lines.extend(text.metadata.lines)
    return "\n".join(lines) + "\n"
