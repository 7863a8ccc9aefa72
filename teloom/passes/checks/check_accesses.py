"""Pass `check-accesses`: code that looks at each access whether it finds what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf, vector
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis import shadow_state as state
from teloom.analysis.memory.storage import Allocation, byte_width
from teloom.analysis.signature import SIGNATURE, Argument, signature_of
from teloom.dialects import loop, shadow, te
from teloom.dialects.bodies.around import ops_between
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.interfaces import Access, Rules
from teloom.dialects.loop import INDEX
from teloom.dialects.upstream import amx
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.arith import constant_index, zero_of
from teloom.dialects.upstream.functions import READONLY, said_of, said_of_arguments
from teloom.errors import PassError
from teloom.locations import location_of
from teloom.passes.checks.label_accesses import drop_labels
from teloom.passes.code.code_motion import end_of
from teloom.passes.expected_level import refuse, refuse_unless_flat

WORDS = MemRefType(INDEX, [DYNAMIC_INDEX])
"""The type of a shadow, and of the state."""

SITES, NAMES, WORD_COUNT = "shadow.sites", "shadow.names", "shadow.words"
"""Attributes of a checked function: the words of its sites, the names of its regions, and
how many words its state has."""


@dataclass(frozen=True)
class Memory:
    """A buffer, and where its shadow is.

    A shadow has an entry per element of its root: per byte, if there are views of it. The
    buffer has `size` elements of `units` entries, from the entry `start` on.
    """

    root: SSAValue
    shadow: SSAValue
    start: SSAValue
    units: int
    size: SSAValue


class Checks:
    """Puts checks into one function, which gets the state as a further argument."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        if len(function.body.blocks) > 1:
            raise PassError("a function of several blocks cannot be checked", function)
        self.block = function.body.block
        self.called: set[str] = set()
        self._constants: dict[int, SSAValue] = {}
        self._memories: dict[SSAValue, Memory] = {}
        self._slots: dict[Operation, int] = {}
        self._names: dict[str, int] = {}
        self._sites: list[str] = []
        self._arrays = [arg for arg in self.block.args if isinstance(arg.type, MemRefType)]
        self._words = state.LENGTHS + len(self._arrays)
        self._declared: dict[SSAValue, Argument] = {}
        if SIGNATURE in function.attributes:
            arguments = signature_of(function).arguments
            self._declared = dict(zip(self._arrays, arguments, strict=True))

    def run(self) -> None:
        ops = [*preorder(self.function)][1:]
        said = said_of_arguments(self.function)
        self.state = self.block.insert_arg(WORDS, len(self.block.args))
        self.state.name_hint = "state"
        types = [argument.type for argument in self.block.args]
        results = self.function.function_type.outputs.data
        self.function.function_type = builtin.FunctionType.from_lists(types, results)
        self.function.arg_attrs = ArrayAttr([*said, DictionaryAttr({})])
        self._add_arguments(InsertPoint.before(ops[0]))
        for op in ops:
            self._visit(op)
        drop_labels(self.function)
        self.function.attributes |= {
            SITES: ArrayAttr([builtin.StringAttr(site) for site in self._sites]),
            NAMES: ArrayAttr([builtin.StringAttr(name) for name in self._names]),
            WORD_COUNT: builtin.IntAttr(self._words),
        }

    # Values

    def _constant(self, value: int) -> SSAValue:
        if value not in self._constants:
            op = constant_index(value)
            Rewriter.insert_op(op, InsertPoint.at_start(self.block))
            self._constants[value] = op.result
        return self._constants[value]

    def _call(self, name: str, place: InsertPoint, *arguments: SSAValue | int) -> None:
        values = [self._constant(a) if isinstance(a, int) else a for a in arguments]
        self.called.add(name)
        Rewriter.insert_op(func.CallOp(name, values, ()), place)

    def _word(self, number: int, place: InsertPoint) -> SSAValue:
        load = memref.LoadOp.get(self.state, [self._constant(number)])
        Rewriter.insert_op(load, place)
        return load.res

    def _set_word(self, number: int, value: SSAValue, place: InsertPoint) -> None:
        store = memref.StoreOp.get(value, self.state, [self._constant(number)])
        Rewriter.insert_op(store, place)

    def _set_words(
        self,
        first: int,
        exprs: Sequence[AffineExpr],
        values: Sequence[SSAValue],
        place: InsertPoint,
    ) -> None:
        """Sets the words from `first` on to expressions over `values`."""
        for number, expr in enumerate(exprs, first):
            self._set_word(number, self._value(expr, values, place), place)

    def _value(self, expr: AffineExpr, values: Sequence[SSAValue], place: InsertPoint) -> SSAValue:
        """An expression over `values`."""
        if isinstance(expr, AffineConstantExpr):
            return self._constant(expr.value)
        if isinstance(expr, AffineDimExpr):
            return values[expr.position]
        apply = ApplyOp(values, builtin.AffineMapAttr(AffineMap(len(values), 0, (expr,))))
        Rewriter.insert_op(apply, place)
        return apply.result

    def _new_words(self, count: int) -> int:
        self._words += count
        return self._words - count

    # Memory

    def _add_arguments(self, place: InsertPoint) -> None:
        for number, array in enumerate(self._arrays, state.LENGTHS):
            assert isinstance(array.type, MemRefType)
            refuse_unless_flat(array.type, self.function)
            if array in self._declared:
                argument = self._declared[array]
                mark = state.ANYTHING if argument.updated else state.GIVEN
                if argument.is_empty_at_first:
                    mark = state.NOTHING
            else:
                mark = state.GIVEN if READONLY in said_of(array) else state.ANYTHING
            self._add_root(array, self._word(number, place), mark, place)

    def _add_root(self, buffer: SSAValue, size: SSAValue, mark: int, place: InsertPoint) -> None:
        made = memref.AllocOp((size,), (), WORDS)
        made.memref.name_hint = "shadow"
        Rewriter.insert_op(made, place)
        Rewriter.insert_op(memref.DeallocOp.get(made.memref), end_of(place.block))
        memory = Memory(buffer, made.memref, self._constant(0), 1, size)
        self._memories[buffer] = memory
        self._fill(memory, mark, place)

    def _add_view(self, op: memref.ViewOp) -> None:
        of = self._memory(op.source, op)
        width = byte_width(op.result.type.element_type)
        start = arith.AddiOp(of.start, op.byte_shift)
        inside = arith.CmpiOp(op.byte_shift, of.size, "ult")
        left = (AffineExpr.dimension(0) - AffineExpr.dimension(1)) // width
        room = ApplyOp((of.size, op.byte_shift), builtin.AffineMapAttr(AffineMap(2, 0, (left,))))
        some = arith.MinUIOp(room.result, self._size(op.result, op.sizes))
        size = arith.SelectOp(inside, some, self._constant(0))
        Rewriter.insert_op((start, inside, room, some, size), InsertPoint.after(op))
        self._memories[op.result] = Memory(of.root, of.shadow, start.result, width, size.result)

    def _size(self, buffer: SSAValue, sizes: Sequence[SSAValue]) -> SSAValue:
        assert isinstance(buffer.type, MemRefType)
        owner = buffer.owner
        refuse_unless_flat(buffer.type, owner if isinstance(owner, Operation) else self.function)
        extent = prod(buffer.type.get_shape())  # 1 of no dimensions
        return sizes[0] if extent == DYNAMIC_INDEX else self._constant(extent)

    def _memory(self, buffer: SSAValue, op: Operation) -> Memory:
        found = self._memories.get(buffer)
        if found is None:
            raise PassError(f"nothing says in which memory {op.name} finds its buffer", op)
        return found

    def _fill(self, memory: Memory, mark: int, place: InsertPoint) -> None:
        where = (memory.shadow, memory.start, memory.units, memory.size)
        self._call(state.FILL, place, *where, mark)

    # Ops

    def _visit(self, op: Operation) -> None:
        if (rule := CHECKS[type(op)]) is not None:
            rule(self, op)
            return
        for access in accesses_of(op):
            if access.is_needed:  # of others no address is wrong
                self._check_access(access)

    def _add_buffer(self, op: Allocation) -> None:
        size = self._size(op.memref, op.dynamic_sizes)
        self._add_root(op.memref, size, state.NOTHING, InsertPoint.after(op))

    def _add_alias(self, op: Operation) -> None:
        self._memories[op.results[0]] = self._memory(op.operands[0], op)

    def _end(self, op: memref.DeallocOp) -> None:
        """The memory is freed at the end of the block: then nothing can go wrong before."""
        self._fill(self._memory(op.memref, op), state.FREED, InsertPoint.before(op))
        block = op.parent
        assert block is not None
        op.detach()
        Rewriter.insert_op(op, end_of(block))

    def _begin(self, op: shadow.RegionOp) -> None:
        if op.rank > state.AXES:
            raise PassError(f"a region has {op.rank} axes; {state.AXES} can be checked", op)
        name = self._names.setdefault(op.region_name.data, len(self._names))
        if name == state.REGIONS:
            raise PassError(f"more than {state.REGIONS} regions cannot be told apart", op)
        slot = self._slots[op] = self._new_words(1 + 2 * op.rank)
        place = InsertPoint.after(op)
        offsets, extents = op.offsets.data.results, op.extents.data.results
        self._set_words(slot + 1, [*offsets, *extents], op.operands_, place)
        self._call(state.BEGIN, place, self.state, slot, name, op.rank)

    def _run_serially(self, op: loop.ForOp) -> None:
        """Remembers which elements there were before the loop and before each iteration."""
        if op.kind.data.at_the_same_time:
            slot = self._slots[op] = self._new_words(2)
            for number, place in enumerate(
                (InsertPoint.before(op), InsertPoint.at_start(op.body.block)), slot
            ):
                self._set_word(number, self._word(state.NEXT, place), place)
        if op.kind.data.thread_rank is None:
            op.kind = loop.LoopKindAttr(loop.LoopKind.SERIAL)

    # Accesses

    def _check_access(self, access: Access) -> None:
        op, memory = access.op, self._memory(access.buffer, access.op)
        op.properties.pop("nontemporal", None)  # a loop that is checked has no lanes to stream
        if not access.is_known:
            self._fill(memory, state.ANYTHING, InsertPoint.after(op))
            return
        label = next(iter(shadow.labels_of(access)), None)
        site = self._new_site(access, label)
        if access.lanes > 1 or access.mask is not None:
            self._check_lanes(access, site, memory)
            return
        index = self._first_element(access)
        self._check(access, site, label, memory, index, InsertPoint.before(op))
        self._guard(op, arith.CmpiOp(index, memory.size, "ult"))

    def _check_lanes(self, access: Access, site: int, memory: Memory) -> None:
        """Looks at a vector element by element; at those that its mask lets through."""
        place = InsertPoint.before(access.op)
        first, before = self._first_element(access), self._word(state.FOUND, place)
        body = Block(arg_types=[INDEX])
        rows = access.rows
        lanes = self._constant(access.lanes if rows is None else rows.count * rows.columns)
        each = scf.ForOp(self._constant(0), lanes, self._constant(1), [], Region(body))
        Rewriter.insert_op(each, place)
        inside = body
        if access.mask is not None:
            inside = Block()
            bit = vector.ExtractOp(access.mask, [body.args[0]], i1)
            body.add_ops([bit, scf.IfOp(bit.result, [], Region(inside)), scf.YieldOp()])
        lane: SSAValue = body.args[0]
        if rows is not None:
            behind = ApplyOp([lane], AffineMapAttr(rows.place))
            inside.add_op(behind)
            lane = behind.result
        index = arith.AddiOp(first, lane)
        inside.add_ops([index, last := scf.YieldOp()])
        self._check(access, site, None, memory, index.result, InsertPoint.before(last))
        self._guard(access.op, arith.CmpiOp(before, self._word(state.FOUND, place), "eq"))

    def _first_element(self, access: Access) -> SSAValue:
        """The position of the first element of an access to flat memory."""
        if not access.subscripts:
            return self._constant(0)
        (subscript,) = access.subscripts
        return self._value(subscript, access.indices, InsertPoint.before(access.op))

    def _guard(self, op: Operation, condition: arith.CmpiOp) -> None:
        """Lets `op` happen, or give zeros, as the condition says."""
        otherwise = Region()
        if op.results:
            zeros = [_zero(result.type) for result in op.results]
            otherwise.add_block(Block([*zeros, scf.YieldOp(*(zero.results[0] for zero in zeros))]))
        types = [result.type for result in op.results]
        guarded = scf.IfOp(condition.result, types, Region(Block()), otherwise)
        Rewriter.insert_op((condition, guarded), InsertPoint.before(op))
        for result, given in zip(op.results, guarded.results, strict=True):
            result.replace_all_uses_with(given)
            given.name_hint = result.name_hint
        op.detach()
        guarded.true_region.block.add_ops([op, scf.YieldOp(*op.results)])

    def _check(
        self,
        access: Access,
        site: int,
        label: shadow.ElementOp | None,
        memory: Memory,
        index: SSAValue,
        place: InsertPoint,
    ) -> None:
        if label is None:
            slot, rank = self._constant(-1), 1
            self._set_word(state.AT, index, place)
        else:
            slot, rank = self._constant(self._slots[label.of]), label.of.rank
            self._set_words(state.AT, label.map.data.results, label.operands_, place)
        where = (memory.shadow, memory.start, memory.units, index, memory.size)
        if access.writes and label is not None:
            for apart in self._threads_between(memory.root, label.of):
                self._call(state.APART, place, self.state, site, rank, self._slots[apart], *where)
        for function in [state.READ] * access.reads + [state.WRITE] * access.writes:
            self._call(function, place, self.state, site, rank, slot, *where)

    def _new_site(self, access: Access, label: shadow.ElementOp | None) -> int:
        name = label.of.region_name.data if label else access.buffer.name_hint or "a buffer"
        place = location_of(access.op)
        where = f"{place.filename.data}:{place.line.data}: " if place else ""
        self._sites.append(f"{where}{_said(access, label)} {name}")
        return len(self._sites) - 1

    def _threads_between(self, root: SSAValue, region: shadow.RegionOp) -> Iterator[loop.ForOp]:
        """The loops around the region, not around its memory, that run at the same time."""
        for around in ops_between(region, self.function):
            if around in self._slots and not around.is_ancestor(root.owner):
                assert isinstance(around, loop.ForOp)
                yield around


CHECKS: Rules[Callable[[Checks, Any], None]] = Rules(
    {
        memref.AllocOp: Checks._add_buffer,
        memref.AllocaOp: Checks._add_buffer,
        memref.ViewOp: Checks._add_view,
        memref.CastOp: Checks._add_alias,
        memref.MemorySpaceCastOp: Checks._add_alias,
        memref.DeallocOp: Checks._end,
        shadow.RegionOp: Checks._begin,
        loop.ForOp: Checks._run_serially,
    }
)
"""What is done at ops that make, name or free memory, and at loops; others have accesses."""


def _zero(type: Attribute) -> Operation:
    if isinstance(type, amx.TileType):
        return amx.TileZeroOp(type)
    return arith.ConstantOp(zero_of(type))


def _said(access: Access, label: shadow.ElementOp | None) -> str:
    """Who does what."""
    match label:
        case shadow.LoadedOp():
            return f'stage "{label.reader.data}" reads'
        case shadow.StoredOp():
            return f'stage "{label.of.region_name.data}" writes'
        case _:
            return "a store writes" if access.writes else "a load reads"


_ARGUMENTS = {
    state.BEGIN: (WORDS, *(INDEX,) * 3),
    state.READ: (WORDS, *(INDEX,) * 3, WORDS, *(INDEX,) * 4),
    state.FILL: (WORDS, *(INDEX,) * 4),
}
_ARGUMENTS |= dict.fromkeys((state.WRITE, state.APART), _ARGUMENTS[state.READ])


@dataclass(frozen=True)
class CheckAccessesPass(ModulePass):
    """Look at each access, when it runs, whether it finds the element that it means.

    Every piece of memory gets a shadow, which says what was written last, and where.
    A labelled store writes its element's number there; a labelled load checks that it
    finds the number of its own element. No two elements have one number. What the
    caller gives may be read; outputs hold nothing at first. A load or store without a
    label, such as one of vectors, may access any element, but one that is there. Any other
    op that takes a buffer writes all of it. Into functions that others call nothing looks.

    A store is also wrong if it writes where another iteration of a parallel loop, or of
    one over a thread axis, had an element: they may run at the same time.

    Accesses outside of their buffer do not happen. All loops but those over thread axes
    are serial then.

    The functions get one more argument, the *state*: how many wrong accesses there were,
    and which was the first. `teloom-run --sanitize=memory` reads it; the functions that
    the code calls are the backend's.

    Order: after all passes that decide where elements lie, which it checks, and before
    `vectorize-loops`; the labels are made by `label-accesses`.

    Example: `check-accesses`
    ```mlir
    func.func @read(%i: index) {
      %b = memref.alloca() : memref<8xf32>
      %r = shadow.region "b" [0 : 8]
      %v = memref.load %b[%i] : memref<8xf32>
      shadow.loaded %v, %r[%i] by "C" : f32
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @read(%i: index, %state: memref<?xindex>) attributes {
        shadow.sites = ["docstring:4: stage \\22C\\22 reads b"],
        shadow.names = ["b"], shadow.words = #builtin.int<76>} {
      %subscript = arith.constant 41 : index
      %region = arith.constant 73 : index
      %extent = arith.constant 75 : index
      %offset = arith.constant 74 : index
      %1 = arith.constant 1 : index
      %0 = arith.constant 0 : index
      %8 = arith.constant 8 : index
      %b = memref.alloca() : memref<8xf32>
      %shadow = memref.alloc(%8) : memref<?xindex>
      func.call @teloom_shadow_fill(%shadow, %0, %1, %8, %0)
          : (memref<?xindex>, index, index, index, index) -> ()
      memref.store %0, %state[%offset] : memref<?xindex>
      memref.store %8, %state[%extent] : memref<?xindex>
      func.call @teloom_shadow_begin(%state, %region, %0, %1)
          : (memref<?xindex>, index, index, index) -> ()
      memref.store %i, %state[%subscript] : memref<?xindex>
      func.call @teloom_shadow_read(%state, %0, %1, %region, %shadow, %0, %1, %i, %8)
          : (memref<?xindex>, index, index, index,
             memref<?xindex>, index, index, index, index) -> ()
      %inside = arith.cmpi ult, %i, %8 : index
      %v = scf.if %inside -> (f32) {
        %there = memref.load %b[%i] : memref<8xf32>
        scf.yield %there : f32
      } else {
        %none = arith.constant 0.0 : f32
        scf.yield %none : f32
      }
      memref.dealloc %shadow : memref<?xindex>
      func.return
    }
    func.func private @teloom_shadow_begin(memref<?xindex>, index, index, index) -> ()
    func.func private @teloom_shadow_fill(memref<?xindex>, index, index, index, index) -> ()
    func.func private @teloom_shadow_read(memref<?xindex>, index, index, index,
        memref<?xindex>, index, index, index, index) -> ()
    ```
    Refused: `check-accesses`
    ```mlir
    func.func @plane() {
      %b = memref.alloca() : memref<4x4xf32>
      func.return
    }
    ```
    with "memref<4x4xf32> is not flat: linearize-memrefs gives one dimension to what is allocated"
    """

    name = "check-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        calls = ops_in(op, func.CallOp)
        inner_functions = {call.callee.root_reference.data for call in calls}
        called: set[str] = set()
        for function in [inner for inner in op.ops if isinstance(inner, func.FuncOp)]:
            if function.sym_name.data in inner_functions:
                drop_labels(function)
            elif function.body.blocks:
                checks = Checks(function)
                checks.run()
                called |= checks.called
        for name in sorted(called):
            op.body.block.add_op(
                func.FuncOp(
                    name, builtin.FunctionType.from_lists(_ARGUMENTS[name], ()), Region(), "private"
                )
            )
