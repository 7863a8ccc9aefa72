"""`tvm.contrib`: code of other libraries, called by programs of te, and the linker of files."""

from __future__ import annotations

from typing import Any

from teloom.tvm_compat.contrib import cblas, cc, cudnn, nvcc, pickle_memoize, sparse, utils
from teloom.tvm_compat.refusals import missing_part

__all__ = ["cblas", "cc", "cudnn", "nvcc", "pickle_memoize", "sparse", "utils"]


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.contrib", name)
