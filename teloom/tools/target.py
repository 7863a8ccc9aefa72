"""Describes a CPU: its vectors, caches, and instructions.

Without a name, it describes the CPU of this machine.
"""

import argparse

from teloom.backend.machine.cpus import NAMES, NATIVE, target

HELP = "what is known of a CPU"

CPU_HELP = f"the CPU that the program is for: {', '.join(NAMES)}; any, if it is left out"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `teloom target`."""
    parser.add_argument(
        "name", nargs="?", default=NATIVE, metavar="NAME", help=f"one of {', '.join(NAMES)}"
    )


def run(options: argparse.Namespace) -> None:
    """Prints the description."""
    print(target(options.name))
