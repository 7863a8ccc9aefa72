"""The texts of a program at every level, and the file that they are kept in."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lit_format import parse_pipe, run_pipe
from replay.corpus import Program
from xdsl.context import Context
from xdsl.utils.exceptions import ParseError, VerifyException

from teloom.driver.lowering import Lowering, Steps
from teloom.driver.reading.parsed_text import parsed
from teloom.driver.runner import Runner
from teloom.errors import Error, Remark
from teloom.passes.pipelines import LEVELS


class Record(NamedTuple):
    """A program, and by level its text, or what is said of it where it is refused."""

    program: Program
    texts: dict[str, str]


def made(programs: Sequence[Program], jobs: int) -> list[Record]:
    """The records of programs, in their order."""
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(_record, programs, chunksize=16)


def written(file: Path, records: Sequence[Record]) -> None:
    """Writes records into a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(file, "wt", compresslevel=3) as out:
        for program, texts in records:
            print(json.dumps([program, texts]), file=out)


def read(file: Path) -> list[Record]:
    """The records of a file."""
    with gzip.open(file, "rt") as lines:
        return [Record(Program(*program), texts) for program, texts in map(json.loads, lines)]


def _record(program: Program) -> Record:
    texts = _printed(program) if program.commands else dict(_lowered(program))
    return Record(program, texts)


def _lowered(program: Program) -> Iterator[tuple[str, str]]:
    """Every level down to where the program is refused, with the remarks on the way there."""
    try:
        module = parsed(program.text, program.name)
        module.verify()
    except (ParseError, VerifyException) as error:
        yield "te", f"refused: {error}"
        return
    yield "te", str(module)
    lowering = Lowering(Runner(Context(), lambda error, name: error, str), Steps(program.options))
    for level in list(LEVELS)[1:]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", Remark)
            try:
                lowering.bring(module, level, level)
                text = str(module)
            except (Error, VerifyException) as error:
                text = f"refused: {error}"
        remarks = [f"remark: {one.message}" for one in said]
        yield level, "\n".join([*remarks, text])
        if text.startswith("refused"):
            return


def _printed(program: Program) -> dict[str, str]:
    """What the commands of a test on textual IR print."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / Path(program.name).name
        file.write_text(program.text)
        lines = [
            line.replace("%s", str(file)).replace("%t", str(file) + ".out")
            for line in program.commands
        ]
        pipes = {line: pipe for line in lines if (pipe := parse_pipe(line)) is not None}
        found = {line: "exit code {}\n{}".format(*run_pipe(pipe)) for line, pipe in pipes.items()}
        return {line.replace(folder, ""): text.replace(folder, "") for line, text in found.items()}
