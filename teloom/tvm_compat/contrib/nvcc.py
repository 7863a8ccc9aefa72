"""`tvm.contrib.nvcc`: what a GPU has, which programs ask before they use one."""

from __future__ import annotations

__all__ = ["have_bf16", "have_cudagraph", "have_fp16", "have_int8", "have_tensorcore"]


def have_fp16(compute_version: object = None) -> bool:
    """False: there is no GPU.

    >>> have_fp16("7.5")
    False
    """
    return False


have_bf16 = have_int8 = have_tensorcore = have_cudagraph = have_fp16
