"""`te.hybrid`: functions of Python whose statements become the body of an extern."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from teloom.dialects.syntax.names import unique_names
from teloom.errors import Error, depth_checked
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.expr.names import checked_text
from teloom.frontend.extern.externs import buffers_for, checked_region, listed
from teloom.frontend.extern.ir_builder import BufferVar, IRBuilder
from teloom.frontend.extern.statements import Statement, all_of
from teloom.frontend.hybrid.axes import HybridOp
from teloom.frontend.hybrid.expressions import captured
from teloom.frontend.hybrid.statements import ScriptRun, copied
from teloom.frontend.hybrid.syntax import ScriptFunction, ScriptText
from teloom.frontend.kinds import checked_kind
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.scalars import listed_arguments
from teloom.frontend.tensor.tensors import Tensor, TensorRegion
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.frontend.schedule.schedules import Schedule

__all__ = ["HybridModule", "build", "parse", "script"]


class HybridScript(ScriptFunction):
    """The result of `script`: called with tensors it makes a stage, and with arrays it runs."""

    def __init__(self, function: FunctionType):
        super().__init__(function)
        update_wrapper(self, function)
        self.__globals__ = function.__globals__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The tensors that the function returns of tensors, or its arrays of arrays."""
        return _called(self, self.bound(arguments, named))


def script(function: Callable[..., Any]) -> HybridScript:
    """A function whose loops and assignments, as they are written, make a stage.

    Called with tensors, slices of them, or lists of these, it gives the tensors that it returns,
    as te.extern does; called with arrays it runs as Python. It makes what it returns by
    `output_tensor(shape, dtype)`. The loops around all that it does, whose iterations fill slices
    of their own, are the axes of the stage.
    Raises `teloom.Error`, with file, line and column, for what a script cannot have. Source: TVM's
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
    >>> C = outer(te.placeholder((3,), name="A"), te.placeholder((4,), name="B"))
    >>> C, C.op.axis
    (Tensor(shape=[3, 4], dtype=float32, name=outer), [i, j])
    >>> outer(np.ones(2), np.arange(3.0))[1]
    array([0., 1., 2.])
    """
    if not isinstance(function, FunctionType):
        raise Error(f"hybrid.script wants a function of Python, got {function!r}")
    return HybridScript(function)


def parse(
    src: str,
    args: Sequence[Any],
    symbols: Mapping[str, Any] | None = None,
    closure_vars: Mapping[str, Any] | None = None,
) -> Any:  # a Tensor, or a list of them, as the script returns
    """The tensors that a script, given as the text of its function, returns for `args`.

    `symbols` and `closure_vars` are what names around the function stand for; the latter win.
    Raises `teloom.Error`, with line and column, for what a script cannot have. Source: TVM's
    source_to_op.

    >>> from teloom import te
    >>> text = '''
    ... def shifted(a):
    ...     b = output_tensor(a.shape, a.dtype)
    ...     for i in range(len(a)):
    ...         b[i] = a[i] + SHIFT
    ...     return b
    ... '''
    >>> te.hybrid.parse(text, [te.placeholder((3,), name="A")], {"SHIFT": 2})
    Tensor(shape=[3], dtype=float32, name=shifted)
    """
    if not isinstance(src, str):
        raise Error(f"hybrid.parse wants the text of a function, got {src!r}")
    around: dict[str, Any] = {}
    for what, given in (("symbols", symbols), ("closure_vars", closure_vars)):
        if given is not None:
            around |= checked_kind(given, Mapping, what, "a dict of values by their names")
    text = ScriptText(src, around, "<script>")
    return _stage(text, text.bound(listed(args), {}))


class HybridModule:
    """A hybrid script as a module: called as a script is, and kept as the text of its function.

    >>> HybridModule("def zeros(): return output_tensor((2,))")()
    array([0., 0.], dtype=float32)
    """

    def __init__(self, src: str | None = None, name: str | None = None):
        """`name` is that of the function, unless another one is given.

        Without a text, one is loaded later. Raises `teloom.Error` for a text that is no script.
        """
        self.name = name
        self._script: ScriptText | None = None
        self._source = ""
        if src is not None:
            self._take(src, "<script>")

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The tensors that the function returns of tensors, or its arrays of arrays."""
        if self._script is None:
            raise Error("a HybridModule without a text is called; load one first")
        return _called(self._script, self._script.bound(args, named))

    def get_source(self) -> str:
        """The text of the function."""
        return self._source

    def save(self, path: str | Path) -> None:
        """Writes the text to a file, whose name ends in `.py`."""
        _python_file(path).write_text(self._source, encoding="utf-8")

    def load(self, path: str | Path) -> None:
        """Takes the text of a file. Raises `teloom.Error` if it cannot be read or is no script."""
        file = _python_file(path)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            raise Error(f"{file} cannot be read: {error.strerror}") from None
        self._take(text, str(file))

    def _take(self, text: str, file: str) -> None:
        self._script, self._source = ScriptText(text, {}, file), text
        self.name = self.name or self._script.name


def build(
    sch: Schedule, inputs: Sequence[Any], outputs: Sequence[Any], name: str = "hybrid_func"
) -> HybridModule:
    """The loops of a schedule as a module with a hybrid script of them, called with `inputs`.

    It gives what the compiled function gives, as Python, but for last bits of floats, or as a stage
    of another program. The script takes the extents of inputs as sizes, or a `te.var` among
    `inputs`.
    Raises `teloom.Error` as `teloom.lower` does, and for what no script has: calls of other code,
    quotients, comparisons and casts of unsigned integers, and sizes that no input has as an extent.
    Source: TVM's te.hybrid.build.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] * 2, name="B")
    >>> print(te.hybrid.build(te.create_schedule(B), [A], [B], "doubled").get_source())
    def doubled(A):
        B = output_tensor((4,), "float32")
        for i in range(4):
            v = A[i]
            B[i] = (v * 2.0)
        return B
    <BLANKLINE>
    """
    if not checked_text(name, "name of hybrid.build").isidentifier():
        raise Error(f"hybrid.build wants a name that Python has for functions, got {name!r}")
    args = [
        *listed_arguments(inputs, "inputs of hybrid.build"),
        *listed_arguments(outputs, "outputs of hybrid.build"),
    ]
    text_of = loaded("teloom.frontend.hybrid.lowered", "source_of_schedule")
    return HybridModule(text_of(sch, args, name), name)


def _python_file(path: str | Path) -> Path:
    file = Path(path)
    return file if file.suffix == ".py" else file.with_name(f"{file.name}.py")


def _called(function: ScriptFunction, arguments: Mapping[str, Any]) -> Any:
    """The result of calling a script: tensors for tensors and expressions, arrays for arrays."""
    values = [*arguments.values()]
    is_stage = [*_tensors_in(values)] or any(isinstance(value, Expr) for value in values)
    return _stage(function, arguments) if is_stage else function.in_python(arguments)


@depth_checked()
def _stage(function: ScriptFunction, arguments: Mapping[str, Any]) -> Any:
    name = function.name
    given = [*_tensors_in(arguments.values())]
    regions = [checked_region(one, name) for one in given]
    names = [one for parameter, value in arguments.items() for one in _names(parameter, value)]
    buffers = buffers_for(regions, unique_names(names))
    statements, outputs = _noted(function, arguments, buffers, ())
    written = [one for statement in all_of(statements) for one in statement.stored()]
    if changed := [buffer for buffer in buffers if buffer in written]:
        statements, outputs = _noted(function, arguments, buffers, changed)
    op = HybridOp(name, regions, buffers, outputs, statements, function.location)
    return list(op.outputs) if op.num_outputs > 1 else op.output(0)


def _noted(
    function: ScriptFunction,
    arguments: Mapping[str, Any],
    buffers: Sequence[Buffer],
    changed: Sequence[Buffer],
) -> tuple[Sequence[Statement], list[Buffer]]:
    """The statements of a script, and its outputs; it works on copies of inputs it changes."""
    builder = IRBuilder()
    run = ScriptRun(function, {}, builder.buffer_ptr)
    builder.locate = run.location
    places = [_place(buffer, buffer in changed, builder) for buffer in buffers]
    left = iter(places)
    for parameter, value in arguments.items():
        run.give(parameter, _with_places(parameter, value, left))
    results = run.results(builder)
    return builder.get().statements, [one.buffer for one in results]


def _place(buffer: Buffer, is_copy: bool, builder: IRBuilder) -> BufferVar:
    source = builder.buffer_ptr(buffer)
    if not is_copy:
        return source
    target = builder.allocate(buffer.dtype, buffer.extents, buffer.name)
    copied(source, target, builder)
    return target


def _with_places(name: str, value: Any, places: Iterator[BufferVar]) -> Any:
    """An argument as a value of the script: the next of `places` for each tensor."""
    if isinstance(value, list | tuple):
        return tuple(_with_places(name, one, places) for one in value)
    return next(places) if isinstance(value, Tensor | TensorRegion) else captured(name, value)


def _tensors_in(values: Any) -> Iterator[Tensor | TensorRegion]:
    """The tensors among values, and in lists of them."""
    for value in values:
        if isinstance(value, Tensor | TensorRegion):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors_in(value)


def _names(parameter: str, value: Any) -> list[str]:
    """Names for the tensors of an argument."""
    if isinstance(value, Tensor | TensorRegion):
        return [parameter]
    return [f"{parameter}_{number}" for number, _ in enumerate(_tensors_in([value]))]
