"""The builder that conversions use: instructions, memory, and what belongs to a function."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from xdsl.dialects import builtin
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32, i64
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teloom.analysis.memory.storage import byte_width
from teloom.dialects.target import Target
from teloom.dialects.upstream import llvm
from teloom.errors import PassError
from teloom.passes.llvm.addresses import index_parts
from teloom.passes.llvm.instructions import (
    CONTRACT,
    NE,
    NO_OVERFLOW_FLAGS,
    STRICT,
    Instructions,
    stated,
)
from teloom.passes.llvm.types import POINTER, element_type, like, machine_type, memory_type

_UNORDERED, _INBOUNDS = IntegerAttr(0, i64), UnitAttr()


@cache
def _constant_index(number: int) -> builtin.DenseArrayBase:
    return builtin.DenseArrayBase.from_list(i32, (number,))


_ONE_SSA_INDEX = _constant_index(upstream.GEP_USE_SSA_VAL)


class ModuleFunctions(NamedTuple):
    """Facts about the functions of a module: which return a status, which get a workspace.

    `external` gathers the C functions called, `assertions` the messages of what is asserted,
    `entries` the functions by which threads come to the bodies of parallel loops, by their names.
    """

    reporting: frozenset[str]
    allocating: frozenset[str]
    external: dict[str, upstream.LLVMFunctionType]
    assertions: list[str]
    entries: dict[str, upstream.FuncOp]


class Builder(Instructions):
    """Builds one function of the `llvm` dialect.

    A function that reports returns a status, 0 for success: it may allocate, and
    where an allocation fails it returns 1. It may assert something, and returns the
    assertion's number where that is false. It may take `stack_bytes` of the stack.
    In one that is elementary, sums, differences and products are not contracted.
    `counters` are those of the loops that LLVM unrolls; `superseded` are the indices whose parts
    have become addresses one after the other.
    """

    def __init__(
        self,
        program: ModuleFunctions,
        reports: bool,
        workspace: SSAValue | None,
        target: Target,
        is_elementary: bool = False,
    ):
        super().__init__(Block())
        self.program = program
        self.reports = reports
        self.is_elementary = is_elementary
        self._workspace = workspace
        self._elements: dict[SSAValue, Attribute] = {}
        self._scopes: dict[SSAValue, dict[str, Attribute]] = {}
        self.counters: frozenset[SSAValue] = frozenset()
        self.superseded: list[SSAValue] = []
        self._blocks: list[Block] = []
        self.target = target
        self._stack_size = 0
        self.jobs: list[tuple[SSAValue, ...]] = []
        self._prologue: list[Operation] = []
        self._constants: dict[tuple[Attribute, Attribute], SSAValue] = {}
        self._failure: Block | None = None
        self._streams = False

    @property
    def contraction(self) -> FastMathAttr:
        """The flags of sums, differences and products."""
        return STRICT if self.is_elementary else CONTRACT

    @property
    def workspace(self) -> SSAValue:
        """Where the function, one of those that allocate, gets its memory."""
        assert self._workspace is not None
        return self._workspace

    def begin(self, block: Block) -> None:
        """Make `block` the next block of the function, and append to it."""
        self._blocks.append(block)
        self.block = block

    def call_runtime(
        self, name: str, operands: Sequence[SSAValue], type: Attribute | None
    ) -> SSAValue | None:
        """Call a C function that the process provides, and declare it."""
        inputs = [operand.type for operand in operands]
        self.program.external.setdefault(name, upstream.LLVMFunctionType(inputs, type))
        return self.call(name, operands, type)

    # Memory

    def note_buffer(self, value: SSAValue, type: Attribute) -> None:
        """Note that `value` was a value of `type`: of a buffer, the type says the elements."""
        if isinstance(type, builtin.MemRefType):
            self._elements[value] = type.element_type

    def note_view(self, op: Operation, pointer: SSAValue) -> None:
        """Note that `pointer` is what a view became, whose scopes its accesses have."""
        self._scopes[pointer] = {
            name: scopes
            for name in (llvm.ALIAS_SCOPES, llvm.NOALIAS_SCOPES)
            if (scopes := op.attributes.get(name))
        }

    def element_of(self, buffer: SSAValue) -> Attribute:
        """The type that stands in memory for an element of a buffer, a pointer by now."""
        return memory_type(machine_type(self._elements[buffer]))

    def address(
        self,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        element: Attribute,
        inbounds: bool = True,
    ) -> SSAValue:
        """The address of one element; `element` is the type that stands in memory.

        With a vector of indices, there is one for each lane.
        """
        for index in indices:
            parts = index_parts(index, self.counters, self)
            if parts != [index]:
                self.superseded.append(index)
            # Between two parts, an address may be outside of the buffer.
            inbounds = inbounds and len(parts) == 1
            for part in parts:
                buffer = self._behind(buffer, part, element, inbounds)
        return buffer

    def _behind(
        self, pointer: SSAValue, count: SSAValue, element: Attribute, inbounds: bool
    ) -> SSAValue:
        """The address so many elements behind another."""
        properties: dict[str, Attribute] = {
            "rawConstantIndices": _ONE_SSA_INDEX,
            "elem_type": element,
            "noWrapFlags": NO_OVERFLOW_FLAGS,
        }
        if inbounds:
            properties["inbounds"] = _INBOUNDS
        return self.emit(llvm.GEPOp, (pointer, count), like(count.type, POINTER), properties)

    def part(self, memory: SSAValue, number: int, element: Attribute) -> SSAValue:
        """The address of the element with this number."""
        properties: dict[str, Attribute] = {
            "rawConstantIndices": _constant_index(number),
            "elem_type": element,
            "noWrapFlags": NO_OVERFLOW_FLAGS,
            "inbounds": _INBOUNDS,
        }
        return self.emit(llvm.GEPOp, (memory,), POINTER, properties)

    def load(
        self,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        type: Attribute,
        alignment: int | None = None,
        said: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Load a scalar or a vector of the machine type `type`.

        `alignment` is in bytes, that of an element without it; `said` are attributes.
        """
        stored = memory_type(type)
        element = element_type(stored)
        properties: dict[str, Attribute] = {
            "ordering": _UNORDERED,
            "alignment": stated(alignment or byte_width(element)),
        }
        load = upstream.LoadOp.create(
            operands=(self.address(buffer, indices, element),),
            result_types=(stored,),
            properties=properties,
            attributes=said or {},
        )
        return self.as_value(self.access(load, buffer).results[0], type)

    def store(
        self,
        value: SSAValue,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        alignment: int | None = None,
        said: dict[str, Attribute] | None = None,
    ) -> None:
        """Store a scalar or a vector; `said` are properties, the rest is as for `load`."""
        value = self.as_stored(value)
        element = element_type(value.type)
        properties: dict[str, Attribute] = {
            "ordering": _UNORDERED,
            "alignment": stated(alignment or byte_width(element)),
            **(said or {}),
        }
        operands = (value, self.address(buffer, indices, element))
        self._streams |= "nontemporal" in properties
        self.access(upstream.StoreOp.create(operands=operands, properties=properties), buffer)

    def as_stored(self, value: SSAValue) -> SSAValue:
        """A value as it stands in memory."""
        stored = memory_type(value.type)
        return value if stored == value.type else self.emit(upstream.ZExtOp, (value,), stored)

    def as_value(self, stored: SSAValue, type: Attribute) -> SSAValue:
        """What stands in memory, as a value of `type`."""
        if stored.type == type:
            return stored
        return self.compare(NE, stored, self.constant(0, stored.type))

    def access(self, op: Operation, pointer: SSAValue) -> Operation:
        """Append a load or store of an element of the buffer at `pointer`."""
        op.attributes.update(self._scopes.get(pointer, {}))
        self.block.add_op(op)
        return op

    def stack_slot(self, type: Attribute, size: int, alignment: int) -> SSAValue:
        """Memory for one value of `type`, of `size` bytes, as long as the function runs.

        It stands in the entry block, so that a loop does not grow the stack and LLVM
        can turn the memory into registers.
        """
        self._stack_size += size
        if self._stack_size > self.target.stack_bytes:
            raise PassError(
                f"the function needs {self._stack_size} bytes of stack, more than "
                f"{self.target.stack_bytes}; use memref.alloc for large buffers"
            )
        slot = upstream.AllocaOp(self.constant(1, i64), type, alignment)
        self._prologue.append(slot)
        return slot.res

    def literal(self, value: Attribute, type: Attribute) -> SSAValue:
        """A constant, which stands once, in the entry block."""
        found = self._constants.get((value, type))
        if found is None:
            said = {"value": value}
            op = upstream.ConstantOp.create(result_types=(type,), properties=said)
            self._prologue.append(op)
            found = self._constants[value, type] = op.result
        return found

    # Control

    def fail_if(self, condition: SSAValue, status: SSAValue, op: Operation) -> None:
        """Leave the function with `status` if `condition` holds."""
        if not self.reports:
            raise PassError(
                f"{op.name} stands in a function with results, which cannot report "
                "that it failed; give that function a buffer for its result",
                op,
            )
        if self._failure is None:
            self._failure = Block(arg_types=[i32])
        following = Block()
        self.block.add_op(upstream.CondBrOp(condition, self._failure, (status,), following, ()))
        self.begin(following)

    def finish(self) -> list[Block]:
        """Complete the function, and return its blocks in order."""
        if self._failure is not None:
            self.begin(self._failure)
            self.block.add_op(upstream.ReturnOp(self._failure.args[0]))
        if self._streams:
            self._end_streams()
        first = self._blocks[0].first_op
        assert first is not None
        self._blocks[0].insert_ops_before(self._prologue, first)
        return self._blocks

    def _end_streams(self) -> None:
        """Where the function returns, lets no other thread see what follows before its streams."""
        for block in self._blocks:
            if isinstance(block.last_op, upstream.ReturnOp):
                block.insert_op_before(llvm.FenceOp(), block.last_op)


Conversion = Callable[[Any, Builder], SSAValue | None]
"""Emits what an op becomes, and returns the value that replaces its result."""
