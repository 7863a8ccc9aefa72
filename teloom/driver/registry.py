"""The dialects, passes and targets that a tool can name: upstream's, ours and the plugins'."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from teloom.dialects import get_all_dialects
from teloom.errors import Error, said_with_kind
from teloom.passes import get_all_passes
from teloom.passes.pipelines import PIPELINES

if TYPE_CHECKING:
    from xdsl.universe import Universe


def upstream_passes() -> set[str]:
    """The names of the passes that only xDSL has."""
    from xdsl.universe import XDSL_UNIVERSE

    return XDSL_UNIVERSE.all_passes.keys() - get_all_passes().keys()


def context_of(dialects: Mapping[str, Callable[[], Dialect]]) -> Context:
    """A context that knows these dialects by name, and loads one when its name is read."""
    context = Context()
    register(context, dialects)
    return context


def register(context: Context, dialects: Mapping[str, Callable[[], Dialect]]) -> None:
    """Makes dialects known by name; to load one raises `teloom.Error` if its factory is wrong."""
    for name, factory in dialects.items():
        context.register_dialect(name, partial(_dialect_of, name, factory))


def _dialect_of(name: str, factory: Callable[[], object]) -> Dialect:
    made = _made(f"dialect '{name}'", factory)
    if not isinstance(made, Dialect):
        raise _not_loaded(f"dialect '{name}'", f"gives {made!r}, not a Dialect")
    return made


def pass_of(name: str, factory: Callable[[], object]) -> type[ModulePass]:
    """The pass that a factory gives; raises `teloom.Error` if it gives none."""
    made = _made(f"pass '{name}'", factory)
    if not isinstance(made, type) or not issubclass(made, ModulePass):
        raise _not_loaded(f"pass '{name}'", f"gives {made!r}, not a subclass of ModulePass")
    return made


def _made(what: str, factory: Callable[[], object]) -> object:
    try:
        return factory()
    except FOREIGN as error:
        raise _not_loaded(what, f"raises {said_with_kind(error)}") from error


def _not_loaded(what: str, did: str) -> Error:
    return Error(f"{what} cannot be loaded: its factory {did}")


FOREIGN = (Exception, SystemExit)
"""What foreign code may raise: anything, but for the user's interrupt."""


@cache
def installed_plugins() -> list[EntryPoint]:
    """The entry points of the group `xdsl.universe`, by name: looked for once, for milliseconds."""
    return sorted(entry_points(group="xdsl.universe"), key=lambda entry: entry.name)


def load_universe() -> Universe:
    """Upstream's definitions, ours, and those of plugins; ours replace upstream's of the same name.

    A plugin is an entry point of the group `xdsl.universe`. A plugin that cannot be loaded, or
    that defines a known name again, also that of a pipeline, is reported in one line on stderr and
    left out.
    """
    # Imported late: it takes a quarter of a second, and Python programs do not need it.
    from xdsl.universe import XDSL_UNIVERSE, Universe

    universe = Universe(
        all_dialects=XDSL_UNIVERSE.all_dialects | get_all_dialects(),
        all_passes=XDSL_UNIVERSE.all_passes | get_all_passes(),
        all_targets=dict(XDSL_UNIVERSE.all_targets),
    )
    for entry in installed_plugins():
        _add_plugin(universe, entry)
    return universe


def _add_plugin(universe: Universe, entry: EntryPoint) -> None:
    from xdsl.universe import XDSL_UNIVERSE

    try:
        plugin = entry.load()
    except FOREIGN as error:
        return _skip(entry, said_with_kind(error))
    if plugin is XDSL_UNIVERSE:
        return
    reason = _why_not(universe, plugin, entry)
    if reason is not None:
        return _skip(entry, reason)
    for kind in _KINDS:
        getattr(universe, kind).update(getattr(plugin, kind))


def _why_not(universe: Universe, plugin: object, entry: EntryPoint) -> str | None:
    """Why what a plugin defines cannot be added; None if it can."""
    if not isinstance(plugin, type(universe)):
        return f"{entry.value} is a {type(plugin).__name__}, not a Universe"
    for kind in _KINDS:
        defined = getattr(plugin, kind, None)
        if not isinstance(defined, Mapping):
            return f"its {kind} is a {type(defined).__name__}, not a dict of factories"
        known = getattr(universe, kind).keys() | (PIPELINES if kind == "all_passes" else ())
        if twice := sorted(known & defined.keys()):
            return f"{', '.join(twice)} of its {kind} exists already"
    return None


_KINDS = ("all_dialects", "all_passes", "all_targets")
"""What a universe has of each kind, by name."""


def _skip(entry: EntryPoint, reason: str) -> None:
    reason = " ".join(reason.split())
    print(f"warning: plugin {entry.name} is left out: {reason}", file=sys.stderr)
