"""NumPy, with the matrix library that its wheels bring."""

from importlib import import_module

import numpy as np
import workloads

from libraries import Program, Runner, Task

VERSION = np.__version__

OWN = {"matmul": np.matmul, "gemv": np.matmul}
"""Functions that write into an array which is there."""


def into(name: str) -> Program:
    def prepare(task: Task) -> Runner:
        return Runner(lambda: OWN[name](*task.inputs, out=task.result))

    return prepare


def of_example(name: str) -> Program:
    def prepare(task: Task) -> Runner:
        function = import_module(name).EXAMPLE.numpy
        return Runner(lambda: function(*task.inputs))

    return prepare


PROGRAMS: dict[str, Program] = {
    name: into(name) if name in OWN else of_example(name) for name in workloads.PROGRAMS
}
