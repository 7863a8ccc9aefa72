"""The text of one function's body: names, labels, lines, and the values that blocks pass on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teloom.backend.machine.llvm_ir.debug_info import DebugInfo, Place
from teloom.backend.machine.llvm_ir.metadata import Metadata
from teloom.backend.machine.llvm_ir.spelling import constant_text, quoted, type_text
from teloom.dialects.interfaces import Rules
from teloom.dialects.upstream import llvm
from teloom.errors import PassError

VECTOR_SCALE = "vscale_range"
"""LLVM's attribute for how many times 128 bits a vector of SVE has, as in `2,16`."""


class ModuleText:
    """What the texts of all functions of one module share."""

    def __init__(
        self,
        module: ModuleOp,
        attributes: Mapping[str, str],
        prefix: str,
    ):
        self.debug_info: DebugInfo | None = None
        self.attributes = "".join(map(_attribute, attributes.items()))
        self.metadata = Metadata()
        # By identity, which needs no hash; each is kept, so that its number is no other's.
        self.types: dict[int, tuple[Attribute, str]] = {}
        self.symbols = {
            op.sym_name.data: prefix + op.sym_name.data
            for op in module.ops
            if isinstance(op, upstream.FuncOp) and op.body.blocks
        }
        self._shared: set[str] = set()
        # Functions whose bodies are in another text.
        self.elsewhere: set[str] = set()

    def share(self, name: str, symbol: str) -> None:
        """Lets other texts of the same program call a function, by a symbol."""
        self.symbols[name] = symbol
        self._shared.add(name)

    def linkage(self, op: upstream.FuncOp) -> str:
        """Who sees a function, with a space behind it."""
        linkage = "hidden" if op.sym_name.data in self._shared else op.linkage.linkage.data
        return "" if linkage == "external" else f"{linkage} "


def _attribute(named: tuple[str, str]) -> str:
    """An attribute of a function: a text with a value, or one of LLVM's own that has a range."""
    name, value = named
    return f"{name}({value}) " if name == VECTOR_SCALE else f'"{name}"="{value}" '


class FunctionText:
    """Prints the body of one function."""

    def __init__(self, module: ModuleText):
        self.metadata = module.metadata
        self.symbols = module.symbols
        self.types = module.types
        self.lines: list[str] = []
        self.names: dict[SSAValue, str] = {}
        self._fresh = 0
        self.place: Place | None = None
        self.labels: dict[Block, str] = {}
        # The label that control comes from, and the values it brings, per block.
        self.edges: dict[Block, list[tuple[str, tuple[SSAValue, ...]]]] = {}

    def type(self, value: SSAValue) -> str:
        return self.type_of(value.type)

    def type_of(self, type: Attribute) -> str:
        found = self.types.get(id(type))
        if found is None:
            found = self.types[id(type)] = type, type_text(type)
        return found[1]

    def name(self, value: SSAValue) -> str:
        text = self.names.get(value)
        if text is None:
            text = self.names[value] = self._literal(value.owner) or f"%v{len(self.names)}"
        return text

    def fresh(self) -> str:
        """A name for a value that no op has."""
        self._fresh += 1
        return f"%t{self._fresh}"

    def _literal(self, owner: Operation | Block) -> str | None:
        literal = LITERALS[owner.__class__]
        return None if literal is None else literal(self, owner)

    def typed(self, value: SSAValue) -> str:
        return f"{self.type(value)} {self.name(value)}"

    def symbol(self, name: str) -> str:
        return f"@{quoted(self.symbols.get(name, name))}"

    def arguments(self, values: Iterable[SSAValue]) -> str:
        return ", ".join([self.typed(value) for value in values])

    def line(self, text: str) -> None:
        self.lines.append(text)

    def define(self, op: Operation, text: str) -> None:
        self.lines.append(f"  {self.name(op.results[0])} = {text}")

    def body(self, blocks: tuple[Block, ...], printers: Rules[Printer]) -> None:
        """Prints the blocks in order, each op by its rule of `printers`."""
        for number, block in enumerate(blocks):
            self.labels[block] = f"b{number}"
        starts: list[int] = []
        for block in blocks:
            self.line(f"{self.labels[block]}:")
            starts.append(len(self.lines))
            for op in block.ops:
                if LITERALS[op.__class__] is not None:
                    continue
                printer = printers[op.__class__]
                if printer is None:
                    raise PassError(f"LLVM IR has no text for {op.name}", op)
                first = len(self.lines)
                try:
                    printer(self, op)
                except PassError as error:
                    raise error.at(op)
                if self.place is not None:
                    self._say_place(self.place, op, first)
        # Only now is every edge known.
        for block, start in reversed(tuple(zip(blocks[1:], starts[1:], strict=True))):
            self.lines[start:start] = self._phis(block)

    def _say_place(self, place: Place, op: Operation, first: int) -> None:
        """Says of which line of the program the instructions from line `first` on come."""
        said = place.of(op)
        for number in range(first, len(self.lines)):
            if self.lines[number].startswith("  "):
                self.lines[number] += said

    def _phis(self, block: Block) -> Iterable[str]:
        edges = self.edges.get(block, [])
        for position, arg in enumerate(block.args):
            incoming = ", ".join(
                f"[ {self.name(values[position])}, %{label} ]" for label, values in edges
            )
            yield f"  {self.name(arg)} = phi {self.type(arg)} {incoming}"

    def flow(self, label: str, to: Block, values: tuple[SSAValue, ...]) -> None:
        if len(values) != len(to.args):
            raise PassError(
                f"a branch passes {len(values)} values to {self.labels[to]}, which has "
                f"{len(to.args)} arguments"
            )
        self.edges.setdefault(to, []).append((label, values))


Printer = Callable[[FunctionText, Any], None]
"""Prints one op."""


def integer_property(op: Operation, name: str) -> int | None:
    value = op.properties.get(name)
    return value.value.data if isinstance(value, IntegerAttr) else None


def _zero(f: FunctionText, op: upstream.ZeroOp) -> str:
    is_pointer = isinstance(op.res.type, upstream.LLVMPointerType)
    return "null" if is_pointer else "zeroinitializer"


LITERALS: Rules[Callable[[FunctionText, Any], str]] = Rules(
    {
        upstream.ConstantOp: lambda f, op: constant_text(op.value, op.results[0].type),
        upstream.UndefOp: lambda f, op: "undef",
        llvm.PoisonOp: lambda f, op: "poison",
        upstream.ZeroOp: _zero,
        upstream.AddressOfOp: lambda f, op: f.symbol(op.global_name.string_value()),
    }
)
"""Ops that print nothing: their value is written where it is used."""
