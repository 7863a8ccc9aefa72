"""What all tools do with mistakes: one line on standard error, and exit code 1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from teloom.driver.diagnostics import Mistake, one_line_warnings
from teloom.errors import Error, depth_checked


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line, with exit code 1."""

    def error(self, message: str) -> NoReturn:
        raise SystemExit(f"{self.prog}: error: {message}")


INTERRUPTED = 130
"""The exit code, as shells say it, of a tool that the user stops by Ctrl-C."""


@dataclass
class Exit:
    """How a tool ends: with `code`, which it sets where it makes no mistake."""

    code: int = 1


@contextmanager
def telling_mistakes(tool: str, words: Callable[[str], str] = str) -> Iterator[Exit]:
    """Inside, a mistake of the user ends what runs, and is told in one line.

    `words` spells the message of one without a place.
    """
    end = Exit()
    try:
        with one_line_warnings(tool), depth_checked():
            yield end
            if sys.stdout is not None:
                sys.stdout.flush()
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
    except Error as error:
        print(f"{tool}: error: {words(str(error))}", file=sys.stderr)
    except KeyboardInterrupt:
        end.code = INTERRUPTED
    except BrokenPipeError:  # the reader of our output is gone
        sys.stdout = None
    except OSError as error:
        end.code = 1
        print(f"{tool}: error: {_of_files(error)}", file=sys.stderr)
        if error.filename is None:  # nothing more can be written, at the end either
            sys.stdout = None


def _of_files(error: OSError) -> str:
    """What the system refuses, of a file or of the output."""
    return f"{error.filename or 'the output cannot be written'}: {error.strerror or error}"
