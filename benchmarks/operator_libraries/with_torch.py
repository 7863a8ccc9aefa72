"""PyTorch, without gradients."""

import torch
from libraries import Program, Runner, Task
from operator_rows import ROWS, Operator

VERSION = torch.__version__


def program(operator: Operator) -> Program:
    function = operator.torch
    assert function is not None

    def prepare(task: Task) -> Runner:
        torch.set_num_threads(task.threads)
        tensors = [*map(torch.from_numpy, task.inputs)]

        def once():
            with torch.inference_mode():
                return function(torch, *tensors)

        return Runner(once, lambda result: result.numpy())

    return prepare


PROGRAMS: dict[str, Program] = {
    name: program(operator) for name, operator in ROWS.items() if operator.torch is not None
}
