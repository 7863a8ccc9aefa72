"""Object code, optimised LLVM IR and assembly, from LLVM IR as text."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import llvmlite.binding as binding
from llvmlite.binding.newpassmanagers import NewPassManager

from teloom.backend.machine import cpus
from teloom.backend.machine.codegen import (
    half_vectors,
    one_lane_stores,
    short_masks,
    zero_quotients,
)
from teloom.backend.machine.codegen.named_instructions import check_architecture
from teloom.backend.machine.codegen.unlocked import object_code, run_passes
from teloom.backend.machine.generators import (
    AS_WRITTEN,
    FAST_CODE,
    MACHINE_LEVELS,
    Effort,
    part_of_work,
    target_machine,
)
from teloom.backend.machine.llvm_ir.function_text import VECTOR_SCALE
from teloom.dialects.target import Target
from teloom.dialects.upstream.llvm import VECTORIZED
from teloom.errors import PassError
from teloom.progress import reached
from teloom.switches import timed


def function_attributes(machine: Target) -> dict[str, str]:
    """LLVM's attributes of every function: it may use the whole width of a vector register.

    Without a frame pointer LLVM would not align a stack to which it spills vectors: about half of
    the stores, or of the calls, would be across two lines of the cache.
    """
    is_cpu = machine.tune not in ("", *cpus.OTHER_LEVELS)
    said = {"tune-cpu": machine.tune} if is_cpu else {}
    if machine.has("avx"):
        said["frame-pointer"] = "all"
    if machine.has("avx512f"):
        said["prefer-vector-width"] = str(8 * machine.vector_bytes)
    if least := machine.least_scale:
        said[VECTOR_SCALE] = f"{least},16"
    return said


def optimized(
    text: str, machine: binding.TargetMachine, effort: Effort = FAST_CODE
) -> binding.ModuleRef:
    """LLVM IR text as a module that LLVM has optimized for a machine."""
    with part_of_work("parse", 0):
        module = _parsed(text, machine)
    with part_of_work("optimize", 1):
        better = _better(module, machine, effort)
        if not _is_valid(better):
            # LLVM 22's SROA joins stores of parts of a buffer, last part first, to a vector that
            # it uses before it is there; the machine code of that aborts the process, or is wrong.
            better = _better(_parsed(text, machine), machine, AS_WRITTEN)
        if zero_quotients.may_be_in(text):
            better = _with_fences(better)
        if machine.triple.startswith(cpus.WASM) and "half" in (text := str(better)):
            return binding.parse_assembly(half_vectors.in_f32(text), binding.create_context())
        return better


def _with_fences(module: binding.ModuleRef) -> binding.ModuleRef:
    """An optimized module with the fences that its quotients need."""
    text, (architecture, _, _) = str(module), module.triple.partition("-")
    fenced = zero_quotients.with_fences(text, architecture)
    return module if fenced == text else binding.parse_assembly(fenced, binding.create_context())


def _parsed(text: str, machine: binding.TargetMachine) -> binding.ModuleRef:
    try:
        module = binding.parse_assembly(text, binding.create_context())
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()
    except RuntimeError as error:
        raise PassError(f"LLVM refuses the IR of level llvm: {_reason(str(error))}") from None
    check_architecture(module)
    return module


def _reason(said: str) -> str:
    """What LLVM has said, without the place: its parser quotes the line that it refuses."""
    _, found, reason = said.partition(" error: ")
    lines = (line.strip() for line in (reason if found else said).splitlines())
    return ": ".join(line for line in lines if line.strip("^~ "))


def _is_valid(module: binding.ModuleRef) -> bool:
    """Whether LLVM's verifier accepts `module`."""
    try:
        module.verify()
    except RuntimeError:
        return False
    return True


def _better(
    module: binding.ModuleRef, machine: binding.TargetMachine, effort: Effort
) -> binding.ModuleRef:
    options = binding.create_pipeline_tuning_options(speed_level=effort.optimization)
    leaves_work = not _is_vectorized(module)
    options.loop_vectorization = leaves_work
    # LLVM 22 aborts where it joins chains of 16-bit floats to vectors (its issue 177124 is one such
    # case), and makes no program of ours faster by that: what is unrolled here is vectors already.
    options.slp_vectorization = False
    options.loop_unrolling = leaves_work  # loops that say so are unrolled all the same
    builder = binding.create_pass_builder(machine, options)
    with _passes_of(builder) as passes:
        run_passes(passes, module, builder)
    if one_lane_stores.are_in(module):
        text = one_lane_stores.with_plain_stores(str(module))
        module = binding.parse_assembly(text, binding.create_context())
    return module


def _is_vectorized(module: binding.ModuleRef) -> bool:
    """Whether all functions say that there is nothing left to make vectors of, or to unroll.

    LLVM's own search takes a quarter of its time. It is a question about all of them, as they may
    be inlined into each other.
    """
    mark = f'"{VECTORIZED}"'.encode()
    return all(
        one.is_declaration or any(mark in said for said in one.attributes)
        for one in module.functions
    )


@contextlib.contextmanager
def _passes_of(builder: binding.PassBuilder) -> Iterator[binding.ModulePassManager]:
    """The passes that a builder has put together, until they have run.

    llvmlite 0.50 frees none: of the two bases of their class, the first has an empty `_dispose`.
    """
    passes = builder.getModulePassManager()
    try:
        yield passes
    finally:
        NewPassManager._dispose(passes)
        passes.detach()


def emit_object(text: str, machine: Target, effort: Effort = FAST_CODE) -> bytes:
    """Object code for a machine from LLVM IR text."""
    module = optimized(text, target_machine(machine, effort), effort)
    with part_of_work("codegen", 2):
        return object_code(_generator(text, module, machine, effort), module)


def objects(texts: Sequence[str], machine: Target, effort: Effort) -> list[bytes]:
    """Object code from texts of LLVM IR, each by itself, on all CPUs of this process."""
    if len(texts) < 2:
        return [emit_object(text, machine, effort) for text in texts]
    longest_first, codes = sorted(texts, key=len, reverse=True), dict[str, bytes]()
    workers = min(len(texts), cpus.usable())
    with timed(f"LLVM on {workers} threads"), ThreadPoolExecutor(workers) as pool:
        made = pool.map(lambda text: emit_object(text, machine, effort), longest_first)
        for text, code in zip(longest_first, made, strict=True):
            codes[text] = code
            reached("LLVM", len(codes), len(texts))
    return [codes[text] for text in texts]


def _generator(
    text: str, module: binding.ModuleRef, machine: Target, effort: Effort = FAST_CODE
) -> binding.TargetMachine:
    """The target machine that generates right code for what `text` has been optimized to."""
    # Of code that it does not make vectors of, LLVM makes no masks where there were none.
    has_masks = short_masks.are_in(text) or not _is_vectorized(module)
    if has_masks and machine.has(short_masks.SHORT_VECTORS):
        machine = short_masks.for_code(machine, str(module))
    return target_machine(machine, effort)


def optimized_text(text: str, machine: Target) -> str:
    """The text of LLVM IR after optimization."""
    return str(optimized(text, target_machine(machine)))


def assembly(text: str, machine: Target) -> str:
    """The assembly that `emit_object` would encode."""
    module = optimized(text, target_machine(machine))
    return _generator(text, module, machine).emit_assembly(module)


def text_at(level: str, text: str, machine: Target) -> str:
    """What LLVM IR text becomes, at a level of `MACHINE_LEVELS`."""
    make = (optimized_text, assembly)[MACHINE_LEVELS.index(level)]
    return make(text, machine)
