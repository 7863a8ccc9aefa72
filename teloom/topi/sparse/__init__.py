"""Sparse matrices by their rows: what belongs here is one, or a product of one.

Names, argument order and defaults are those of TVM 0.14.
"""

from teloom.topi.sparse.products import (
    csrmm,
    csrmv,
    dense,
)
from teloom.topi.sparse.rows import (
    CSR,
    placeholder,
)

__all__ = [
    "CSR",
    "csrmm",
    "csrmv",
    "dense",
    "placeholder",
]
