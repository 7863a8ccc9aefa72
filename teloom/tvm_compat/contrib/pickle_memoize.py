"""`tvm.contrib.pickle_memoize`: results that are computed once."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["memoize"]


def memoize(key: str, save_at_exit: bool = False) -> Callable[[Any], Any]:
    """A function whose results are kept in this process, by its arguments.

    Arguments are told apart by their pickles: of what has none, it is computed each time. `key` and
    `save_at_exit` are for TVM's files, which are not written here. Source: TVM's
    contrib.pickle_memoize.memoize.

    >>> calls = []
    >>> @memoize("example")
    ... def double(x):
    ...     calls.append(x)
    ...     return 2 * x
    >>> double(3), double(3), calls
    (6, 6, [3])
    """

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        results: dict[bytes, Any] = {}

        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            try:
                given = pickle.dumps((args, named))
            except (TypeError, AttributeError, pickle.PicklingError):
                return function(*args, **named)
            if given not in results:
                results[given] = function(*args, **named)
            return results[given]

        return called

    return decorated
