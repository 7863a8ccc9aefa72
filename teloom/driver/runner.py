"""Runs passes on a module, shows what each of them does, and explains failures."""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import ParseError, VerifyException

from teloom.analysis.signature import functions_in
from teloom.analysis.verification.dominance import check_dominance
from teloom.analysis.verification.said_accesses import check_said_accesses
from teloom.dialects import get_all_dialects
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.faults import OpFault
from teloom.dialects.syntax.names import unused_name
from teloom.driver.diagnostics import (
    USER_MISTAKES,
    mistake_at_op,
    mistake_in_text,
    op_that_fails,
    tidy,
)
from teloom.driver.registry import context_of
from teloom.errors import Error, PassError, depth_checked, said_with_kind
from teloom.garbage import without_collection
from teloom.locations import place_of
from teloom.progress import progress_shown, reached
from teloom.switches import debug_level, prints, reproducer_folder, show, timed, verifies

Explain = Callable[[Exception, str], Exception | None]
"""Turns the exception of a pass, given by name, into one that shows the user's mistake.

None if the exception is no mistake of the user, but a fault of the pass.
"""

_DIRECTIVES = re.compile(r"^\s*// (RUN|CHECK\S*):.*\n", re.MULTILINE)
"""Lines of a test: those of a reproducer are its own."""


class NotVerifiedError(PassError):
    """IR that does not verify."""


def verify(module: ModuleOp, when: str = "") -> None:
    """Raises `NotVerifiedError`, at the op, unless a module verifies.

    That includes dominance: definitions dominate their uses; and what ops say that they access.
    `when` comes before the message.
    """
    try:
        module.verify()
        check_dominance(module)
        check_said_accesses(module)
    except VerifyException as error:
        op = error.op if isinstance(error, OpFault) else op_that_fails(module, error)
        raise NotVerifiedError(f"{when}{tidy(str(error))}", op) from error


def verify_given(module: ModuleOp) -> None:
    """Verifies a module that a Python program gives; what fails is at its line of the program."""
    try:
        verify(module)
    except NotVerifiedError as error:
        raise at_users_line(error, "") or error from None


def contents(module: ModuleOp) -> list[object]:
    """What decides whether a module verifies: equal lists if nothing of that has changed.

    Ops, values, blocks and regions are compared by identity, attributes by value.
    """
    found: list[object] = []
    for op in preorder(module):
        found += (op, op.parent, *op.operands, *(result.type for result in op.results))
        found += ({**op.properties}, {**op.attributes}, *op.successors, *op.regions)
        for region in op.regions:
            for block in region.blocks:
                found += (block, *(arg.type for arg in block.args))
    return found


def explained_in(file: str, text: str) -> Explain:
    """Explains a mistake in a file with this text, at its place in the file."""

    def explain(error: Exception, name: str) -> Exception | None:
        if isinstance(error, ParseError):
            return mistake_in_text(error)
        if not isinstance(error, USER_MISTAKES):
            return None
        context = "" if isinstance(error, NotVerifiedError) else f"{name}: "
        return mistake_at_op(error, getattr(error, "op", None), file, text, context)

    return explain


def at_users_line(error: Exception, name: str) -> Exception | None:
    """Explains a refused request of a Python program, by the line of that program."""
    if isinstance(error, PassError) and (place := place_of(error)):
        error.args = (f"{place.filename.data}:{place.line.data}: {error}",)
    return error if isinstance(error, Error | Warning | RecursionError) else None


class Inserted(NamedTuple):
    """The user's passes among ours, and the functions that they must leave in a module."""

    passes: Sequence[ModulePass] = ()
    functions: Collection[str] = ()

    def has(self, step: ModulePass) -> bool:
        """Whether it is one of the user's, and not an equal one of ours."""
        return any(step is one for one in self.passes)

    def check(self, module: ModuleOp, step: ModulePass) -> None:
        """Raises `PassError` if a pass has removed or renamed a function."""
        left = functions_in(module)
        for name in self.functions:
            if name not in left:
                there = ", ".join(left) or "none"
                raise PassError(f"function {name} is gone after {step.name}; there are: {there}")


class Runner:
    """Runs passes on modules that come from one program.

    `explain` gets what a pass raises. `original` gives the text from which the first pass
    started, for a reproducer. With `verifying`, or TELOOM_VERIFY, the IR is verified after each
    pass that changed it, and after the first; without, after passes that are `inserted`.
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
        self.inserted = Inserted()
        self.flags = ""
        """What else `teloom-opt` is told to read the original text."""
        self.done: list[ModulePass] = []
        self._verified: list[object] = []

    def copy(self) -> Runner:
        """A runner for a clone of the module, on which the same passes have run."""
        copied = Runner(self.context, self.explain, self.original, self.verifying)
        copied.flags, copied.done = self.flags, [*self.done]
        return copied

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Runs passes in this order. Raises what `explain` makes of their exceptions.

        The exception of a faulty pass gets a note that names a reproducer.
        """
        shows = bool(prints() or debug_level())
        with without_collection():
            for number, step in enumerate(passes):
                reached(step.name, number, len(passes))
                with watched(step.name, module) if shows else nullcontext():
                    self._run(module, step)

    def _run(self, module: ModuleOp, step: ModulePass) -> None:
        with self.explained(step):
            try:
                given = step.apply(self.context, module)
            except SystemExit as error:
                said = said_with_kind(error)
                raise PassError(f"pass {step.name} ends the process: {said}") from error
            if given is not None and given is not module:
                kind = type(given).__name__
                raise PassError(f"pass {step.name} returns a {kind}; it has to change its module")
            if is_users := self.inserted.has(step):
                self.inserted.check(module, step)
            if (self.verifying or is_users) and (now := contents(module)) != self._verified:
                verify(module, f"the IR does not verify after {step.name}: ")
                self._verified = now

    @contextmanager
    def explained(self, step: ModulePass) -> Iterator[None]:
        """Explains the exceptions of a pass that runs inside."""
        self.done.append(step)
        try:
            yield
        except Exception as error:
            explained = self.explain(error, step.name)
            if explained is None and type(step).__module__.startswith("xdsl."):
                said = f"xDSL's pass fails: {said_with_kind(error)}"
                place = f"to reproduce, see {self._reproducer()}"
                explained = self.explain(PassError(f"{said}; {place}"), step.name)
            elif explained is None:
                error.add_note(f"to reproduce, see {self._reproducer()}")
            elif reproducer_folder() is not None:
                self._reproducer()
            if explained is None or explained is error:
                raise
            raise explained from error

    def _reproducer(self) -> Path:
        """Writes a reproducer: the original text, with a RUN line of all passes so far."""
        original = _DIRECTIVES.sub("", self.original())
        text = (
            f"// RUN: teloom-opt %s{self.flags} -p '{','.join(map(str, self.done))}'\n{original}\n"
        )
        name, folder, elsewhere = self.done[-1].name, reproducer_folder(), ""
        if folder is not None:
            # Where the user's folder cannot be written, the refusal itself must still be seen.
            try:
                folder.mkdir(parents=True, exist_ok=True)
                taken = [one.stem for one in folder.glob("*.mlir")]
                file = folder / f"{unused_name(name, taken)}.mlir"
                file.write_text(text)
            except OSError as error:
                elsewhere = f", as {folder} cannot be written to: {error.strerror}"
            else:
                show(f"reproducer: {file}")
                return file
        with tempfile.NamedTemporaryFile(
            "w", prefix=f"teloom-{name}-", suffix=".mlir", delete=False
        ) as opened:
            opened.write(text)
        if elsewhere:
            show(f"reproducer: {opened.name}{elsewhere}")
        return Path(opened.name)


@contextmanager
def watched(name: str, module: ModuleOp) -> Iterator[None]:
    """Shows what TELOOM_DEBUG and TELOOM_PRINT ask for of the pass that runs inside."""
    wanted = prints()
    before = str(module) if wanted else ""
    if "before" in wanted:
        show(f"IR before {name}:\n{before}")
    with timed(name):
        yield
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


@contextmanager
def compiling() -> Iterator[None]:
    """The context in which all of a compilation runs, from a user's program on.

    A program that is nested too deeply is an `Error`; a terminal shows how far it is.
    """
    with depth_checked(), without_collection(), progress_shown():
        yield


def runner_of(original: Callable[[], str]) -> Runner:
    """A runner for a Python program; `original` returns its text at level `te`.

    Its dialects are known by name: a pass of xDSL that folds constants asks for them.
    """
    return Runner(context_of(get_all_dialects()), at_users_line, original)
