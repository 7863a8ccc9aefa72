"""Pass `stream-stores`: aligned vectors are stored past the caches."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    BoolAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    VectorType,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.alignment import buffer_alignment
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of
from teloom.passes.lanes.peeled_streams import peel
from teloom.remarks import remark

STREAMED = BoolAttr.from_bool(True)


class Multiple(NamedTuple):
    """A condition on a call: the product of `factor` and sizes is a multiple of `of`, in bytes.

    Without sizes, the address of the buffer must be a multiple.
    """

    factor: int
    sizes: tuple[SSAValue, ...]
    buffer: SSAValue | None
    of: int

    def emit(self, builder: Builder) -> SSAValue:
        """The condition, as a value."""
        if self.buffer is not None:
            number = builder.insert(memref.ExtractAlignedPointerAsIndexOp.get(self.buffer))
            value = number.aligned_pointer
        else:
            value = _constant(self.factor, builder)
            for size in self.sizes:
                value = builder.insert(arith.MuliOp(value, size)).result
        rest = builder.insert(arith.RemUIOp(value, _constant(self.of, builder)))
        return builder.insert(arith.CmpiOp(rest.result, _constant(0, builder), "eq")).result


def _constant(number: int, builder: Builder) -> SSAValue:
    return builder.insert(arith.ConstantOp(IntegerAttr(number, IndexType()))).result


@dataclass
class Streams:
    """The buffers that streamed stores write, and the first store of each nest without any."""

    forms: IndexForms
    written: set[SSAValue] = field(default_factory=set)
    plain: list[Operation] = field(default_factory=list)

    def conditions(self, store: Operation) -> list[Multiple] | None:
        """The conditions under which a store is aligned in all iterations; None if it never is."""
        if not isinstance(store, vector.StoreOp) or len(store.indices) != 1:
            return None
        assert isinstance(store.base.type, MemRefType)
        boundary = _boundary(store)
        width = byte_width(store.base.type.element_type)
        if boundary < target_of(store).vector_bytes and not self._goes_on(store):
            return None
        found: list[Multiple] = []
        if buffer_alignment(store.base, self.forms) % boundary:
            if not isinstance(store.base, BlockArgument):
                return None
            found.append(Multiple(1, (), store.base, boundary))
        for monomial, factor in self.forms.of(store.indices[0]).terms.items():
            if factor * width % boundary == 0:
                continue
            sizes = tuple(
                atom for atom in monomial if isinstance(atom, SSAValue) and _is_size(atom)
            )
            if not sizes:
                return None
            step = gcd(factor * width, boundary)
            found.append(Multiple(step, sizes, None, boundary))
        return found

    def _goes_on(self, store: vector.StoreOp) -> bool:
        """Whether the next iteration stores what is next to it.

        A part of a cache line that is streamed by itself, as the rest of a row behind its whole
        vectors, goes to memory by itself, and so does the rest of the line.
        """
        loop_around, type = store.parent_op(), store.vector.type
        assert isinstance(type, VectorType)
        if not isinstance(loop_around, loop.ForOp):
            return False
        step = self.forms.of(store.indices[0]).terms.get((loop_around.induction_variable,))
        return step == type.get_shape()[0]


def _is_size(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and isinstance(value.owner.parent_op(), func.FuncOp)


def _boundary(store: vector.StoreOp) -> int:
    """The alignment that a streamed vector needs, in bytes: LLVM stores one register at a time."""
    type = store.vector.type
    assert isinstance(type, VectorType)
    size = byte_width(type.element_type) * type.get_shape()[0]
    return min(size & -size, target_of(store).vector_bytes)


def _stores(nest: Operation) -> list[Operation]:
    return ops_in(nest, memref.StoreOp, vector.StoreOp)


def _buffer(store: Operation) -> SSAValue:
    assert isinstance(store, memref.StoreOp | vector.StoreOp)
    return store.memref if isinstance(store, memref.StoreOp) else store.base


def _is_streamed(store: Operation) -> bool:
    return store.properties.get("nontemporal") == STREAMED


def _finish(stores: Sequence[Operation], aligned: Container[Operation]) -> bool:
    """Streams the aligned stores, and of other stores the whole cache lines.

    Returns whether any is streamed.
    """
    return any([_stream(store, store in aligned) for store in stores])


def _stream(store: Operation, is_aligned: bool) -> bool:
    streamed = store if is_aligned else None
    if streamed is None and isinstance(store, vector.StoreOp):
        streamed = peel(store, _boundary(store))
    if streamed is not store:
        store.properties.pop("nontemporal", None)
    if streamed is None:
        return False
    assert isinstance(streamed, vector.StoreOp)
    boundary = _boundary(streamed)
    known = streamed.attributes.get("alignment")
    if not isinstance(known, IntegerAttr) or known.value.data < boundary:
        streamed.attributes["alignment"] = IntegerAttr(boundary, i64)
    return True


def _nests(module: ModuleOp) -> Iterator[Operation]:
    """The ops of the outermost level of each function."""
    for function in module.ops:
        if isinstance(function, func.FuncOp):
            for block in function.body.blocks:
                yield from block.ops


def stream(nest: Operation, streams: Streams) -> None:
    """Streams stores of a nest, in a second version of it if not every call allows that."""
    stores = [*filter(_is_streamed, _stores(nest))]
    if not stores:
        return
    conditions = [streams.conditions(store) for store in stores]
    needed = [one for each in conditions if each is not None for one in each]
    at_once = [store for store, each in zip(stores, conditions, strict=True) if each is not None]
    always = [not each and each is not None for each in conditions]
    if needed and not nest.results:
        other = nest.clone()
        copies = [*filter(_is_streamed, _stores(other))]
        _choose(nest, other, list(dict.fromkeys(needed)))
        _finish(copies, [one for one, is_known in zip(copies, always, strict=True) if is_known])
        is_streamed = _finish(stores, at_once)
    else:
        known = [store for store, is_known in zip(stores, always, strict=True) if is_known]
        is_streamed = _finish(stores, known)
    if is_streamed:
        streams.written.update(map(_buffer, stores))
    else:
        streams.plain.append(stores[0])


def _choose(nest: Operation, plain: Operation, needed: Sequence[Multiple]) -> None:
    """Runs `nest` in calls for which all conditions hold, and `plain` in other calls."""
    builder = Builder(InsertPoint.before(nest))
    holds = [one.emit(builder) for one in needed]
    while len(holds) > 1:
        holds.append(builder.insert(arith.AndIOp(holds.pop(), holds.pop())).result)
    there, elsewhere = Block(), Block()
    choice = scf.IfOp(holds[0], [], Region(there), Region(elsewhere))
    Rewriter.insert_op(choice, InsertPoint.before(nest))
    nest.detach()
    there.add_ops([nest, scf.YieldOp()])
    elsewhere.add_ops([plain, scf.YieldOp()])


def _why_plain(store: Operation) -> str:
    if isinstance(store, vector.StoreOp):
        return f"its vectors do not begin at multiples of {_boundary(store)} bytes"
    return "its elements are stored one by one; vectorize an axis whose elements are adjacent"


@dataclass(frozen=True)
class StreamStoresPass(ModulePass):
    """Stream the stores of vectors that begin on a boundary; all other stores go to the caches.

    A streamed store is one with `nontemporal`. The boundary is that of the vector, or of a
    register. Where it follows from the address of an array, or from sizes, the loop nest gets a
    second version, and each call takes one. In the second version, and where no call can begin on a
    boundary, loops that write an argument element by element are streamed from a line of the cache
    on and up to one: what is left at both ends is written by vectors that begin anywhere, some of
    it twice. So they read nothing that they write. A nest of which nothing is streamed gets a
    remark.

    Order: after `align-accesses`, behind the passes that make vectors, and `reserve-memory`, which
    takes memory for one version; before `lower-loops`, while indices are affine expressions.

    Example: `stream-stores`
    ```mlir
    func.func @eights(%A: memref<64xi32>, %x: vector<8xi32>) {
      loop.for %i = 0 to 8 {
        %first = affine.apply affine_map<(d0) -> (d0 * 8)> (%i)
        vector.store %x, %A[%first] {nontemporal = true} : memref<64xi32>, vector<8xi32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @eights(%A: memref<64xi32>, %x: vector<8xi32>) {
      %0 = "memref.extract_aligned_pointer_as_index"(%A) : (memref<64xi32>) -> index
      %1 = arith.constant 32 : index
      %2 = arith.remui %0, %1 : index
      %3 = arith.constant 0 : index
      %4 = arith.cmpi eq, %2, %3 : index
      scf.if %4 {
        loop.for %i = 0 to 8 {
          %first = affine.apply affine_map<(d0) -> (d0 * 8)> (%i)
          vector.store %x, %A[%first] {nontemporal = true, alignment = 32 : i64}
            : memref<64xi32>, vector<8xi32>
        }
      } else {
        loop.for %i = 0 to 8 {
          %first = affine.apply affine_map<(d0) -> (d0 * 8)> (%i)
          vector.store %x, %A[%first] : memref<64xi32>, vector<8xi32>
        }
      }
      func.return
    }
    ```
    """

    name = "stream-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        streams = Streams(IndexForms())
        for nest in [*_nests(op)]:
            stream(nest, streams)
        for store in streams.plain:
            if _buffer(store) not in streams.written:
                remark(f"no store is streamed: {_why_plain(store)}", store)
