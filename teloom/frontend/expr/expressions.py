"""Scalar expressions: immutable trees with a dtype, built by Python's operators.

Two operands of different dtypes meet as `dtypes.promote` says. A Python number takes
the dtype of the other side; a float beside an integer makes float32. Python's `and`,
`or`, `not` and chained comparisons cannot be overloaded: use `&`, `|`, `~`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.names import checked_text
from teloom.frontend.expr.numpy_operands import NumPyOperand
from teloom.frontend.expr.operators import Operators
from teloom.frontend.expr.scalar_rules import RULES


class NoNumberError(Error, TypeError):
    """An expression stands where Python needs a number."""


class NoTruthError(Error, ValueError):
    """An expression stands where Python needs a truth value."""


class Identity:
    """What TVM's objects have: a test whether two are one object."""

    def same_as(self, other: object) -> bool:
        """Whether `other` is this object. Source: TVM's Object.same_as."""
        return self is other


class Expr(Operators["Expr"], Identity, NumPyOperand):
    """A scalar value; see the module for how dtypes meet.

    `/` is true division: two integers give float64, as in NumPy (TVM refuses them).
    `//` and `%` round down and want integers.
    """

    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        """The expressions that this one computes with."""
        return ()

    def astype(self, dtype: object) -> Expr:
        """This value as `dtype`: floats round to zero, integers wrap, bool is `!= 0`."""
        return cast(self, dtypes.checked_name(dtype))

    def equal(self, other: object) -> Expr:
        """`self == other`, by TVM's name."""
        return self.operate("equal", self, other)

    def operate(self, function: str, *operands: object) -> Expr:
        """What an operator gives; beside a tensor with axes it is for that to say."""
        if any(getattr(one, "is_whole", False) for one in operands):
            return NotImplemented
        return true_divide(*operands) if function == "true_divide" else apply(function, *operands)

    def __pos__(self) -> Expr:
        return self

    def __bool__(self) -> bool:
        raise NoTruthError(
            f"{self} is an expression, not a truth value; use te.max, te.min, te.if_then_else, "
            "te.all, te.any or & | ~ in place of max, min, if, and, or, not and chained comparisons"
        )

    def __float__(self) -> float:
        raise NoNumberError(
            f"{self} is an expression, which has no value yet; use te.exp, te.floor, ... in place "
            "of math.exp, math.floor, ..., and astype in place of float and int"
        )

    __int__ = __round__ = __float__

    def __index__(self) -> int:
        raise NoNumberError(
            f"{self} is an expression, which has no value yet: it is no subscript of a list or an "
            "array, and no number of iterations; a te.placeholder has elements, and its array is "
            "an argument of the function"
        )

    def text(self, depth: int) -> str:
        """The expression as text, with `...` in the place of what is nested deeper than `depth`."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text(SHOWN_DEPTH)

    def __repr__(self) -> str:
        return str(self)


SHOWN_DEPTH = 8
"""How deep the text of an expression goes: enough to recognise it in an error."""


def texts(exprs: Iterable[Expr], depth: int) -> list[str]:
    """The texts of operands in an expression whose own text may go `depth` deep."""
    return [expr.text(depth - 1) if depth > 0 else "..." for expr in exprs]


@dataclass(frozen=True, eq=False, repr=False)
class Const(Expr):
    """A number."""

    value: int | float
    dtype: str

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        if not isinstance(self.value, int):
            raise TypeError(f"{self} is a {self.dtype}, not an integer")
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def text(self, depth: int) -> str:
        return str(bool(self.value) if self.dtype == "bool" else self.value)


class Extent(int):
    """A constant extent: a Python integer that has a dtype in expressions."""

    dtype: str

    def __new__(cls, value: int, dtype: str | None = None) -> Self:
        extent = super().__new__(cls, value)
        extent.dtype = dtypes.of_integer(value) if dtype is None else dtype
        return extent

    @property
    def value(self) -> int:
        """The integer."""
        return int(self)

    def as_scalar(self) -> Const:
        """The integer as an expression."""
        return Const(int(self), self.dtype)


class StringImm(str):
    """A text that is also its own `value`, as in TVM."""

    @property
    def value(self) -> str:
        """The text."""
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class Var(Expr):
    """A size, which is not negative, and known when the compiled function is called."""

    name: str
    dtype: str

    def text(self, depth: int) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Apply(Expr):
    """A function of `scalar_rules.RULES` applied to operands of the dtype it wants."""

    function: str
    arguments: tuple[Expr, ...]
    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        return self.arguments

    def __bool__(self) -> bool:
        # `axis in axes`, and `==` between extents outside of expressions, need a truth value.
        if self.function in ("equal", "not_equal"):
            return alike(*self.arguments) == (self.function == "equal")
        return super().__bool__()

    def text(self, depth: int) -> str:
        shown = texts(self.arguments, depth)
        symbol = RULES[self.function].symbol
        if symbol is None:
            return f"{self.function}({', '.join(shown)})"
        return f"({symbol}{shown[0]})" if len(shown) == 1 else f"({shown[0]} {symbol} {shown[1]})"


@dataclass(frozen=True, eq=False, repr=False)
class Cast(Expr):
    """A value converted to another dtype."""

    value: Expr
    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)

    def text(self, depth: int) -> str:
        return f"{self.dtype}({texts([self.value], depth)[0]})"


@dataclass(frozen=True, eq=False, repr=False)
class IfThenElse(Expr):
    """One of two values; only that one is computed, behind what both are made of."""

    condition: Expr
    then_value: Expr
    else_value: Expr
    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        return (self.condition, self.then_value, self.else_value)

    def text(self, depth: int) -> str:
        return f"if_then_else({', '.join(texts(self.operands(), depth))})"


@dataclass(frozen=True, eq=False, repr=False)
class Bounded(Expr):
    """An integer that the program promises to lie from `lower` up to, not including, `upper`."""

    value: Expr
    lower: Expr
    upper: Expr
    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        return (self.value, self.lower, self.upper)

    def text(self, depth: int) -> str:
        return f"bounded({', '.join(texts(self.operands(), depth))})"


def size_var(name: str = "size", dtype: object = "int32", span: object = None) -> Var:
    """A size that is given when the compiled function is called: an integer, at least 0.

    The call finds it in the shapes of the arrays, or gets it as an argument. `span` is accepted
    as TVM's argument: it means nothing. Raises `teloom.Error` for another dtype than int32 or
    int64. Source: TVM's te.size_var.

    >>> size_var("n") // 2
    (n // 2)
    """
    checked_text(name, "name of size_var")
    known = dtypes.checked_name(dtype)
    if known not in ("int32", "int64"):
        raise Error(f"{name!r} has dtype {known}, but a size is int32 or int64")
    return Var(name, known)


def const(value: object, dtype: object = "int32", span: object = None) -> Const:
    """The number `value` as an expression of `dtype`.

    `span` is accepted as TVM's argument: it means nothing. Raises `teloom.Error` if `dtype` does
    not hold the number; TVM cuts it.

    >>> const(3, "uint8").dtype
    'uint8'
    """
    known = dtypes.checked_name(dtype)
    number = number_of(value)
    if number is None:
        raise Error(f"const wants a number, got {value!r}")
    return Const(dtypes.checked_value(number, known), known)


def min_value(dtype: object) -> Const:
    """The least value of `dtype`; of a float, the least finite one.

    >>> min_value("int8")
    -128
    """
    known = dtypes.checked_name(dtype)
    return Const(dtypes.of(known).lowest, known)


def infinity(dtype: object = "float32") -> Const:
    """The infinity of a float; raises `teloom.Error` for an integer."""
    return const(math.inf, dtype)


def max_value(dtype: object) -> Const:
    """The greatest value of `dtype`; of a float, the greatest finite one.

    >>> max_value("float16")
    65504.0
    """
    known = dtypes.checked_name(dtype)
    return Const(dtypes.of(known).highest, known)


def shown_shape(extents: Sequence[Expr]) -> tuple[Any, ...]:
    """Extents as a user sees them: integers, and expressions where they are symbolic.

    >>> shown_shape([const(8), size_var("n")])
    (8, n)
    """
    return tuple(
        Extent(int(one.value), one.dtype) if isinstance(one, Const) else one for one in extents
    )


def as_expr(value: Any, beside: str | None = None) -> Expr:
    """`value` as an expression; a Python number takes the dtype `beside` if it fits.

    Raises `teloom.Error` for anything but a scalar, such as a tensor without subscripts.
    """
    if hasattr(value, "as_scalar"):
        return value.as_scalar()
    if isinstance(value, Expr):
        return value
    number = number_of(value)
    if number is None:
        raise no_scalar(value)
    dtype = _weak_dtype(number, beside)
    return Const(dtypes.checked_value(number, dtype), dtype)


def no_scalar(value: Any) -> Error:
    """The refusal of `value` where an expression or a number is wanted."""
    if getattr(value, "ndim", 0):
        return Error(
            f"an array of shape {value.shape} is not a scalar expression; a te.placeholder has "
            "elements, and its array is an argument of the function"
        )
    return Error(f"{value!r} of type {type(value).__name__} is not a scalar expression")


def cast(value: Expr, dtype: str) -> Expr:
    """`value` as `dtype`; `value` itself if that is its dtype."""
    if value.dtype == dtype:
        return value
    if isinstance(value, Const):
        is_float = dtypes.of(value.dtype).kind == dtypes.FLOAT
        number = dtypes.rounded(value.value, value.dtype) if is_float else value.value
        if dtypes.holds(dtype, number):
            return Const(dtypes.checked_value(number, dtype), dtype)
    return Cast(value, dtype)


def matched(values: tuple[object, ...]) -> tuple[Expr, ...]:
    """The values as expressions of the one dtype in which they meet."""
    exprs = _operands(values)
    common = exprs[0].dtype
    for expr in exprs[1:]:
        common = dtypes.promote(common, expr.dtype)
    return tuple(cast(expr, common) for expr in exprs)


def _operands(values: tuple[object, ...]) -> list[Expr]:
    """The values as expressions, Python's numbers of a dtype that is beside them."""
    strong = [_strong_dtype(value) for value in values]
    beside = next((dtype for dtype in strong if dtype is not None), None)
    return [_operand(value, beside) for value in values]


def _operand(value: object, beside: str | None) -> Expr:
    """`value` as an expression; beside an int32, an integer that none holds is an int64."""
    number = number_of(value)
    is_wide = isinstance(number, int) and beside == "int32" and not dtypes.holds(beside, number)
    return as_expr(value, None if is_wide else beside)


def apply(function: str, *values: object) -> Expr:
    """Applies the function of `RULES` with this name.

    Raises `teloom.Error` if it is not defined on the dtype in which the values meet.
    """
    rule = RULES[function]
    arguments = matched(values)
    dtype = arguments[0].dtype
    if dtypes.of(dtype).kind not in rule.kinds:
        raise Error(
            f"{function} is not defined on {dtype}, in {function}"
            f"({', '.join(str(argument) for argument in arguments)}); {rule.advice}"
        )
    _check_right_operand(function, arguments)
    result = "bool" if rule.gives_bool else dtype
    known = _folded(function, arguments, result)
    return Apply(function, arguments, result) if known is None else known


_DIVISIONS = "floordiv", "ceildiv", "floormod", "truncdiv", "truncmod"


def _check_right_operand(function: str, arguments: tuple[Expr, ...]) -> None:
    last = arguments[-1]
    if not isinstance(last, Const):
        return
    if function in _DIVISIONS and last.value == 0:
        raise Error(f"{function} of {arguments[0]} by 0")
    bits = dtypes.of(last.dtype).bits
    if function in ("left_shift", "right_shift") and not 0 <= last.value < bits:
        raise Error(
            f"{function} of {arguments[0]} by {last}; {last.dtype} is shifted by 0..{bits - 1}"
        )


def _folded(function: str, arguments: tuple[Expr, ...], dtype: str) -> Expr | None:
    """`function` of constants, or of a neutral one and another value, in `dtype`; else None."""
    values = [argument.value for argument in arguments if isinstance(argument, Const)]
    if len(values) == len(arguments):
        number = RULES[function].of_constants(values, arguments[0].dtype)
        return None if number is None else Const(number, dtype)
    if len(arguments) != 2 or dtypes.of(dtype).kind == dtypes.FLOAT:
        return None  # x + 0.0 is not x where x is -0.0, x * 0.0 not 0.0 where it is NaN
    for side, constant in enumerate(arguments):
        if isinstance(constant, Const):
            return _beside_constant(function, arguments[1 - side], constant, side)
    return None


_NEUTRAL = {
    **dict.fromkeys(("add", "sub", "left_shift", "right_shift"), 0),
    **dict.fromkeys(("mul", "floordiv", "ceildiv", "truncdiv"), 1),
}
_COMMUTATIVE = ("add", "mul", "bitwise_and", "bitwise_or")


def _beside_constant(function: str, other: Expr, constant: Const, side: int) -> Expr | None:
    """A function of a constant, on this `side`, and another value, where it is one of the two."""
    if side == 0 and function not in _COMMUTATIVE:
        return None
    if function in ("floordiv", "floormod") and not (other.operands() or isinstance(other, Var)):
        return None  # of an axis, both are axes of a layout, also by 1
    if _NEUTRAL.get(function) == constant.value:
        return other
    if constant.dtype == "bool" and function in ("bitwise_and", "bitwise_or"):
        return other if bool(constant.value) == (function == "bitwise_and") else constant
    if (function, constant.value) in (("floormod", 1), ("truncmod", 1), ("mul", 0)):
        return Const(0, constant.dtype)
    if function in ("floordiv", "ceildiv", "truncdiv") and _is_multiple(other, constant):
        return other.operands()[0]
    return None


def _is_multiple(expr: Expr, factor: Const) -> bool:
    """Whether `expr` is a product of sizes, which does not wrap, and this factor."""
    match expr:
        case Apply("mul", (other, Const(value))) if value == factor.value:
            return all(isinstance(leaf, Var | Const | Apply) for leaf in walk((other,)))
    return False


def alike(a: Expr, b: Expr) -> bool:
    """Whether two expressions are the same operations on the same leaves."""
    pending = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while pending:
        pair = one, other = pending.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        if not _same_operation(*pair):
            return False
        pending += zip(one.operands(), other.operands(), strict=True)
    return True


def _same_operation(one: Expr, other: Expr) -> bool:
    """Whether two expressions do the same with their operands."""
    match one, other:
        case Const(a), Const(b):
            return a == b and one.dtype == other.dtype
        case Apply(a), Apply(b):
            return a == b and one.dtype == other.dtype
        case Cast(), Cast():
            return one.dtype == other.dtype
    return type(one) is type(other) and isinstance(one, IfThenElse | Bounded)


def true_divide(a: object, b: object) -> Expr:
    """`a / b` as a float; two integers give float64, each of them as the number that it is."""
    operands = _operands((a, b))
    if all(dtypes.of(operand.dtype).kind != dtypes.FLOAT for operand in operands):
        operands = [cast(operand, "float64") for operand in operands]
    return apply("divide", *operands)


def walk(roots: tuple[Expr, ...]) -> Iterator[Expr]:
    """Every expression in `roots`, once each, operands after their users."""
    seen: set[int] = set()
    pending = list(reversed(roots))
    while pending:
        expr = pending.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        yield expr
        pending.extend(reversed(expr.operands()))


def is_number(value: object) -> bool:
    """Whether `value` is a number of Python or NumPy, as expressions take them."""
    return number_of(value) is not None


_TIMES = "mM"
"""NumPy's kinds of times and durations, which it gives as integers if their unit is small."""


def number_of(value: Any) -> int | float | None:
    """The number of Python that `value` is, itself or as a scalar of NumPy; None for others."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = None if value.dtype.kind in _TIMES else value.item()
    return value if isinstance(value, int | float) else None


def _strong_dtype(value: object) -> str | None:
    if isinstance(value, Expr) or hasattr(value, "as_scalar"):
        return value.dtype  # type: ignore[union-attr]
    return None


def _weak_dtype(number: float, beside: str | None) -> str:
    if isinstance(number, bool):
        return "bool"
    kind = None if beside is None else dtypes.of(beside).kind
    if isinstance(number, int):
        return dtypes.of_integer(number) if beside is None or kind == dtypes.BOOL else beside
    return beside if beside is not None and kind == dtypes.FLOAT else "float32"
