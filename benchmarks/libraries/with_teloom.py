"""Teloom: the programs of `examples/`, of known sizes, for this machine."""

from importlib import import_module

from example import HERE  # pyright: ignore[reportMissingImports]

import teloom
from libraries import Program, Runner, Task
from teloom import te

VERSION = teloom.__version__

NAMES = (
    "matmul dense gemv blur blur_integers unsharp harris conv2d depthwise softmax "
    "layer_norm row_sum six_ops attention transpose"
).split()


def of_example(name: str, known: bool) -> Program:
    """`known`: the program is compiled for these sizes, not for any."""

    def prepare(task: Task) -> Runner:
        example = import_module(name).EXAMPLE
        sizes = task.sizes
        if not known:
            sizes = [te.size_var(f"n{number}") for number in range(len(sizes))]
        run = teloom.build(*example.program(*sizes), HERE)
        expected = example.numpy(*task.inputs)
        result = teloom.zeros(expected.shape, expected.dtype)
        return Runner(lambda: run(*task.inputs, result), lambda _: result)

    return prepare


PROGRAMS: dict[str, Program] = {name: of_example(name, known=True) for name in NAMES}
