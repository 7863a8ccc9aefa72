"""NumPy, with the matrix library that its wheels bring."""

from importlib import import_module

import numpy as np
from workloads import aligned

from libraries import Program, Runner, Task

VERSION = np.__version__

OWN = {"matmul": np.matmul, "gemv": np.matmul}
"""Functions that write into an array which is there."""


def into(name: str) -> Program:
    def prepare(task: Task) -> Runner:
        out = aligned(OWN[name](*task.inputs))
        return Runner(lambda: OWN[name](*task.inputs, out=out))

    return prepare


def of_example(name: str) -> Program:
    def prepare(task: Task) -> Runner:
        function = import_module(name).EXAMPLE.numpy
        return Runner(lambda: function(*task.inputs))

    return prepare


PROGRAMS: dict[str, Program] = {
    name: into(name) if name in OWN else of_example(name)
    for name in (
        "matmul dense gemv blur blur_integers unsharp harris conv2d depthwise softmax "
        "layer_norm row_sum six_ops attention transpose"
    ).split()
}
