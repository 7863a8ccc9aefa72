"""`te.hybrid`: functions of Python whose statements become the body of an extern."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any, NamedTuple

from xdsl.dialects.builtin import FileLineColLoc

from teloom.errors import Error, depth_checked, did_you_mean
from teloom.frontend.expr.expressions import Apply, Cast, Const, Expr, Var, as_expr, walk
from teloom.frontend.extern.externs import buffers_for, checked_region, extern
from teloom.frontend.extern.hybrid_expressions import (
    IN_PYTHON,
    LOOPS,
    Expressions,
    captured,
    described,
)
from teloom.frontend.extern.ir_builder import Body, BufferVar, IRBuilder
from teloom.frontend.source_location import location_of
from teloom.frontend.tensor.buffers import Buffer, decl_buffer
from teloom.frontend.tensor.tensors import Tensor, TensorRegion


def script(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose loops and assignments, as they are written, make a stage.

    Called with tensors, or slices of them, it gives the tensors that it returns, as te.extern
    does; called with arrays it runs as Python. It makes what it returns by
    `output_tensor(shape, dtype)`.
    Raises `teloom.Error`, with file and line, for what a script cannot have. Source: TVM's
    te.hybrid.script.

    >>> import numpy as np
    >>> from teloom import te
    >>> @te.hybrid.script
    ... def outer(a, b):
    ...     c = output_tensor((len(a), len(b)), a.dtype)
    ...     for i in range(len(a)):
    ...         for j in range(len(b)):
    ...             c[i, j] = a[i] * b[j]
    ...     return c
    >>> outer(te.placeholder((3,), name="A"), te.placeholder((4,), name="B"))
    Tensor(shape=[3, 4], dtype=float32, name=outer)
    >>> outer(np.ones(2), np.arange(3.0))[1]
    array([0., 1., 2.])
    """
    if not isinstance(function, FunctionType):
        raise Error(f"hybrid.script wants a function of Python, got {function!r}")
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            bound = signature.bind(*arguments)
        except TypeError as error:
            raise Error(f"{function.__name__}: {error}") from None
        bound.apply_defaults()
        if any(isinstance(argument, Tensor | TensorRegion) for argument in arguments):
            return _stage(function, bound.arguments)
        return _in_python(function)(*arguments)

    return call


@depth_checked()
def _stage(function: FunctionType, arguments: Mapping[str, Any]) -> Any:
    name = function.__name__
    tensors = {
        parameter: checked_region(argument, name)
        for parameter, argument in arguments.items()
        if isinstance(argument, Tensor | TensorRegion)
    }
    buffers = buffers_for([*tensors.values()], [*tensors])
    given = {**arguments, **dict(zip(tensors, buffers, strict=True))}
    made = _Script(function, given)
    body = made.body()
    return extern(
        [buffer.extents for buffer in made.outputs],
        [*tensors.values()],
        lambda ins, outs: body,
        name,
        [buffer.dtype for buffer in made.outputs],
        buffers,
        made.outputs,
    )


def _around(function: FunctionType) -> Mapping[str, Any]:
    """What the names stand for that a function does not bind itself."""
    found = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # a cell that nothing has filled yet
            found[name] = cell.cell_contents
    return found


def _in_python(function: FunctionType) -> FunctionType:
    """The function with what scripts call."""
    return FunctionType(
        function.__code__,
        {**function.__globals__, **IN_PYTHON},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def _definition_of(function: FunctionType) -> ast.FunctionDef:
    """The syntax of a function; lines are those of its file.

    Raises `teloom.Error` for a function whose source is not there, and a lambda.
    """
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise Error(
            f"the source of {function!r} is not found; a script is read from a file"
        ) from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    (definition,) = tree.body
    if not isinstance(definition, ast.FunctionDef):
        raise Error(f"a script is a function, made by def, not {function!r}")
    return definition


class _Variable(NamedTuple):
    """A scalar that is assigned more than once."""

    place: BufferVar


class _Script:
    """Turns a script into the body of an extern, for given arguments.

    `outputs` are the buffers that it fills, in the order in which it returns them.
    """

    def __init__(self, function: FunctionType, arguments: Mapping[str, Any]):
        self._file, self._definition = function.__code__.co_filename, _definition_of(function)
        self._line = self._definition.lineno
        self._around = _around(function)
        self._builder = IRBuilder(self._location)
        self._expressions = Expressions(self._named)
        self._names: ChainMap[str, Any] = ChainMap()
        for name, value in arguments.items():
            is_tensor = isinstance(value, Buffer)
            self._names[name] = (
                self._builder.buffer_ptr(value) if is_tensor else captured(name, value)
            )
        self._lines: dict[str, int] = {}
        self._made: list[BufferVar] = []
        self._assigned = Counter(
            node.id
            for node in ast.walk(self._definition)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        self.outputs: list[Buffer] = []

    def body(self) -> Body:
        """What the script does. Raises `teloom.Error`, with file and line, if it is none."""
        try:
            *statements, last = self._definition.body
            self._all(statements)
            self._line = last.lineno
            if not isinstance(last, ast.Return):
                raise Error(f"{self._definition.name} does not end in a return of its outputs")
            self._return(last)
            return self._builder.get()
        except Error as error:
            raise Error(f"{self._file}:{self._line}: {error}") from None

    def _location(self) -> FileLineColLoc:
        return location_of(self._file, self._line)

    # Names

    def _named(self, name: str) -> Any:
        if name in self._names:
            value = self._names[name]
            return value.place[()] if isinstance(value, _Variable) else value
        if name in self._lines:
            raise Error(
                f"{name} is made in line {self._lines[name]}, in a loop or branch that has ended; "
                "assign it before that"
            )
        if name not in self._around:
            raise Error(f"{name} is not defined{did_you_mean(name, list(self._names))}")
        return captured(name, self._around[name])

    def _bind(self, name: str, value: Any) -> None:
        self._names[name] = value
        self._lines[name] = self._line

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self._names = self._names.new_child()
        try:
            yield
        finally:
            self._names = self._names.parents

    # Statements

    def _all(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._line = statement.lineno
            self._one(statement)

    def _one(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                old = self._expressions.scalar(_loaded(target))
                new = self._expressions.combined(op, old, self._expressions.scalar(value))
                self._set(target, new)
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as call, orelse=[]):
                self._for(name, call, node.body)
            case ast.If():
                self._if(node)
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Return():
                raise Error("a return is the last statement of a script")
            case _:
                raise Error(
                    f"{described(node)} is not supported in a script; supported are assignments, "
                    "for ... in range(...), if, elif, else, pass and one return"
                )

    def _assign(self, target: ast.expr, node: ast.expr) -> None:
        makers = {"output_tensor": self._output, "allocate": self._allocated}
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in makers:
                maker = functools.partial(makers[name], ast.unparse(target))
                self._bind_tensor(target, self._expressions.made(node, maker))
            case _:
                self._set(target, self._expressions.value(node))

    def _output(self, name: str, /, shape: Any, dtype: Any = "float32") -> BufferVar:
        if len(self._names.maps) > 1:
            raise Error("an output_tensor is made outside of loops and branches")
        buffer = decl_buffer(shape, dtype, name)
        for part in walk(buffer.extents):
            if not isinstance(part, Const | Var | Apply | Cast):
                raise Error(f"the shape of an output depends on sizes alone, not on {part}")
        made = self._builder.buffer_ptr(buffer)
        self._made.append(made)
        return made

    def _allocated(
        self, name: str, /, shape: Any, dtype: Any = "float32", scope: str = "global"
    ) -> BufferVar:
        return self._builder.allocate(dtype, shape, name, scope)

    def _bind_tensor(self, target: ast.expr, value: BufferVar) -> None:
        if not isinstance(target, ast.Name):
            raise Error(f"{described(target)} is no name of a tensor")
        if self._assigned[target.id] > 1 or self._names.get(target.id) is not None:
            raise Error(f"{target.id} stands for something else, too; a tensor has its own name")
        self._bind(target.id, value)

    def _set(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Subscript(value=ast.Name(id=name), slice=subscript):
                tensor = self._names.get(name)
                if not isinstance(tensor, BufferVar):
                    raise Error(f"{name} is no tensor, of which an element could be assigned")
                tensor[self._expressions.subscripts(subscript)] = value
            case ast.Name(id=name):
                self._set_name(name, value)
            case _:
                raise Error(f"{described(target)} cannot be assigned; names and elements can")

    def _set_name(self, name: str, value: Any) -> None:
        known = self._names.get(name)
        if isinstance(known, _Variable):
            known.place[()] = value
        elif known is not None:
            raise Error(f"{name} is an argument, a tensor or the position of a loop: it stays that")
        elif self._assigned[name] == 1:
            kept = self._builder.let(name, value) if isinstance(value, Expr) else value
            self._bind(name, kept)
        else:
            expr = as_expr(value)
            place = self._builder.allocate(expr.dtype, (), name)
            self._bind(name, _Variable(place))
            place[()] = expr

    def _for(self, name: str, call: ast.Call, body: Sequence[ast.stmt]) -> None:
        kind = self._expressions.callee(call)
        if kind not in LOOPS:
            raise Error(f"a for runs over {', '.join(LOOPS)}, not over {ast.unparse(call)}")
        if len(call.args) > 2 or call.keywords:
            raise Error(f"{ast.unparse(call)}: a loop has a begin and an end, and steps of 1")
        bounds = [self._expressions.scalar(argument) for argument in call.args]
        if not bounds:
            raise Error(f"{ast.unparse(call)} has no end")
        begin, end = bounds if len(bounds) == 2 else (0, *bounds)
        if self._names.get(name) is not None:
            raise Error(f"{name} has a value already; give the position of a loop its own name")
        dtypes = {bound.dtype for bound in bounds if isinstance(bound, Expr)}
        dtype = "int64" if "int64" in dtypes else "int32"
        with self._builder.for_range(begin, end, name, dtype, LOOPS[kind]) as position:
            with self._scope():
                self._bind(name, position)
                self._all(body)

    def _if(self, node: ast.If) -> None:
        condition = self._expressions.scalar(node.test)
        if not isinstance(condition, Expr):
            self._all(node.body if condition else node.orelse)
            return
        with self._builder.if_scope(condition), self._scope():
            self._all(node.body)
        if node.orelse:
            with self._builder.else_scope(), self._scope():
                self._all(node.orelse)

    def _return(self, node: ast.Return) -> None:
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            value = self._names.get(part.id) if isinstance(part, ast.Name) else None
            if not isinstance(value, BufferVar) or value not in self._made:
                shown = "nothing" if part is None else ast.unparse(part)
                raise Error(f"{shown} is returned, which is no output_tensor")
            if value.buffer in self.outputs:
                raise Error(f"{value.buffer.name} is returned twice")
            self.outputs.append(value.buffer)
        for made in self._made:
            if made.buffer not in self.outputs:
                raise Error(f"{made.buffer.name} is not returned; allocate makes what is no output")


def _loaded(target: ast.expr) -> ast.expr:
    """The same place, as a value."""
    if not isinstance(target, ast.Name | ast.Subscript):
        raise Error(f"{described(target)} cannot be assigned; names and elements can")
    return target
