"""Teloom: the programs of `examples/`, each compiled once for all sizes."""

import workloads

from libraries import Program
from libraries.with_teloom import VERSION, of_example

__all__ = ["PROGRAMS", "VERSION"]

PROGRAMS: dict[str, Program] = {name: of_example(name, known=False) for name in workloads.PROGRAMS}
