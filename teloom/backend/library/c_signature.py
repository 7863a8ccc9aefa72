"""The C functions of a library: their names, parameters, types and statuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.signature import Argument, Signature
from teloom.backend.c.keywords import begins_as_taken, is_of_library, is_taken
from teloom.backend.call.shapes import expression_text
from teloom.backend.library.runtime import OPENMP_FUNCTIONS
from teloom.backend.machine.compiler_runtime import C_FUNCTIONS
from teloom.dialects.target import Target
from teloom.errors import Error

OK, OUT_OF_MEMORY, WRONG_CPU = 0, 1, -1
"""Statuses. Those above 1 are of assertions in the program, those below -1 of parameters."""

_FIRST_PARAMETER = -2

_C_TYPES = {
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
    "bool": "bool",
}

_CONTEXT = "context"
"""The last parameter of each function."""

_CALLED = frozenset(
    {*C_FUNCTIONS, *OPENMP_FUNCTIONS}
    | {
        "aligned_alloc",
        "dlopen",
        "dlsym",
        "free",
        "getauxval",
        "malloc",
        "memory",
        "posix_memalign",
    }
)
"""What the code of a library calls, or has for callers."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class CFunction:
    """A function as C sees it: sizes, then arrays in the order of the call, then a context."""

    signature: Signature
    assertions: tuple[str, ...]

    def __post_init__(self) -> None:
        name = self.signature.name
        if not _IDENTIFIER.fullmatch(name) or (is_taken(name) and not name.startswith("teloom_")):
            raise Error(
                f"{name!r} is no name of a function in C: letters, digits and _, no word of the "
                "language; give the program another one: build(..., name=..)"
            )
        if name in _CALLED or name.startswith("teloom_"):
            raise Error(
                f"a library has or calls a function {name!r} itself; give the program another "
                "name: build(..., name=..)"
            )
        if is_of_library(name):
            raise Error(
                f"C programs have a {name!r} of their own, or call it; give the program "
                "another name: build(..., name=..)"
            )

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def arrays(self) -> list[int]:
        """The numbers of the arguments, in the order of the call."""
        first = len(self.signature.sizes)
        return [position - first for position in self.signature.order if position >= first]

    @property
    def parameters(self) -> list[str]:
        """The names of the sizes, then of the arrays in the order of the call."""
        given = [*self.signature.sizes]
        given += [self.signature.arguments[number].name for number in self.arrays]
        return c_names(given)

    def status_of(self, parameter: int) -> int:
        """The status of a call whose parameter cannot be."""
        return _FIRST_PARAMETER - parameter

    def messages(self, machines: Sequence[Target]) -> dict[int, str]:
        """What each status means."""
        count, names = len(self.signature.sizes), self.parameters
        needed = " or ".join(machine.name for machine in machines)
        found = {
            OK: "it is done",
            OUT_OF_MEMORY: "there is not enough memory for temporary buffers",
            WRONG_CPU: f"the code is for {needed}, and this CPU lacks instructions of that",
        }
        for position, name in enumerate(names[:count]):
            found[self.status_of(position)] = f"{name} must be from 0 to {LARGEST_SIZE}"
        for position, number in enumerate(self.arrays, count):
            argument = self.signature.arguments[number]
            found[self.status_of(position)] = (
                f"{names[position]} must be an address, a multiple of {alignment_of(argument)}"
            )
        for number, message in enumerate(self.assertions, OUT_OF_MEMORY + 1):
            found[number] = message
        return {status: f"{self.name}: {said}" for status, said in found.items()}


def workspace_name(function: str) -> str:
    """The name of what says how much memory a call of a function takes."""
    return f"{function}_workspace"


def c_type(dtype: str) -> str:
    """The type of an element in C; short floats are the words that hold them."""
    return _C_TYPES.get(dtype, f"{dtype}_t")


def c_names(names: Sequence[str]) -> list[str]:
    """Names in C for these, each another one."""
    found: list[str] = []
    for name in names:
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
        if name[:1].isdigit() or not name:
            name = f"_{name}"
        if begins_as_taken(name):
            name = f"v{name}"
        while is_taken(name) or name == _CONTEXT or name in found:
            name += "_"
        found.append(name)
    return found


def alignment_of(argument: Argument) -> int:
    """The alignment of an argument's address, in bytes."""
    return max(argument.placement.alignment, argument.element_bytes)


def described(argument: Argument, sizes: Sequence[str]) -> str:
    """What a reader of C needs to know of an array: its shape, and where elements are."""

    def texts(expressions: Sequence[object]) -> str:
        return ", ".join(expression_text(one, sizes) for one in expressions)  # pyright: ignore

    placement = argument.placement
    shape = "any length" if argument.shape is None else f"[{texts(argument.shape)}]"
    parts = [f"{argument.dtype} {shape}"]
    if placement.strides is not None:
        parts.append(f"strides [{texts(placement.strides)}] in elements")
    if placement.has_offset:
        parts.append(f"the first element is number {texts([placement.offset])}")
    if placement.layout is not None:
        parts.append(f"layout {placement.layout}")
    if placement.broadcasts:
        parts.append("with the stride 0 along an axis of one element")
    if placement.alignment > 1:
        parts.append(f"at a multiple of {placement.alignment} bytes")
    if argument.output:
        parts.append("written")
    return ", ".join(parts)
