"""Reports the memory of the buffers of a function, before and after they share it.

The file may be of level memref or above. Sizes that are not given stay expressions.
"""

import argparse

from teloom.backend.machine.cpus import target
from teloom.driver.lowering import Lowering
from teloom.driver.memory_sharing import memory_before_and_after
from teloom.driver.reading.source_file import SourceFile
from teloom.tools.run_options import Pairs, parse_size
from teloom.tools.target import CPU_HELP

HELP = "what memory the buffers of a function take"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `teloom memory`."""
    parser.add_argument("file", metavar="FILE", help="IR in text form; - is standard input")
    parser.add_argument("--entry", metavar="NAME", help="the function, by default the only one")
    parser.add_argument(
        "--size",
        nargs="+",
        action=Pairs,
        default={},
        metavar="n=17",
        type=parse_size,
        help="values of sizes",
    )
    parser.add_argument("--cpu", metavar="NAME", help=CPU_HELP)
    parser.add_argument(
        "--format", choices=("text", "json", "svg"), default="text", help="what to print"
    )


def run(options: argparse.Namespace) -> None:
    """Prints the report."""
    source = SourceFile(options.file)
    if options.cpu is not None:
        source.change(target(options.cpu).put)
    lowering = Lowering(source.runner())
    report = memory_before_and_after(source.module, options.size, options.entry, lowering)
    match options.format:
        case "json":
            print(report.json())
        case "svg":
            print(report.svg())
        case _:
            print(report)
