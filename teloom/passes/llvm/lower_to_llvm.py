"""Pass `lower-to-llvm`: standard dialects become the `llvm` dialect."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects import builtin, func, memref
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.dialects.llvm import LinkageAttr, LLVMFunctionType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from teloom.analysis.signature import SIGNATURE
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.interfaces import Rules, ScalarOp
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.functions import NOALIAS, is_public, said_of_arguments
from teloom.dialects.upstream.llvm import ASSERTIONS, ELEMENTARY, SHARED, VECTORIZED, WORKSPACE
from teloom.errors import PassError, placed
from teloom.passes.code.code_motion import erase_unused
from teloom.passes.code.outlining import NO_INLINE
from teloom.passes.code.thread_numbers import COUNT, NUMBER, is_call
from teloom.passes.llvm.addresses import unrolled_counters
from teloom.passes.llvm.alias_scopes import add_alias_scopes
from teloom.passes.llvm.builder import Builder, Conversion, ModuleFunctions
from teloom.passes.llvm.conversions import amx, arith, control, math, memory, vector
from teloom.passes.llvm.locations import give_location, located
from teloom.passes.llvm.lower_scf import lower_scf
from teloom.passes.llvm.outline_parallel import outline_parallel
from teloom.passes.llvm.parallel import STARTER
from teloom.passes.llvm.types import POINTER, machine_type

CONVERSIONS: Rules[Conversion] = Rules(
    {ScalarOp: lambda op, b: op.to_llvm(b)}
    | amx.CONVERSIONS
    | arith.CONVERSIONS
    | control.CONVERSIONS
    | math.CONVERSIONS
    | memory.CONVERSIONS
    | vector.CONVERSIONS
)
"""What each op becomes.

A table, not rewrite patterns: each op has one conversion and no op stays, so the blocks are
written anew from first to last, without a worklist and without a search for the pattern.
"""

_EXTERNAL = LinkageAttr("external")
_INTERNAL = LinkageAttr("internal")
_DISTINCT_BUFFER = {NOALIAS: UnitAttr(), "llvm.nonnull": UnitAttr()}
_WORKSPACE = DictionaryAttr({"llvm.nonnull": UnitAttr(), WORKSPACE: UnitAttr()})
_ALWAYS_INLINE = StringAttr("alwaysinline")
_NEW_MEMORY = DictionaryAttr({NOALIAS: UnitAttr()})


def _reports(op: func.FuncOp) -> bool:
    return bool(op.body.blocks) and not op.function_type.outputs.data


def _needs_threads(op: func.CallOp) -> bool:
    return SHARED in op.attributes or is_call(op, COUNT)


def _only_starts_others(op: func.FuncOp, reporting: frozenset[str]) -> bool:
    """Whether a function calls others, or shares them among threads, and does no work itself."""
    calls = ops_in(op, func.CallOp)
    if not any(SHARED in one.attributes or one.callee.string_value() in reporting for one in calls):
        return False
    passed: set[Block] = set()
    for block in op.body.blocks:
        passed.add(block)
        if block.last_op is not None and not passed.isdisjoint(block.last_op.successors):
            return False
    accesses = (
        access
        for inner in preorder(op)
        if not isinstance(inner, func.CallOp) and not is_side_effect_free(inner)
        for access in accesses_of(inner)
    )
    return not any(access.reads or access.writes for access in accesses)


def _allocating(functions: Sequence[func.FuncOp]) -> frozenset[str]:
    """The functions that allocate or free memory, run parallel loops, or call one that does."""
    found: set[str] = set()
    callers: defaultdict[str, set[str]] = defaultdict(set)
    for function in functions:
        for op in ops_in(function, memref.AllocOp, memref.DeallocOp, func.CallOp):
            if not isinstance(op, func.CallOp) or _needs_threads(op):
                found.add(function.sym_name.data)
            else:
                callers[op.callee.string_value()].add(function.sym_name.data)
    waiting = list(found)
    while waiting:
        new = callers[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)


def _refuse(op: Operation) -> NoReturn:
    if op.name.partition(".")[0] in _ABOVE:
        raise PassError(f"{op.name} is left here; run te-to-llvm, whose last pass this is", op)
    raise PassError(f"cannot lower {op.name}", op)


_ABOVE = ("te", "schedule", "loop", "scf")
"""The dialects whose ops the passes before this one remove."""


def _convert_block(block: Block, b: Builder) -> None:
    ops = tuple(block.ops)
    for op in ops:
        op.detach()
    b.begin(block)
    for op in ops:
        convert = CONVERSIONS[type(op)]
        if convert is None:
            if op.name.startswith("llvm."):
                b.block.add_op(op)
                continue
            _refuse(op)
        into, behind = b.block, b.block.last_op
        try:
            value = convert(op, b)
        except PassError as error:
            raise error.at(op)
        give_location(into, behind, op)
        if value is not None:
            _check_value(op, value)
            b.note_buffer(value, op.results[0].type)
            op.results[0].replace_all_uses_with(value)
        elif op.parent is None and any(result.first_use for result in op.results):
            raise PassError(f"the rule that lowers {op.name} gives no value, and it is used", op)
        if op.parent is None:  # a rule may let it stay
            op.drop_all_references()


def _check_value(op: Operation, value: object) -> None:
    """Refuses what a rule, which may be a plug-in's, gives in the place of the result of `op`."""
    wanted = machine_type(op.results[0].type) if len(op.results) == 1 else "no value"
    given = value.type if isinstance(value, SSAValue) else f"of {type(value).__name__}"
    if given != wanted:
        raise PassError(f"the rule that lowers {op.name} gives {given}, not {wanted}", op)


def _convert_body(body: Region, b: Builder) -> None:
    blocks = tuple(body.blocks)
    for block in blocks:
        for arg in block.args:
            if (type := machine_type(arg.type)) != arg.type:
                b.note_buffer(Rewriter.replace_value_with_new_type(arg, type), arg.type)
    b.counters = unrolled_counters(blocks)
    for block in blocks:
        body.detach_block(block)
        _convert_block(block, b)
    body.add_block(b.finish())
    for index in b.superseded:
        erase_unused(index)


def _argument_attributes(op: func.FuncOp) -> list[DictionaryAttr]:
    """The attributes of each argument for LLVM: those of `op`, and what holds for all callers.

    A caller from outside passes buffers that do not overlap; within the module only
    the function itself can say so.
    """
    types = op.function_type.inputs.data
    attributes: list[DictionaryAttr] = []
    for type, said in zip(types, said_of_arguments(op), strict=True):
        known = _DISTINCT_BUFFER if isinstance(type, builtin.MemRefType) and is_public(op) else {}
        kept = {k: v for k, v in said.data.items() if k.startswith("llvm.")}
        attributes.append(DictionaryAttr(known | kept))
    return attributes


def _convert_function(op: func.FuncOp, program: ModuleFunctions) -> Operation:
    outputs = op.function_type.outputs.data
    if len(outputs) > 1:
        raise PassError(f"function {op.sym_name.data} returns more than one value", op)
    if outputs and is_public(op) and op.body.blocks:
        raise PassError(
            f"public function {op.sym_name.data} has a result; "
            "write it to a buffer, or make the function private",
            op,
        )
    inputs = [machine_type(type) for type in op.function_type.inputs.data]
    output: Attribute | None = machine_type(outputs[0]) if outputs else None
    if reports := _reports(op):
        output = i32
    attributes = _argument_attributes(op)
    signature = {key: said for key, said in op.attributes.items() if key == SIGNATURE}
    is_elementary = ELEMENTARY in op.attributes
    traits = [_ALWAYS_INLINE] if is_elementary else []
    if VECTORIZED in op.attributes:
        traits.append(StringAttr(VECTORIZED))
    if _only_starts_others(op, program.reporting):
        traits.extend(STARTER)
    body = op.detach_region(op.body)
    workspace = None
    if op.sym_name.data in program.allocating:
        workspace = body.blocks[0].insert_arg(POINTER, len(inputs))
        workspace.name_hint = "workspace"
        inputs.append(POINTER)
        attributes.append(_WORKSPACE)
    if body.blocks:
        _convert_body(body, Builder(program, reports, workspace, target_of(op), is_elementary))
    said: dict[str, Attribute | None] = {
        "arg_attrs": ArrayAttr(attributes),
        NO_INLINE: op.attributes.get(NO_INLINE),
        "passthrough": ArrayAttr(traits) if traits else None,
    }
    outside = is_public(op) or not body.blocks
    made = upstream.FuncOp(
        op.sym_name,
        LLVMFunctionType(inputs, output),
        _EXTERNAL if outside else _INTERNAL,
        body=body,
        other_props=said,
        extra_attrs=signature,
    )
    return located(made, op)


def lower_to_llvm(module: ModuleOp) -> None:
    """Rewrite `module` into the `llvm` dialect; raises `PassError` where it cannot."""
    outline_parallel(module)
    lower_scf(module)
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    for function in functions:
        add_alias_scopes(function.body, function.sym_name.data)
    reporting = frozenset(op.sym_name.data for op in functions if _reports(op))
    program = ModuleFunctions(reporting, _allocating(functions), {}, [], {})
    for op in module.ops:
        if isinstance(op, func.FuncOp) and op.sym_name.data in (COUNT, NUMBER):
            if not op.is_declaration:
                raise PassError(f"@{op.sym_name.data} is OpenMP's; name the function otherwise", op)
            Rewriter.erase_op(op)
        elif isinstance(op, func.FuncOp):
            with placed(op):
                new = _convert_function(op, program)
            Rewriter.replace_op(op, new, [])
        elif not op.name.startswith("llvm."):
            _refuse(op)
    module.body.block.add_ops(program.entries.values())
    _declare(program.external, module)
    if program.assertions:
        module.attributes[ASSERTIONS] = ArrayAttr(map(StringAttr, program.assertions))


def _declare(external: dict[str, LLVMFunctionType], module: ModuleOp) -> None:
    """Declare the C functions that the code calls, unless the module does so."""
    there = {op.sym_name.data: op for op in module.ops if isinstance(op, upstream.FuncOp)}
    for name, type in external.items():
        known = there.get(name)
        if known is None:
            # A pointer that it gives is to new memory.
            new = ArrayAttr([_NEW_MEMORY]) if type.output == POINTER else None
            said: dict[str, Attribute | None] = {"res_attrs": new}
            module.body.block.add_op(upstream.FuncOp(name, type, _EXTERNAL, other_props=said))
        elif known.body.blocks or known.function_type != type:
            raise PassError(
                f"function {name} has the name of a C function that the code calls; rename it",
                known,
            )


@dataclass(frozen=True)
class LowerToLlvmPass(ModulePass):
    """Turn functions over flat buffers into the `llvm` dialect.

    Loops and branches of `scf` become blocks first. A buffer becomes a bare pointer,
    an index 64 bits, an i1 in memory one byte.

    A function without results returns a status: 0, or 1 where an allocation failed, or
    2 and more where an assertion did, by its number in the module's `teloom.assertions`.
    What a public function gets are sizes and pointers to buffers that do not overlap;
    last, if it allocates or calls a function that does, the workspace from which
    `teloom_take` takes a buffer and to which `teloom_give` gives it back.

    An index that grows by a length only the call knows, in loops that LLVM unrolls, becomes
    addresses one behind the other: that of the iteration, which all copies of the body share, and
    the steps from there.

    A constant stands once in a function, in its entry block. A function that only calls others,
    or shares loops among threads, is `optnone`: it runs once a call.

    Products and sums may be contracted into one fused operation; nothing else about
    floats is given up, but what an op's own `fastmath` says.
    Accesses of views of one buffer that have no byte in common are in alias scopes.
    Arithmetic in bf16, and functions of 16-bit floats, are computed in f32 and
    rounded once.

    Order: last before machine code; after `storage-flatten`, for it knows buffers of
    one axis only.

    Example: `lower-to-llvm`
    ```mlir
    func.func @first(%n: index, %A: memref<?xf32>) {
      %a = memref.load %A[%n] : memref<?xf32>
      %b = arith.mulf %a, %a : f32
      memref.store %b, %A[%n] : memref<?xf32>
      func.return
    }
    ```
    becomes
    ```mlir
    llvm.func @first(%n: i64, %A: !llvm.ptr {llvm.noalias, llvm.nonnull}) -> i32 {
      %2 = llvm.mlir.constant(0 : i32) : i32
      %0 = llvm.getelementptr inbounds %A[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %a = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> f32
      %b = llvm.fmul %a, %a {fastmathFlags = #llvm.fastmath<contract>} : f32
      %1 = llvm.getelementptr inbounds %A[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %b, %1 {alignment = 4 : i64} : f32, !llvm.ptr
      llvm.return %2 : i32
    }
    ```
    Refused: `lower-to-llvm`
    ```mlir
    func.func @plane(%A: memref<4x4xf32>) {
      func.return
    }
    ```
    with "memref<4x4xf32> is not flat: linearize-memrefs gives one dimension to what is allocated"
    """

    name = "lower-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_to_llvm(op)
