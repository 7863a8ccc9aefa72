"""The sizes of a call, found from the shapes of its arrays."""

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineSymExpr,
)

from teloom.analysis.signature import Signature, symbols_of
from teloom.errors import CallError


def shape_text(shape: Sequence[int]) -> str:
    """A shape as NumPy writes it."""
    return str(tuple(shape))


def expression_text(expression: AffineExpr, names: Sequence[str]) -> str:
    """An expression over the sizes, with their names."""
    match expression:
        case AffineSymExpr():
            return names[expression.position]
        case AffineBinaryOpExpr():
            lhs = expression_text(expression.lhs, names)
            rhs = expression_text(expression.rhs, names)
            if expression.kind is not AffineBinaryOpKind.Add:
                lhs = f"({lhs})" if _is_sum(expression.lhs) else lhs
                rhs = f"({rhs})" if _is_sum(expression.rhs) else rhs
            return f"{lhs} {expression.kind.get_token()} {rhs}"
        case _:
            return str(expression)


def _is_sum(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineBinaryOpExpr) and (
        expression.kind is AffineBinaryOpKind.Add
    )


class SizeSolver:
    """Solves for the sizes of one call, and remembers where each was taken from."""

    def __init__(self, signature: Signature, passed: dict[int, int]):
        self.signature = signature
        self.values: dict[int, int] = dict(passed)
        self.sources: dict[int, str] = {i: "the call" for i in passed}

    def solve(self, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """The sizes in order, such that every shape is as the signature says.

        Raises `CallError` where none are.
        """
        for is_ready in (_is_symbol, self._has_one_unknown):
            for argument, shape in zip(self.signature.arguments, shapes, strict=True):
                for expression, extent in zip(argument.shape or (), shape, strict=False):
                    if is_ready(expression):
                        self._take(expression, extent, argument.name)
        self._check_all_known()
        for number, shape in enumerate(shapes):
            self._check_shape(number, shape)
        return tuple(self.values[i] for i in range(len(self.signature.sizes)))

    def _has_one_unknown(self, expression: AffineExpr) -> bool:
        return len(symbols_of(expression) - self.values.keys()) == 1

    def _take(self, expression: AffineExpr, extent: int, source: str) -> None:
        unknown = symbols_of(expression) - self.values.keys()
        if len(unknown) != 1:
            return
        (symbol,) = unknown
        line = self._line(expression, symbol)
        if line is None or line[0] == 0:
            return
        slope, offset = line
        # Where the division leaves a rest, the check of the shapes says so.
        self.values[symbol] = max(0, (extent - offset) // slope)
        self.sources[symbol] = source

    def _line(self, expression: AffineExpr, symbol: int) -> tuple[int, int] | None:
        """Slope and offset of `expression` as a line in `symbol`, if it is one."""
        match expression:
            case AffineSymExpr():
                if expression.position == symbol:
                    return 1, 0
                return 0, self.values[expression.position]
            case AffineConstantExpr():
                return 0, expression.value
            case AffineBinaryOpExpr():
                lhs = self._line(expression.lhs, symbol)
                rhs = self._line(expression.rhs, symbol)
                if lhs is None or rhs is None:
                    return None
                if expression.kind is AffineBinaryOpKind.Add:
                    return lhs[0] + rhs[0], lhs[1] + rhs[1]
                if expression.kind is AffineBinaryOpKind.Mul and not (lhs[0] and rhs[0]):
                    return lhs[0] * rhs[1] + rhs[0] * lhs[1], lhs[1] * rhs[1]
        return None

    def _check_all_known(self) -> None:
        for number, name in enumerate(self.signature.sizes):
            if number not in self.values:
                raise CallError(
                    f"{self.signature.name}: the size {name} does not follow from the "
                    "shapes of the arguments; make it a parameter of the function"
                )

    def _check_shape(self, number: int, shape: tuple[int, ...]) -> None:
        argument = self.signature.arguments[number]
        if argument.shape is None:
            return
        symbols = [self.values[i] for i in range(len(self.signature.sizes))]
        expected = tuple(expression.eval([], symbols) for expression in argument.shape)
        if shape == expected:
            return
        axis = next(i for i, (a, b) in enumerate(zip(shape, expected, strict=True)) if a != b)
        raise CallError(
            f"{self.signature.name}: argument {argument.name} has shape {shape_text(shape)}, "
            f"expected {shape_text(expected)}: its axis {axis} must equal "
            f"{self._reason(argument.shape[axis], expected[axis])}"
        )

    def _reason(self, expression: AffineExpr, value: int) -> str:
        symbols = sorted(symbols_of(expression))
        if not symbols:
            return str(value)
        names = self.signature.sizes
        text = f"{expression_text(expression, names)} = {value}"
        if _is_symbol(expression):
            return f"{text}, taken from {self.sources[symbols[0]]}"
        taken = (f"{names[i]} = {self.values[i]} taken from {self.sources[i]}" for i in symbols)
        return f"{text}, with {', '.join(taken)}"


def _is_symbol(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineSymExpr)
