"""Loops, branches and calls in C."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from xdsl.dialects import cf, func, scf
from xdsl.dialects.builtin import DictionaryAttr, IndexType, StringAttr, UnrealizedConversionCastOp
from xdsl.ir import Block, Operation, SSAValue

from teloom.backend.c.expressions import (
    ATOM,
    SUM,
    UNARY,
    CExpr,
    as_signed,
    as_unsigned,
    binary,
    cast,
    integer,
    reads_of,
    unary,
)
from teloom.backend.c.library_names import MATH_FUNCTIONS
from teloom.backend.c.names import identifier
from teloom.backend.c.types import BOOL, I32, NumberType, is_pointer, lanes_of, number_of
from teloom.backend.c.writer import FunctionWriter, Rule, SourceParts
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.runtime import FIRST_ASSERTION
from teloom.dialects.upstream.functions import is_public
from teloom.dialects.upstream.llvm import (
    DYNAMIC,
    ELEMENTARY,
    LOOP_ANNOTATION,
    SHARED,
    LoopAnnotationAttr,
)
from teloom.errors import PassError
from teloom.passes.code.thread_numbers import COUNT, NUMBER
from teloom.passes.llvm.types import is_set, machine_type

# Loops


def _head(counter: CExpr, lower: CExpr, upper: CExpr, step: CExpr, is_index: bool) -> str:
    named, number = counter.text, counter.type
    following = f"++{named}"
    if step.literal != 1:
        following = f"{named} += {step.text}"
        if not is_index:  # a counter of type index is known not to wrap
            next_one = cast(binary("+", as_unsigned(counter), step, number.of("u")), number)
            following = f"{named} = {next_one.text}"
    first, end = as_signed(lower).text, as_signed(upper).at_least(SUM)
    return f"for ({number.spelled} {named} = {first}; {named} < {end}; {following})"


def _bound(value: SSAValue, w: FunctionWriter) -> CExpr:
    """A bound is asked for again and again: it must not change meanwhile."""
    found = w.use(value)
    return w.variable(found, value.name_hint) if found.reads else found


@contextmanager
def _loop(block: Block, counts: Sequence[SSAValue], w: FunctionWriter):
    """The body of a loop with one counter stands inside."""
    lower, upper, step = (_bound(one, w) for one in counts)
    w.settle()
    w.scopes.enter()
    counter = w.argument(block.args[0])
    is_index = isinstance(block.args[0].type, IndexType)
    with w.block(_head(counter, lower, upper, step, is_index)):
        yield
    w.scopes.leave()


def write_for(op: scf.ForOp, w: FunctionWriter) -> None:
    carried = [w.use(one) for one in op.iter_args]
    w.settle()
    variables = _carried(op.body.block.args[1:], op.results, carried, w)
    for line in _annotations(op, w):
        w.line(line)
    with _loop(op.body.block, (op.lb, op.ub, op.step), w):
        w.ops(op.body.block)
        _yield(op.body.block, variables, w)


def _carried(
    inside: Sequence[SSAValue],
    behind: Sequence[SSAValue],
    first: Sequence[CExpr],
    w: FunctionWriter,
) -> list[CExpr]:
    """The variables that a loop carries from iteration to iteration, with their first values."""
    found: list[CExpr] = []
    for argument, result, value in zip(inside, behind, first, strict=True):
        variable = w.argument(argument, argument.name_hint or result.name_hint)
        value = w.typed(value, variable)
        if value.lanes and value.form == "lane":
            w.declare(variable.text, variable.type, variable.lanes)
            w.assign(variable.text, value)
        else:
            value = w.whole(value)
            type = w.type_text(variable.type, variable.lanes)
            w.line(f"{type} {variable.text} = {value.text};")
        w.values[result] = variable
        found.append(variable)
    return found


def _yield(block: Block, variables: Sequence[CExpr], w: FunctionWriter) -> None:
    last = block.last_op
    assert last is not None
    w.set_all(variables, [w.use(one) for one in last.operands])


def _annotations(op: Operation, w: FunctionWriter) -> list[str]:
    """The annotations of a loop for compilers."""
    said = op.attributes.get(LOOP_ANNOTATION)
    if not isinstance(said, LoopAnnotationAttr):
        return []
    lines: list[str] = []
    for group, macro in (("unroll", "TELOOM_UNROLL"), ("vectorize", "TELOOM_NOT_VECTORIZED")):
        options = said.options.data.get(group)
        if not isinstance(options, DictionaryAttr):
            continue
        if group == "unroll" and is_set(options.data.get("full")):
            count = _iterations(op, w)
            if count is not None:
                w.parts.macros[macro] = None
                lines.append(f"{macro}({count})")
        if group == "vectorize" and is_set(options.data.get("disable")):
            w.parts.macros[macro] = None
            lines.append(macro)
    return lines


def _iterations(op: Operation, w: FunctionWriter) -> int | None:
    """The number of iterations of a loop, if it is constant."""
    if not isinstance(op, scf.ForOp):
        return None
    lower, upper, step = (w.ranges.of(one) for one in (op.lb, op.ub, op.step))
    if any(low != high for low, high in (lower, upper, step)) or step[0] <= 0:
        return None
    count = -(-(upper[0] - lower[0]) // step[0])
    return count if 0 < count < 65535 else None


def write_parallel(op: scf.ParallelOp, w: FunctionWriter) -> None:
    """A parallel loop; one in another is serial."""
    if op.results:
        raise PassError("cannot write scf.parallel with a reduction in C", op)
    bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
    if len(bounds) != 1:
        raise PassError("cannot write scf.parallel with several axes in C", op)
    if w.is_parallel:
        with _loop(op.body.block, bounds[0], w):
            w.ops(op.body.block)
        return
    around = w.live_outside, w.failure
    w.live_outside, w.is_parallel = len(w.live), True
    if can_fail(op, w.parts.failing):
        w.failure = w.label()
        w.line("int32_t status = 0;")
    lower, upper, step = (w.variable(b) if (b := w.use(one)).reads else b for one in bounds[0])
    w.settle()
    for one, value in zip(bounds[0], (lower, upper, step), strict=True):
        w.values[one] = value
    dynamic = op.attributes.get(SHARED) == StringAttr(DYNAMIC)
    schedule = " schedule(dynamic)" if dynamic else ""
    for line in ("#ifdef _OPENMP", f"#pragma omp parallel for{schedule}", "#endif"):
        w.line(line)
    with _loop(op.body.block, bounds[0], w):
        w.ops(op.body.block)
        if w.failure:
            w.line(f"{w.failure}:;")
    failed = w.failure
    (w.live_outside, w.failure), w.is_parallel = around, False
    if failed:
        w.fail_if("status", "status")


def write_if(op: scf.IfOp, w: FunctionWriter) -> None:
    test = w.use(op.cond)
    w.settle()
    variables = w.results(op.results)
    with w.block(f"if ({test.text})"):
        w.ops(op.true_region.block)
        _yield(op.true_region.block, variables, w)
    if not op.false_region.blocks:
        return
    block = op.false_region.block
    if len(block.ops) == 1 and not variables:
        return
    w.lines[-1] += " else {"
    w.scopes.enter()
    w.indent += 1
    w.ops(block)
    _yield(block, variables, w)
    w.indent -= 1
    w.scopes.leave()
    w.line("}")


def write_while(op: scf.WhileOp, w: FunctionWriter) -> None:
    before, after = op.before_region.block, op.after_region.block
    first = [w.use(one) for one in op.arguments]
    w.settle()
    results = w.results(op.results)
    carried = _carried(before.args, before.args, first, w)
    with w.block("for (;;)"):
        w.ops(before)
        condition = before.last_op
        assert condition is not None
        test, *passed = [w.use(one) for one in condition.operands]
        w.set_all(results, passed)
        w.line(f"if ({_not(test)}) break;")
        for argument, result in zip(after.args, results, strict=True):
            w.values[argument] = result
        w.ops(after)
        _yield(after, carried, w)


def _not(test: CExpr) -> str:
    return unary("!", test, BOOL).text


# Functions


def _carries_failure(op: Operation, failing: frozenset[str]) -> bool:
    if op.name in ("memref.alloc", "cf.assert"):
        return True
    return isinstance(op, func.CallOp) and op.callee.string_value() in failing


def can_fail(op: Operation, failing: frozenset[str]) -> bool:
    """Whether something in `op` gives a status that is not 0; `failing` are functions that do."""
    return any(_carries_failure(inner, failing) for inner in preorder(op))


def write_call(op: func.CallOp, w: FunctionWriter) -> None:
    name = op.callee.string_value()
    if name in (COUNT, NUMBER):
        _write_thread_number(op, name, w)
        return
    callee = w.parts.functions.get(name)
    if callee is None:
        raise PassError(f"there is no function @{name}", op)
    if len(op.results) > 1:
        raise PassError(f"a function returns one value, not {len(op.results)}", op)
    given = [_passed(value, type, w) for value, type in _arguments(op, callee)]
    text = f"{w.parts.names[name]}({', '.join(one.text for one in given)})"
    if op.results:
        _write_result(op, callee, CExpr(text, ATOM, I32, reads_of(*given)), w)
        return
    w.settle()
    if name in w.parts.failing:
        _write_checked(text, w)
    else:
        w.line(f"{text};")


def _write_checked(text: str, w: FunctionWriter) -> None:
    named = w.scopes.new("result")
    w.line(f"const int32_t {named} = {text};")
    w.fail_if(named, named)


def _write_result(op: func.CallOp, callee: func.FuncOp, found: CExpr, w: FunctionWriter) -> None:
    (result,) = op.results
    if is_pointer(result.type):
        raise PassError(f"cannot write a function in C that returns {result.type}", op)
    lanes = lanes_of(result.type)
    form = "whole" if lanes else ""
    found = replace(found, type=number_of(result.type), lanes=lanes, form=form)
    if ELEMENTARY in callee.attributes:
        w.define(result, replace(found, rank=UNARY))
        return
    w.settle()
    if w.is_used(result):
        w.values[result] = w.variable(found, result.name_hint)
    else:
        w.line(f"{found.text};")


def _arguments(op: func.CallOp, callee: func.FuncOp):
    return zip(op.arguments, callee.function_type.inputs.data, strict=True)


def _passed(value: SSAValue, type: Any, w: FunctionWriter) -> CExpr:
    """An argument of a call."""
    expr = w.use(value)
    if is_pointer(type):
        return _pointer(value, expr, w)
    if expr.lanes:
        like = CExpr("", ATOM, number_of(type), lanes=expr.lanes, form="whole")
        return w.whole(w.typed(expr, like))
    return expr


def _pointer(value: SSAValue, expr: CExpr, w: FunctionWriter) -> CExpr:
    """A pointer of the type of a parameter, which says neither sign nor const."""
    number = w.elements.get(value)
    if number is None and value not in w.constant:
        return expr
    said = number_of(value.type.element_type)  # pyright: ignore
    return CExpr(f"({said.stored} *){expr.text}", UNARY, expr.type, expr.reads)


def _write_thread_number(op: func.CallOp, name: str, w: FunctionWriter) -> None:
    """OpenMP's numbers; outside of parallel loops the caller's thread runs, the only one."""
    (result,) = op.results
    if name == NUMBER and not w.is_parallel:
        w.values[result] = integer(0, I32)
        return
    w.parts.macros["OMP"] = None
    w.define(result, CExpr(f"{name}()", UNARY, I32))


def write_return(op: func.ReturnOp, w: FunctionWriter) -> None:
    given = [w.use(one) for one in op.operands]
    if w.streams:
        w.parts.include("stdatomic.h")
        w.line("atomic_thread_fence(memory_order_seq_cst);")
    if given:
        like = CExpr("", ATOM, number_of(op.operands[0].type), lanes=given[0].lanes, form="whole")
        w.line(f"return {w.whole(w.typed(given[0], like)).text};")
    elif w.returns_status:
        w.line("return 0;")


def write_assert(op: cf.AssertOp, w: FunctionWriter) -> None:
    test = w.use(op.arg)
    w.parts.assertions.append(op.msg.data)
    status = FIRST_ASSERTION + len(w.parts.assertions) - 1
    if not w.returns_status:
        raise PassError(
            f"{op.name} stands in a function with results, which cannot report "
            "that it failed; give that function a buffer for its result",
            op,
        )
    w.settle()
    w.fail_if(_not(test), str(status))


def write_unrealized_cast(op: UnrealizedConversionCastOp, w: FunctionWriter) -> None:
    if len(op.operands) != 1 or len(op.results) != 1:
        raise PassError("a cast has one operand and one result here", op)
    source, target = (machine_type(one.type) for one in (op.operands[0], op.results[0]))
    if source != target:
        raise PassError(
            f"cannot turn {op.operands[0].type} into {op.results[0].type} by a cast", op
        )
    w.define(op.results[0], w.use(op.operands[0]))


# The text of functions


def parts_of(module: Operation, extension: bool) -> SourceParts:
    """The parts that the functions of a module share, with the C names of all functions."""
    parts = SourceParts(extension)
    for op in preorder(module):
        if isinstance(op, func.FuncOp):
            parts.functions[op.sym_name.data] = op
    taken: set[str] = set()
    for name, op in parts.functions.items():
        plain = symbol_of(op)
        if is_of_library(op):
            parts.include("math.h")
            parts.names[name] = plain
            continue
        found = wanted = identifier(plain)
        number = 0
        while found in taken:
            number += 1
            found = f"{wanted}_{number}"
        taken.add(found)
        parts.names[name] = found
    parts.failing = failing_functions(parts)
    return parts


def is_of_library(op: func.FuncOp) -> bool:
    """Whether a function without a body is one that <math.h> declares."""
    return not op.body.blocks and symbol_of(op) in MATH_FUNCTIONS


def symbol_of(op: func.FuncOp) -> str:
    """The name of a function in the program; one without a body has it outside, too."""
    name = op.sym_name.data
    return name if op.body.blocks else name.removeprefix("extern.")


def failing_functions(parts: SourceParts) -> frozenset[str]:
    """The functions of a module that may return a status which is not 0."""
    failing: frozenset[str] = frozenset()
    while True:
        found = frozenset(
            name
            for name, op in parts.functions.items()
            if op.body.blocks and not op.function_type.outputs.data and can_fail(op, failing)
        )
        if found == failing:
            return found
        failing = found


def returns_status(op: func.FuncOp, parts: SourceParts) -> bool:
    """Whether a function returns an `int32_t` that is 0 where all went well."""
    if op.function_type.outputs.data or not op.body.blocks:
        return False
    return is_public(op) or op.sym_name.data in parts.failing


def result_text(op: func.FuncOp, parts: SourceParts) -> str:
    """The type of what a function returns."""
    outputs = op.function_type.outputs.data
    if len(outputs) > 1:
        raise PassError(f"function {op.sym_name.data} returns more than one value", op)
    if not outputs:
        return "int32_t" if returns_status(op, parts) else "void"
    if is_pointer(outputs[0]):
        raise PassError(f"cannot write a function in C that returns {outputs[0]}", op)
    number, lanes = number_of(outputs[0]), lanes_of(outputs[0])
    refuse_short(op, number)
    return parts.vector_type(number, lanes) if lanes else number.spelled


def refuse_short(op: func.FuncOp, number: NumberType) -> None:
    """Refuses a declared function that passes a float of 16 bits.

    C11 has no type for such a float: how it is passed depends on the compiler.
    """
    if number.is_short and not op.body.blocks:
        raise PassError(
            f"cannot declare function {op.sym_name.data} in C: it takes or returns a float of "
            "16 bits; let it take a float of 32 bits, or a buffer",
            op,
        )


RULES: dict[type[Operation], Rule] = {
    scf.ForOp: write_for,
    scf.IfOp: write_if,
    scf.WhileOp: write_while,
    scf.ParallelOp: write_parallel,
    func.CallOp: write_call,
    func.ReturnOp: write_return,
    cf.AssertOp: write_assert,
    UnrealizedConversionCastOp: write_unrealized_cast,
}
