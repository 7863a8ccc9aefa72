"""`teloom-translate`: turns IR of any level into a source or into code."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from teloom import __version__
from teloom.backend.c.source import VECTOR_FORMS
from teloom.backend.machine.cpus import target
from teloom.driver.diagnostics import Mistake
from teloom.driver.lowering import Lowering
from teloom.driver.reading.source_file import SourceFile
from teloom.driver.schedule_file import SCHEDULE_HELP, put_schedule
from teloom.driver.translate.c_code import C_OPTIONS, MATH
from teloom.driver.translate.targets import TRANSLATIONS, translated
from teloom.errors import Error, PassError, did_you_mean
from teloom.tools.exit_code import OneLineParser, telling_mistakes
from teloom.tools.target import CPU_HELP

PROGRAM = "teloom-translate"


def _kind(text: str) -> str:
    if text in TRANSLATIONS:
        return text
    hint = did_you_mean(text, TRANSLATIONS) or f"; there are: {', '.join(TRANSLATIONS)}"
    raise argparse.ArgumentTypeError(f"there is no {text!r}{hint}")


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    kinds = "\n".join(f"  {name:<8} {kind.what}" for name, kind in TRANSLATIONS.items())
    found = OneLineParser(
        prog=PROGRAM,
        description="Turns IR of any level into a source or into code.",
        epilog=f"what --to may name:\n{kinds}\n\nexample:\n  {PROGRAM} blur.mlir --to c -o blur.c",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    found.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="IR; standard input if it is left out"
    )
    found.add_argument("--to", required=True, type=_kind, metavar="KIND", help="see below")
    found.add_argument(
        "-o", dest="output", metavar="FILE", help="where to write it; else standard output"
    )
    found.add_argument("--cpu", metavar="NAME", help=CPU_HELP)
    found.add_argument("--schedule", metavar="FILE", help=SCHEDULE_HELP)
    found.add_argument(
        "--vectors",
        choices=VECTOR_FORMS,
        help="of --to c: vectors of GCC and Clang (the default), or loops over lanes",
    )
    found.add_argument(
        "--math",
        choices=MATH,
        help="of --to c: elementary functions are those of <math.h> (the default), or formulas",
    )
    return found


def translate(options: argparse.Namespace) -> str | bytes:
    """The result that the options ask for."""
    source = SourceFile(options.file)
    if options.cpu is not None:
        source.change(target(options.cpu).put)
    if options.schedule:
        source.change(partial(put_schedule, path=options.schedule))
    said = {name: getattr(options, name) for name in C_OPTIONS}
    given = {name: value for name, value in said.items() if value is not None}
    try:
        return translated(source.module, options.to, Lowering(source.runner()), given)
    except PassError as error:
        raise source.mistake(error, error.op) from error


def write(result: str | bytes, path: str | None) -> None:
    """Writes a result to a file, or to standard output."""
    if path is None:
        sys.stdout.flush()
        if isinstance(result, str):
            sys.stdout.write(result)
        elif sys.stdout.isatty():
            raise Error("this is code, and standard output a terminal: -o FILE says where it goes")
        else:
            sys.stdout.buffer.write(result)
            sys.stdout.buffer.flush()
        return
    data = result.encode() if isinstance(result, str) else result
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise Mistake(path, 1, 1, f"cannot be written: {error.strerror}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool with these arguments, or those of the command line; returns its exit code."""
    options = parser().parse_args(arguments)
    with telling_mistakes(PROGRAM) as end:
        write(translate(options), options.output)
        end.code = 0
    return end.code


if __name__ == "__main__":
    sys.exit(main())
