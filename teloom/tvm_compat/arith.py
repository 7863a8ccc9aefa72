"""`tvm.arith`: expressions are folded where they are written, which is what it simplifies."""

from __future__ import annotations

from typing import Any

from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.topi.utils import simplify

__all__ = ["Analyzer"]


class Analyzer:
    """TVM's arith.Analyzer, of which programs of te ask for `simplify`."""

    def simplify(self, expr: Any, steps: int = 2) -> Any:
        """The expression, as an integer if it is a constant one.

        >>> from teloom import te
        >>> Analyzer().simplify(te.const(3) + 1)
        4
        """
        return simplify(expr)

    def __getattr__(self, name: str) -> Any:
        raise missing_part("an Analyzer", name)


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.arith", name)
