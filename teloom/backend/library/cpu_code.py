"""Code that finds out, when a library is first called, which instructions the CPU has.

Sources: Intel's manual, volume 2, CPUID, and AMD's, volume 3, appendix E; Linux, hwcap.h of arm64.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from teloom.backend.machine.tiles import ARCH_PRCTL, REQUEST_STATE, TILE_DATA
from teloom.dialects.cpu_names import changes_of
from teloom.dialects.target import Target
from teloom.dialects.tile_registers import TILES

VARIANT = "teloom.variant"
"""The function that gives the number of the first variant that the CPU can run; -1 without one."""


class _Bit(NamedTuple):
    """Where CPUID says that there is an extension: a leaf, a register of its answer, a bit."""

    leaf: int
    subleaf: int
    register: int
    bit: int


_EAX, _EBX, _ECX, _EDX = range(4)
_EXTENDED = 0x80000001

_X86_BITS: Mapping[str, _Bit] = {
    "sse3": _Bit(1, 0, _ECX, 0),
    "ssse3": _Bit(1, 0, _ECX, 9),
    "fma": _Bit(1, 0, _ECX, 12),
    "cx16": _Bit(1, 0, _ECX, 13),
    "sse4.1": _Bit(1, 0, _ECX, 19),
    "sse4.2": _Bit(1, 0, _ECX, 20),
    "movbe": _Bit(1, 0, _ECX, 22),
    "popcnt": _Bit(1, 0, _ECX, 23),
    "xsave": _Bit(1, 0, _ECX, 26),
    "avx": _Bit(1, 0, _ECX, 28),
    "f16c": _Bit(1, 0, _ECX, 29),
    "bmi": _Bit(7, 0, _EBX, 3),
    "avx2": _Bit(7, 0, _EBX, 5),
    "bmi2": _Bit(7, 0, _EBX, 8),
    "avx512f": _Bit(7, 0, _EBX, 16),
    "avx512dq": _Bit(7, 0, _EBX, 17),
    "avx512ifma": _Bit(7, 0, _EBX, 21),
    "avx512cd": _Bit(7, 0, _EBX, 28),
    "avx512bw": _Bit(7, 0, _EBX, 30),
    "avx512vl": _Bit(7, 0, _EBX, 31),
    "avx512vbmi": _Bit(7, 0, _ECX, 1),
    "avx512vbmi2": _Bit(7, 0, _ECX, 6),
    "avx512vnni": _Bit(7, 0, _ECX, 11),
    "avx512bitalg": _Bit(7, 0, _ECX, 12),
    "avx512vpopcntdq": _Bit(7, 0, _ECX, 14),
    "amx-bf16": _Bit(7, 0, _EDX, 22),
    "avx512fp16": _Bit(7, 0, _EDX, 23),
    "amx-tile": _Bit(7, 0, _EDX, 24),
    "amx-int8": _Bit(7, 0, _EDX, 25),
    "avxvnni": _Bit(7, 1, _EAX, 4),
    "avx512bf16": _Bit(7, 1, _EAX, 5),
    "sahf": _Bit(_EXTENDED, 0, _ECX, 0),
    "lzcnt": _Bit(_EXTENDED, 0, _ECX, 5),
}

_OS_SAVES = 27
"""The bit of leaf 1, ECX, that says that XGETBV tells which registers the system saves."""

_AVX_STATE, _AVX512_STATE, _TILE_STATE = 0b110, 0b11100110, 0b11 << 17
"""The parts of XCR0: SSE and AVX; those, and the masks and registers of AVX-512; tiles of AMX."""

_HWCAP, _HWCAP2 = 16, 26
_SVE = 1 << 22
_ARM_BITS: Mapping[str, tuple[int, int]] = {
    "fullfp16": (_HWCAP, 1 << 9 | 1 << 10),
    "dotprod": (_HWCAP, 1 << 20),
    "sve": (_HWCAP, _SVE),
    "sve2": (_HWCAP2, 1 << 1),
    "i8mm": (_HWCAP2, 1 << 13),
    "bf16": (_HWCAP2, 1 << 14),
}
"""The word of the auxiliary vector that says that there is an extension, and its bits there."""

_OF_ARCHITECTURE: Mapping[str, Iterable[str]] = {"x86_64": _X86_BITS, "aarch64": _ARM_BITS}


def checked_target(machine: Target) -> Target:
    """A target whose code uses just those extensions of `machine` that a library can look for.

    On RISC-V it uses all of them.

    Raises `teloom.Error` for one that is of no architecture.
    """
    machine.check_architecture("a library")
    known = _OF_ARCHITECTURE.get(machine.architecture)
    if known is None:
        return machine  # nobody looks: it is for CPUs that have all of it
    features = sorted(name for name in known if machine.has(name))
    generic = "x86-64" if machine.architecture == "x86_64" else "generic"
    text = ",".join(f"+{feature}" for feature in features)
    return replace(machine, cpu=generic, tune=machine.tune or machine.cpu, features=text)


def features_of(machine: Target) -> list[str]:
    """The extensions that code for a target of `checked_target` uses."""
    return [name for sign, name in changes_of(machine.features) if sign == "+"]


def without_tiles(machine: Target) -> Target:
    """The machine for code that has no tiles, for which nobody asks then."""
    features = (one for one in machine.features.split(",") if not one.startswith("+amx"))
    return replace(machine, features=",".join(features))


def code(machines: Sequence[Target]) -> str:
    """LLVM IR of `VARIANT` for variants of one architecture, the best first."""
    architecture = machines[0].architecture
    has = _X86_CODE if architecture == "x86_64" else _ARM_CODE if architecture == "aarch64" else ""
    tests = [f"define i32 @{VARIANT}() {{", "  br label %variant.0"]
    for number, machine in enumerate(machines):
        tests.append(f"variant.{number}:")
        previous = "true"
        for k, condition in enumerate(_conditions(machine)):
            here = f"%has.{number}.{k}"
            tests += [f"  {here}.one = {condition}", f"  {here} = and i1 {previous}, {here}.one"]
            previous = here
        tests += [
            f"  br i1 {previous}, label %is.{number}, label %variant.{number + 1}",
            f"is.{number}:",
            f"  ret i32 {number}",
        ]
    tests += [f"variant.{len(machines)}:", "  ret i32 -1", "}"]
    tiles = _TILES_CODE if any(one.has(TILES) for one in machines) else ""
    return "\n".join([has, tiles, *tests]) + "\n"


def _conditions(machine: Target) -> list[str]:
    """Calls that say whether the CPU has all that code uses, one per question to it."""
    if machine.architecture == "aarch64":
        return _arm_conditions(machine)
    return _x86_conditions(machine) if machine.architecture == "x86_64" else []


def _arm_conditions(machine: Target) -> list[str]:
    masks: dict[int, int] = {}
    for name in features_of(machine):
        word, bits = _ARM_BITS[name]
        masks[word] = masks.get(word, 0) | bits
    has = [f"call i1 @teloom.has(i64 {word}, i64 {mask})" for word, mask in masks.items()]
    least = machine.least_scale
    return [*has, f"call i1 @teloom.scales(i64 {least})"] if least else has


def _x86_conditions(machine: Target) -> list[str]:
    masks: dict[tuple[int, int, int], int] = {}
    state = 0
    for name in features_of(machine):
        leaf, subleaf, register, bit = _X86_BITS[name]
        masks[leaf, subleaf, register] = masks.get((leaf, subleaf, register), 0) | 1 << bit
        if name.startswith(("avx", "fma", "f16c")):
            state |= _AVX512_STATE if name.startswith("avx512") else _AVX_STATE
        if name == TILES:
            state |= _TILE_STATE
    has = [
        f"call i1 @teloom.has(i32 {leaf}, i32 {subleaf}, i32 {register}, i32 {mask})"
        for (leaf, subleaf, register), mask in masks.items()
    ]
    if state:
        has.append(f"call i1 @teloom.saves(i32 {state})")
    return [*has, "call i1 @teloom.tiles()"] if state & _TILE_STATE else has


_ASK = 'asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"'

_X86_CODE = f"""
define internal i1 @teloom.has(i32 %leaf, i32 %subleaf, i32 %register, i32 %mask) {{
  %group = and i32 %leaf, {0x80000000 - 2**32}
  %last.of = call {{ i32, i32, i32, i32 }} {_ASK}(i32 %group, i32 0)
  %last = extractvalue {{ i32, i32, i32, i32 }} %last.of, 0
  %none = icmp ult i32 %last, %leaf
  br i1 %none, label %no, label %ask
no:
  ret i1 false
ask:
  %answer = call {{ i32, i32, i32, i32 }} {_ASK}(i32 %leaf, i32 %subleaf)
  %words = alloca {{ i32, i32, i32, i32 }}
  store {{ i32, i32, i32, i32 }} %answer, ptr %words
  %at = getelementptr i32, ptr %words, i32 %register
  %word = load i32, ptr %at
  %there = and i32 %word, %mask
  %all = icmp eq i32 %there, %mask
  ret i1 %all
}}

define internal i1 @teloom.saves(i32 %mask) {{
  %can.ask = call i1 @teloom.has(i32 1, i32 0, i32 {_ECX}, i32 {1 << _OS_SAVES})
  br i1 %can.ask, label %ask, label %no
no:
  ret i1 false
ask:
  %answer = call {{ i32, i32 }} asm sideeffect "xgetbv", "={{ax}},={{dx}},{{cx}}"(i32 0)
  %word = extractvalue {{ i32, i32 }} %answer, 0
  %there = and i32 %word, %mask
  %all = icmp eq i32 %there, %mask
  ret i1 %all
}}
"""

_TILES_CODE = f"""
; Linux gives a process tiles when it asks for them.
define internal i1 @teloom.tiles() {{
  %error = call i64 asm sideeffect "syscall",
    "={{ax}},{{ax}},{{di}},{{si}},~{{rcx}},~{{r11}},~{{memory}}"
    (i64 {ARCH_PRCTL}, i64 {REQUEST_STATE}, i64 {TILE_DATA})
  %given = icmp eq i64 %error, 0
  ret i1 %given
}}
"""

_ARM_CODE = f"""
declare i64 @getauxval(i64)

define internal i1 @teloom.has(i64 %number, i64 %mask) {{
  %word = call i64 @getauxval(i64 %number)
  %there = and i64 %word, %mask
  %all = icmp eq i64 %there, %mask
  ret i1 %all
}}

; Whether vectors of SVE have at least so many times 128 bits.
define internal i1 @teloom.scales(i64 %least) {{
  %sve = call i1 @teloom.has(i64 {_HWCAP}, i64 {_SVE})
  br i1 %sve, label %ask, label %no
no:
  ret i1 false
ask:
  %scale = call i64 @teloom.scale()
  %enough = icmp uge i64 %scale, %least
  ret i1 %enough
}}

define internal i64 @teloom.scale() "target-features"="+sve" {{
  %scale = call i64 @llvm.vscale.i64()
  ret i64 %scale
}}
"""
