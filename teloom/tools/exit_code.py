"""What all tools do with mistakes: one line on standard error, and exit code 1."""

from __future__ import annotations

import sys
from collections.abc import Callable

from teloom.driver.diagnostics import Mistake, one_line_warnings
from teloom.errors import Error, depth_checked


def exit_code(tool: str, run: Callable[[], int], words: Callable[[str], str] = str) -> int:
    """The exit code of `run`; of a mistake of the user 1, which is told in one line.

    `words` spells the message of one without a place.
    """
    try:
        with one_line_warnings(tool), depth_checked():
            return run()
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
    except Error as error:
        print(f"{tool}: error: {words(str(error))}", file=sys.stderr)
    except BrokenPipeError:  # the reader of our output is gone
        sys.stdout = None
    return 1
