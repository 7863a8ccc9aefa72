"""Machine code for this machine from LLVM IR text, and its place in this process.

TELOOM_CPU names another CPU to make it for, of those that this machine can stand in for.
"""

import contextlib
import ctypes
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as binding

from teloom.backend.machine.one_lane_stores import with_plain_stores
from teloom.errors import Error

OPTIMIZATION_LEVEL = 2
"""O2: on a register tile that LLVM unrolls, the code runs as fast as that of O3 (within
1 % on a matmul of 1024) and takes two thirds of the time to compile."""

CODEGEN_LEVEL = 3

_library_numbers = itertools.count()


_V2 = frozenset("cx16 popcnt sahf sse3 ssse3 sse4.1 sse4.2".split())
_V3 = _V2 | frozenset("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave".split())
_V4 = _V3 | frozenset("avx512bw avx512cd avx512dq avx512f avx512vl".split())

CPUS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "x86_64": {
        "x86-64": frozenset(),
        "x86-64-v2": _V2,
        "x86-64-v3": _V3,
        "x86-64-v4": _V4,
    }
}
"""What TELOOM_CPU may name, by architecture, with the features of each (x86-64 psABI, 3.1.1)."""


@dataclass(frozen=True)
class Target:
    """The machine that code is made for, in LLVM's words."""

    triple: str
    cpu: str
    features: str

    def function_attributes(self) -> dict[str, str]:
        """What every function says of itself: use the whole width of a register."""
        return {"prefer-vector-width": "512"} if "+avx512f" in self.features.split(",") else {}

    def key(self) -> str:
        """Everything besides the IR text that decides what code comes out."""
        return "\n".join(
            (
                self.triple,
                self.cpu,
                self.features,
                f"O{OPTIMIZATION_LEVEL} {CODEGEN_LEVEL}",
                ".".join(map(str, binding.llvm_version_info)),
                llvmlite.__version__,
            )
        )


@cache
def host() -> Target:
    """This machine."""
    features = binding.get_host_cpu_features().flatten()
    return Target(binding.get_process_triple(), binding.get_host_cpu_name(), features)


def target() -> Target:
    """The machine that code is made for: this one, or as much of it as TELOOM_CPU says.

    Raises `teloom.Error` for a CPU that it does not know, or that can more than this machine.
    """
    name = os.environ.get("TELOOM_CPU")
    return named_target(name, host()) if name else host()


def named_target(name: str, machine: Target) -> Target:
    """The CPU of this name, of which `machine` has all features; raises as `target` does."""
    architecture = machine.triple.split("-")[0]
    known = CPUS.get(architecture, {})
    if name not in known:
        legal = f"one of {', '.join(known)}" if known else f"unset on {architecture}"
        raise Error(f"TELOOM_CPU is {name!r}; it must be {legal}")
    features = sorted(known[name])
    there = machine.features.split(",")
    if missing := [feature for feature in features if f"+{feature}" not in there]:
        raise Error(f"TELOOM_CPU is {name!r}, but this machine lacks {', '.join(missing)}")
    return Target(machine.triple, name, ",".join(f"+{feature}" for feature in features))


@cache
def _target_machine(machine: Target) -> binding.TargetMachine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=CODEGEN_LEVEL,
        reloc="pic",
        codemodel="default",
    )


@cache
def _compiler() -> binding.LLJIT:
    # What is linked finds the functions of C in this process: with glibc, some of them are in
    # a library of its own, which Python need not have loaded for all to see.
    with contextlib.suppress(OSError):
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    return binding.create_lljit_compiler(_target_machine(host()))


def _optimized(text: str, machine: binding.TargetMachine) -> binding.ModuleRef:
    module = binding.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=OPTIMIZATION_LEVEL)
    options.loop_vectorization = True
    options.slp_vectorization = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    if any(function.name.startswith("llvm.masked.store.") for function in module.functions):
        module = binding.parse_assembly(with_plain_stores(str(module)))
        module.verify()
    return module


def emit_object(text: str, made_for: Target | None = None) -> bytes:
    """Object code for a machine, this one if none is given, from LLVM IR text."""
    machine = _target_machine(made_for or target())
    return machine.emit_object(_optimized(text, machine))


def optimized_text(text: str, made_for: Target | None = None) -> str:
    """LLVM IR text as it is after optimisation."""
    return str(_optimized(text, _target_machine(made_for or target())))


def assembly(text: str, made_for: Target | None = None) -> str:
    """The assembly that `emit_object` would encode."""
    machine = _target_machine(made_for or target())
    return machine.emit_assembly(_optimized(text, machine))


class Library:
    """Object code placed in this process; its functions live as long as it does."""

    def __init__(self, code: bytes, exports: tuple[str, ...], symbols: Mapping[str, int]):
        """Link `code`.

        It may call what the process provides, and `symbols`, by their addresses.
        Raises `Error` where a function that it calls is missing.
        """
        self.code = code
        builder = binding.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in exports:
            builder.export_symbol(name)
        for name, address in symbols.items():
            builder.import_symbol(name, address)
        number = next(_library_numbers)
        try:
            self._tracker = builder.link(_compiler(), f"teloom{number}")
        except RuntimeError as error:
            raise Error(f"cannot link {', '.join(exports)}: {error}") from error

    def address(self, name: str) -> int:
        """The address of an exported function."""
        return self._tracker[name]


def missing_symbols(names: list[str], symbols: Mapping[str, int]) -> list[str]:
    """Those of the C functions `names` that neither the process nor `symbols` has."""
    process = ctypes.CDLL(None)
    return [name for name in names if name not in symbols and not hasattr(process, name)]
