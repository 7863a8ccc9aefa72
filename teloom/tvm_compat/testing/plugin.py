"""`tvm.testing.plugin`, for pytest: `target`, `dev` and sets of parameters of TVM's tests."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from teloom.tvm_compat.runtime import enabled
from teloom.tvm_compat.runtime.device import Device, device
from teloom.tvm_compat.testing.marks import OneOfSet, targets_of


def pytest_generate_tests(metafunc: Any) -> None:
    """Runs a test for each of its targets, and for each set of its parameters."""
    if "target" in metafunc.fixturenames and not _has_parameter(metafunc, "target"):
        said = targets_of(metafunc.function, metafunc.cls)
        cases = [
            pytest.param(one, marks=[pytest.mark.xfail] if one in said.failing else [], id=one)
            for one in said.there
        ]
        metafunc.parametrize("target", cases, scope="session")
    sets: defaultdict[Any, dict[str, OneOfSet]] = defaultdict(dict)
    for name in metafunc.fixturenames:
        one = getattr(metafunc.cls, name, None) or getattr(metafunc.module, name, None)
        if isinstance(one, OneOfSet) and not _has_parameter(metafunc, name):
            sets[id(one.sets)][name] = one
    for named in sets.values():
        first = next(iter(named.values()))
        rows = [[row[one.place] for one in named.values()] for row in first.sets]
        metafunc.parametrize([*named], rows, ids=first.ids)


def _has_parameter(metafunc: Any, name: str) -> bool:
    """Whether the test says the values of a parameter itself."""
    given = metafunc.definition.iter_markers("parametrize")
    return any(name in str(mark.args[0]).replace(",", " ").split() for mark in given)


@pytest.fixture
def dev(target: Any) -> Device:
    """The device of a target; a test of one for which there is no code is skipped."""
    if not enabled(target):
        pytest.skip(f"there is no code for {target}")
    return device(target)
