"""The machine that a program is for: `Target`, and how a module says it.

A module says it in the attribute that MLIR has for it:
`dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<...>>`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.dialects.dlti import DataLayoutEntryAttr, TargetDeviceSpecAttr, TargetSystemSpecAttr
from xdsl.ir import Attribute, Operation

from teloom.dialects.bodies.around import ops_around
from teloom.dialects.cpu_names import check_machine
from teloom.dialects.syntax.alignments import is_alignment
from teloom.dialects.syntax.scopes import SCOPE_RANKS, scope_name
from teloom.errors import Error, PassError, check_names
from teloom.widths import fits_64_bits

TARGET = "dlti.target_system_spec"
"""The attribute of a module that says what machine it is for."""

DEVICE = "CPU"
"""The device in it that runs the functions."""

_DEVICE = StringAttr(DEVICE)


def _is_size(value: object) -> bool:
    """Whether a value may be a number of bytes or registers: text keeps it in 64 bits."""
    return type(value) is int and value > 0 and fits_64_bits(value)


def _check_kind(name: str, value: object, usual: object) -> None:
    is_right = type(value) is type(usual) and (not isinstance(value, int) or _is_size(value))
    if isinstance(value, tuple):
        are_right = map(_is_size, value) if name == "caches" else (type(s) is str for s in value)
        is_right = is_right and all(are_right)
    if not is_right:
        raise Error(f"{name} of a target cannot be {value!r}; such as {usual!r}")


@dataclass(frozen=True)
class Target:
    """A machine, in bytes where nothing else is said; without arguments, any CPU.

    Text for any CPU is made of the widest vectors that one has, which LLVM splits where
    registers are narrower.
    """

    architecture: str = ""
    """LLVM's name of it; none is this machine's."""
    cpu: str = ""
    """LLVM's name of the instructions that it has; none is all that this machine has."""
    tune: str = ""
    """LLVM's name of the CPU for which instructions are chosen and ordered, if it is another."""
    features: str = ""
    """The instructions once more, by LLVM's names of extensions: `+avx,+avx2`."""
    vector_bytes: int = 64
    """What a vector register holds."""
    vector_registers: int = 32
    line_bytes: int = 64
    """A line of the cache."""
    caches: tuple[int, ...] = ()
    """What the caches of data hold, from the nearest to the furthest; none is not known."""
    stack_bytes: int = 2**20
    """What a function may keep on the stack: a thread may have as little as 2 MiB."""
    memories: tuple[str, ...] = tuple(SCOPE_RANKS)
    """The scopes that it has; on a CPU all are its one memory."""
    thread_axes: tuple[str, ...] = ()
    """The thread axes over which it can run a loop, such as `threadIdx.x`."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_kind(field.name, getattr(self, field.name), field.default)
        for name in ("vector_bytes", "line_bytes"):
            if not is_alignment(getattr(self, name)):
                raise Error(f"{name} {getattr(self, name)} of a target is no power of two")
        check_machine(self.architecture, self.cpu, self.tune, self.features)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {_text(value)}" for name, value in vars(self).items())

    @property
    def name(self) -> str:
        """What a user calls it."""
        return self.tune or self.cpu or "any CPU"

    def has(self, feature: str) -> bool:
        """Whether it says that it has an extension, by LLVM's name of that."""
        return f"+{feature}" in self.features.split(",")

    @property
    def has_gathers(self) -> bool:
        """Whether one instruction loads an element for each lane of a mask: with AVX-512 it does.

        It is faster than a branch for each lane. LLVM's `prefer-no-gather` says that it is not, as
        on CPUs of Intel with a mitigation for it.
        """
        return self.has("avx512f") and not self.has("prefer-no-gather")

    @property
    def has_fast_gathers(self) -> bool:
        """Whether it is faster than loads, too, one for each lane: AMD's CPUs split it."""
        return self.has_gathers and not self.name.startswith("znver")

    def has_masks(self, bytes: int) -> bool:
        """Whether it has fast loads of vectors under a mask, of elements of so many bytes.

        AVX2 and AVX-512F mask nothing shorter than 4 bytes.
        """
        if self.has("sve") or self.has("avx512bw"):
            return True
        return bytes >= 4 and (self.has("avx512f") or self.has("avx2"))

    def has_masked_stores(self, bytes: int) -> bool:
        """Whether stores under a mask are fast, too: those of AVX2 are not on AMD's cores."""
        is_slow = self.name.startswith("znver") and not self.has("avx512f")
        return self.has_masks(bytes) and not is_slow

    @property
    def least_scale(self) -> int:
        """How many times 128 bits its vectors of SVE have at least; 0 if that is what all have."""
        return self.vector_bytes // 16 if self.has("sve") and self.vector_bytes > 16 else 0

    @property
    def alignment(self) -> int:
        """What our own buffers begin at a multiple of: a cache line, and a whole vector."""
        return max(self.line_bytes, self.vector_bytes)

    def check_architecture(self, what: str) -> None:
        """Raises `Error` unless it says of which architecture the instructions of `what` are."""
        if not self.architecture:
            such = "such as x86-64-v3 or native"
            raise Error(f"{what} needs a target with an architecture, {such}")

    def fits_registers(self, size: int) -> bool:
        """Whether LLVM may keep a buffer of so many bytes in registers: at most twice all."""
        return size <= 2 * self.vector_registers * self.vector_bytes

    @property
    def buffers_stack_bytes(self) -> int:
        """What the buffers of a function take on its stack; later passes have the rest."""
        return self.stack_bytes // 16 * 15

    @property
    def buffer_stack_bytes(self) -> int:
        """What one buffer takes there."""
        return self.stack_bytes // 16

    def has_memory(self, scope: str) -> bool:
        """Whether buffers can be in this scope, with or without its tag."""
        return scope in self.memories or scope_name(scope) in self.memories

    def put(self, module: Operation) -> None:
        """Lets `module` say that it is for this machine."""
        module.attributes[TARGET] = _said(self)


ANY_CPU = Target()


def target_said(module: Operation) -> Target | None:
    """The machine that `module` says it is for; None if it says nothing.

    Raises `PassError` for an attribute that says what no target has.
    """
    said = module.attributes.get(TARGET)
    try:
        return None if said is None else _target(said)
    except Error as error:
        raise PassError(f"{TARGET}: {error}", module) from None


def target_of(op: Operation) -> Target:
    """The machine that the module around `op` says it is for, or any CPU."""
    *_, outermost = op, *ops_around(op)
    return target_said(outermost) or ANY_CPU


def _target(said: Attribute) -> Target:
    """Found out once for each attribute: copies of a module share it."""
    target = vars(said).get("_target")
    if target is None:
        target = vars(said)["_target"] = _with_entries(_entries(said))
    return target


def _entries(said: Attribute) -> Iterable[DataLayoutEntryAttr]:
    device = None
    if isinstance(said, TargetSystemSpecAttr):
        there = (entry.value for entry in said.entries if entry.key == _DEVICE)
        device = next(there, None)
    if not isinstance(device, TargetDeviceSpecAttr):
        raise Error(f'there is no device "{DEVICE}"')
    return device.entries


def _with_entries(entries: Iterable[DataLayoutEntryAttr]) -> Target:
    values = {str(_value(entry.key)): _value(entry.value) for entry in entries}
    check_names("entry of a target", values, [field.name for field in fields(Target)])
    return replace(ANY_CPU, **values)


@cache
def _said(target: Target) -> TargetSystemSpecAttr:
    said = {
        field.name: _attribute(value)
        for field in fields(target)
        if (value := getattr(target, field.name)) != field.default
    }
    return TargetSystemSpecAttr({DEVICE: TargetDeviceSpecAttr(said)})


def _attribute(value: Any) -> Attribute:
    match value:
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case _:
            return ArrayAttr(map(_attribute, value))


def _value(said: Attribute) -> Any:
    match said:
        case IntegerAttr():
            return said.value.data
        case StringAttr():
            return said.data
        case ArrayAttr():
            return tuple(map(_value, said))
        case _:
            return said


def _text(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value) or "-"
