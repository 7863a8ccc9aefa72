"""What NumPy asks of those that stand beside its numbers."""

from __future__ import annotations

from typing import Any

from teloom.lazy import loaded

_FUNCTIONS = "teloom.frontend.expr.numpy_functions"
"""Loaded with NumPy, which a definition alone needs not."""


class NumPyOperand:
    """Base of what is no array."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's operators of numbers are Python's; its functions are refused."""
        return loaded(_FUNCTIONS, "applied_ufunc")(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Refuses NumPy's functions."""
        raise loaded(_FUNCTIONS, "refused")(function.__name__, [self])
