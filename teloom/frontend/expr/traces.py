"""`te.trace`: calls a Python function with a value whenever the value is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from teloom.errors import Error
from teloom.frontend.expr.expressions import Expr, as_expr, texts


@dataclass(frozen=True, eq=False, repr=False)
class Traced(Expr):
    """The last of some values, with which `action` is called when it is computed."""

    values: tuple[Expr, ...]
    action: Callable[..., object]
    dtype: str

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.action, "__name__", type(self.action).__name__)

    def operands(self) -> tuple[Expr, ...]:
        return self.values

    def text(self, depth: int) -> str:
        return f"trace([{', '.join(texts(self.values, depth))}])"


def trace(
    args: Sequence[object], trace_action: str | Callable[..., object] = "tvm.default_trace_action"
) -> Expr:
    """The last of `args`; whenever it is computed, `trace_action` is called with all of them.

    They are numbers: axes, elements, expressions. The default prints them as a list; another
    action is a function of Python. What it returns is dropped. If it raises, the compiled function
    stops, and raises `teloom.KernelError` from that. A value is traced as often as the schedule
    computes it, in its order, and by any of its threads. Raises `teloom.Error` for no values, and
    for what is no function. Source: TVM's tir.trace, whose action can give another value.

    >>> from teloom import te
    >>> A = te.placeholder((8,), name="A")
    >>> te.compute((8,), lambda i: te.trace([i, A[i] * 2]) + 1, name="B").dtype
    'float32'
    """
    if not isinstance(args, list | tuple) or not args:
        raise Error(f"trace wants a list of values, of which the last is its own, got {args!r}")
    if trace_action == "tvm.default_trace_action":
        trace_action = _print
    if not callable(trace_action):
        raise Error(f"trace wants a function of Python as its action, got {trace_action!r}")
    values = tuple(map(as_expr, args))
    return Traced(values, trace_action, values[-1].dtype)


def _print(*values: object) -> None:
    print([*values])
