"""The functions that a module calls and does not define."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Operation, Region

from teloom.backend.call.callbacks import External
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.syntax.names import unused_name
from teloom.errors import Error
from teloom.frontend.expr.names import ssa_name


class Externals:
    """The functions that a module calls: all are declared, some have an address.

    One with an address is `extern.NAME` in the module, so that it hides no function of the process.
    """

    def __init__(self) -> None:
        self.declared: dict[str, FunctionType] = {}
        self.found: dict[str, External] = {}

    @staticmethod
    def of(module: ModuleOp, found: dict[str, External]) -> Externals:
        """The external functions of a module; others are added; `found` has known addresses."""
        externals = Externals()
        externals.found = found
        functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
        externals.declared = {one.sym_name.data: one.function_type for one in functions}
        return externals

    def name(self, external: External, name: str) -> str:
        """The name in the module of a function that has an address."""
        for known, other in self.found.items():
            if other == external:
                return known
        unused = unused_name(f"extern.{ssa_name(name)}", self.found)
        self.found[unused] = external
        return unused

    def declare(self, name: str, type: FunctionType) -> None:
        """Declares a function; raises `teloom.Error` if it was declared with other types."""
        known = self.declared.setdefault(name, type)
        if known != type:
            raise Error(f"{name} is called as {type}, and elsewhere as {known}")

    def declare_calls(self, root: Operation) -> None:
        """Declares all functions that are called in an op."""
        for op in preorder(root):
            if isinstance(op, func.CallOp):
                types = [operand.type for operand in op.operands]
                results = [result.type for result in op.results]
                self.declare(op.callee.string_value(), FunctionType.from_lists(types, results))

    def declarations(self) -> list[func.FuncOp]:
        return [
            func.FuncOp(name, type, Region(), visibility="private")
            for name, type in self.declared.items()
        ]
