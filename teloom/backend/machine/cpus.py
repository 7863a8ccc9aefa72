"""Descriptions of CPUs: of this machine's, and of those that have a name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from teloom.backend.machine.tiles import system_has_tiles
from teloom.dialects.cpu_names import (
    LEVELS,
    OTHER_LEVELS,
    WASM,
    changes_of,
    check_architecture,
    check_features,
    names_of,
)
from teloom.dialects.target import Target
from teloom.dialects.tile_registers import OF_BF16, OF_BYTES, TILES
from teloom.errors import Error, did_you_mean
from teloom.lazy import loaded
from teloom.switches import cpu

_X86, _ARM, _RISCV = "x86_64", "aarch64", "riscv64"


class _Cpu(NamedTuple):
    """A CPU: its level, its caches of data that few cores share, in KiB, and what it adds."""

    level: str
    caches: tuple[int, ...]
    features: tuple[str, ...] = ()
    vector_bytes: int | None = None
    """If others of its architecture have shorter ones with the same instructions."""


_ARM_2018 = ("dotprod", "fullfp16")
_ARM_2020 = (*_ARM_2018, "bf16", "i8mm")

_CPUS: Mapping[str, _Cpu] = {
    "haswell": _Cpu("x86-64-v3", (32, 256)),
    "skylake": _Cpu("x86-64-v3", (32, 256)),
    "alderlake": _Cpu("x86-64-v3", (48, 1280), ("avxvnni",)),
    "znver1": _Cpu("x86-64-v3", (32, 512)),
    "znver2": _Cpu("x86-64-v3", (32, 512)),
    "znver3": _Cpu("x86-64-v3", (32, 512)),
    "skylake-avx512": _Cpu("x86-64-v4", (32, 1024)),
    "cascadelake": _Cpu("x86-64-v4", (32, 1024), ("avx512vnni",)),
    "cooperlake": _Cpu("x86-64-v4", (32, 1024), ("avx512bf16", "avx512vnni")),
    "icelake-server": _Cpu("x86-64-v4", (48, 1280), ("avx512vnni",)),
    "sapphirerapids": _Cpu(
        "x86-64-v4", (48, 2048), ("avx512bf16", "avx512vnni", TILES, OF_BYTES, OF_BF16)
    ),
    "znver4": _Cpu("x86-64-v4", (32, 1024), ("avx512bf16", "avx512vnni")),
    "znver5": _Cpu("x86-64-v4", (48, 1024), ("avx512bf16", "avx512vnni")),
    "cortex-a53": _Cpu("armv8-a", (32, 512)),
    "cortex-a72": _Cpu("armv8-a", (32, 1024)),
    "cortex-a76": _Cpu("armv8.2-a", (64, 512), _ARM_2018),
    "neoverse-n1": _Cpu("armv8.2-a", (64, 1024), _ARM_2018),
    "neoverse-n2": _Cpu("armv9-a", (64, 1024), _ARM_2020),
    "neoverse-v1": _Cpu("armv8.2-a", (64, 1024), (*_ARM_2020, "sve")),
    "neoverse-v2": _Cpu("armv9-a", (64, 2048), _ARM_2020),
    "a64fx": _Cpu("armv8.2-a", (64, 8192), ("fullfp16", "sve"), vector_bytes=64),
    "apple-m1": _Cpu("armv8.2-a", (128, 12288), _ARM_2018),
    "sifive-u74": _Cpu("rv64gc", (32, 2048)),
}

NATIVE = "native"
"""This machine's CPU, as compilers call it."""

NAMES = (NATIVE, *LEVELS, *OTHER_LEVELS, *_CPUS)
"""The names of CPUs that a user may give."""

HERE, ANY = "cpu", "llvm"
"""Names of no CPU: text is of any, and code for this machine. The second is TVM's."""


def target(name: str = NATIVE) -> Target:
    """The machine of that name: `native` is this one, others are CPUs as LLVM calls them.

    A named CPU has the instructions of its level of the architecture, and those for dot products
    that all of its models have. Raises `teloom.Error` for a name that it does not know.

    >>> print(target("znver4").vector_bytes, target("znver4").cpu, target("znver4").tune)
    64 x86-64-v4 znver4
    """
    if not isinstance(name, str) or name not in NAMES:
        raise Error(f"no CPU {name!r}; CPUs: {', '.join(NAMES)}{did_you_mean(str(name), NAMES)}")
    if name == NATIVE:
        return host()
    known = _CPUS.get(name) or _Cpu(name, ())
    usual = (_X86, known.level, LEVELS.get(known.level, frozenset()))
    architecture, cpu, of_level = OTHER_LEVELS.get(known.level, usual)
    features = sorted({*of_level, *known.features})
    width, count = _registers(architecture, features)
    return Target(
        architecture,
        cpu,
        name if name != cpu else "",
        ",".join(f"+{feature}" for feature in features),
        known.vector_bytes or width,
        count,
        caches=tuple(size * 1024 for size in known.caches),
        stack_bytes=_STACKS.get(architecture, Target.stack_bytes),
    )


_STACKS: Mapping[str, int] = {WASM: 2**15}
"""What a function may keep on the stack, in bytes: half of what linkers give a module."""


@cache
def host() -> Target:
    """This machine."""
    binding = loaded("llvmlite.binding")
    architecture = binding.get_process_triple().partition("-")[0]
    architecture = _SPELLINGS.get(architecture, architecture)
    names = names_of(architecture)
    features = {
        name: has
        for name, has in sorted(binding.get_host_cpu_features().items())
        if name in names.features and (has or name not in names.needed)
    }
    if features.get(TILES) and not system_has_tiles():
        features |= dict.fromkeys((name for name in features if name.startswith("amx")), False)
    said = ",".join(f"{'+' if has else '-'}{name}" for name, has in features.items())
    vectors = _registers(architecture, [name for name, has in features.items() if has])
    cpu = binding.get_host_cpu_name()
    found = Target(architecture, cpu if cpu in names.cpus else "generic", "", said, *vectors)
    caches = _caches(Path("/sys/devices/system/cpu/cpu0/cache"))
    if not caches:
        return found
    return replace(found, line_bytes=caches[0].line, caches=tuple(cache.bytes for cache in caches))


def _registers(architecture: str, features: list[str]) -> tuple[int, int]:
    """The bytes of a vector register, and the number of these registers."""
    if architecture == _RISCV:
        return (16, 32) if "v" in features else (8, 32)
    if architecture == WASM:  # an engine gives its values those of the CPU, of which one has 16
        return (16, 16) if "simd128" in features else (8, 16)
    if architecture != _X86:
        return 16, 32
    if "avx512f" in features:
        return 64, 32
    return (32, 16) if "avx" in features else (16, 16)


class _Cache(NamedTuple):
    """A cache of data, and its lines, in bytes."""

    level: int
    bytes: int
    line: int


def _caches(folder: Path) -> list[_Cache]:
    """The caches that Linux describes in `folder`, the nearest first."""
    found: list[_Cache] = []
    for index in sorted(folder.glob("index*")):
        try:
            kind, level, size, line = (
                (index / name).read_text().strip()
                for name in ("type", "level", "size", "coherency_line_size")
            )
        except OSError:
            continue
        if kind != "Instruction":
            found.append(_Cache(int(level), int(size.removesuffix("K")) * 1024, int(line)))
    return sorted(found)


def target_asked(asked: str | Target | None) -> Target | None:
    """The machine that a user asks for; None where that is any CPU, as it is for None.

    A text is a name of `target`, or `llvm` with options as LLVM's tools have them: `-mtriple`,
    `-mcpu` and `-mattr`. Raises `teloom.Error` for another one.

    >>> target_asked("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1").name
    'neoverse-n1'
    """
    if asked is None or isinstance(asked, Target):
        return asked
    first, *options = str(asked).split() or [""]
    if options and first == ANY:
        return _of_options(options)
    is_text = isinstance(asked, str)
    if is_text and asked in (HERE, ANY):
        return None
    if not is_text or asked not in NAMES:
        names = (HERE, ANY, *NAMES)
        raise Error(
            f"no target {asked!r}; targets: {', '.join(names)}, all CPUs (a name of the function "
            f"is name={asked!r}){did_you_mean(str(asked), names)}"
        )
    return target(asked)


_OPTIONS = ("-mtriple", "-mcpu", "-mattr")

_LEAST: Mapping[str, str] = {_X86: "x86-64", _ARM: "armv8-a", _RISCV: "rv64gc", WASM: "wasm32"}
"""The level that all CPUs of an architecture have."""

_SPELLINGS: Mapping[str, str] = {"arm64": _ARM, "amd64": _X86, "core-avx2": "haswell"}
"""Other names of architectures and CPUs."""


def _of_options(options: Sequence[str]) -> Target:
    """The machine that options of LLVM's tools name."""
    said: dict[str, str] = {}
    for option in options:
        name, _, value = option.partition("=")
        if name not in _OPTIONS:
            hint = did_you_mean(name, _OPTIONS) or f"; options: {', '.join(_OPTIONS)}"
            raise Error(f"no option {option!r} of a target{hint}")
        if not value:
            raise Error(f"the option {name} of a target wants a value behind =, as in {name}=...")
        said[name] = value
    triple = said.get("-mtriple", host().architecture)
    architecture = triple.partition("-")[0]
    architecture = _SPELLINGS.get(architecture, architecture)
    check_architecture(architecture, f" of the triple {triple!r}")
    cpu = said.get("-mcpu")
    found = target(_LEAST[architecture] if cpu is None else _SPELLINGS.get(cpu, cpu))
    if found.architecture != architecture:
        raise Error(f"the CPU {cpu} is of {found.architecture}, and the triple {triple} is not")
    return _with_features(found, said.get("-mattr", ""))


def _with_features(machine: Target, text: str) -> Target:
    """The machine with or without extensions, as in `+avx2,-fma`."""
    check_features(machine.architecture, text)
    features = {name for sign, name in changes_of(machine.features) if sign == "+"}
    before = _registers(machine.architecture, sorted(features))
    lacks: set[str] = set()
    for sign, name in changes_of(text):
        there, gone = (features, lacks) if sign == "+" else (lacks, features)
        there.add(name)
        gone.discard(name)
    said = ",".join(
        [*(f"+{one}" for one in sorted(features)), *(f"-{one}" for one in sorted(lacks))]
    )
    vectors = _registers(machine.architecture, sorted(features))
    if vectors == before and (machine.vector_bytes <= 16 or "sve" in features):
        return replace(machine, features=said)
    return replace(machine, features=said, vector_bytes=vectors[0], vector_registers=vectors[1])


def asked() -> Target:
    """The machine of programs that name none: as TELOOM_CPU says, or this one."""
    name = cpu()
    try:
        return target(name or NATIVE)
    except Error as error:
        raise Error(f"TELOOM_CPU: {error}") from None


def usable() -> int:
    """The number of CPUs that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
