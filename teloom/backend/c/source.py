"""C11 source of a module of level standard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, VectorType
from xdsl.ir import BlockArgument, SSAValue

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.signature import SIGNATURE, Argument, Signature, signature_of
from teloom.backend.c import arith, control, math, memory
from teloom.backend.c.expressions import CExpr
from teloom.backend.c.helpers import Helper, helper
from teloom.backend.c.lanewise import lanewise
from teloom.backend.c.names import Scopes
from teloom.backend.c.needed import LOADS, needed_ops
from teloom.backend.c.types import NumberType, is_pointer, lanes_of, number_of
from teloom.backend.c.vector import RULES as VECTORS
from teloom.backend.c.writer import FunctionWriter, Rule, SourceParts
from teloom.backend.call.shapes import expression_text
from teloom.dialects.interfaces import Rules, ScalarOp
from teloom.dialects.runtime import FIRST_ASSERTION, OUT_OF_MEMORY
from teloom.dialects.target import ANY_CPU
from teloom.dialects.upstream.functions import ALIGN, READONLY, is_public, said_of
from teloom.dialects.upstream.llvm import ELEMENTARY
from teloom.errors import Error, PassError, did_you_mean
from teloom.passes.code.thread_numbers import COUNT, NUMBER
from teloom.passes.expected_level import refuse_unless_flat


def _said(op: Any, operands: Sequence[CExpr], w: FunctionWriter) -> CExpr:
    """What an op of a plug-in is in C."""
    found = op.to_c(operands, w)
    if not isinstance(found, CExpr):
        raise PassError(f"{op.name} is {type(found).__name__} in C, not a CExpr", op)
    return found


RULES: Rules[Rule] = Rules(
    arith.RULES | math.RULES | VECTORS | memory.RULES | control.RULES | {ScalarOp: lanewise(_said)}
)
"""How each op is written."""

_WORD = re.compile(r"\w+")

VECTOR_FORMS = ("extension", "loops")
"""What vectors become: `vector_size` of GCC and Clang, or structures and loops over lanes."""

_MACROS = {
    "OMP": """\
#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_max_threads() 1
#define omp_get_thread_num() 0
#endif
""",
    "TELOOM_UNROLL": """\
#if defined(__clang__)
#define TELOOM_UNROLL(count) _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define TELOOM_PRAGMA(text) _Pragma(#text)
#define TELOOM_UNROLL(count) TELOOM_PRAGMA(GCC unroll count)
#else
#define TELOOM_UNROLL(count)
#endif
""",
    "TELOOM_NOT_VECTORIZED": """\
#if defined(__clang__)
#define TELOOM_NOT_VECTORIZED _Pragma("clang loop vectorize(disable)")
#else
#define TELOOM_NOT_VECTORIZED
#endif
""",
    "TELOOM_PREFETCH": """\
#ifdef __GNUC__
#define TELOOM_PREFETCH(buffer, index, bytes, write, locality) \\
  __builtin_prefetch((const void *)((uintptr_t)(buffer) + (uintptr_t)(index) * (bytes)), \\
                     write, locality)
#else
#define TELOOM_PREFETCH(buffer, index, bytes, write, locality) ((void)0)
#endif
""",
    "TELOOM_STREAM": """\
#ifdef __clang__
#define TELOOM_STREAM(value, address) __builtin_nontemporal_store(value, address)
#else
#define TELOOM_STREAM(value, address) (*(address) = (value))
#endif
""",
    "TELOOM_INLINE": """\
#ifdef __GNUC__
#define TELOOM_INLINE static inline __attribute__((always_inline))
#else
#define TELOOM_INLINE static inline
#endif
""",
    "TELOOM_SYMBOL": """\
#define TELOOM_TEXT_OF(...) #__VA_ARGS__
#define TELOOM_TEXT(...) TELOOM_TEXT_OF(__VA_ARGS__)
#define TELOOM_SYMBOL(name) __asm__(TELOOM_TEXT(__USER_LABEL_PREFIX__) #name)
""",
    "TELOOM_ALIGNED": """\
#ifdef __GNUC__
#define TELOOM_ALIGNED(buffer, bytes) __builtin_assume_aligned(buffer, bytes)
#else
#define TELOOM_ALIGNED(buffer, bytes) (buffer)
#endif
""",
}
"""What is there by another name in each compiler, or not at all."""

_WIDTH = """\
#if defined(__clang__) && defined(__x86_64__)
#define TELOOM_WIDE __attribute__((min_vector_width({bits})))
#else
#define TELOOM_WIDE
#endif
"""

_DIAGNOSTICS = """\
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
"""

# Each element is written before it is read, in loops that GCC does not see to run, or not read at
# all, which compilers do not see where a mask or a condition never holds.
_BUFFERS = """\
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
"""

_OWN_ABI = """\
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
"""


def c_source(module: ModuleOp, vectors: str = "extension") -> str:
    """The C11 source of a module of level standard.

    `vectors` is one of `VECTOR_FORMS`. Each public function returns 0; 1 without memory; or, from
    2 on, the number of an assertion that does not hold. Raises `PassError` at an op that has no
    rule, and `teloom.Error` for another form of vectors.
    """
    if vectors not in VECTOR_FORMS:
        hint = did_you_mean(vectors, VECTOR_FORMS) or f"; forms: {', '.join(VECTOR_FORMS)}"
        raise Error(f"no form of vectors in C is {vectors!r}{hint}")
    for op in module.ops:
        if not isinstance(op, func.FuncOp):
            raise PassError(f"cannot write {op.name} in C", op)
    parts = control.parts_of(module, vectors == "extension")
    functions = [op for op in parts.functions.values() if not _is_known(op)]
    bodies = [_definition(op, parts) for op in functions if op.body.blocks]
    declared = [_declaration(op, parts) for op in functions]
    return "\n".join([*_head(parts), *_helpers(parts), "".join(declared), *bodies])


def _is_known(op: func.FuncOp) -> bool:
    """Whether a header declares a function."""
    return op.sym_name.data in (COUNT, NUMBER) or control.is_of_library(op)


# What stands in front


def _head(parts: SourceParts) -> Iterator[str]:
    """The includes, macros and types."""
    for one in _all_helpers(parts):
        for header in one.includes:
            parts.include(header)
    if any(key[0] == "allocate" for key in parts.helpers):
        parts.include("stddef.h")
    parts.include("stdbool.h")
    yield "/* C11, written by Teloom. */\n"
    yield "".join(f"#include <{header}>\n" for header in sorted(parts.includes))
    macros = [_MACROS[macro] for macro in parts.macros]
    if "TELOOM_UNROLL" in parts.macros:
        macros.append(_DIAGNOSTICS)
    if "stdalign.h" in parts.includes or parts.vectors:
        macros.append(_BUFFERS)
    if parts.vectors and parts.extension:
        macros.append(_OWN_ABI)
        macros.append(_WIDTH.format(bits=8 * _widest(parts)))
    if macros:
        yield "\n".join(macros)
    types = dict.fromkeys(_types(parts))  # a vector of masks is one of integers, too
    if types:
        yield "".join(types)


def _widest(parts: SourceParts) -> int:
    """The bytes of the widest vector, but no more than a register of any CPU has."""
    return min(ANY_CPU.vector_bytes, max(type.bytes * lanes for type, lanes in parts.vectors))


def _types(parts: SourceParts) -> Iterator[str]:
    used = {key[0] for key in parts.vectors} | {t for key in parts.helpers for t in key[1:] if t}
    shorts = sorted({type.short for type in (*used, *parts.shorts) if type.is_short})
    for short in shorts:
        yield f"typedef uint16_t {short};\n"
    for type, lanes in parts.vectors:
        named = f"{type.short}x{lanes}"
        if parts.extension:
            bytes = type.bytes * lanes
            yield f"typedef {type.stored} {named} __attribute__((vector_size({bytes})));\n"
        else:
            yield f"typedef struct {{ {type.spelled} lane[{lanes}]; }} {named};\n"
    for type, lanes, alignment in parts.accesses:
        said = f"vector_size({type.bytes * lanes}), aligned({alignment}), may_alias"
        named = f"{type.short}x{lanes}_at{alignment}"
        yield f"typedef {type.stored} {named} __attribute__(({said}));\n"
    for type in sorted(
        {one.of("i") if one.family == "m" else one for one in parts.aliased},
        key=lambda one: one.short,
    ):
        yield (
            "#ifdef __GNUC__\n"
            f"typedef {type.stored} {type.short}_aliased __attribute__((may_alias));\n"
            f"#else\ntypedef {type.stored} {type.short}_aliased;\n#endif\n"
        )


def _all_helpers(parts: SourceParts) -> list[Helper]:
    """The helpers that are called, each behind those that it calls itself."""
    found: dict[tuple[str, NumberType, NumberType | None], Helper] = {}

    def add(key: tuple[str, NumberType, NumberType | None]) -> None:
        if key in found:
            return
        made = helper(*key)
        for inner in made.calls:
            add(inner)
            parts.helpers.setdefault(inner)
        found[key] = made

    for key in [*parts.helpers]:
        add(key)
    texts: dict[str, Helper] = {one.text: one for one in found.values()}
    return [*texts.values()]


def _helpers(parts: SourceParts) -> Iterator[str]:
    for one in _all_helpers(parts):
        yield one.text


# Functions


def _parameters(op: func.FuncOp, names: Iterable[str], w: FunctionWriter) -> str:
    types = op.function_type.inputs.data
    arguments = op.body.blocks[0].args if op.body.blocks else [None] * len(types)
    texts = [
        _parameter(op, type, argument, name, w)
        for type, argument, name in zip(types, arguments, names, strict=True)
    ]
    return ", ".join(texts) or "void"


def _parameter(
    op: func.FuncOp, type, argument: SSAValue | None, name: str, w: FunctionWriter
) -> str:
    if not is_pointer(type):
        number, lanes = number_of(type), lanes_of(type)
        control.refuse_short(op, number)
        if number.is_short:
            w.parts.shorts[number] = None
        spelled = w.parts.vector_type(number, lanes) if lanes else number.spelled
        return f"{spelled} {name}".rstrip()
    if not isinstance(type, MemRefType):
        return f"void *{name}"
    refuse_unless_flat(type, op)
    number = (argument and w.elements.get(argument)) or number_of(type.element_type)
    if number.is_short:
        w.parts.shorts[number] = None
    const = "const " if argument in w.constant else ""
    restrict = "restrict " if argument is not None and w.is_apart(argument) else ""
    return f"{const}{number.stored} *{restrict}{name}"


def _describe(op: func.FuncOp, w: FunctionWriter) -> Signature | None:
    """Notes the arguments' facts: of the signature and of the attributes."""
    arguments = op.body.blocks[0].args
    for argument in arguments:
        if isinstance(argument.type, MemRefType) and _is_constant(argument):
            w.constant.add(argument)
    if SIGNATURE not in op.attributes:
        return None
    signature = signature_of(op)
    sizes = len(signature.sizes)
    for argument in arguments[:sizes]:
        w.ranges.is_size(argument)
    for argument, said in zip(arguments[sizes:], signature.arguments, strict=False):
        if said.dtype.startswith("u") and isinstance(argument.type, MemRefType):
            w.elements[argument] = number_of(argument.type.element_type).of("u")
    return signature


def _arguments(op: func.FuncOp, signature: Signature | None, w: FunctionWriter) -> list[str]:
    """The names of the arguments: those of the signature, else those of the values."""
    said: list[str] = []
    if signature is not None:
        said = [*signature.sizes, *(argument.name for argument in signature.arguments)]
    pairs = zip_longest(op.body.blocks[0].args, said)
    return [w.argument(argument, name).text for argument, name in pairs]


def _is_constant(argument: BlockArgument) -> bool:
    if READONLY in said_of(argument):
        return True
    return all(isinstance(use.operation, LOADS) for use in argument.uses)


def _writer(op: func.FuncOp, parts: SourceParts) -> FunctionWriter:
    scopes = Scopes({*parts.names.values()})
    w = FunctionWriter(parts, RULES, scopes)
    w.returns_status = not op.function_type.outputs.data
    return w


def _static(op: func.FuncOp, parts: SourceParts) -> str:
    if is_public(op) or not op.body.blocks:
        return ""
    if ELEMENTARY not in op.attributes:
        return "static "
    if not any(isinstance(one, VectorType) for one in op.function_type.outputs.data):
        return "static inline "
    # Whether a vector can be returned depends on the machine that a compiler is for.
    parts.macros["TELOOM_INLINE"] = None
    return "TELOOM_INLINE "


def _declaration(op: func.FuncOp, parts: SourceParts) -> str:
    w = _writer(op, parts)
    names = [""] * len(op.function_type.inputs.data)
    if op.body.blocks:
        names = _arguments(op, _describe(op, w), w)
    result = control.result_text(op, parts)
    wide = "TELOOM_WIDE " if parts.vectors and op.sym_name.data in parts.wide else ""
    head = f"{wide}{_static(op, parts)}{result} {parts.names[op.sym_name.data]}"
    return f"{head}({_parameters(op, names, w)}){_symbol(op, parts)};\n"


def _symbol(op: func.FuncOp, parts: SourceParts) -> str:
    """What says the name that a function of others has, if that is not what it is called here."""
    symbol = control.symbol_of(op)
    if op.body.blocks or parts.names[op.sym_name.data] == symbol:
        return ""
    parts.macros["TELOOM_SYMBOL"] = None
    return f" TELOOM_SYMBOL({symbol})"


def _definition(op: func.FuncOp, parts: SourceParts) -> str:
    if len(op.body.blocks) > 1:
        raise PassError(f"function {op.sym_name.data} has branches between blocks", op)
    w = _writer(op, parts)
    signature = _describe(op, w)
    w.needed = needed_ops(op, w.ranges)
    names = _arguments(op, signature, w)
    result = control.result_text(op, parts)
    head = f"{_static(op, parts)}{result} {parts.names[op.sym_name.data]}"
    parameters = _parameters(op, names, w)
    w.returns_status = control.returns_status(op, parts)
    w.ops(op.body.block)
    comment = _comment(signature, names, parts, w) if is_public(op) else ""
    body = "\n".join([*_beginning(op, names, w), *w.lines])
    if w.has_vectors and parts.extension:
        parts.wide.add(op.sym_name.data)
    return f"{comment}{head}({parameters}) {{\n{body}\n}}\n"


def _beginning(op: func.FuncOp, names: list[str], w: FunctionWriter) -> Iterator[str]:
    """What stands in front of the body: alignments, and arguments whose names it does not use."""
    used = {*_WORD.findall("\n".join(w.lines))}
    for argument, name in zip(op.body.block.args, names, strict=True):
        alignment = said_of(argument).get(ALIGN)
        if name not in used:
            yield f"  (void){name};"
        elif isinstance(alignment, IntegerAttr):
            w.parts.macros["TELOOM_ALIGNED"] = None
            yield f"  {name} = TELOOM_ALIGNED({name}, {alignment.value.data});"
    if ELEMENTARY in op.attributes:
        yield from ("#ifdef __clang__", "#pragma STDC FP_CONTRACT OFF", "#endif")


# The comment of a function


def _comment(
    signature: Signature | None, names: list[str], parts: SourceParts, w: FunctionWriter
) -> str:
    if signature is None:
        return ""
    sizes = names[: len(signature.sizes)]
    lines = [f"{signature.name}:"]
    for name in sizes:
        lines.append(f"  {name}: a size, from 0 to 2^{LARGEST_SIZE.bit_length() - 1}")
    for name, argument in zip(names[len(sizes) :], signature.arguments, strict=False):
        lines.append(f"  {name}: {_array_text(argument, sizes)}")
    lines.append("Returns 0" + _statuses(parts) + ".")
    return "/* " + "\n   ".join(lines) + " */\n"


def _statuses(parts: SourceParts) -> str:
    if not parts.failing:
        return ""
    said = [f"{OUT_OF_MEMORY} where there is no memory"]
    for number, message in enumerate(parts.assertions, FIRST_ASSERTION):
        said.append(f"{number} where this does not hold: {message}".replace("*/", "* /"))
    return "; " + "; ".join(said)


def _array_text(argument: Argument, sizes: list[str]) -> str:
    """Such as `float32 [n, 64], written`."""
    text = argument.dtype
    if argument.shape is not None:
        extents = ", ".join(expression_text(extent, sizes) for extent in argument.shape)
        text += f" [{extents}]"
    placement = argument.placement
    if placement.strides is not None:
        text += " with strides"
    return f"{text}, written" if argument.output else text
