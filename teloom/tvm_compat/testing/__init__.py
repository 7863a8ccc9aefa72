"""`tvm.testing`: comparisons of arrays, the targets of tests, and their marks for pytest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from teloom.tvm_compat.ir import structural_equal
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.runtime import enabled as device_enabled
from teloom.tvm_compat.runtime.device import Device, cpu
from teloom.tvm_compat.testing.marks import (
    exclude_targets,
    fixture,
    known_failing_targets,
    main,
    parameter,
    parameters,
    parametrize_targets,
    requires_feature,
)

__all__ = [
    "assert_allclose",
    "assert_prim_expr_equal",
    "check_numerical_grads",
    "device_enabled",
    "enabled_targets",
    "exclude_targets",
    "fixture",
    "known_failing_targets",
    "main",
    "parameter",
    "parameters",
    "parametrize_targets",
]


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7) -> None:
    """Raises an AssertionError unless arrays of one shape are close, as NumPy's function does.

    Source: TVM's testing.assert_allclose.

    >>> assert_allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    """
    found, wanted = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(found.shape, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, verbose=True)


def assert_prim_expr_equal(lhs: Any, rhs: Any) -> None:
    """Raises an AssertionError unless two expressions are the same operations.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> assert_prim_expr_equal(n + 1, n + 1)
    """
    assert structural_equal(lhs, rhs), f"{lhs} and {rhs} are not equal"


def check_numerical_grads(
    function: Callable[..., Any],
    input_values: Sequence[Any] | Mapping[str, Any],
    grad_values: Sequence[Any] | Mapping[str, Any],
    function_value: Any = None,
    delta: float = 1e-3,
    atol: float = 1e-2,
    rtol: float = 0.1,
) -> None:
    """Raises an AssertionError unless gradients are near the differences of a function.

    `function` takes the inputs, by position or of a dict by name, and gives one number. Those are
    compared that have a gradient. The norm of its errors may be `atol` for the root of its
    elements, and `rtol` times its norm. Source: TVM's testing.check_numerical_grads.

    >>> check_numerical_grads(lambda x: (x * x).sum(), [np.array([1.0, 2.0])], [[2.0, 4.0]])
    """
    by_name = isinstance(input_values, Mapping)
    given = {name: np.array(value) for name, value in _numbered(input_values).items()}
    gradients = _numbered(grad_values)

    def value() -> float:
        return float(function(**given) if by_name else function(*given.values()))

    for name, gradient in gradients.items():
        array = given[name]
        found = np.empty(array.shape)
        for at in np.ndindex(array.shape):
            before = array[at]
            ends = []
            for step in (delta, -delta):
                array[at] = before + step
                ends.append(value())
            array[at] = before
            found[at] = (ends[0] - ends[1]) / (2 * delta)
        error = np.linalg.norm((found - np.asarray(gradient)).ravel())
        most = atol * np.sqrt(found.size) + rtol * np.linalg.norm(found.ravel())
        assert error <= most, f"the gradient of input {name} is off by {error}, above {most}"


def _numbered(values: Sequence[Any] | Mapping[str, Any]) -> dict[Any, Any]:
    """Values by their names, or by their places."""
    return dict(values) if isinstance(values, Mapping) else dict(enumerate(values))


def enabled_targets() -> list[tuple[str, Device]]:
    """The targets that there are, each with its device: the CPU.

    >>> [(target, str(dev)) for target, dev in enabled_targets()]
    [('llvm', 'cpu(0)')]
    """
    return [("llvm", cpu())]


def __getattr__(name: str) -> Any:
    kind, _, feature = name.partition("_")
    if kind in ("requires", "uses") and feature:
        return requires_feature(feature, is_needed=kind == "requires")
    if name == "skip_if_wheel_test":
        return requires_feature("llvm")
    raise missing_part("tvm.testing", name)
