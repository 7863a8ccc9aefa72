"""Regions that become functions: what they use of values around them becomes arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from teloom.analysis.memory.shared_bytes import are_apart
from teloom.analysis.structure import structure_of
from teloom.dialects.bodies.captured import Captured, Operand
from teloom.dialects.syntax.names import unused_name

Computed = Callable[[SSAValue], bool]
"""Whether a value from around is computed again in the function, by a copy of its op."""


NO_INLINE = "no_inline"
"""On a function: LLVM leaves its calls as they are."""


def views_apart(captured: Iterable[SSAValue]) -> set[SSAValue]:
    """Views that are passed: all that are captured of a buffer, if it is known they are apart.

    So bodies are alike that use other pieces of one buffer. Of views that may meet, the buffer is
    passed, which meets no other one.
    """
    used: defaultdict[SSAValue, list[SSAValue]] = defaultdict(list)
    for value in captured:
        owner = value.owner
        used[owner.source if isinstance(owner, memref.ViewOp) else value].append(value)
    passed = {value for values in used.values() if are_apart(values) for value in values}
    return {value for value in passed if isinstance(value.owner, memref.ViewOp)}


def erase_left_over(copied: Sequence[Operation]) -> None:
    """Erases ops of which functions have copies, where nothing else uses them."""
    for op in reversed(copied):
        if op.parent is not None and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def _are_all(uses: Sequence[Operand], value: SSAValue) -> bool:
    """Whether a value, which many more ops may use, has no other uses than these."""
    return sum(1 for _ in islice(value.uses, len(uses) + 1)) == len(uses)


class Outlined:
    """The body of a function that is made of an op.

    `arguments` are what it is called with, `copied` the ops of which it has copies.
    """

    def __init__(
        self,
        op: Operation,
        values: Captured,
        computed: Computed,
        kept: Collection[SSAValue] = (),
    ):
        """Moves `op`, which has captured `values`, into the body.

        Constants that nothing else uses move with it, but those that are `kept` for a call.
        """
        self.computed = computed
        self.block = Block()
        self.arguments: list[SSAValue] = []
        self.copied: list[Operation] = []
        self._inside: dict[SSAValue, SSAValue] = {}
        for value, uses in values.items():
            is_alone = value not in kept and _are_all(uses, value)
            there = self._take(value, is_alone)
            for inner, number in uses if there is not value else ():
                inner.operands[number] = there
        op.detach()
        self.block.add_op(op)

    def _take(self, value: SSAValue, is_alone: bool = False) -> SSAValue:
        """The value in the body for `value`: an argument, or the result of its op, or of a copy.

        It is alone if only the body uses it.
        """
        if (there := self._inside.get(value)) is not None:
            return there
        owner = value.owner
        if isinstance(owner, Operation) and self.computed(value):
            if is_alone and not owner.operands:
                owner.detach()
            else:
                copied = owner.clone({operand: self._take(operand) for operand in owner.operands})
                self.copied.append(owner)
                owner = copied
            self.block.add_op(owner)
            there = owner.results[0]
        else:
            there = self.block.insert_arg(value.type, len(self.block.args))
            self.arguments.append(value)
        there.name_hint = value.name_hint
        self._inside[value] = there
        return there

    def function(self, name: str) -> func.FuncOp:
        """A private function with this body, which returns nothing."""
        self.block.add_op(func.ReturnOp())
        types = [argument.type for argument in self.block.args]
        return func.FuncOp(name, (types, []), Region(self.block), "private")


class Distinct:
    """The functions that are made for a module: of those that are alike, one."""

    def __init__(self, module: ModuleOp):
        self._taken = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}
        self._alone: dict[Attribute, func.FuncOp | None] = {}
        self._made: dict[str, func.FuncOp] = {}

    def of(self, made: func.FuncOp) -> func.FuncOp:
        """The first function like `made`, by whatever name."""
        type = made.function_type
        if type not in self._alone:
            self._alone[type] = made  # nothing to compare it with yet
            return made
        if (first := self._alone[type]) is not None:
            self._made[self._structure(first)] = first
            self._alone[type] = None
        return self._made.setdefault(self._structure(made), made)

    def _structure(self, function: func.FuncOp) -> str:
        """The structure of a function without its name."""
        name, function.sym_name = function.sym_name, StringAttr("")
        found = structure_of(function)
        function.sym_name = name
        return found

    def name(self, made: func.FuncOp, name: str) -> None:
        """Gives a function that is the first of its kind a name that is not used yet."""
        made.sym_name = StringAttr(unused_name(name, self._taken))
        self._taken.add(made.sym_name.data)
