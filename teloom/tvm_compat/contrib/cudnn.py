"""`tvm.contrib.cudnn`: a library of GPUs, which programs ask for before they use it."""

from __future__ import annotations

__all__ = ["exists"]


def exists() -> bool:
    """False: there is no GPU.

    >>> exists()
    False
    """
    return False
