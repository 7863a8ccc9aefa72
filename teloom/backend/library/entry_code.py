"""LLVM IR of the functions that a library offers: they check a call, and run what the CPU can.

Each program has a function for C, with a context; one with the same parameters and none, for
callers that have checked them; and one that says what a status means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.backend.library.c_signature import (
    WRONG_CPU,
    CFunction,
    alignment_of,
    workspace_name,
)
from teloom.backend.library.cpu_code import VARIANT
from teloom.backend.library.measuring import measuring
from teloom.backend.library.runtime import BEGIN, BEGIN_PART, END
from teloom.dialects.target import Target

BEST = "teloom.best"
"""What the first call finds: the number of the variant that the CPU runs, or -1."""

_UNKNOWN = -2

STATE = f"@{BEST} = internal global i32 {_UNKNOWN}\n"


def direct(name: str) -> str:
    """The symbol of the function without a context."""
    return f"teloom.direct.{name}"


def code(function: CFunction, variants: Sequence[str], workspaces: Sequence[bool]) -> str:
    """The functions of one program.

    `variants` are the symbols of its machine code, the best first, and `workspaces` says which of
    them get a workspace.
    """
    signature = function.signature
    count = len(signature.sizes)
    names = [f"%p{position}" for position in range(count + len(signature.arguments))]
    in_call = [f"{'i64' if k < count else 'ptr'} {name}" for k, name in enumerate(names)]
    machine = [*in_call[:count], *in_call[count:]]
    for place, number in enumerate(function.arrays):
        machine[count + number] = in_call[count + place]
    lines = [
        *_checked(function, names, in_call, machine),
        *_direct(function, machine, variants, workspaces),
    ]
    types = ", ".join(part.split()[0] for part in machine)
    for symbol, takes in zip(variants, workspaces, strict=True):
        lines.append(f"declare i32 @{symbol}({types}{', ptr' if takes else ''})")
    return "\n".join(lines) + "\n"


def _checked(
    function: CFunction, names: Sequence[str], in_call: Sequence[str], machine: Sequence[str]
) -> Iterator[str]:
    yield f"define i32 @{function.name}({', '.join([*in_call, 'ptr %context'])}) {{"
    yield "  br label %check.0"
    count = len(function.signature.sizes)
    for position, name in enumerate(names):
        yield f"check.{position}:"
        if position < count:
            yield from _size_check(position)
        else:
            argument = function.signature.arguments[function.arrays[position - count]]
            yield f"  %at.{position} = ptrtoint ptr {name} to i64"
            yield f"  %off.{position} = and i64 %at.{position}, {alignment_of(argument) - 1}"
            yield f"  %null.{position} = icmp eq ptr {name}, null"
            yield f"  %odd.{position} = icmp ne i64 %off.{position}, 0"
            yield f"  %bad.{position} = or i1 %null.{position}, %odd.{position}"
        yield f"  br i1 %bad.{position}, label %refuse.{position}, label %check.{position + 1}"
        yield f"refuse.{position}:"
        yield f"  ret i32 {function.status_of(position)}"
    yield f"check.{len(names)}:"
    arguments = ", ".join([*machine, "ptr %context"])
    yield f"  %status = call i32 @teloom.run.{function.name}({arguments})"
    yield "  ret i32 %status"
    yield "}"


def _direct(
    function: CFunction,
    machine: Sequence[str],
    variants: Sequence[str],
    workspaces: Sequence[bool],
) -> Iterator[str]:
    arguments = ", ".join(machine)
    yield f"define i32 @{direct(function.name)}({arguments}) {{"
    parts = ", ".join([*machine, "ptr null"])
    yield f"  %status = call i32 @teloom.run.{function.name}({parts})"
    yield "  ret i32 %status"
    yield "}"
    yield f"define internal i32 @teloom.run.{function.name}({arguments}, ptr %context) {{"
    yield "  %w = alloca %workspace"
    yield from _chosen("0", len(variants), "i32")
    for number, (symbol, takes) in enumerate(zip(variants, workspaces, strict=True)):
        yield f"run.{number}:"
        if takes:
            yield f"  call void @{BEGIN}(ptr %w, ptr %context)"
        given = ", ".join([*machine, "ptr %w"] if takes else machine)
        yield f"  %status.{number} = call i32 @{symbol}({given})"
        if takes:
            yield f"  call void @{END}(ptr %w)"
        yield f"  ret i32 %status.{number}"
    yield "}"


def measured(function: CFunction, variants: Sequence[str], workspaces: Sequence[bool]) -> str:
    """The function that says how many bytes of memory a call takes."""
    sizes = [f"i64 %p{position}" for position in range(len(function.signature.sizes))]
    joined = ", ".join([*sizes, "ptr %context"])
    lines = [f"define i64 @{workspace_name(function.name)}({joined}) {{"]
    lines += ["  %w = alloca %workspace", "  br label %check.0"]
    for position in range(len(sizes)):
        lines += [
            f"check.{position}:",
            *_size_check(position),
            f"  br i1 %bad.{position}, label %refuse.{position}, label %check.{position + 1}",
            f"refuse.{position}:",
            f"  ret i64 {function.status_of(position)}",
        ]
    lines += [
        f"check.{len(sizes)}:",
        f"  call void @{BEGIN_PART}(ptr %w, ptr %context)",
        *_chosen(f"check.{len(sizes)}", len(variants), "i64"),
    ]
    declared: list[str] = []
    for number, (symbol, takes) in enumerate(zip(variants, workspaces, strict=True)):
        lines.append(f"run.{number}:")
        if takes:
            given = ", ".join([*sizes, "ptr %w"])
            lines.append(f"  call void @{measuring(symbol)}({given})")
            types = ", ".join([*(["i64"] * len(sizes)), "ptr"])
            declared.append(f"declare void @{measuring(symbol)}({types})")
        lines += [
            f"  %bytes.at.{number} = getelementptr %workspace, ptr %w, i64 0, i32 3",
            f"  %bytes.{number} = load i64, ptr %bytes.at.{number}",
            f"  ret i64 %bytes.{number}",
        ]
    return "\n".join([*lines, "}", *declared]) + "\n"


def _size_check(position: int) -> list[str]:
    return [f"  %bad.{position} = icmp ugt i64 %p{position}, {LARGEST_SIZE}"]


def _chosen(block: str, count: int, result: str) -> list[str]:
    """Goes on at `run.K` for the variant of number K, or returns the status of a wrong CPU."""
    cases = " ".join(f"i32 {k}, label %run.{k}" for k in range(count))
    return [
        f"  %known = load atomic i32, ptr @{BEST} monotonic, align 4",
        f"  %is.known = icmp ne i32 %known, {_UNKNOWN}",
        "  br i1 %is.known, label %choose, label %look",
        "look:",
        f"  %found = call i32 @{VARIANT}()",
        f"  store atomic i32 %found, ptr @{BEST} monotonic, align 4",
        "  br label %choose",
        "choose:",
        f"  %best = phi i32 [ %known, %{block} ], [ %found, %look ]",
        f"  switch i32 %best, label %none [ {cases} ]",
        "none:",
        f"  ret {result} {WRONG_CPU}",
    ]


def messages(function: CFunction, machines: Sequence[Target]) -> str:
    """LLVM IR of the function that says what a status means."""
    found = function.messages(machines)
    lines: list[str] = []
    cases: list[str] = []
    for status, message in found.items():
        symbol = f"@teloom.said.{function.name}.{status}"
        lines.append(f"{symbol} = internal constant {constant(message.encode())}")
        cases.append(f"i32 {status}, label %is.{status & 0xFFFFFFFF}")
    unknown = f"@teloom.said.{function.name}.unknown"
    lines += [
        f"{unknown} = internal constant {constant(b'no status of this function')}",
        f"define ptr @{function.name}_error(i32 %status) {{",
        f"  switch i32 %status, label %unknown [ {' '.join(cases)} ]",
        "unknown:",
        f"  ret ptr {unknown}",
    ]
    for status in found:
        lines.append(f"is.{status & 0xFFFFFFFF}:")
        lines.append(f"  ret ptr @teloom.said.{function.name}.{status}")
    return "\n".join([*lines, "}"]) + "\n"


def constant(data: bytes) -> str:
    """Bytes, ended by a 0, as a constant of LLVM IR."""
    escaped = "".join(f"\\{byte:02X}" for byte in (*data, 0))
    return f'[{len(data) + 1} x i8] c"{escaped}"'
