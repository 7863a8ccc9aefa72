"""`tvm.ir`: several functions as one module, and questions about IR."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from teloom.errors import Error, check_names
from teloom.frontend.call.build import lower
from teloom.frontend.call.sources import Programs, programs_of
from teloom.frontend.expr.expressions import Expr, alike
from teloom.frontend.tensor import tensors
from teloom.frontend.tensor.tensors import checked_range
from teloom.tvm_compat.classes import TVMClass
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.transform import Asked, PassContext

__all__ = [
    "Array",
    "IRModule",
    "Map",
    "PrimFunc",
    "Range",
    "assert_structural_equal",
    "load_json",
    "save_json",
    "structural_equal",
]

_PICKLE = "teloom.pickle"


class _RangeKind(TVMClass):
    """TVM's ir.Range: of a begin and an end, or of an extent alone; asked, a range of te.

    >>> Range(2, 6), Range(4), Range.from_min_extent(2, 4)
    (Range(min=2, extent=4), Range(min=0, extent=4), Range(min=2, extent=4))
    >>> isinstance(Range(4), Range)
    True
    """

    def __init__(self) -> None:
        super().__init__(_range, lambda one: isinstance(one, tensors.Range))

    def from_min_extent(self, min_value: Any, extent: Any) -> tensors.Range:
        """The `extent` positions from `min_value` on; raises `teloom.Error` for no integers."""
        return checked_range(tensors.Range(min_value, extent), "range", "the dom of")


def _range(begin: Any, end: Any = None) -> tensors.Range:
    sides = (0, begin) if end is None else (begin, end)
    return checked_range(sides, "range", "the dom of")


Range: Any = _RangeKind()


Array: Any = TVMClass(list, lambda one: isinstance(one, list | tuple))
Map: Any = TVMClass(dict, lambda one: isinstance(one, Mapping))
"""TVM's classes of what are lists and dicts here."""


class IRModule:
    """Scheduled programs by the names of their functions, as `tvm.lower` gives them.

    It is printed as loops. `ir(level)` is the IR itself, a module of xDSL, at any level of
    `teloom.lower`. `module["f"]` is one function. `asked` is what the `PassContext` of `tvm.lower`
    asked; without it, that around the use of the module counts. Source: TVM's IRModule.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> module = IRModule({"f": te.create_prim_func([A, B])})
    >>> module.get_global_vars(), module["f"].ir("te").body.block.first_op.name
    (['f'], 'te.func')
    """

    def __init__(self, functions: Mapping[str, Any] | None = None, asked: Asked | None = None):
        self.programs: dict[str, Programs] = {}
        self.lowered = asked
        for name, given in (functions or {}).items():
            self.programs[name] = _programs(given, name)

    @staticmethod
    def from_expr(func: Any) -> IRModule:
        """The module of one function."""
        return func if isinstance(func, IRModule) else IRModule({"main": func})

    @property
    def asked(self) -> Asked:
        """The options for its passes, and passes of the user."""
        return self.lowered or PassContext.current().asked

    def get_global_vars(self) -> list[str]:
        """The names of the functions."""
        return list(self.programs)

    def update(self, other: IRModule) -> None:
        """Adds the functions of another module.

        Raises `teloom.Error` for names that both have, and if they were lowered with other options.
        """
        if not isinstance(other, IRModule):
            raise Error(f"{other!r} is no module")
        if self.programs and self.asked != other.asked:
            raise Error("the modules were lowered within a PassContext of other options each")
        self.lowered = other.lowered
        for name in other.programs:
            if name in self.programs:
                raise Error(f"both modules have a function {name!r}")
        self.programs |= other.programs

    def ir(self, level: str = "loop") -> ModuleOp:
        """All functions as one module of xDSL, at a level of `teloom.lower`."""
        if not self.programs:
            raise Error("the module has no function")
        programs: Any = self.programs
        return lower(programs, level=level, options=self.asked.options, passes=self.asked.passes)

    def __getitem__(self, name: str) -> PrimFunc:
        check_names("function", [name], self.programs)
        return PrimFunc({name: self.programs[name]}, self.lowered)

    def __contains__(self, name: str) -> bool:
        return name in self.programs

    def script(self) -> str:
        """The functions as loops, as text."""
        return str(self.ir())

    astext = script

    def show(self) -> None:
        """Prints the functions as loops."""
        print(self.script())

    def __str__(self) -> str:
        return self.script()

    def __getattr__(self, name: str) -> Any:
        raise missing_part("an IRModule", name)


class PrimFunc(IRModule):
    """A module of one function. Source: TVM's tir.PrimFunc."""

    def with_attr(self, name: str, value: Any) -> PrimFunc:
        """The function by another name, which is its attribute "global_symbol".

        Raises `teloom.Error` for other attributes.
        """
        if name != "global_symbol":
            raise Error(f"a function has no attribute {name!r}; there is: 'global_symbol'")
        (program,) = self.programs.values()
        return PrimFunc({str(value): program}, self.lowered)


def _programs(given: Any, name: str) -> Programs:
    """The one program that is given, whose function gets the name."""
    if isinstance(given, IRModule):
        if len(given.programs) != 1:
            raise Error(
                f"{name!r} is a module of {len(given.programs)} functions; it must have one"
            )
        (given,) = given.programs.values()
    (found,) = programs_of({name: given}, None, name)
    return found


def save_json(node: Any) -> str:
    """Tensors, operations or a schedule as text, from which `load_json` makes them again.

    It is a pickle within JSON, not TVM's format. Source: TVM's ir.save_json.

    >>> from teloom import te
    >>> load_json(save_json(te.placeholder((4,), name="A")))
    Tensor(shape=[4], dtype=float32, name=A)
    """
    return json.dumps({_PICKLE: base64.b64encode(pickle.dumps(node)).decode()})


def load_json(json_str: str) -> Any:
    """The object that `save_json` was given; only for trusted texts, as these are pickles.

    Raises `teloom.Error` for other texts.
    """
    try:
        data = json.loads(json_str)[_PICKLE]
    except (ValueError, TypeError, KeyError):
        raise Error(f"{str(json_str)[:40]!r} is no text of tvm.ir.save_json") from None
    return pickle.loads(base64.b64decode(data))


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two expressions are the same operations, or two modules the same IR.

    Raises `teloom.Error` if variables are to be renamed.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> structural_equal(n + 1, n + 1), structural_equal(n + 1, n + 2)
    (True, False)
    """
    if map_free_vars:
        raise Error("map_free_vars is not there: sizes are the same only if they are one te.var")
    if isinstance(lhs, IRModule) != isinstance(rhs, IRModule):
        return False
    if isinstance(lhs, IRModule):
        lhs, rhs = lhs.ir("te"), rhs.ir("te")
    if isinstance(lhs, ModuleOp):
        return lhs.is_structurally_equivalent(rhs)
    if isinstance(lhs, Expr) and isinstance(rhs, Expr):
        return alike(lhs, rhs)
    return bool(lhs == rhs)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raises a ValueError, as TVM does, unless `structural_equal` holds."""
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"{lhs} and {rhs} are not the same")
