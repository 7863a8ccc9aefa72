"""What is said of a pass that fails: the line of the user's program, or how to reproduce it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teloom.errors import Error, PassError, location_of
from teloom.passes.lowering import NO_OPTIONS, Options, Reporting, passes_between
from teloom.passes.pipelines import CHECKED, LEVELS


def reporting(original: Callable[[], ModuleOp], options: Options = NO_OPTIONS) -> Reporting:
    """Adds the line to a refused request, and a file that shows it to a fault of ours.

    `original` makes the module at the level `te` again; `options` are those of the passes.
    """

    @contextmanager
    def around(name: str) -> Iterator[None]:
        try:
            yield
        except PassError as error:
            error.args = (f"{_place(error.op)}{error}",)
            raise
        except (Error, Warning, RecursionError):
            raise
        except Exception as error:
            error.add_note(f"to reproduce, see {_reproducer(name, original(), options)}")
            raise

    return around


def _place(op: Operation | None) -> str:
    """`file:line: ` of the nearest operation that knows it."""
    place = location_of(op)
    return f"{place.filename.data}:{place.line.data}: " if place else ""


def _reproducer(failed: str, module: ModuleOp, options: Options) -> str:
    """Writes a file that shows the failure; gives its name."""
    names = passes_between("te", list(LEVELS)[-1])
    if failed not in names:
        names = passes_between("te", "loop") + [name for name, _ in CHECKED]
    specs = [_spec(name, options.get(name, {})) for name in names[: names.index(failed) + 1]]
    passes = ",".join(specs)
    with tempfile.NamedTemporaryFile(
        "w", prefix=f"teloom-{failed}-", suffix=".mlir", delete=False
    ) as file:
        file.write(f"// RUN: teloom-opt %s -p '{passes}'\n{module!s}\n")
    return file.name


def _spec(name: str, options: Mapping[str, int]) -> str:
    given = " ".join(f"{key}={value}" for key, value in options.items())
    return f"{name}{{{given}}}" if given else name
