"""`tvm.target`: TVM's texts of targets as targets of Teloom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from teloom.backend.machine.cpus import HERE, target_asked
from teloom.errors import Error
from teloom.tvm_compat.blocks import Block
from teloom.tvm_compat.refusals import missing_part

LLVM = "llvm"


class TargetKind(NamedTuple):
    """The kind of a target."""

    name: str

    def __str__(self) -> str:
        return self.name


class Target(Block):
    """TVM's target "llvm", for a CPU that `-mtriple`, `-mcpu` and `-mattr` may name.

    It is a text, as "llvm -mcpu=znver4", or a dict, as {"kind": "llvm", "mcpu": "znver4"}. In a
    `with` block it is the target of builds that name none. `asked` is the target that
    `teloom.build` gets. Raises `teloom.Error` for kinds that have no code, for CPUs that are not
    known, and for options that say what no target of Teloom says. Source: TVM's target.Target.

    >>> Target("llvm -mcpu=znver4").mcpu
    'znver4'
    """

    def __init__(self, target: Any = LLVM, host: Any = None):
        if isinstance(target, Target):
            self.kind, self.attrs = target.kind, target.attrs
        else:
            kind, self.attrs = _parts(target)
            self.kind = TargetKind(kind)
        if self.kind.name != LLVM:
            source = "; get_source('c') of a module is C" if self.kind.name == "c" else ""
            raise Error(
                f"there is no code for the target {self.kind.name!r} yet; "
                f"there is: 'llvm', the CPU{source}"
            )
        self.asked = str(self) if self.attrs else HERE
        target_asked(self.asked)
        self.host = None if host is None else Target(host)

    @property
    def keys(self) -> list[str]:
        """By which of TVM's names an operator finds its schedule."""
        return ["cpu"]

    @property
    def mcpu(self) -> str:
        """The name of the CPU, or an empty text if none is named."""
        return str(self.attrs.get("mcpu", ""))

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target of the `with` block around the caller.

        Raises `teloom.Error` if there is none, unless `allow_none` is True.
        """
        found = Target.innermost()
        if found is None and not allow_none:
            raise Error("no target is around this call; with tvm.target.Target('llvm'): sets one")
        return found

    def __str__(self) -> str:
        return " ".join([self.kind.name, *(f"-{key}={one}" for key, one in self.attrs.items())])

    __repr__ = __str__


_OF_MACHINES = ("mtriple", "mcpu", "mattr")
"""Options that say for which machine code is."""

_OF_OTHERS = ("keys", "num-cores", "opt-level", "libs", "device", "model")
"""Options for TVM's graphs and tuners: no te program is compiled in another way for them."""


def _parts(target: Any) -> tuple[str, dict[str, Any]]:
    """The kind and the options of a target, without those that say nothing here."""
    if isinstance(target, Mapping):
        options = {str(key): one for key, one in target.items()}
        kind = str(options.pop("kind", LLVM))
    else:
        kind, *words = str(target).split() or [""]
        options, key = dict[str, Any](), ""
        for word in words:
            if word.startswith("-"):
                key, _, options[key] = word.lstrip("-").partition("=")
            else:
                options[key] = word  # behind the option, as in `-num-cores 4`
    for key in options:
        if key not in (*_OF_MACHINES, *_OF_OTHERS):
            raise Error(
                f"the option -{key} of the target {kind!r} has no meaning here; there is: -mcpu, "
                "which names a CPU with all its instructions, -mtriple and -mattr"
            )
    return kind, {key: one for key, one in options.items() if key in _OF_MACHINES}


def create(target: Any) -> Target:
    """The target of a text: `Target(target)`, by a name of TVM's that is deprecated there.

    >>> create("llvm -mcpu=znver4").mcpu
    'znver4'
    """
    return Target(target)


def target_of(target: Any) -> Target:
    """The target that is given, else that of the `with` block, else the CPU."""
    if target is not None:
        return Target(target)
    return Target.innermost() or Target()


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.target", name)
