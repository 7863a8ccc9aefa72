"""`tvm.autotvm`: tuned parameters, of which there are none."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from teloom.tvm_compat.refusals import missing_part

__all__ = ["tophub"]


class tophub:
    """The parameters that TVM's operators were tuned to; schedules here come from rules."""

    @staticmethod
    def context(target: Any, extra_files: Any = None) -> AbstractContextManager[None]:
        """A block that changes nothing. Source: TVM's autotvm.tophub.context.

        >>> with tophub.context("llvm"):
        ...     pass
        """
        return nullcontext()


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.autotvm", name)
