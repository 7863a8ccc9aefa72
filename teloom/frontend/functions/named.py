"""`te.call_intrin`: functions of scalars by the names that TVM's intrinsics have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teloom.errors import Error, check_names
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, as_expr
from teloom.frontend.functions import arithmetic, bits, composed, fixed_point, math_functions
from teloom.frontend.tensor.conditions import if_then_else

_MODULES = (
    (
        math_functions,
        "exp erf tanh sigmoid log log2 log10 log1p sin cos tan sinh cosh asin asinh acos acosh "
        "atan atanh sqrt rsqrt floor ceil trunc round nearbyint isnan isinf isfinite",
    ),
    (arithmetic, "fmod popcount"),
    (bits, "bitwise_and bitwise_or bitwise_xor bitwise_not shift_left shift_right clz"),
    (bits, "copysign nextafter"),
    (composed, "exp2 exp10 atan2 hypot ldexp"),
    (fixed_point, "q_multiply_shift q_multiply_shift_per_axis"),
)


def likely(cond: object) -> Expr:
    """`cond`, by TVM's name for one that mostly holds."""
    return as_expr(cond)


_FUNCTIONS: Mapping[str, Callable[..., Expr]] = {
    **{name: getattr(module, name) for module, names in _MODULES for name in names.split()},
    "fabs": arithmetic.abs,
    "pow": arithmetic.power,
    "if_then_else": if_then_else,
    "likely": likely,
}


def call_intrin(dtype: object, func_name: str, *args: object) -> Any:
    """The intrinsic `func_name` of TVM, such as "tir.exp", of these arguments.

    Raises `teloom.Error` for names that are not known, and for a result that is not of `dtype`.
    "tir.reinterpret" gives the bits as `dtype`.

    >>> from teloom import te
    >>> call_intrin("float32", "tir.exp", te.placeholder((4,), name="A")[0])
    exp(A[0])
    """
    wanted, name = dtypes.checked_name(dtype), str(func_name).removeprefix("tir.")
    if name == "reinterpret":
        return bits.reinterpret(wanted, *args)
    check_names("intrinsic", [name], _FUNCTIONS)
    found = _FUNCTIONS[name](*args)
    if found.dtype != wanted:
        raise Error(f"{found} by call_intrin is {found.dtype}, not {wanted}")
    return found
