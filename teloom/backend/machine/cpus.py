"""Descriptions of CPUs: of this machine's, and of those that have a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as binding

from teloom.dialects.target import Target
from teloom.errors import Error, did_you_mean
from teloom.switches import cpu

_X86 = "x86_64"

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


class _Cpu(NamedTuple):
    """A CPU: its level, its caches of data that no other core has, in KiB, and what it adds."""

    level: str
    caches: tuple[int, ...]
    features: tuple[str, ...] = ()


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
}

NATIVE = "native"
"""This machine's CPU, as compilers call it."""

NAMES = (NATIVE, *LEVELS, *_CPUS)
"""The names of CPUs that a user may give."""

HERE = "cpu"
"""The name of no CPU: text is of any, and code for this machine; TVM calls it "llvm"."""


def target(name: str = NATIVE) -> Target:
    """The machine of that name: `native` is this one, others are CPUs as LLVM calls them.

    A named CPU has the instructions of its level of the architecture, and those for dot products
    that all of its models have. Raises `teloom.Error` for a name that it does not know.

    >>> print(target("znver4").vector_bytes, target("znver4").cpu, target("znver4").tune)
    64 x86-64-v4 znver4
    """
    if name == NATIVE:
        return host()
    known = _Cpu(name, ()) if name in LEVELS else _CPUS.get(name)
    if known is None:
        raise Error(f"no CPU {name!r}; CPUs: {', '.join(NAMES)}{did_you_mean(str(name), NAMES)}")
    features = sorted({*LEVELS[known.level], *known.features})
    return Target(
        _X86,
        known.level,
        name if name != known.level else "",
        ",".join(f"+{feature}" for feature in features),
        *_registers(_X86, features),
        caches=tuple(size * 1024 for size in known.caches),
    )


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
    """The machine that a user asks for; None for any CPU. Raises what `target` raises."""
    if isinstance(asked, Target):
        return asked
    if asked in (HERE, "llvm"):
        return None
    if asked not in NAMES:
        names = (HERE, "llvm", *NAMES)
        raise Error(
            f"no target {asked!r}; targets: {', '.join(names)} (a name of the function is "
            f"name={asked!r}){did_you_mean(str(asked), names)}"
        )
    return target(asked)


def asked() -> Target:
    """The machine of programs that name none: that of TELOOM_CPU, or this one."""
    name = cpu()
    try:
        return target(name or NATIVE)
    except Error as error:
        raise Error(f"TELOOM_CPU: {error}") from None
