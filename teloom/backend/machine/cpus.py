"""Descriptions of CPUs: of this machine's, and of those that have a name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as binding

from teloom.dialects.target import Target
from teloom.errors import Error, did_you_mean
from teloom.switches import cpu

_X86, _ARM, _RISCV = "x86_64", "aarch64", "riscv64"

WASM = "wasm32"
"""WebAssembly with addresses of 32 bits."""

_V2 = frozenset("cx16 popcnt sahf sse3 ssse3 sse4.1 sse4.2".split())
_V3 = _V2 | frozenset("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave".split())
_V4 = _V3 | frozenset("avx512bw avx512cd avx512dq avx512f avx512vl".split())

LEVELS: Mapping[str, frozenset[str]] = {
    "x86-64": frozenset(),
    "x86-64-v2": _V2,
    "x86-64-v3": _V3,
    "x86-64-v4": _V4,
}
"""Levels of the architecture, with the features of each (x86-64 psABI, 3.1.1)."""

OTHER_LEVELS: Mapping[str, tuple[str, str, frozenset[str]]] = {
    "armv8-a": (_ARM, "generic", frozenset(["fp-armv8", "neon"])),
    "armv8.2-a": (_ARM, "generic", frozenset(["fp-armv8", "neon", "v8.2a"])),
    "armv9-a": (_ARM, "generic", frozenset(["fp-armv8", "neon", "sve", "sve2", "v9a"])),
    "rv64gc": (_RISCV, "generic-rv64", frozenset("acdfm")),
    "rv64gcv": (_RISCV, "generic-rv64", frozenset("acdfmv")),
    "wasm32": (WASM, "generic", frozenset()),
    "wasm32-simd128": (WASM, "generic", frozenset(["simd128"])),
}
"""Levels of other architectures: the architecture, LLVM's name of their CPU, and the features."""


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
    "sapphirerapids": _Cpu("x86-64-v4", (48, 2048), ("avx512bf16", "avx512vnni")),
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
    features = binding.get_host_cpu_features().flatten()
    architecture = binding.get_process_triple().partition("-")[0]
    there = [feature[1:] for feature in features.split(",") if feature.startswith("+")]
    vectors = _registers(architecture, there)
    found = Target(architecture, binding.get_host_cpu_name(), "", features, *vectors)
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


def target_asked(asked: str | Target) -> Target | None:
    """The machine that a user asks for; None for any CPU.

    A text is a name of `target`, or `llvm` with options as LLVM's tools have them: `-mtriple`,
    `-mcpu` and `-mattr`. Raises `teloom.Error` for another one.

    >>> target_asked("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1").name
    'neoverse-n1'
    """
    if isinstance(asked, Target):
        return asked
    words = str(asked).split()
    if len(words) > 1 and words[0] == ANY:
        return _of_options(words[1:])
    is_text = isinstance(asked, str)
    if is_text and asked in (HERE, ANY):
        return None
    if not is_text or asked not in NAMES:
        names = (HERE, ANY, *NAMES)
        raise Error(
            f"no target {asked!r}; targets: {', '.join(names)} (a name of the function is "
            f"name={asked!r}){did_you_mean(str(asked), names)}"
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
        if name not in _OPTIONS or not value:
            hint = did_you_mean(name, _OPTIONS)
            raise Error(
                f"no option {option!r} of a target; options: {'=.., '.join(_OPTIONS)}=..{hint}"
            )
        said[name] = value
    triple = said.get("-mtriple", host().architecture)
    architecture = triple.partition("-")[0]
    architecture = _SPELLINGS.get(architecture, architecture)
    if architecture not in _LEAST:
        raise Error(
            f"no architecture {architecture!r} of the triple {triple!r}; architectures: "
            f"{', '.join(_LEAST)}{did_you_mean(architecture, [*_LEAST])}"
        )
    cpu = said.get("-mcpu")
    found = target(_LEAST[architecture] if cpu is None else _SPELLINGS.get(cpu, cpu))
    if found.architecture != architecture:
        raise Error(f"the CPU {cpu} is of {found.architecture}, and the triple {triple} is not")
    return _with_features(found, said.get("-mattr", ""))


def _with_features(machine: Target, text: str) -> Target:
    """The machine with or without extensions, as in `+avx2,-fma`."""
    features = {name[1:] for name in machine.features.split(",") if name.startswith("+")}
    for change in filter(None, text.split(",")):
        if change[0] not in "+-" or len(change) < 2:
            raise Error(f"no extension {change!r} of a target; such as +avx2 or -fma")
        (features.add if change[0] == "+" else features.discard)(change[1:])
    said = ",".join(f"+{feature}" for feature in sorted(features))
    before = _registers(machine.architecture, machine.features.replace("+", "").split(","))
    vectors = _registers(machine.architecture, sorted(features))
    if vectors == before and (machine.vector_bytes <= 16 or "sve" in features):
        return replace(machine, features=said)
    return replace(machine, features=said, vector_bytes=vectors[0], vector_registers=vectors[1])


def asked() -> Target:
    """The machine of programs that name none: that of TELOOM_CPU, or this one."""
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
