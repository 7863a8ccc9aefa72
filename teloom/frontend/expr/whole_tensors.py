"""A tensor where a scalar is wanted: one without axes is its element, any other is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom.errors import Error

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {"neg": "-A", "invert": "~A", "abs": "abs(A)"}


def whole_tensor(name: str, ndim: int) -> Error:
    """The refusal of a tensor with axes where an element is wanted."""
    axes = ", ".join(f"i{axis}" for axis in range(ndim)) if ndim > 4 else ", ".join("ijkl"[:ndim])
    return Error(
        f"{name} is a whole tensor where an element is wanted; elements are read in an equation, "
        f"as in te.compute({name}.shape, lambda {axes}: {name}[{axes}] + 1)"
    )


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of tensors: one without axes is its element, any other is refused."""
    found = {}
    for name, symbol in (_BINARY | _COMPARISONS).items():
        equation = f"lambda *i: A(*i) {symbol} B(*i)"
        for method in [f"__{name}__", *([f"__r{name}__"] if name in _BINARY else [])]:
            found[method] = _operator(method, f"A {symbol} B", equation)
    for name, text in _UNARY.items():
        found[f"__{name}__"] = _operator(
            f"__{name}__", text, f"lambda *i: {text}".replace("A", "A(*i)")
        )
    product = "lambda i, j: te.sum(A[i, k] * B[k, j], axis=k)"
    for method in ("__matmul__", "__rmatmul__"):
        found[method] = _operator(method, "A @ B", product)
    return found


def _operator(name: str, text: str, equation: str) -> Callable[..., Any]:
    def method(self: Any, *other: object) -> Any:
        if not self.ndim and hasattr(self.as_scalar(), name):
            return getattr(self.as_scalar(), name)(*other)
        raise Error(
            f"{text} with a whole tensor, as {self.name} is, is an equation: "
            f"te.compute(shape, {equation})"
        )

    method.__name__ = name
    return method
