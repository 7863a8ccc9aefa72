"""`tvm.testing`: comparisons of arrays, and the targets of tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.tvm_compat.runtime import enabled as device_enabled
from teloom.tvm_compat.runtime.device import Device, cpu

__all__ = ["assert_allclose", "device_enabled", "enabled_targets"]


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7) -> None:
    """Raises an AssertionError unless arrays of one shape are close, as NumPy's function does.

    Source: TVM's testing.assert_allclose.

    >>> assert_allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    """
    found, wanted = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(found.shape, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, verbose=True)


def enabled_targets() -> list[tuple[str, Device]]:
    """The targets that there are, each with its device: the CPU.

    >>> [(target, str(dev)) for target, dev in enabled_targets()]
    [('llvm', 'cpu(0)')]
    """
    return [("llvm", cpu())]
