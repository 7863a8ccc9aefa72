"""`te.SpecializedCondition`: conditions under which a program is written."""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Self

from teloom.errors import Error
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.tensor.reductions import as_condition


class SpecializedCondition:
    """Conditions that whoever writes a program or a schedule in a `with` block may ask for.

    `te.SpecializedCondition.current()` gives the innermost one, or None. It changes no program by
    itself: `s[C].specialize(condition)` is what makes code for a condition. Source: TVM's
    SpecializedCondition.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> with te.SpecializedCondition([n >= 64]):
    ...     te.SpecializedCondition.current().clauses
    [(n >= 64)]
    """

    def __init__(self, conditions: Expr | list[Expr] | tuple[Expr, ...]):
        listed = conditions if isinstance(conditions, list | tuple) else [conditions]
        self.clauses = [as_condition(one) for one in listed]
        if not self.clauses:
            raise Error("SpecializedCondition wants at least one condition")
        self._entered: list[Token[SpecializedCondition | None]] = []

    @staticmethod
    def current() -> SpecializedCondition | None:
        """The innermost one around the caller; None if there is none."""
        return _around.get()

    def __enter__(self) -> Self:
        self._entered.append(_around.set(self))
        return self

    def __exit__(self, *raised: object) -> None:
        _around.reset(self._entered.pop())


_around: ContextVar[SpecializedCondition | None] = ContextVar("SpecializedCondition", default=None)
