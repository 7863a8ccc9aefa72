"""The commands as methods of a stage, derived from the command ops of the dialect.

What type checkers and editors are told of them, `stage_methods.pyi`, is written by
`python tests/stubs.py`.
"""

from __future__ import annotations

from typing import Any

from teloom.frontend.schedule.commands import Command, all_commands


class StageMethods:
    """One method per command op, by the op's name: see there."""


def _method(command: Command):
    def method(self: Any, *args: object, **kwargs: object):
        return command.append_to(self, args, kwargs)

    method.__name__, method.__qualname__ = command.name, f"Stage.{command.name}"
    method.__doc__ = command.op.__doc__
    method.__signature__ = command.signature
    return method


for _command in all_commands():
    setattr(StageMethods, _command.name, _method(_command))
