"""The functions of Python that are hybrid scripts: their syntax, and what names in them are."""

from __future__ import annotations

import ast
import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property, reduce
from operator import getitem
from types import FunctionType
from typing import Any

import numpy as np

from teloom.errors import Error, depth_checked, said_with_kind
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.hybrid.expressions import PlacedError, Script, Source
from teloom.frontend.hybrid.functions import IN_PYTHON, SYNTAX
from teloom.frontend.source_location import SourceLocation


class ScriptFunction(Script):
    """A function of Python as a script; its syntax is read when it is first needed."""

    def __init__(self, function: FunctionType):
        self.function = function
        self.name = function.__name__
        self._signature = inspect.signature(function)

    def __repr__(self) -> str:
        return f"te.hybrid.script({self.name})"

    @cached_property
    def source(self) -> Source:
        """Where the syntax stands."""
        return Source(self.function.__code__.co_filename)

    @cached_property
    def definition(self) -> ast.FunctionDef:
        """The syntax; lines are those of its file.

        Raises `teloom.Error` for a function whose source is not there, and a lambda.
        """
        lines, first = self._lines
        try:
            (definition,) = _statements("".join(lines))
        except SyntaxError:  # of a lambda the lines are those around it
            definition = None
        if not isinstance(definition, ast.FunctionDef):
            raise Error(f"a script is a function, made by def, not {self.function!r}")
        ast.increment_lineno(definition, first - 1)
        return definition

    @property
    def location(self) -> SourceLocation:
        """Where the function begins."""
        node = self.definition
        return SourceLocation(self.source.file, node.lineno, self.source.column(node))

    @cached_property
    def _lines(self) -> tuple[list[str], int]:
        try:
            return inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            raise Error(
                f"the source of {self.function!r} is not found; a script is read from a file, or "
                "given as a text to te.hybrid.parse"
            ) from None

    @cached_property
    def around(self) -> Mapping[str, Any]:
        """The values of the names that the function does not bind itself."""
        found = dict(self.function.__globals__)
        cells = self.function.__closure__ or ()
        for name, cell in zip(self.function.__code__.co_freevars, cells, strict=True):
            with suppress(ValueError):  # a cell that nothing has filled yet
                found[name] = cell.cell_contents
        return found

    @cached_property
    def own(self) -> Mapping[str, Any]:
        """What the user has made around the function: it hides functions that scripts know."""
        made = ((name, value) for name, value in self.around.items() if name not in SYNTAX)
        return {name: value for name, value in made if _is_own(value)}

    def bound(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by parameters; raises `teloom.Error` if they do not fit these."""
        try:
            bound = self._signature.bind(*arguments, **named)
        except TypeError as error:
            raise Error(f"{self.name}: {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def in_python(self, arguments: Mapping[str, Any]) -> Any:
        """The result of the function as Python, with the functions that scripts call."""
        function = FunctionType(
            self.function.__code__,
            {**self.function.__globals__, **IN_PYTHON, **self.own},
            self.name,
            self.function.__defaults__,
            self.function.__closure__,
        )
        given = OrderedDict((name, _nested(value)) for name, value in arguments.items())
        bound = inspect.BoundArguments(self._signature, given)
        return function(*bound.args, **bound.kwargs)


def _statements(text: str) -> list[ast.stmt]:
    """The statements of a text, all of which may be indented; raises `SyntaxError`."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first[:1].isspace():
        return ast.parse(text).body
    # In a block, lines of comments and of texts may be less indented.
    try:
        block, *others = ast.parse(f"if True:\n{text}").body
    except SyntaxError as error:
        error.lineno = error.lineno and error.lineno - 1
        raise
    assert isinstance(block, ast.If)
    for statement in (found := [*block.body, *others]):
        ast.increment_lineno(statement, -1)
    return found


def _is_own(value: Any) -> bool:
    """Whether a value around a script is the user's, and not a function or module of a library."""
    if isinstance(value, FunctionType):
        return (value.__module__ or "").split(".")[0] not in _LIBRARIES
    return isinstance(value, Script | int | float | str | list | tuple | np.generic | Expr)


_LIBRARIES = ("teloom", "numpy", "math")


class _Nested(tuple[Any, ...]):
    """A list in a script that runs as Python: `b[i, j]` is `b[i][j]`, as where it is a stage."""

    def __getitem__(self, position: Any) -> Any:
        if not isinstance(position, tuple):
            return super().__getitem__(position)
        return reduce(getitem, position[1:], super().__getitem__(position[0]))


def _nested(value: Any) -> Any:
    return _Nested(map(_nested, value)) if isinstance(value, list | tuple) else value


class ScriptText(ScriptFunction):
    """A script with its text; `names` are the names that it sees around it."""

    def __init__(self, text: str, names: Mapping[str, Any], file: str):
        """Raises `teloom.Error` unless the text has exactly one function."""
        try:
            with depth_checked():
                found = [one for one in _statements(text) if isinstance(one, ast.FunctionDef)]
        except SyntaxError as error:
            place = f"{file}:{error.lineno}:{error.offset}: " if error.lineno else f"{file}: "
            raise PlacedError(f"{place}the script is no Python: {error.msg}") from None
        if len(found) != 1:
            raise Error(f"{file} has {len(found)} functions; the text of a script has one")
        (self.definition,) = found  # type: ignore[misc]
        self.source = Source(file)  # type: ignore[misc]
        self.definition.decorator_list.clear()
        made = dict(names)
        module = ast.Module([self.definition], type_ignores=[])
        try:
            with depth_checked():
                exec(compile(module, file, "exec"), made)
        except Error:
            raise
        except Exception as error:
            said = f"the defaults of {self.definition.name} fail: {said_with_kind(error)}"
            raise Error(f"{file}: {said}") from error
        super().__init__(made[self.definition.name])
