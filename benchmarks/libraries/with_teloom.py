"""Teloom: the programs of `examples/`, of known sizes, for this machine."""

from importlib import import_module

import workloads

import teloom
from libraries import Program, Runner, Task
from teloom import te

VERSION = teloom.__version__


def of_example(name: str, known: bool) -> Program:
    """`known`: the program is compiled for these sizes, not for any."""

    def prepare(task: Task) -> Runner:
        example = import_module(name).EXAMPLE
        sizes = task.sizes
        if not known:
            sizes = [te.size_var(f"n{number}") for number in range(len(sizes))]
        run = example.build(*sizes)
        return Runner(lambda: run(*task.inputs, task.result), lambda _: task.result)

    return prepare


PROGRAMS: dict[str, Program] = {name: of_example(name, known=True) for name in workloads.PROGRAMS}
