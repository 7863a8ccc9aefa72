"""Instructions that multiply the floats of a vector by powers of two, by LLVM's names."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, VectorType, f32, f64, i32
from xdsl.ir import Attribute

from teloom.dialects.target import Target

EXTENSION = "avx512f"

ROUNDED_AS_SAID = 4
"""The last operand: the rounding is that of the floating-point environment."""

_NAMES: dict[Attribute, str] = {
    VectorType(f32, [16]): "llvm.x86.avx512.mask.scalef.ps.512",
    VectorType(f64, [8]): "llvm.x86.avx512.mask.scalef.pd.512",
}


def scaling_instruction(target: Target, type: Attribute) -> str | None:
    """What gives x 2^n of lanes of x and n, rounded once, if a target has it for a type.

    Its operands are x, n, what is there where the mask is 0, the mask, and `ROUNDED_AS_SAID`.
    """
    is_there = target.architecture == "x86_64" and target.has(EXTENSION)
    return _NAMES.get(type) if is_there else None


def mask_type(type: VectorType) -> IntegerType:
    """An integer with a bit for each lane."""
    return IntegerType(type.get_shape()[0])


def is_scaling(name: str, operands: Sequence[Attribute], result: Attribute) -> bool:
    """Whether LLVM has such an instruction of these types by this name."""
    return isinstance(result, VectorType) and (_NAMES.get(result), [*operands]) == (
        name,
        [result, result, result, mask_type(result), i32],
    )
