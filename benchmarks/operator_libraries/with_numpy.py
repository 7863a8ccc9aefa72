"""NumPy, with the matrix library that its wheels bring."""

import numpy as np
from libraries import Program, Runner, Task
from operator_rows import ROWS, Operator

VERSION = np.__version__


def program(operator: Operator) -> Program:
    function = operator.numpy

    def prepare(task: Task) -> Runner:
        if isinstance(function, np.ufunc):
            return Runner(lambda: function(*task.inputs, out=task.result))
        return Runner(lambda: function(*task.inputs))

    return prepare


PROGRAMS: dict[str, Program] = {name: program(operator) for name, operator in ROWS.items()}
