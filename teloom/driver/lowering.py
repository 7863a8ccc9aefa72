"""Lowering from level to level: our passes with their options, and the user's passes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, get_type_hints

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from teloom.driver.diagnostics import Mistake
from teloom.driver.pipeline_spec import parse_passes
from teloom.driver.registry import FOREIGN, load_universe
from teloom.driver.runner import Inserted, Runner
from teloom.errors import Error, check_names, did_you_mean, said_with_kind
from teloom.lazy import loaded
from teloom.passes import get_all_passes, pass_named
from teloom.passes.pipelines import CHECKED, LEVELS, PIPELINES, UPSTREAM

Options = Mapping[str, Mapping[str, Any]]
"""Options of passes, by the names of the passes; all other options have their defaults."""

NO_OPTIONS: Options = MappingProxyType({})

_ORIGIN = "teloom.passes.upstream.origin"

UserPass = str | ModulePass | type[ModulePass]
"""A pass: text of its name and options as for `-p`, an object, or a class."""

UserPasses = Mapping[str, UserPass | Sequence[UserPass]]
"""The passes that run on a program when it reaches a level, by level."""


def checked_level(level: str, more: tuple[str, ...] = ()) -> str:
    """`level`; raises `teloom.Error` unless it is a level of the pipeline or one of `more`."""
    known = (*LEVELS, *more)
    if level not in known:
        raise Error(f"no level {level!r}; levels: {', '.join(known)}")
    return level


def levels_between(first: str, last: str) -> list[str]:
    """The levels from `first` to `last`, both included."""
    names = list(LEVELS)
    return names[names.index(first) : names.index(last) + 1]


def passes_between(first: str, last: str) -> list[str]:
    """Our passes of these levels, in order."""
    return [name for level in levels_between(first, last) for name, _ in LEVELS[level]]


def configured(name: str, options: Options = NO_OPTIONS) -> ModulePass:
    """One of our passes with its options. Raises `teloom.Error` for an unknown option."""
    pass_type = pass_named(name)
    given = options.get(name)
    if not given:
        return pass_type()
    known = [field.name for field in fields(pass_type) if field.name != "name"]
    check_names(f"option of {name}", given, known)
    for option, value in given.items():
        wanted = _types_of(pass_type)[option]
        # Of a word the pass says which there are.
        if wanted is not str and not isa(value, wanted):
            kind = getattr(wanted, "__name__", wanted)
            raise Error(f"option {option} of {name} is {value!r}; it is of type {kind}")
    return pass_type(**given)


@cache
def _types_of(pass_type: type[ModulePass]) -> Mapping[str, Any]:
    """The types of the options of a pass."""
    return get_type_hints(pass_type)


class Steps(NamedTuple):
    """The passes of every level: ours with their options, then the user's."""

    options: Options = NO_OPTIONS
    more: Mapping[str, Sequence[ModulePass]] = MappingProxyType({})

    @property
    def users(self) -> list[ModulePass]:
        """The user's passes, of all levels."""
        return [step for added in self.more.values() for step in added]

    def between(self, first: str, last: str) -> list[ModulePass]:
        """The passes of the levels from `first` to `last`."""
        return [step for level in levels_between(first, last) for step in self.of_level(level)]

    def of_level(self, level: str) -> Iterator[ModulePass]:
        """The passes that lower a module to a level, then the user's passes there."""
        yield from self.named(name for name, _ in LEVELS[level])
        yield from self.more.get(level, ())

    def checked(self) -> list[ModulePass]:
        """The passes from level `loop` to code that checks each access."""
        names = [name for name, _ in CHECKED]
        behind = 1 + names.index(LEVELS["memref"][-1][0])
        return [
            *self.named(names[:behind]),
            *self.more.get("memref", ()),
            *self.named(names[behind:]),
        ]

    def named(self, names: Sequence[str] | Iterator[str]) -> list[ModulePass]:
        """Our passes of these names, configured."""
        return [configured(name, self.options) for name in names]


def steps_of(options: Options | None, passes: UserPasses | None) -> Steps:
    """The steps for a user's options and passes. Raises `teloom.Error` for unknown names."""
    given = checked_options(options)
    known = get_all_passes()
    for name in given:
        if name not in known:
            raise _no_options_for(name)
        configured(name, given)
    if not isinstance(passes, Mapping | None):
        raise Error(f"passes is {passes!r}; it has passes by level, such as {{'loop': ['cse']}}")
    more = {checked_level(level): [*_resolved(one)] for level, one in (passes or {}).items()}
    return Steps(given, more)


def _no_options_for(name: str) -> Error:
    if name not in load_universe().all_passes:
        return Error(f"no pass {name!r} has options{did_you_mean(name, get_all_passes())}")
    written = f"written with it: passes={{'LEVEL': '{name}{{option=value}}'}}"
    return Error(f"options are those of Teloom's own passes; those of {name!r} are {written}")


def checked_options(options: object) -> dict[str, dict[str, Any]]:
    """Options of passes, by their names, as a user gives them; raises `teloom.Error` for others."""
    such = "such as {'vectorize-loops': {'bytes': 32}}"
    if not isinstance(options, Mapping | None):
        raise Error(f"options is {options!r}; it has options by pass, {such}")
    for name, each in (options or {}).items():
        if not isinstance(each, Mapping):
            raise Error(f"the options of {name!r} are {each!r}; they are a dict, {such}")
    return {name: dict(each) for name, each in (options or {}).items()}


def _resolved(given: UserPass | Sequence[UserPass]) -> Iterator[ModulePass]:
    if isinstance(given, Mapping):
        such = "options are in texts: 'PASS{option=value}'"
        raise Error(f"{given!r} is no list of passes; {such}")
    for one in given if isinstance(given, Iterable) and not isinstance(given, str) else [given]:
        if isinstance(one, str):
            try:
                yield from parse_passes(one, load_universe().all_passes, PIPELINES)
            except Mistake as mistake:
                raise Error(f"passes: {mistake.message}") from None
        elif isinstance(one, ModulePass):
            yield one
        elif isinstance(one, type) and issubclass(one, ModulePass):
            yield _made(one)
        else:
            raise Error(f"{one!r} is no pass; a pass is a text such as 'cse', a class, an object")


def _made(kind: type[ModulePass]) -> ModulePass:
    try:
        return kind()
    except FOREIGN as error:
        said = said_with_kind(error)
        raise Error(f"cannot make the pass {kind.__name__}: {said}; give an object") from error


class Lowering:
    """Lowers one program from level to level; the user's passes have to leave `functions` in it."""

    def __init__(self, runner: Runner, steps: Steps = Steps(), functions: Collection[str] = ()):
        self.runner, self.steps, self.functions = runner, steps, functions
        runner.inserted = Inserted(steps.users, functions)

    def bring(self, module: ModuleOp, first: str, last: str) -> None:
        """Lowers a module through all levels from `first` to `last`.

        Upstream's programs are rewritten first. Raises what `Runner.run` raises.
        """
        if first == "te" and loaded(_ORIGIN, "is_from_upstream")(module):
            self.runner.run(module, self.steps.named(name for name, _ in UPSTREAM))
        self.runner.run(module, self.steps.between(first, last))

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Runs passes on a module, in order."""
        self.runner.run(module, passes)

    def copy(self) -> Lowering:
        """A lowering for a clone of the module."""
        return Lowering(self.runner.copy(), self.steps, self.functions)
