"""Derivatives of scalar expressions by what they read, in reverse mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from teloom.dialects.bodies.postorder import postorder
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import (
    Apply,
    Cast,
    Const,
    Expr,
    IfThenElse,
    Var,
    apply,
    walk,
)
from teloom.frontend.expr.traces import Traced
from teloom.frontend.extern.pure_calls import PureCall
from teloom.frontend.functions.arithmetic import power
from teloom.frontend.functions.math_functions import (
    cos,
    cosh,
    exp,
    isnan,
    log,
    sin,
    sinh,
    sqrt,
    trunc,
)
from teloom.frontend.functions.op_calls import OpCall
from teloom.frontend.tensor.conditions import if_then_else, select
from teloom.frontend.tensor.data_bounds import reads_data
from teloom.frontend.tensor.reductions import CombinerArgument
from teloom.frontend.tensor.tensors import TensorSlice


class Contribution(NamedTuple):
    """The derivative by one leaf, where the conditions hold; elsewhere it is 0."""

    leaf: Expr
    conditions: tuple[Expr, ...]
    value: Expr


_FUNCTIONS = (Apply, Cast, PureCall, OpCall)
"""The classes of what is computed from all its operands, whatever holds."""

_SCALARS = (*_FUNCTIONS, IfThenElse, Traced, Const, Var, CombinerArgument, TensorSlice)
"""The classes of expressions of which it is known on what they depend."""

Rule = Callable[..., Sequence[Expr | None]]
"""From the derivative by a result, the result and its operands, those by the operands.

None is for an operand by which the derivative is 0 everywhere.
"""


def _sign(x: Expr) -> Expr:
    return select(x > 0, 1.0, select(x < 0, -1.0, 0.0)).astype(x.dtype)


def _by_power(g: Expr, r: Expr, x: Expr, y: Expr) -> Sequence[Expr]:
    # Where the base is 0, its logarithm is none, and the power does not change with y.
    logarithm = select(x > 0, log(select(x > 0, x, 1.0)), 0.0)
    return g * y * power(x, y - 1), g * r * logarithm


def _by_extreme(first_wins: Callable[[Expr, Expr], Expr]) -> Rule:
    def rule(g: Expr, r: Expr, a: Expr, b: Expr) -> Sequence[Expr]:
        wins = first_wins(a, b) | isnan(a)
        return select(wins, g, 0.0), select(wins, 0.0, g)

    return rule


def _by_angle(g: Expr, r: Expr, y: Expr, x: Expr) -> Sequence[Expr]:
    square = x * x + y * y
    return g * x / square, -g * y / square


def _by_choice(g: Expr, r: Expr, condition: Expr, a: Expr, b: Expr) -> Sequence[Expr | None]:
    return None, select(condition, g, 0.0), select(condition, 0.0, g)


_RULES: Mapping[str, Rule] = {
    "add": lambda g, r, a, b: (g, g),
    "sub": lambda g, r, a, b: (g, -g),
    "mul": lambda g, r, a, b: (g * b, g * a),
    "divide": lambda g, r, a, b: (g / b, -g * r / b),
    "negative": lambda g, r, a: (-g,),
    "abs": lambda g, r, a: (g * _sign(a),),
    "power": _by_power,
    "maximum": _by_extreme(lambda a, b: a >= b),
    "minimum": _by_extreme(lambda a, b: a <= b),
    "select": _by_choice,
    "fmod": lambda g, r, a, b: (g, -g * trunc(a / b)),
    "copysign": lambda g, r, a, b: (g * _sign(a) * _sign(r), None),
    "atan2": _by_angle,
    "exp": lambda g, r, x: (g * r,),
    "log": lambda g, r, x: (g / x,),
    "log2": lambda g, r, x: (g / (x * math.log(2)),),
    "log10": lambda g, r, x: (g / (x * math.log(10)),),
    "log1p": lambda g, r, x: (g / (1 + x),),
    "sin": lambda g, r, x: (g * cos(x),),
    "cos": lambda g, r, x: (-g * sin(x),),
    "tan": lambda g, r, x: (g * (1 + r * r),),
    "sinh": lambda g, r, x: (g * cosh(x),),
    "cosh": lambda g, r, x: (g * sinh(x),),
    "tanh": lambda g, r, x: (g * (1 - r * r),),
    "asin": lambda g, r, x: (g / sqrt(1 - x * x),),
    "acos": lambda g, r, x: (-g / sqrt(1 - x * x),),
    "atan": lambda g, r, x: (g / (1 + x * x),),
    "asinh": lambda g, r, x: (g / sqrt(x * x + 1),),
    "acosh": lambda g, r, x: (g / sqrt(x * x - 1),),
    "atanh": lambda g, r, x: (g / (1 - x * x),),
    "erf": lambda g, r, x: (g * (2 / math.sqrt(math.pi)) * exp(-x * x),),
    "sqrt": lambda g, r, x: (g / (2 * r),),
    "rsqrt": lambda g, r, x: (-g * r / (2 * x),),
    "sigmoid": lambda g, r, x: (g * r * (1 - r),),
    **dict.fromkeys("floor ceil trunc round nearbyint".split(), lambda g, r, x: (None,)),
}


def contributions(
    root: Expr, seed: Expr, wanted: Callable[[Expr], bool], name: str
) -> list[Contribution]:
    """The derivatives of `root` by each leaf that is `wanted`, times `seed`.

    Raises `teloom.Error` for a function of such leaves that has no derivative here, and for an
    expression of another class than those of scalars.
    """
    active = _active(root, wanted, name)
    found: list[Contribution] = []
    pending: list[tuple[Expr, Expr, tuple[Expr, ...]]] = [(root, seed, ())]
    while pending:
        start, by_start, conditions = pending.pop()
        by: dict[Expr, Expr] = {start: by_start}
        for expr in reversed([*postorder([start], lambda one: _computed_with(one, active))]):
            if expr not in by or expr not in active:
                continue
            if wanted(expr):
                found.append(Contribution(expr, conditions, by[expr]))
            elif isinstance(expr, IfThenElse):
                holds, fails = (*conditions, expr.condition), (*conditions, ~expr.condition)
                pending += [(expr.then_value, by[expr], holds), (expr.else_value, by[expr], fails)]
            else:
                parts = _by_operands(expr, by, name)
                for operand, more in zip(expr.operands(), parts, strict=True):
                    if more is not None and operand in active:
                        by[operand] = by[operand] + more if operand in by else more
    return found


def _by_operands(expr: Expr, by: Mapping[Expr, Expr], name: str) -> Sequence[Expr | None]:
    if isinstance(expr, Cast):
        return [by[expr].astype(expr.value.dtype)]
    if isinstance(expr, Traced):
        return [*[None] * (len(expr.values) - 1), by[expr]]
    if not isinstance(expr, Apply) or expr.function not in _RULES:
        raise Error(f"the gradient of {expr}, in {name!r}, is not known")
    return _RULES[expr.function](by[expr], expr, *expr.arguments)


def _active(root: Expr, wanted: Callable[[Expr], bool], name: str) -> set[Expr]:
    """The floats that depend on a leaf that is wanted.

    Raises `teloom.Error` for one of which it is not known on what it depends.
    """

    def operands(expr: Expr) -> Sequence[Expr]:
        if isinstance(expr, IfThenElse):
            return expr.operands()[1:]
        return _computed_from(expr)

    found: set[Expr] = set()
    for expr in postorder([root], operands):
        if dtypes.of(expr.dtype).kind != dtypes.FLOAT:
            continue
        if not isinstance(expr, _SCALARS):
            raise Error(
                f"the gradient of the {type(expr).__name__} {expr}, in {name!r}, is not known"
            )
        # The bits of a float, as an integer, are computed with like the float.
        inside = walk((expr,)) if _is_reinterpreted(expr) else ()
        if wanted(expr) or any(map(found.__contains__, operands(expr))) or any(map(wanted, inside)):
            found.add(expr)
    return found


def _is_reinterpreted(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.function == "reinterpret"


def _computed_with(expr: Expr, active: set[Expr]) -> Sequence[Expr]:
    """The operands in which a derivative goes on under the same conditions."""
    return [one for one in _computed_from(expr) if one in active]


def _computed_from(expr: Expr) -> Sequence[Expr]:
    """The operands of which a value is a function, whatever holds."""
    if isinstance(expr, Traced):
        return expr.values[-1:]
    return expr.operands() if isinstance(expr, _FUNCTIONS) else ()


def where_all(conditions: Sequence[Expr], value: Expr) -> Expr:
    """`value` where all conditions hold, else 0; data are only read where the others hold."""
    for is_of_data in (True, False):
        holds = all_of([one for one in conditions if reads_data(one) is is_of_data])
        value = value if holds is None else if_then_else(holds, value, 0.0)
    return value


def all_of(conditions: Sequence[Expr]) -> Expr | None:
    """Whether all conditions hold; None if there are none."""
    found = None
    for condition in conditions:
        found = condition if found is None else apply("bitwise_and", found, condition)
    return found
