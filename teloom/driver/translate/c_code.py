"""C source of a program of any level."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from teloom.backend.c.source import c_source
from teloom.dialects.target import target_of
from teloom.driver.lowering import Lowering
from teloom.errors import Error, did_you_mean
from teloom.passes.elementary.accuracy import LEVELS
from teloom.passes.elementary.expand_math import ExpandMathPass

LIBRARY = "library"
"""The elementary functions are those of <math.h>."""

C_OPTIONS = ("vectors", "math")
"""The names of the options of `c_code`."""

MATH = (LIBRARY, *LEVELS)
"""Where elementary functions come from: <math.h>, or formulas of one of these levels."""


def c_code(
    module: ModuleOp, lowering: Lowering, vectors: str = "extension", math: str = LIBRARY
) -> str:
    """The C11 source of a module of level `standard` or above; changes the module.

    It has no instructions of one CPU, which C has no words for. `vectors` is "extension", for
    `vector_size` of GCC and Clang, or "loops". `math` is "library", or how exact the formulas are
    that are written in the place of calls. Raises what `c_source` raises, and `teloom.Error` for
    another `math`.
    """
    if math not in MATH:
        hint = did_you_mean(math, MATH) or f"; there are: {', '.join(MATH)}"
        raise Error(f"no elementary functions in C are {math!r}{hint}")
    replace(target_of(module), architecture="").put(module)
    lowering.bring(module, "te", "standard")
    if math != LIBRARY:
        lowering.run(module, [ExpandMathPass(math)])
    return c_source(module, vectors)
