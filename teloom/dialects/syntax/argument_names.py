"""The names of a function's arguments, also where its values cannot have them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from teloom.dialects.syntax.names import unique_names
from teloom.errors import PassError

NAMES = "te.names"
"""The attribute of a function without a signature that says the names of its arguments.

It is there where the values have others, as `x` and `x_1` for `x_1` and `x_2`.
"""


def argument_names(function: Operation, results: Sequence[SSAValue] = ()) -> list[str]:
    """The names of the arguments of a function with a body, and of its results.

    One without a name goes by its position. Raises `PassError` if the attribute `te.names` does
    not name the arguments.
    """
    arguments = function.regions[0].blocks[0].args
    said = function.attributes.get(NAMES)
    if said is None:
        return _names_of_values([*arguments, *results])
    listed = said.data if isinstance(said, ArrayAttr) else ()
    names = [one.data for one in listed if isinstance(one, StringAttr)]
    if len(names) != len(arguments) or not all(map(SSAValue.is_valid_name, names)):
        count = len(arguments)
        raise PassError(f"{NAMES} must be {count} names of arguments, got {said}", function)
    return unique_names([*names, *_names_of_values(results)])


def say_names(function: Operation, names: Sequence[str]) -> None:
    """Lets a function say the names of its arguments, where its values cannot have them.

    A value has no number behind `_` at the end of its name.
    """
    function.attributes.pop(NAMES, None)
    if _names_of_values(function.regions[0].blocks[0].args) != list(names):
        function.attributes[NAMES] = ArrayAttr([StringAttr(name) for name in names])


def _names_of_values(values: Sequence[SSAValue]) -> list[str]:
    names: list[str] = []
    for position, value in enumerate(values):
        owner = value.owner
        stage = owner.properties.get("stage_name") if isinstance(owner, Operation) else None
        default = stage.data if isinstance(stage, StringAttr) else f"arg{position}"
        hint = value.name_hint
        names.append(default if hint is None or _is_shortened(hint, default) else hint)
    return unique_names(names)


def _is_shortened(hint: str, name: str) -> bool:
    """Whether a value that was to have a name has lost the numbers at its end."""
    return re.fullmatch(re.escape(hint) + "(_[0-9]+)+", name) is not None
