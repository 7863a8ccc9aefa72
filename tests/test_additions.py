"""Everything has the tests that README.md says a new op, pass and schedule primitive brings.

`test_docstrings.py` runs the example of each op and pass, `passes/test_lists.py` compares names
with files. Here is asked for the files that show it in text, and for what refuses it.
"""

import pkgutil
import re
from functools import cache
from pathlib import Path

from standard_kernels import parse
from test_docstrings import REFUSED, documentation, our_operations
from xdsl.ir import Operation

from teloom.dialects.schedule.relations import CommandOp
from teloom.passes import get_all_passes
from teloom.passes.schedule import primitives
from teloom.passes.schedule.primitives import PRIMITIVES

TESTS = Path(__file__).parent
OWN_DIALECTS = ("te", "schedule", "loop", "shadow")
"""Ops of these have a refusal in text; of the ops added to others, xDSL checks the types."""

REFUSE_NOTHING = {
    "align-accesses": "says what is known of addresses, or nothing",
    "allocate-early": "leaves what it cannot move",
    "buffer-reuse": "leaves what it cannot prove",
    "correct-dots": "leaves what lower-loops corrects by itself",
    "forward-inits": "leaves reads that may find what is written",
    "multiply-tiles": "leaves what is no product of matrices",
    "narrow-loops": "leaves what is no bound",
    "outline-nests": "leaves what it does not know",
    "stream-stores": "leaves what does not begin on a boundary",
    "reserve-memory": "leaves what has no largest size",
}
"""Passes for which all is well, with the reason."""


def assert_none(missing: list[str]) -> None:
    assert not missing, "\n".join(missing)


@cache
def read_back(dialect: str) -> set[str]:
    """The names of the ops in the text that is read back for a dialect."""
    parts = (TESTS / "dialects" / f"{dialect}.mlir").read_text().split("// -----")
    return {op.name for part in parts for op in parse(part).walk()}


def test_every_op_is_read_back():
    assert_none(
        [
            f"nothing reads {op.name} back: add it to tests/dialects/{op.dialect_name()}.mlir"
            for op in our_operations()
            if op.name not in read_back(op.dialect_name())
        ]
    )


def test_every_op_is_refused():
    assert_none(
        [
            f"no test refuses {op.name}: add a part to tests/{refusals_of(op)}"
            + (f", or tests/passes/{of_command(op)}-refuses.mlir" if op in PRIMITIVES else "")
            for op in our_operations()
            if op.dialect_name() in OWN_DIALECTS
            and not re.search(rf"{re.escape(op.name)}\b", (TESTS / refusals_of(op)).read_text())
            and not files_of_command(op, "-refuses")
        ]
    )


def refusals_of(op: type[Operation]) -> str:
    """The file with what is refused of an op's dialect."""
    return f"dialects/{op.dialect_name()}-invalid.mlir"


def test_every_pass_is_shown_in_text():
    assert_none(
        [
            f"no test on text runs {name}: add tests/passes/{name}-WHAT_IT_SHOWS.mlir"
            for name in get_all_passes()
            if not [*(TESTS / "passes").glob(f"{name}*.mlir")]
        ]
    )


def test_every_pass_says_what_it_refuses():
    assert_none(
        [
            f"the docstring of {name} shows no refusal: add `Refused:` to it, as "
            "tests/test_docstrings.py says, or a reason to REFUSE_NOTHING"
            for name, factory in get_all_passes().items()
            if not REFUSED.search(documentation(factory())) and name not in REFUSE_NOTHING
        ]
    )


def of_command(op: type[Operation]) -> str:
    """How the files of tests of a command begin."""
    return "apply-schedule-" + op.name.partition(".")[2].replace("_", "-")


def files_of_command(op: type[Operation], suffix: str) -> list[Path]:
    """Of the command's name, or of that of the file with the pattern, which may be of several."""
    if op not in PRIMITIVES:
        return []
    file = PRIMITIVES[op].__module__.rpartition(".")[2].replace("_", "-")
    starts = of_command(op), f"apply-schedule-{file}"
    return [path for name in starts for path in (TESTS / "passes").glob(f"{name}{suffix}.mlir")]


def test_every_command_is_carried_out_in_a_test():
    assert_none(
        [
            f"no test carries out {op.name}: add tests/passes/{of_command(op)}.mlir"
            for op in PRIMITIVES
            if not files_of_command(op, "")
        ]
    )


def test_every_command_has_a_pattern():
    assert_none(
        [
            f"nothing carries out {op.name}: add a pattern in a file of "
            "teloom/passes/schedule/primitives"
            for op in our_operations()
            if issubclass(op, CommandOp) and op not in PRIMITIVES
        ]
    )


def test_every_file_of_primitives_has_a_pattern():
    files = {module.name for module in pkgutil.iter_modules(primitives.__path__)}
    used = {pattern.__module__.rpartition(".")[2] for pattern in PRIMITIVES.values()}
    assert files == used, f"no command is carried out by what is in {', '.join(files - used)}"
