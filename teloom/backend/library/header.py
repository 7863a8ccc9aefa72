"""The C header of a library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from teloom.backend.call.threads import MOST_THREADS
from teloom.backend.library.c_signature import (
    OUT_OF_MEMORY,
    WRONG_CPU,
    CFunction,
    c_type,
    described,
    workspace_name,
)
from teloom.dialects.target import Target

_SHARED = f"""\
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#ifndef TELOOM_CONTEXT
#define TELOOM_CONTEXT

/* How a call gets memory and threads. NULL for the whole, or a member, is the default; a member
   threads of 0, too. Functions may be called by several threads at once. */
typedef struct teloom_context {{
  /* What the functions below get as their first argument. */
  void *user;
  /* Memory of so many bytes at a multiple of alignment, a power of 2; NULL if there is none.
     The default is posix_memalign. */
  void *(*allocate)(void *user, int64_t alignment, int64_t bytes);
  /* Takes memory back; set it if allocate is set. The default is free. */
  void (*release)(void *user, void *memory);
  /* Calls body(data, part) once for each part from 0 to parts - 1, in any order, at the same time
     or not, and returns when all are done. The default is OpenMP where it is there. */
  void (*parallel)(void *user, void (*body)(void *data, int32_t part), void *data, int32_t parts);
  /* Into how many parts a loop is divided, {MOST_THREADS} at most. The default, of a number below
     1, is what OpenMP says; 1 with a parallel. */
  int32_t threads;
  /* Memory that a call takes first, and how many bytes; it allocates what does not fit. No other
     call may use it meanwhile. */
  void *memory;
  int64_t bytes;
}} teloom_context;

/* What a function returns: 0, or why it could not do its work. */
enum {{
  TELOOM_OK = 0,
  TELOOM_OUT_OF_MEMORY = {OUT_OF_MEMORY},
  TELOOM_WRONG_CPU = {WRONG_CPU}
}};

#endif
"""


def header(
    name: str,
    functions: Sequence[tuple[CFunction, int | None]],
    machines: Sequence[Target],
    by: str,
) -> str:
    """The text of the header of a library `name`, made `by` a version of Teloom.

    Beside a function stands what its memory begins at a multiple of; None if it cannot say how
    much it takes.
    """
    declared = [line for one, alignment in functions for line in _declared(one, alignment)]
    # Two libraries may have names that are one in C.
    digest = sha256("\n".join(declared).encode()).hexdigest()[:8]
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    guard = f"TELOOM_{word}_{digest}_H".upper()
    targets = ", ".join(machine.name for machine in machines)
    lines = [
        f"/* {name}: made by Teloom {by} for {machines[0].architecture} ({targets}). */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        _SHARED,
        *declared,
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _declared(function: CFunction, alignment: int | None) -> list[str]:
    signature, names = function.signature, function.parameters
    count = len(signature.sizes)
    parameters = [f"int64_t {name}" for name in names[:count]]
    lines = ["/* Arrays do not overlap where one is written; none is NULL."]
    for name, number in zip(names[count:], function.arrays, strict=True):
        argument = signature.arguments[number]
        lines.append(f"   {name}: {described(argument, names[:count])}".replace("*/", "* /"))
        const = "" if argument.output else "const "
        parameters.append(f"{const}{c_type(argument.dtype)} *{name}")
    lines[-1] += " */"
    parameters.append("const teloom_context *context")
    joined = f",\n{' ' * (len(function.name) + 9)}".join(parameters)
    lines += [
        f"int32_t {function.name}({joined});",
        "",
        f"/* What a status of {function.name} means. */",
        f"const char *{function.name}_error(int32_t status);",
        "",
    ]
    if alignment is not None:
        given = ", ".join([*(f"int64_t {size}" for size in names[:count]), parameters[-1]])
        lines += [
            f"/* How many bytes a call of {function.name} takes of memory that begins at a",
            f"   multiple of {alignment}; below 0, the status of a call of these sizes. */",
            f"int64_t {workspace_name(function.name)}({given});",
            "",
        ]
    return lines
