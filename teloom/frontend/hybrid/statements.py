"""The statements of a hybrid script: from Python's syntax to those of an extern's body."""

from __future__ import annotations

import ast
import functools
from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from teloom.errors import Error, did_you_mean
from teloom.frontend.expr.expressions import Apply, Cast, Const, Expr, Var, as_expr, walk
from teloom.frontend.extern.ir_builder import BufferVar, IRBuilder
from teloom.frontend.hybrid.expressions import (
    Expressions,
    Script,
    captured,
    described,
    element_of,
)
from teloom.frontend.hybrid.functions import LARGEST_UNROLLED, LOOPS, UNROLLED
from teloom.frontend.hybrid.syntax import ScriptFunction
from teloom.frontend.source_location import SourceLocation
from teloom.frontend.tensor.buffers import Buffer, decl_buffer

_SUPPORTED = (
    "assignments, for ... in range(...), while, if, elif, else, assert, pass, calls of scripts and "
    "one return"
)

Make = Callable[[Buffer], BufferVar]
"""Gives the memory of an output of a script."""


class _Variable(NamedTuple):
    """A scalar that is assigned more than once."""

    place: BufferVar


class ScriptRun:
    """Notes what a script does with given arguments, by a builder.

    Arguments are values of scripts. `output` makes what `output_tensor` gives; `others` are the
    scripts that are being run, which call this one.
    """

    def __init__(
        self,
        script: ScriptFunction,
        arguments: Mapping[str, Any],
        output: Make,
        others: Sequence[ScriptFunction] = (),
    ):
        self._script, self._source, self._output_of = script, script.source, output
        self._running = [*others, script]
        self._node: ast.stmt | ast.expr = script.definition
        self.builder = IRBuilder(self.location)
        self._expressions = Expressions(self._source, self._named, self._call, self._own_function)
        self._names: ChainMap[str, Any] = ChainMap(dict(arguments))
        self._lines: dict[str, int] = {}
        self._made: list[BufferVar] = []
        self._of_others: list[BufferVar] = []
        self._assigned = Counter(
            node.id
            for node in ast.walk(script.definition)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )

    def results(self, builder: IRBuilder) -> list[BufferVar]:
        """Notes the statements and gives what is returned.

        Raises `teloom.Error`, with file, line and column, for what no script has.
        """
        self.builder = builder
        around = builder.locate
        builder.locate = self.location
        try:
            *statements, last = self._script.definition.body
            self._all(statements)
            self._node = last
            with self._source.at(last):
                if not isinstance(last, ast.Return):
                    raise Error(f"{self._script.name} does not end in a return of its outputs")
                return self._returned(last)
        finally:
            builder.locate = around

    def give(self, name: str, value: Any) -> None:
        """Makes `value` the argument of a name."""
        self._names[name] = value

    def location(self) -> SourceLocation:
        """Where the statement stands that is being noted."""
        node = self._node
        return SourceLocation(self._source.file, node.lineno, self._source.column(node))

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
        if name not in self._script.around:
            raise Error(f"{name} is not defined{did_you_mean(name, list(self._names))}")
        return captured(name, self._script.around[name])

    def _own_function(self, name: str) -> Any:
        """What is called by this name, if the script or what is around it says so."""
        value = self._names.get(name)
        return self._script.own.get(name) if value is None else value

    def _bind(self, name: str, value: Any) -> None:
        self._names[name] = value
        self._lines[name] = self._node.lineno

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
            self._node = statement
            with self._source.at(statement):
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
            case ast.While(orelse=[]):
                self._while(node)
            case ast.If():
                self._if(node)
            case ast.Assert():
                self._assert(node)
            case ast.Expr(value=ast.Call() as call) if self._expressions.is_script(call):
                self._expressions.value(call)
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Return():
                raise Error("a return is the last statement of a script")
            case _:
                raise Error(
                    f"{described(node)} is not supported in a script; supported are {_SUPPORTED}"
                )

    def _assign(self, target: ast.expr, node: ast.expr) -> None:
        makers = {"output_tensor": self._output, "allocate": self._allocated}
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in makers:
                maker = functools.partial(makers[name], ast.unparse(target))
                with self._source.at(node):
                    made = self._expressions.made(node, maker)
                self._bind_tensor(target, made)
            case _:
                self._set(target, self._expressions.value(node))

    def _output(self, name: str, /, shape: Any, dtype: Any = "float32") -> BufferVar:
        if len(self._names.maps) > 1:
            raise Error("an output_tensor is made outside of loops and branches")
        buffer = decl_buffer(shape, dtype, name)
        for part in walk(buffer.extents):
            if not isinstance(part, Const | Var | Apply | Cast):
                raise Error(f"the shape of an output depends on sizes alone, not on {part}")
        made = self._output_of(buffer)
        self._made.append(made)
        return made

    def _allocated(
        self, name: str, /, shape: Any, dtype: Any = "float32", scope: str = "global"
    ) -> BufferVar:
        return self.builder.allocate(dtype, shape, name, scope)

    def _bind_tensor(self, target: ast.expr, value: BufferVar) -> None:
        if not isinstance(target, ast.Name):
            raise Error(f"{described(target)} is no name of a tensor")
        if self._assigned[target.id] > 1 or self._names.get(target.id) is not None:
            raise Error(f"{target.id} stands for something else, too; a tensor has its own name")
        self._bind(target.id, value)

    def _set(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Subscript(value=base, slice=subscript):
                tensor = self._expressions.value(base)
                if not isinstance(tensor, BufferVar):
                    shown = ast.unparse(base)
                    raise Error(f"{shown} is no tensor, of which an element could be assigned")
                element = element_of(value)
                if isinstance(element, BufferVar):
                    shown = value.buffer.name
                    raise Error(f"{shown} is a whole tensor, where one of its elements is wanted")
                tensor[self._expressions.subscripts(subscript)] = element
            case ast.Name(id=name) if isinstance(value, BufferVar) and value.shape:
                self._bind_tensor(target, value)
            case ast.Name(id=name):
                self._set_name(name, element_of(value))
            case ast.Tuple(elts=parts) if isinstance(value, tuple):
                self._set_parts(parts, value)
            case _:
                raise Error(f"{described(target)} cannot be assigned; names and elements can")

    def _set_parts(self, targets: Sequence[ast.expr], values: Sequence[Any]) -> None:
        if len(targets) != len(values):
            raise Error(f"{len(values)} values for {len(targets)} names")
        kept = [
            self.builder.let(f"part{number}", value) if isinstance(value, Expr) else value
            for number, value in enumerate(values)
        ]
        for target, value in zip(targets, kept, strict=True):
            self._set(target, value)

    def _set_name(self, name: str, value: Any) -> None:
        known = self._names.get(name)
        if isinstance(known, _Variable):
            known.place[()] = value
        elif known is not None:
            raise Error(f"{name} is an argument, a tensor or the position of a loop: it stays that")
        elif self._assigned[name] == 1:
            kept = self.builder.let(name, value) if isinstance(value, Expr) else value
            self._bind(name, kept)
        else:
            expr = as_expr(value)
            place = self.builder.allocate(expr.dtype, (), name)
            self._bind(name, _Variable(place))
            place[()] = expr

    # Loops and branches

    def _for(self, name: str, call: ast.Call, body: Sequence[ast.stmt]) -> None:
        kind = self._expressions.callee(call)
        if kind not in (*LOOPS, UNROLLED):
            known, shown = ", ".join((*LOOPS, UNROLLED)), ast.unparse(call)
            hint = "; no target has threads of a device yet, parallel runs at once"
            hint = hint if kind == "bind" else ""
            raise Error(f"a for runs over {known}, not over {shown}{hint}")
        if len(call.args) > 2 or call.keywords:
            raise Error(f"{ast.unparse(call)}: a loop has a begin and an end, and steps of 1")
        if not call.args:
            raise Error(f"{ast.unparse(call)} has no end")
        if self._names.get(name) is not None:
            raise Error(f"{name} has a value already; give the position of a loop its own name")
        if kind == UNROLLED:
            self._unrolled(name, [self._expressions.number(one) for one in call.args], body)
            return
        bounds = [self._expressions.scalar(argument) for argument in call.args]
        begin, end = bounds if len(bounds) == 2 else (0, *bounds)
        dtypes = {as_expr(bound).dtype for bound in (begin, end)}
        dtype = "int64" if "int64" in dtypes else "int32"
        with self.builder.for_range(begin, end, name, dtype, LOOPS[kind]) as position:
            with self._scope():
                self._bind(name, position)
                self._all(body)

    def _unrolled(self, name: str, bounds: Sequence[int], body: Sequence[ast.stmt]) -> None:
        positions = range(*bounds)
        if len(positions) > LARGEST_UNROLLED:
            raise Error(
                f"{UNROLLED} of {len(positions)} positions writes its body out for each; it takes "
                f"at most {LARGEST_UNROLLED}, range any number"
            )
        loop = self._node
        for position in positions:
            with self._scope():
                self._node = loop
                self._bind(name, position)
                self._all(body)

    def _while(self, node: ast.While) -> None:
        condition = self._expressions.condition(node.test)
        if isinstance(condition, bool):
            if condition:
                raise Error(f"{described(node)} never ends: its condition is known to hold")
            return
        with self.builder.while_loop(condition), self._scope():
            self._all(node.body)

    def _if(self, node: ast.If) -> None:
        condition = self._expressions.condition(node.test)
        if isinstance(condition, bool):
            self._all(node.body if condition else node.orelse)
            return
        with self.builder.if_scope(condition), self._scope():
            self._all(node.body)
        if node.orelse:
            with self.builder.else_scope(), self._scope():
                self._all(node.orelse)

    def _assert(self, node: ast.Assert) -> None:
        said = f"{ast.unparse(node.test)} does not hold"
        if node.msg is not None:
            said = self._expressions.value(node.msg)
            if not isinstance(said, str):
                raise Error(f"the message of an assert is a text, not {ast.unparse(node.msg)}")
        message = f"{self._script.name}: {said}"
        condition = self._expressions.condition(node.test)
        is_reached = len(self._names.maps) == 1
        if condition is False and is_reached:
            raise Error(message)
        if condition is not True:
            self.builder.assert_that(condition, message)

    # Other scripts, and results

    def _call(self, script: Script, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The result of another script: its statements run here, its outputs are allocated."""
        assert isinstance(script, ScriptFunction)
        if script in self._running:
            raise Error(f"{script.name} calls itself; a script is written out where it is called")
        bound = script.bound(arguments, named)
        given = {name: self._argument(name, value) for name, value in bound.items()}
        inner = ScriptRun(script, given, self._own, self._running)
        results = inner.results(self.builder)
        self._of_others += results
        return results[0] if len(results) == 1 else tuple(results)

    def _argument(self, name: str, value: Any) -> Any:
        """An argument as it is when the script is called; defaults are captured as constants."""
        return self.builder.let(name, value) if isinstance(value, Expr) else captured(name, value)

    def _own(self, buffer: Buffer) -> BufferVar:
        return self.builder.allocate(buffer.dtype, buffer.extents, buffer.name)

    def _output_like(self, value: BufferVar) -> BufferVar:
        """An output with the elements of what another script returned."""
        made = self._output(value.buffer.name, value.buffer.extents, value.dtype)
        copied(value, made, self.builder)
        return made

    def _returned(self, node: ast.Return) -> list[BufferVar]:
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        found: list[BufferVar] = []
        for part in parts:
            value = self._names.get(part.id) if isinstance(part, ast.Name) else None
            if isinstance(value, BufferVar) and value in self._of_others:
                value = self._output_like(value)
            if not isinstance(value, BufferVar) or value not in self._made:
                shown = "nothing" if part is None else ast.unparse(part)
                raise Error(f"{shown} is returned, which is no output_tensor")
            if value in found:
                raise Error(f"{value.buffer.name} is returned twice")
            found.append(value)
        if not found:
            raise Error("nothing is returned, which is no output_tensor")
        for made in self._made:
            if made not in found:
                raise Error(f"{made.buffer.name} is not returned; allocate makes what is no output")
        return found


def copied(source: BufferVar, target: BufferVar, builder: IRBuilder) -> None:
    """Notes that all elements of a tensor are stored to another one of its shape."""
    with ExitStack() as loops:
        at = tuple(
            loops.enter_context(builder.for_range(0, extent, f"{target.buffer.name}{axis}"))
            for axis, extent in enumerate(source.buffer.extents)
        )
        target[at] = source[at]


def _loaded(target: ast.expr) -> ast.expr:
    """The value that is loaded from a place."""
    if not isinstance(target, ast.Name | ast.Subscript):
        raise Error(f"{described(target)} cannot be assigned; names and elements can")
    return target
