"""Runs a lit test inside lit's own process where it can: 25 times faster than starting programs.

Understood are pipes of our tools and `filecheck`, with `not` before a tool and `2>&1` after it.
Everything else goes to lit's shell and so starts the installed programs, as does a test that
contains `// REQUIRES-PROCESS` or an option that changes xDSL for the whole process.
"""

import re
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import entry_points
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import filecheck.main
import lit.formats
import lit.ShCommands
import lit.ShUtil
import lit.Test
import lit.TestRunner
import roundtrip

CRASHED = 70
"""The exit code, in the sense of `sysexits.h`, of a command that raised instead of ending."""

_WHOLE_PROCESS = ("REQUIRES-PROCESS", "--disable-verify", "--syntax-highlight")


@dataclass
class Command:
    """One command of a pipe."""

    main: Callable[[list[str]], int | None]
    args: list[str]
    inverted: bool
    joins_stderr: bool
    reads: str | None
    writes: str | None


class TeloomFormat(lit.formats.ShTest):
    def execute(self, test, litConfig):
        text = Path(test.getSourcePath()).read_text()
        script = lit.TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, lit.Test.Result):
            return script
        folder, base = lit.TestRunner.getTempPaths(test)
        # In this process the name stands for itself, see `_program`.
        substitutions = [
            pair
            for pair in lit.TestRunner.getDefaultSubstitutions(test, folder, base)
            if pair[0] != "TELOOM_ROUNDTRIP"
        ]
        lines = lit.TestRunner.applySubstitutions(script, substitutions)
        lines = [without_debug_mark(line) for line in lines]
        wrong = misspelt_directives(text, lines)
        if wrong:
            return lit.Test.Result(lit.Test.FAIL, "\n".join(wrong))

        pipes = [pipe for line in lines if (pipe := parse_pipe(line))]
        if len(pipes) < len(lines) or any(mark in text for mark in _WHOLE_PROCESS):
            return super().execute(test, litConfig)

        Path(folder).mkdir(parents=True, exist_ok=True)
        for line, pipe in zip(lines, pipes, strict=True):
            status, report = run_pipe(pipe)
            if status != 0:
                return lit.Test.Result(lit.Test.FAIL, f"{line}\nexit code {status}\n{report}")
        return lit.Test.Result(lit.Test.PASS)


def misspelt_directives(text: str, script: list[str]) -> list[str]:
    """What looks like a directive and is none: FileCheck itself would pass over it in silence."""
    prefixes: set[str] = set()
    for line in script:
        if "filecheck" in line:
            given = re.findall(r"--check-prefix(?:es)?[= ](\S+)", line)
            prefixes.update(",".join(given or ["CHECK"]).split(","))
    check = "|".join(sorted(prefixes)) or "(?!)"
    suffix = r"(-(NEXT|SAME|DAG|NOT|EMPTY|LABEL|COUNT-\d+))?(\{LITERAL\})?"
    known = re.compile(
        rf"(({check}){suffix}|RUN|REQUIRES|UNSUPPORTED|XFAIL|ALLOW_RETRIES|COM|END|DEFINE|REQUIRES-PROCESS):"
    )
    wrong: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        directive = re.search(r"//\s*([A-Z][A-Z0-9_]*(-[A-Z0-9]+)*(\{LITERAL\})?\s*:)", line)
        if directive and not known.fullmatch(directive[1]):
            wrong.append(f"line {number}: '{directive[1]}' is no directive of this test")
        elif re.search(rf"//\s*({check}){suffix}\s", line):
            wrong.append(f"line {number}: the check has no colon")
    return wrong


def parse_pipe(line: str) -> list[Command] | None:
    """The commands of a line, or None if lit's shell has to run it."""
    try:
        parsed = lit.ShUtil.ShParser(line, pipefail=True).parse()
    except ValueError:
        return None
    if not isinstance(parsed, lit.ShCommands.Pipeline) or parsed.negate:
        return None
    commands = [_command(command.args, command.redirects) for command in parsed.commands]
    understood = [command for command in commands if command is not None]
    return understood if len(understood) == len(commands) else None


def _command(words: list[str], redirects: list) -> Command | None:
    inverted = words[0] == "not"
    name, *args = words[inverted:]
    main = _program(name)
    targets = {_REDIRECTS.get(kind): target for kind, target in redirects}
    if main is None or None in targets or not all(isinstance(arg, str) for arg in args):
        return None
    return Command(
        main, args, inverted, targets.get("join") == "1", targets.get("read"), targets.get("write")
    )


_REDIRECTS = {(">&", 2): "join", ("<",): "read", (">",): "write"}


def _program(name: str) -> Callable[[list[str]], int | None] | None:
    if name == "TELOOM_ROUNDTRIP":
        return roundtrip.main
    if name == "filecheck":
        return lambda args: filecheck.main.main([name, *args])
    # lit's shell says of any other name that there is no such command.
    return _TOOLS[name].load() if name in _TOOLS else None


_TOOLS = {
    tool.name: tool
    for tool in entry_points(group="console_scripts")
    if tool.value.startswith("teloom.")
}


def run_pipe(pipe: list[Command]) -> tuple[int, str]:
    """The first exit code that is not 0, else 0, and what a terminal would show."""
    said: list[str] = []
    status = 0
    piped = ""
    for command in pipe:
        output = StringIO()
        errors = output if command.joins_stderr else StringIO()
        with ExitStack() as stack:
            stack.enter_context(redirect_stdout(output))
            stack.enter_context(redirect_stderr(errors))
            stack.callback(setattr, sys, "stdin", sys.stdin)
            source = Path(command.reads).read_text() if command.reads else piped
            sys.stdin = TextIOWrapper(BytesIO(source.encode()), encoding="utf-8")
            status = _run(command)
        piped = output.getvalue()
        if command.writes:
            Path(command.writes).write_text(piped)
            piped = ""
        if errors is not output:
            said.append(errors.getvalue())
        if command.inverted:
            # 1 is a mistake that was reported; all others are faults, which no test expects.
            status = {1: 0, 0: 1}.get(status, status)
        if status != 0:
            break
    return status, "".join([*said, piped])


def _run(command: Command) -> int:
    try:
        return command.main(command.args) or 0
    except SystemExit as exit:
        if isinstance(exit.code, str):
            print(exit.code, file=sys.stderr)
            return 1
        return exit.code or 0
    except Exception:
        traceback.print_exc()
        return CRASHED


def without_debug_mark(line: str) -> str:
    mark = re.fullmatch(lit.TestRunner.kPdbgRegex, line)
    return mark[2] if mark else line
