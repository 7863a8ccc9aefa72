"""Runs passes on a module, says what each of them does, and where one fails."""

from __future__ import annotations

import difflib
import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import ParseError, VerifyException

from teloom.analysis.dominance import DominanceError, check_dominance
from teloom.driver.diagnostics import (
    USER_MISTAKES,
    mistake_at_op,
    mistake_in_text,
    op_that_fails,
    tidy,
)
from teloom.errors import PassError
from teloom.switches import debug_level, prints, reproducer_folder, show, verifies

Explain = Callable[[Exception, str], Exception | None]
"""What is raised for an exception of the pass of a name: where the user finds the mistake.

None for what is no mistake of the user's, but a fault of the pass.
"""


class NotVerifiedError(PassError):
    """IR that does not verify."""


def verify(module: ModuleOp, when: str = "") -> None:
    """Raises `NotVerifiedError`, at the operation, unless all of a module verifies.

    Values are defined before their uses. `when` comes before the message.
    """
    try:
        module.verify()
        check_dominance(module)
    except VerifyException as error:
        is_order = isinstance(error, DominanceError)
        op = error.op if is_order else op_that_fails(module, error)
        raise NotVerifiedError(f"{when}{tidy(str(error))}", op) from error


def explained_in(file: str, text: str) -> Explain:
    """Mistakes in a file of this text are shown where they are in it."""

    def explain(error: Exception, name: str) -> Exception | None:
        if isinstance(error, ParseError):
            return mistake_in_text(error)
        if not isinstance(error, USER_MISTAKES):
            return None
        context = "" if isinstance(error, NotVerifiedError) else f"{name}: "
        return mistake_at_op(error, getattr(error, "op", None), file, text, context)

    return explain


class Runner:
    """Runs passes on modules that come from one program.

    `explain` is told of what a pass raises; `original` is the text from which the first pass
    started, for a file that shows what fails. After each pass the IR is verified where
    `verifying`, or TELOOM_VERIFY, says so.
    """

    def __init__(
        self,
        context: Context,
        explain: Explain,
        original: Callable[[], str],
        verifying: bool = False,
    ):
        self.context, self.explain, self.original = context, explain, original
        self.verifying = verifying or verifies()
        self.done: list[ModulePass] = []

    def copy(self) -> Runner:
        """A runner for a clone of the module, on which the same passes have run."""
        copied = Runner(self.context, self.explain, self.original, self.verifying)
        copied.done = [*self.done]
        return copied

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Runs passes in this order. Raises what `explain` makes of what they raise.

        What is no mistake of the user's gets a note that names a file which shows it.
        """
        for step in passes:
            with watched(step.name, module), self.explained(step), without_collection():
                step.apply(self.context, module)
                if self.verifying:
                    verify(module, f"the IR does not verify after {step.name}: ")

    @contextmanager
    def explained(self, step: ModulePass) -> Iterator[None]:
        """Stands around the work of a pass."""
        self.done.append(step)
        try:
            yield
        except Exception as error:
            explained = self.explain(error, step.name)
            if explained is None:
                error.add_note(f"to reproduce, see {self._reproducer()}")
            elif reproducer_folder() is not None:
                self._reproducer()
            if explained is None or explained is error:
                raise
            raise explained from error

    def _reproducer(self) -> Path:
        """Writes a file whose first line runs the passes up to the last one on its text."""
        text = f"// RUN: teloom-opt %s -p '{','.join(map(str, self.done))}'\n{self.original()}\n"
        name, folder = self.done[-1].name, reproducer_folder()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"{name}.mlir"
            file.write_text(text)
            return file
        with tempfile.NamedTemporaryFile(
            "w", prefix=f"teloom-{name}-", suffix=".mlir", delete=False
        ) as opened:
            opened.write(text)
        return Path(opened.name)


@contextmanager
def without_collection() -> Iterator[None]:
    """Pauses Python's search for cycles of garbage.

    IR consists of such cycles, and most of them live as long as the module: the search takes up
    to a quarter of a pass and finds little. Between passes it goes on.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def watched(name: str, module: ModuleOp) -> Iterator[None]:
    """Says of the pass that runs inside what TELOOM_DEBUG and TELOOM_PRINT ask for."""
    wanted, timed = prints(), debug_level() >= 1
    before = str(module) if wanted else ""
    if "before" in wanted:
        show(f"IR before {name}:\n{before}")
    start = time.perf_counter()
    yield
    if timed:
        show(f"{name}: {(time.perf_counter() - start) * 1e3:.1f} ms")
    if not wanted - {"before"}:
        return
    after = str(module)
    if "after" in wanted or ("changed" in wanted and after != before):
        show(f"IR after {name}:\n{after}")
    if "diff" in wanted:
        lines = before.split("\n"), after.split("\n")
        difference = difflib.unified_diff(*lines, f"before {name}", f"after {name}", lineterm="")
        if text := "\n".join(difference):
            show(text)
