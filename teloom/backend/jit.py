"""Machine code for this machine from LLVM IR text, and its place in this process."""

import ctypes
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as binding

from teloom.errors import Error

OPTIMIZATION_LEVEL = 2
"""O2: on a register tile that LLVM unrolls, the code runs as fast as that of O3 (within
1 % on a matmul of 1024) and takes two thirds of the time to compile."""

CODEGEN_LEVEL = 3

_library_numbers = itertools.count()


@dataclass(frozen=True)
class Host:
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
def host() -> Host:
    """This machine."""
    features = binding.get_host_cpu_features().flatten()
    return Host(binding.get_process_triple(), binding.get_host_cpu_name(), features)


@cache
def _target_machine() -> binding.TargetMachine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = host()
    return binding.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=CODEGEN_LEVEL,
        reloc="pic",
        codemodel="default",
    )


@cache
def _compiler() -> binding.LLJIT:
    return binding.create_lljit_compiler(_target_machine())


def _optimized(text: str) -> binding.ModuleRef:
    machine = _target_machine()
    module = binding.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=OPTIMIZATION_LEVEL)
    options.loop_vectorization = True
    options.slp_vectorization = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def emit_object(text: str) -> bytes:
    """Object code for this machine from LLVM IR text."""
    return _target_machine().emit_object(_optimized(text))


def optimized_text(text: str) -> str:
    """LLVM IR text as it is after optimisation."""
    return str(_optimized(text))


def assembly(text: str) -> str:
    """The assembly that `emit_object` would encode."""
    return _target_machine().emit_assembly(_optimized(text))


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
