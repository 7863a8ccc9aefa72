"""ONNX's own backend node tests, run by the operators of topi.

The cases of an operator are one program, as are those of several operators of one case. With
TELOOM_TESTS=all they are all of ONNX's; else one or two.
"""

import numpy as np
import pytest
from budget import few, runs_all
from topi.conftest import compiled
from topi.onnx_nodes.cases import LARGEST, Adapter, NodeCase, is_of_known_dtypes, node_cases
from topi.onnx_nodes.elementwise import ELEMENTWISE
from topi.onnx_nodes.folds import FOLDS
from topi.onnx_nodes.images import IMAGES
from topi.onnx_nodes.layers import LAYERS
from topi.onnx_nodes.networks import NETWORKS
from topi.onnx_nodes.positions import POSITIONS
from topi.onnx_nodes.shapes import SHAPES
from topi.onnx_nodes.unmapped import ABSOLUTE, CASES, OUTPUTS, UNMAPPED

from teloom import te, topi

TABLES = (ELEMENTWISE, FOLDS, SHAPES, POSITIONS, NETWORKS, LAYERS, IMAGES)
ADAPTERS = {op: adapter for table in TABLES for op, adapter in table.items()}

SIMPLE = ELEMENTWISE | FOLDS | SHAPES
"""Those of which one case runs without TELOOM_TESTS=all: tests of topi's own have the others."""


def programs() -> list[list[str]]:
    """The operators of each program."""
    simple = sorted(SIMPLE)
    each = 1 if runs_all() else 8
    together = [simple[begin : begin + each] for begin in range(0, len(simple), each)]
    return [*together, *([op] for op in sorted(ADAPTERS.keys() - SIMPLE.keys()))]


def cases_of(op: str) -> list[NodeCase]:
    """Those that run: of dtypes that te has, and not listed with a reason."""
    cases = [
        case for case in node_cases()[op] if is_of_known_dtypes(case) and case.name not in CASES
    ]
    if runs_all():
        return cases
    small = [case for case in cases if max(map(np.size, case.outputs)) <= LARGEST]
    return small[-1:] if op in SIMPLE or len(small) == 1 else few(small, 2)


def outputs_of(adapter: Adapter, case: NodeCase) -> list[te.Tensor]:
    found = adapter(case)
    listed = [found] if isinstance(found, te.Tensor) else [*found]
    assert len(listed) == OUTPUTS.get(case.op, len(case.outputs)), case.name
    return [topi.identity(one) if one in case.given else one for one in listed]


def check(case: NodeCase, found: np.ndarray, wanted: np.ndarray) -> None:
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), case.name
    if wanted.dtype.kind in "biu":
        np.testing.assert_array_equal(found, wanted, err_msg=case.name)
    else:
        relative, absolute = case.tolerance
        both = found.astype("float64"), wanted.astype("float64")
        absolute = max(absolute, ABSOLUTE.get(case.op, 0))
        np.testing.assert_allclose(*both, relative, absolute, err_msg=case.name)


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
@pytest.mark.parametrize("ops", programs(), ids=",".join)
def test_operators(ops):
    assert all(map(cases_of, ops))
    cases = [case for op in ops for case in cases_of(op)]
    outputs = [outputs_of(ADAPTERS[case.op], case) for case in cases]
    given = {tensor: array for case in cases for tensor, array in case.given.items()}
    run = compiled([*given], [one for listed in outputs for one in listed])
    pairs = [
        (case, wanted)
        for case, listed in zip(cases, outputs, strict=True)
        for wanted in case.outputs[: len(listed)]
    ]
    results = run([*given.values()], [wanted.shape for _, wanted in pairs])
    for (case, wanted), found in zip(pairs, results, strict=True):
        check(case, found, wanted)


def test_every_operator_runs_or_has_a_reason():
    assert not {*ADAPTERS} & {*UNMAPPED}
    assert {*ADAPTERS} | {*UNMAPPED} == {*node_cases()}
    assert sum(map(len, TABLES)) == len(ADAPTERS)


def test_every_case_with_a_reason_is_one_of_an_operator_that_runs():
    assert {*CASES} <= {case.name for op in ADAPTERS for case in node_cases()[op]}
