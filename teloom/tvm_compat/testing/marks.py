"""Marks and parameters of tests, as those of TVM; pytest is loaded where one is used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import wraps
from typing import Any, NamedTuple

from teloom.lazy import loaded
from teloom.tvm_compat.contrib.pickle_memoize import memoize
from teloom.tvm_compat.runtime import enabled

Mark = Callable[..., Any]

_THERE = ("llvm", "x86", "x86_64")
"""The features of TVM that every machine of Teloom's has."""


class TargetsOf(NamedTuple):
    """Facts about the targets of a test: those that it asks for, has not, and fails for."""

    asked: tuple[str, ...] = ("llvm",)
    excluded: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()

    @property
    def there(self) -> list[str]:
        """Those for which there is code."""
        return [one for one in self.asked if enabled(one) and one not in self.excluded]


class OneOfSet(NamedTuple):
    """The values at one place of sets of parameters; `sets` tells which belong together."""

    sets: tuple[Sequence[Any], ...]
    place: int
    ids: Sequence[str] | None


def targets_of(test: Any, group: Any = None) -> TargetsOf:
    """What `parametrize_targets` and its like say of a test, or else of its class."""
    return getattr(test, "tvm_targets", None) or getattr(group, "tvm_targets", TargetsOf())


def _saying(**said: tuple[str, ...]) -> Mark:
    def mark(test: Any) -> Any:
        test.tvm_targets = targets_of(test)._replace(**said)
        return test

    return mark


def parametrize_targets(*targets: Any) -> Any:
    """The mark of a test that runs once for each of these targets for which there is code.

    Without targets, or without brackets, it runs for "llvm". Source: TVM's testing.

    >>> @parametrize_targets("llvm", "cuda")
    ... def test(target, dev): ...
    >>> targets_of(test).there
    ['llvm']
    """
    if len(targets) == 1 and callable(targets[0]):
        return targets[0]
    return _saying(asked=tuple(map(str, targets)) or TargetsOf().asked)


def exclude_targets(*targets: str) -> Mark:
    """The mark of a test that has no such targets. Source: TVM's testing.exclude_targets."""
    return _saying(excluded=targets)


def known_failing_targets(*targets: str) -> Mark:
    """The mark of a test that fails for such targets. Source: TVM's testing."""
    return _saying(failing=targets)


def requires_feature(feature: str, is_needed: bool = True) -> Mark:
    """The mark of a test that needs a feature, which skips it where there is none.

    It is used with brackets or without. A test that only uses one, where it is there, runs.

    >>> @requires_feature("gpu", is_needed=False)
    ... def test():
    ...     return 1
    >>> test()
    1
    """

    def mark(test: Any = None, *_: Any, **__: Any) -> Any:
        if not callable(test):
            return mark
        if not is_needed or feature in _THERE:
            return test
        return _pytest().mark.skip(reason=f"there is no {feature}, only the CPU")(test)

    return mark


def fixture(func: Any = None, *, cache_return_value: bool = False) -> Any:
    """A fixture of pytest; with `cache_return_value` it is computed once of equal arguments.

    Each test gets a copy of its own. Source: TVM's testing.fixture.
    """

    def made(function: Any) -> Any:
        return _pytest().fixture(_copied(function) if cache_return_value else function)

    return made(func) if func else made


def _copied(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns copies of what it has computed once."""
    once = memoize(function.__name__)(function)

    @wraps(function)
    def copied(*of: Any, **given: Any) -> Any:
        return deepcopy(once(*of, **given))

    return copied


def parameter(*values: Any, ids: Any = None, by_dict: Any = None) -> Any:
    """A fixture with each of these values, or with those of a dict, by their names.

    Source: TVM's testing.parameter.
    """
    if by_dict is not None:
        ids, values = [*by_dict], tuple(by_dict.values())

    def value(*_: Any, request: Any) -> Any:
        return request.param

    return _pytest().fixture(params=values, ids=ids)(value)


def parameters(*value_sets: Sequence[Any], ids: Sequence[str] | None = None) -> list[OneOfSet]:
    """Parameters that take their values together, a set at a time; the plugin passes them.

    Source: TVM's testing.parameters.

    >>> a, b = parameters((1, 2), (3, 4))
    >>> a.place, b.place
    (0, 1)
    """
    return [OneOfSet(value_sets, place, ids) for place in range(len(value_sets[0]))]


def main() -> None:
    """Runs the tests of the file that is called, by pytest. Source: TVM's testing.main."""
    sys.exit(_pytest().main([sys.argv[0], *sys.argv[1:]]))


def _pytest() -> Any:
    return loaded("pytest")
