"""Alignments of addresses, in bytes."""

LARGEST_ALIGNMENT = 2**32
"""The largest alignment of LLVM."""


def is_alignment(bytes: int) -> bool:
    """Whether `bytes` is a power of two that LLVM can align to."""
    return 1 <= bytes <= LARGEST_ALIGNMENT and not bytes & (bytes - 1)
