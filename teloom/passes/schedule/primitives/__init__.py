"""The schedule primitives: one command op, one rewrite pattern, one file each.

A pattern turns one command of a `schedule.sequence` into a change of the stages; it
knows no other primitive. A module in this folder need not be listed anywhere.
"""

from importlib import import_module
from pkgutil import iter_modules

from xdsl.ir import Operation

from teloom.passes.schedule.primitives.handles import Primitive

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]

PRIMITIVES: dict[type[Operation], type[Primitive]] = {
    command: primitive
    for module in _MODULES
    for primitive in vars(module).values()
    if isinstance(primitive, type) and issubclass(primitive, Primitive)
    for command in primitive.commands
}
"""The pattern that carries out each command."""
