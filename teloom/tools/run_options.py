"""The options of `teloom-run`."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

from teloom import __version__
from teloom.driver.schedule_file import SCHEDULE_HELP
from teloom.errors import did_you_mean
from teloom.tools.target import CPU_HELP

DESCRIPTION = """\
Compiles a function of an IR file, from whatever level it is at, and runs it.

A te.func runs with the schedule that stands beside it. Arguments and sizes go by their names
in the file; results by theirs. Sizes follow from the shapes of given arrays where they can.
Functions of upstream MLIR's linalg, affine and scf, on tensors or on buffers of any number of
axes, run too: open extents are sizes such as A.d0, what a func.func returns is called result.
Machine code without a te.signature does not say shapes: there all arrays must be given,
results too."""

EXAMPLES = """\
examples:
  teloom-run mm.mlir --entry mm --size n=64 m=64 k=64 --random 0
  teloom-run mm.mlir --entry mm --input A=a.npy B=b.npy --output C=c.npy
  teloom-run mm.mlir --entry mm --size n=65 m=33 k=7 --random 0 --compare --time 10"""


def parse_options(argv: Sequence[str] | None) -> argparse.Namespace:
    """The converted options; ends the process if they are wrong."""
    parser = argparse.ArgumentParser(
        "teloom-run",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_options(parser)
    flags = [flag for action in parser._actions for flag in action.option_strings]

    def refuse(message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ")
        hint = did_you_mean(unknown.split()[0], flags) if unknown != message else ""
        raise SystemExit(f"teloom-run: error: {message}{hint}")

    parser.error = refuse
    options = parser.parse_args(argv)
    if options.interpret and options.compare:
        parser.error("--compare compares compiled code with the interpreter's; drop --interpret")
    if options.interpret and options.sanitize:
        parser.error("--sanitize checks machine code, and --interpret makes none; drop one of them")
    return options


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options, in the order of the help."""
    add = parser.add_argument

    def add_pairs(flag: str, metavar: str, convert: Callable[[str], object], help: str) -> None:
        add(
            flag,
            nargs="+",
            action=Pairs,
            default={},
            metavar=metavar,
            type=partial(_pair, flag, metavar, convert),
            help=help,
        )

    add("--version", action="version", version=f"teloom-run {__version__}")
    add("file", metavar="FILE", help="IR in text form; - is standard input")
    add(
        "--entry",
        metavar="NAME",
        help="the function to run, by default the one no other calls",
    )

    add_pairs("--size", "n=17", _count, "the value of a size")
    add_pairs("--input", "A=a.npy", str, "an argument from a file")
    add(
        "--random",
        metavar="SEED",
        type=_count,
        help="draw inputs that are not given: floats from -1..1, integers from 0..9",
    )
    add_pairs("--output", "C=c.npy", str, "store a result in a file")
    add("--interpret", action="store_true", help="interpret a te.func instead of compiling it")
    add(
        "--compare",
        action="store_true",
        help="compare with what the interpreter gives for a te.func; the exit code is 1 if they "
        "differ: integers at all, floats by more than 1e-5 (float64: 1e-12, float16: 1e-2, "
        "bfloat16: 1e-1) of the largest result",
    )
    add(
        "--sanitize",
        metavar="memory",
        help="run with a check first that every access to memory finds the element that it means",
    )
    add("--cpu", metavar="NAME", help=CPU_HELP)
    add("--schedule", metavar="SCHEDULE", help=SCHEDULE_HELP)
    add_pairs("--parameter", "tile=16", _integer, "a parameter of the schedule")
    add(
        "--time", metavar="N", type=_positive, help="time N further runs, and print best and median"
    )
    add(
        "--print",
        action="store_true",
        help="print the results; done anyway if they are not stored, compared or timed",
    )


class Pairs(argparse.Action):
    """Collects NAME=VALUE pairs in a dictionary."""

    def __call__(self, parser, namespace, values, option_string=None):
        pairs = dict(getattr(namespace, self.dest))
        for name, value in values or ():
            if name in pairs:
                parser.error(f"argument {option_string}: {name} is given twice")
            pairs[name] = value
        setattr(namespace, self.dest, pairs)


def _pair(flag: str, example: str, convert: Callable[[str], object], text: str):
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form {example}")
    return name.removeprefix("%"), convert(value)


def parse_size(text: str) -> tuple[str, object]:
    """Parses `n=17` into a name and a number."""
    return _pair("--size", "n=17", _count, text)


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not an integer") from None


def _count(text: str) -> int:
    count = _integer(text)
    if count < 0:
        raise argparse.ArgumentTypeError(f"{count} is negative")
    if count >= 2**63:
        raise argparse.ArgumentTypeError(f"{count} does not fit 64 bits")
    return count


def _positive(text: str) -> int:
    count = _count(text)
    if count == 0:
        raise argparse.ArgumentTypeError("0 runs have no time")
    return count
