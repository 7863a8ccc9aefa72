"""Classes of TVM whose instances here are of other classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class TVMClass:
    """A class of TVM: called it makes an instance, and `isinstance` asks for it."""

    def __init__(self, make: Callable[..., Any], answer: Callable[[Any], bool]):
        self._make, self._answer = make, answer

    def __call__(self, *args: Any) -> Any:
        return self._make(*args)

    def __instancecheck__(self, instance: Any) -> bool:
        return self._answer(instance)
