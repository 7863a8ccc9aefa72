"""onnxruntime: an operator as a graph of one node, whose result is an array that is there."""

from libraries import Program, Runner, Task
from libraries.with_onnxruntime import VERSION, graph, node
from operator_rows import ROWS, Operator

__all__ = ["PROGRAMS", "VERSION"]


def program(operator: Operator) -> Program:
    assert operator.onnx is not None
    kind, attributes = operator.onnx

    def prepare(task: Task) -> Runner:
        arrays = {f"in{number}": array for number, array in enumerate(task.inputs)}
        constants = {name: arrays.pop(name) for name in [f"in{k}" for k in operator.constants]}
        names = [f"in{number}" for number in range(len(task.inputs))]
        for number, array in enumerate(operator.extra):
            names.append(f"extra{number}")
            constants[names[-1]] = array
        made = node(kind, *names, **attributes)
        made.output.extend(f"unused{number}" for number in range(1, operator.outputs))
        run, result = graph([made], arrays, constants, task.threads)
        return Runner(run, lambda _: result())

    return prepare


PROGRAMS: dict[str, Program] = {
    name: program(operator) for name, operator in ROWS.items() if operator.onnx is not None
}
