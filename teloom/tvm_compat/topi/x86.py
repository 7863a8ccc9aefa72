"""`tvm.topi.x86`: the operators for CPUs, which are those of `topi`, and their schedules."""

from __future__ import annotations

from typing import Any

from teloom import topi
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.topi import generic

_SAME = {
    "dense_nopack": "dense",
    "dense_pack": "dense",
    "dense_dynamic": "dense",
    "dense_cblas": "dense",
    "dense_mkl": "dense",
    "batch_matmul_cblas": "batch_matmul",
    "batch_matmul_mkl": "batch_matmul",
    "matmul_cblas": "matmul",
    "matmul_mkl": "matmul",
    "matmul_blas": "matmul",
}
"""Operators that TVM computes in several ways, by their names in `topi.nn`."""


def __getattr__(name: str) -> Any:
    known = _SAME.get(name, name)
    for place in (topi.nn, topi, topi.vision, topi.vision.rcnn, topi.image):
        if known in place.__all__:
            return getattr(place, known)
    if hasattr(generic, name):
        return getattr(generic, name)
    raise missing_part("tvm.topi.x86", name)
