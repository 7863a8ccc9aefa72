"""Where in the user's program something was said."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

_PACKAGE = f"{Path(__file__).parent.parent}{os.sep}"


def user_location() -> FileLineColLoc:
    """File and line of the innermost caller outside this package; the column is 1."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return location_of(frame.f_code.co_filename, frame.f_lineno)


@lru_cache(1024)  # a line makes many axes and commands, and an attribute takes long to make
def location_of(file: str, line: int, column: int = 1) -> FileLineColLoc:
    """A place in a file; lines and columns begin at 1."""
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))
