"""`teloom`: the command with subcommands for newcomers."""

import argparse
import sys
from collections.abc import Sequence

from teloom import __version__
from teloom.tools import demo, maps, memory, target
from teloom.tools.exit_code import OneLineParser, telling_mistakes

COMMANDS = {"demo": demo, "maps": maps, "memory": memory, "target": target}
"""Subcommand -> its module, with `HELP`, `add_arguments` and `run`."""


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = OneLineParser(
        prog="teloom",
        description="A tensor compiler: tensor expressions and schedules to machine code.",
        epilog="See also, each with --help: teloom-opt (passes on IR), teloom-run (runs IR), "
        "teloom-translate (IR to sources and code).",
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
    with telling_mistakes(f"teloom {options.command}") as end:
        COMMANDS[options.command].run(options)
        end.code = 0
    return end.code


if __name__ == "__main__":
    sys.exit(main())
