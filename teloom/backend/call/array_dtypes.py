"""NumPy's dtypes of elements, by their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.errors import Error
from teloom.lazy import loaded

BFLOAT16 = "bfloat16"
"""The name that NumPy knows once the package ml_dtypes is loaded."""


def array_dtype(said: Any) -> np.dtype[Any]:
    """NumPy's dtype of that name, or that a user says otherwise.

    Raises `TypeError` if it is none, and `teloom.Error` for bfloat16 without ml_dtypes.
    """
    if isinstance(said, str) and said == BFLOAT16:
        try:
            return np.dtype(loaded("ml_dtypes", BFLOAT16))
        except ImportError:
            raise Error(
                "arrays of bfloat16 need the Python package ml_dtypes, which gives NumPy the "
                "dtype; install it"
            ) from None
    return np.dtype(said)


def dtype_text(dtype: np.dtype[Any]) -> str:
    """A dtype in a message: its name, but for texts and records, whose name counts bits only."""
    return str(dtype) if dtype.kind in "SUV" else dtype.name
