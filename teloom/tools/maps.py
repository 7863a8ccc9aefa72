"""Prints a scheduled function as isl sets and maps, in Tiramisu's four layers.

What is computed, when, what is read and written where, and what runs at the same time. The file has
equations with a sequence of commands, or stages; ranges of these that are written count.
"""

import argparse

from teloom.analysis.stages.queries import all_stages
from teloom.dialects import te
from teloom.driver.entry import function_of
from teloom.driver.lowering import configured
from teloom.driver.reading.source_file import SourceFile
from teloom.frontend.report.layers import layers_of

HELP = "when a scheduled function computes what, as isl sets and maps"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `teloom maps`."""
    parser.add_argument("file", metavar="FILE", help="IR in text form; - is standard input")
    parser.add_argument("--entry", metavar="NAME", help="the function, by default the only one")


def run(options: argparse.Namespace) -> None:
    """Prints the layers. What `check-schedule` would refuse has maps, too."""
    source = SourceFile(options.file)
    runner, module = source.runner(), source.module
    runner.run(module, [configured("expand-sequences"), configured("apply-schedule")])
    func = function_of(module, te.FuncOp, options.entry)
    if not all(stage.ranges for stage in all_stages(func) if stage.root_axes):
        runner.run(module, [configured("infer-bounds")])
    print(layers_of(func))
