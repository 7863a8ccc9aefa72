"""The commands as methods of a stage, derived from the command ops of the dialect.

`python tests/stubs.py` writes their stubs for type checkers and editors, `stage_methods.pyi`.
"""

from __future__ import annotations

from typing import Any

from xdsl.irdl import IRDLOperation

from teloom.dialects.interfaces import PluginCommand
from teloom.errors import ScheduleError
from teloom.frontend.schedule.commands import Command, all_commands, command_of


class StageMethods:
    """One method per command op, with the op's name and docstring."""

    def command(self, op: type[IRDLOperation], *args: object, **kwargs: object) -> Any:
        """Appends a command of a plug-in, given by its op class; returns the axes that it makes.

        As for other commands, operands are axes and stages, and properties are numbers and
        strings. Raises `ScheduleError` for other arguments, and for an op that is no
        `PluginCommand`.
        """
        if not isinstance(op, type) or not issubclass(op, PluginCommand):
            raise ScheduleError(
                f"{getattr(op, 'name', repr(op))} is no command of a plug-in; a command is the "
                "class of its op"
            )
        return command_of(op).append_to(self, args, kwargs)  # pyright: ignore


def _method(command: Command):
    def method(self: Any, *args: object, **kwargs: object):
        return command.append_to(self, args, kwargs)

    method.__name__, method.__qualname__ = command.name, f"Stage.{command.name}"
    method.__doc__ = command.op.__doc__
    method.__signature__ = command.signature
    return method


for _command in all_commands():
    setattr(StageMethods, _command.name, _method(_command))
