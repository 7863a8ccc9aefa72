"""Machine code, from LLVM IR text or from the cache, linked into this process."""

import contextlib
import ctypes
import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, cached_property
from typing import NamedTuple

import llvmlite
import llvmlite.binding as binding
from llvmlite.binding.newpassmanagers import NewPassManager
from xdsl.dialects.builtin import ModuleOp

from teloom.backend.machine import cache as disk
from teloom.backend.machine import (
    cpus,
    half_vectors,
    one_lane_stores,
    perf_map,
    short_masks,
    zero_quotients,
)
from teloom.backend.machine.llvm_ir.function_text import VECTOR_SCALE
from teloom.backend.machine.named_instructions import check_architecture
from teloom.backend.machine.unlocked import object_code, run_passes
from teloom.dialects.target import Target, target_said
from teloom.dialects.upstream.llvm import VECTORIZED
from teloom.errors import Error, PassError
from teloom.progress import reached
from teloom.switches import debug_info, timed


class Effort(NamedTuple):
    """How hard LLVM works: its levels for optimization and for code generation."""

    optimization: int
    codegen: int


FAST_CODE = Effort(2, 3)
"""O2: on a register tile that LLVM unrolls, the code runs as fast as that of O3 (within
1 % on a matmul of 1024) and takes two thirds of the time to compile."""

AS_WRITTEN = Effort(0, 3)
"""For code of a few functions that is written by hand, in the form that passes would give it, and
that others link."""

SOON_MADE = Effort(0, 0)
"""For code that mostly calls functions which are optimized already: it compiles in a tenth of the
time. Regions and workspaces are as fast by it, within 10 ns a call."""

OWN_STEPS = 6
"""The version of what is done here to the code that LLVM makes: another one makes other code of
the same text."""

_library_numbers = itertools.count()


def function_attributes(machine: Target) -> dict[str, str]:
    """LLVM's attributes of every function: it may use the whole width of a vector register."""
    is_cpu = machine.tune not in ("", *cpus.OTHER_LEVELS)
    said = {"tune-cpu": machine.tune} if is_cpu else {}
    if "+avx512f" in machine.features.split(","):
        said["prefer-vector-width"] = str(8 * machine.vector_bytes)
    if least := machine.least_scale:
        said[VECTOR_SCALE] = f"{least},16"
    return said


def key_of(machine: Target, effort: Effort = FAST_CODE) -> str:
    """What the code depends on, besides the text of the IR."""
    return "\n".join(
        (
            str(machine),
            f"O{effort.optimization} {effort.codegen} {OWN_STEPS}",
            ".".join(map(str, binding.llvm_version_info)),
            llvmlite.__version__,
        )
    )


def made_for(module: ModuleOp) -> Target:
    """The machine that `module` is compiled for: its target, else that of `asked`."""
    said = target_said(module)
    if said is not None and said.cpu:
        return said
    here = cpus.asked()
    if said is None:
        return here
    return replace(
        said, architecture=here.architecture, cpu=here.cpu, tune=here.tune, features=here.features
    )


def check_runs_here(machine: Target) -> None:
    """Raises `teloom.Error` if this machine lacks instructions of `machine`."""
    here = cpus.host()
    if machine.architecture != here.architecture:
        raise Error(
            f"code for {machine.name} is of {machine.architecture or 'no architecture'}, "
            f"and this machine of {here.architecture}"
        )
    wanted = (name for name in machine.features.split(",") if name.startswith("+"))
    there = here.features.split(",")
    if missing := [name[1:] for name in wanted if name not in there]:
        raise Error(f"code for {machine.name} needs {', '.join(missing)}, which this machine lacks")


def _target_machine(machine: Target, effort: Effort) -> binding.TargetMachine:
    machine.check_architecture("machine code")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()  # for inline assembly, without which LLVM aborts
    triple = binding.get_process_triple()
    if machine.architecture != cpus.host().architecture:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        system = "unknown" if machine.architecture == cpus.WASM else "linux-gnu"
        triple = f"{machine.architecture}-unknown-{system}"
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=effort.codegen,
        reloc="static" if machine.architecture == cpus.WASM else "pic",
        codemodel="medium" if machine.architecture == "riscv64" else "default",
        abiname="lp64d" if machine.architecture == "riscv64" else "",
    )


class _Machines(threading.local):
    """The generators of code that a thread has: LLVM's are of one thread at a time."""

    def __init__(self) -> None:
        self.of = cache(_target_machine)


_machines = _Machines()


def target_machine(machine: Target, effort: Effort = FAST_CODE) -> binding.TargetMachine:
    """LLVM's generator of code for a machine, for this thread."""
    return _machines.of(machine, effort)


@cache
def _compiler() -> binding.LLJIT:
    # What is linked finds the functions of C in this process: with glibc, some of them are in
    # a library of its own, which Python need not have loaded for all to see.
    with contextlib.suppress(OSError):
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    return binding.create_lljit_compiler(target_machine(cpus.host()))


def optimized(
    text: str, machine: binding.TargetMachine, effort: Effort = FAST_CODE
) -> binding.ModuleRef:
    """LLVM IR text as a module that LLVM has optimized for a machine."""
    with _part("parse", 0):
        module = _parsed(text, machine)
    with _part("optimize", 1):
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


@contextlib.contextmanager
def _part(name: str, number: int) -> Iterator[None]:
    """Shows as progress, and times, the part of LLVM's work that is done inside; there are four."""
    reached(f"LLVM {name}", number, 4)
    with timed(f"LLVM {name}"):
        yield


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
    with _part("codegen", 2):
        return object_code(_generator(text, module, machine, effort), module)


def _objects(texts: Sequence[str], machine: Target, effort: Effort) -> list[bytes]:
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


class Library:
    """Object code placed in this process; its functions live as long as it does."""

    def __init__(
        self, codes: Sequence[bytes], exports: tuple[str, ...], symbols: Mapping[str, int]
    ):
        """Links the objects `codes`.

        They may call each other, what the process provides, and `symbols`, by their addresses.
        Raises `Error` where a function that they call is missing.
        """
        self.codes = tuple(codes)
        builder = binding.JITLibraryBuilder().add_current_process()
        for code in codes:
            builder.add_object_img(code)
        for name in exports:
            builder.export_symbol(name)
        for name, address in symbols.items():
            builder.import_symbol(name, address)
        number = next(_library_numbers)
        try:
            with _part("link", 3):
                self._tracker = builder.link(_compiler(), f"teloom{number}")
        except RuntimeError as error:
            raise Error(f"cannot link {', '.join(exports)}: {error}") from error
        if debug_info() and exports:
            perf_map.add(codes[0], exports[0], self.address)

    def address(self, name: str) -> int:
        """The address of an exported function."""
        return self._tracker[name]


def object_key(text: str, machine: Target, effort: Effort = FAST_CODE) -> str:
    """The key in the cache of the code of LLVM IR text."""
    return disk.key_of(text, key_of(machine, effort))


def found(
    keys: Sequence[str], exports: tuple[str, ...], symbols: Mapping[str, int]
) -> Library | None:
    """The code in the cache under keys of `object_key`; None if one is not there, or damaged."""
    return _linked_if_there([*map(disk.load, keys)], exports, symbols)


def _linked_if_there(
    codes: Sequence[bytes | None], exports: tuple[str, ...], symbols: Mapping[str, int]
) -> Library | None:
    there = [code for code in codes if code is not None]
    if len(there) < len(codes):
        return None
    try:
        return Library(there, exports, symbols)
    except Error:
        return None  # Not what belongs under these keys, whatever it is.


def linked(
    texts: Sequence[str],
    exports: tuple[str, ...],
    symbols: Mapping[str, int],
    machine: Target | None = None,
    effort: Effort = FAST_CODE,
) -> Library:
    """The linked code of texts of LLVM IR, with the functions `exports` of the first of them.

    What the cache has of them is not compiled again. The code is made for `machine`, or for what
    TELOOM_CPU says, and may call what `Library` says.
    Raises `Error` where a function that it calls is missing, or this machine cannot run it.
    """
    machine = machine or cpus.asked()
    check_runs_here(machine)
    keys = [object_key(text, machine, effort) for text in texts]
    known = [*map(disk.load, keys)]
    if (library := _linked_if_there(known, exports, symbols)) is not None:
        return library
    if None not in known:
        known = [None] * len(keys)
    missing = {key: text for key, text, code in zip(keys, texts, known, strict=True) if not code}
    made = dict(zip(missing, _objects([*missing.values()], machine, effort), strict=True))
    codes = [code or made[key] for key, code in zip(keys, known, strict=True)]
    library = Library(codes, exports, symbols)
    for key, code in made.items():
        disk.store(key, code)
    return library


def declarations(functions: Mapping[str, str]) -> str:
    """The text that declares C functions, by their names and types: result, then arguments."""
    parts = ((name, *type.split(" ", 1)) for name, type in functions.items())
    return "\n".join(f"declare {result} @{name}{takes}" for name, result, takes in parts)


def addresses(functions: Iterable[str]) -> dict[str, int]:
    """The addresses of functions of CPython or C; raises `AttributeError` for an unknown one."""
    found = ((name, getattr(ctypes.pythonapi, name)) for name in functions)
    return {name: ctypes.cast(one, ctypes.c_void_p).value or 0 for name, one in found}


class OwnFunctions:
    """Functions of ours, from LLVM IR text; their code is made when it is first asked for."""

    def __init__(
        self,
        text: str,
        names: tuple[str, ...],
        needs: Iterable[str] = (),
        effort: Effort = FAST_CODE,
    ):
        """Of `text`, the functions `names`; it may call those of CPython or C in `needs`."""
        self.names = names
        self._text, self._needs, self._effort = text, needs, effort
        self._linking = threading.Lock()

    def addresses(self) -> dict[str, int]:
        """Their addresses in this process, by their names."""
        with self._linking:
            return {name: self._library.address(name) for name in self.names}

    @cached_property
    def _library(self) -> Library:
        return linked([self._text], self.names, addresses(self._needs), effort=self._effort)


def missing_symbols(names: Sequence[str], symbols: Mapping[str, int]) -> list[str]:
    """Those of the C functions `names` that neither the process nor `symbols` has."""
    others = [name for name in names if name not in symbols]
    process = ctypes.CDLL(None) if others else None
    return [name for name in others if not hasattr(process, name)]
