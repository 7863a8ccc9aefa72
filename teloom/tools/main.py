"""`teloom`: the command with subcommands for newcomers."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from teloom import __version__
from teloom.driver.diagnostics import Mistake, one_line_warnings
from teloom.errors import Error, depth_checked
from teloom.tools import demo, maps, memory, target

COMMANDS = {"demo": demo, "maps": maps, "memory": memory, "target": target}
"""Subcommand -> its module, with `HELP`, `add_arguments` and `run`."""


class _Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line, with exit code 1."""

    def error(self, message: str) -> NoReturn:
        raise SystemExit(f"{self.prog}: error: {message}")


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = _Parser(
        prog="teloom",
        description="A tensor compiler: tensor expressions and schedules to machine code.",
        epilog="See also: teloom-opt --help (passes on IR), teloom-run --help (runs IR).",
    )
    top.add_argument("--version", action="version", version=f"teloom {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, module in COMMANDS.items():
        module.add_arguments(
            commands.add_parser(
                name,
                help=module.HELP,
                description=module.__doc__,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool with these arguments, or those of the command line; returns its exit code."""
    top = parser()
    options = top.parse_args(arguments)
    if options.command is None:
        top.print_help()
        return 0
    try:
        with one_line_warnings(f"teloom {options.command}"), depth_checked():
            COMMANDS[options.command].run(options)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 1
    except Error as error:
        print(f"teloom {options.command}: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output is gone
        sys.stdout = None
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
