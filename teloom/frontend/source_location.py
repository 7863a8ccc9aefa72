"""Where in the user's program something was said."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from pathlib import Path
from typing import NamedTuple

_PACKAGE = f"{Path(__file__).parent.parent}{os.sep}"
_WRAPPERS = contextlib.__file__, functools.__file__
"""Files of Python's library that call a decorated function of this package."""


class SourceLocation(NamedTuple):
    """A place in a file; lines and columns begin at 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def user_location() -> SourceLocation:
    """File and line of the innermost caller outside this package; the column is 1."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_passed(frame.f_code.co_filename):
        frame = frame.f_back
    return SourceLocation(frame.f_code.co_filename, frame.f_lineno)


def _is_passed(file: str) -> bool:
    return file.startswith(_PACKAGE) or file in _WRAPPERS
