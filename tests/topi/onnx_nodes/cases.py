"""The backend node tests of the ONNX package: an operator, arrays, and what has to come out."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
from budget import runs_all
from onnx.backend.test import case as onnx_cases
from onnx.backend.test.case.node import collect_testcases
from onnx.reference.ops import op_pool_common

from teloom import te

DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)


@dataclass
class NodeCase:
    """One node of ONNX, its inputs as tensors and as arrays, and its outputs as arrays.

    An input that is left out is None. `given` are the tensors that an adapter has asked for: what
    it takes as a value, such as a shape, is no input of the program.
    """

    name: str
    node: Any
    inputs: list[Any]
    outputs: list[np.ndarray]
    tolerance: tuple[float, float]
    given: dict[te.Tensor, np.ndarray] = field(default_factory=dict)
    _tensors: dict[int, te.Tensor] = field(default_factory=dict)

    @property
    def op(self) -> str:
        return self.node.op_type

    def has(self, k: int) -> bool:
        return k < len(self.inputs) and self.inputs[k] is not None

    def tensor(self, k: int) -> te.Tensor:
        """Input k, as a placeholder."""
        if k not in self._tensors:
            array = self.inputs[k]
            self._tensors[k] = te.placeholder(array.shape, str(array.dtype), f"{self.name}_{k}")
            self.given[self._tensors[k]] = array
        return self._tensors[k]

    def tensors(self) -> list[te.Tensor]:
        return [self.tensor(k) for k in range(len(self.inputs)) if self.has(k)]

    def value(self, k: int, default: Any = None) -> Any:
        """Input k, as numbers that are known when the program is made."""
        return self.inputs[k].tolist() if self.has(k) else default

    def attribute(self, name: str, default: Any = None) -> Any:
        for one in self.node.attribute:
            if one.name == name:
                value = onnx.helper.get_attribute_value(one)
                return value.decode() if isinstance(value, bytes) else value
        return default


LARGEST = 20_000
"""How many elements a case has at most that runs without TELOOM_TESTS=all."""

Adapter = Callable[[NodeCase], te.Tensor | Sequence[te.Tensor]]


def is_of_known_dtypes(case: NodeCase) -> bool:
    """Whether all of its inputs and outputs are arrays of dtypes that te has."""
    arrays = [one for one in (*case.inputs, *case.outputs) if one is not None]
    return all(isinstance(one, np.ndarray) and str(one.dtype) in DTYPES for one in arrays)


@cache
def node_cases() -> dict[str, list[NodeCase]]:
    """All cases of one node, by the type of the operator.

    Those that ONNX calls expanded are other cases again, with the operator as a graph of others.
    """
    found: dict[str, list[NodeCase]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = collected()
    for one in listed:
        if one.model is None or one.data_sets is None or "_expanded" in one.name:
            continue
        graph = one.model.graph
        if len(graph.node) != 1:
            continue
        (node,) = graph.node
        for inputs, outputs in one.data_sets:
            named = dict(zip((value.name for value in graph.input), inputs, strict=True))
            given = [as_array(named[name]) if name in named else None for name in node.input]
            wanted = [as_array(output) for output in outputs]
            name = one.name.removeprefix("test_")
            case = NodeCase(name, node, given, wanted, (one.rtol, one.atol))
            found.setdefault(node.op_type, []).append(case)
    return found


def collected() -> list[Any]:
    """What ONNX collects, without what nobody reads: expanded cases, and its own source text.

    Pools are computed in Python, which takes seconds for those that are too large to run.
    """
    pool = op_pool_common.pool

    def small_pool(
        padded: Any, x_shape: Any, kernel: Any, strides: Any, shape: Any, *more: Any, **named: Any
    ):
        result = np.broadcast_to(np.float32(0), [*x_shape[:2], *shape])
        if result.size > LARGEST and not runs_all():
            return result
        return pool(padded, x_shape, kernel, strides, shape, *more, **named)

    with (
        patch.object(op_pool_common, "pool", small_pool),
        patch.object(onnx_cases.node, "function_testcase_helper", lambda *_, **__: ([], 1)),
        patch.object(onnx_cases.base, "process_snippet", lambda *_: ("", "")),
    ):
        return collect_testcases(None)


def as_array(value: Any) -> Any:
    """An array of a scalar or a message of ONNX; a sequence of arrays, or None, as it is."""
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value
