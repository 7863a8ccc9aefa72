"""The body of a loop, rewritten so that several iterations run at once, as lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import MemRefType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.interleaved import Interleaved, LaneVectors, Member, lane_vectors
from teloom.analysis.accesses.panels import panels_in
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.ranges import range_of
from teloom.analysis.index.strides import LaneStrides
from teloom.analysis.memory.register_buffers import RegisterBuffers
from teloom.dialects import loop
from teloom.dialects.bodies.captured import captured
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.interfaces import Rules
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.arith import LANEWISE, zero_of
from teloom.dialects.upstream.vector import vector_type
from teloom.passes.code.loop_code import empty_body
from teloom.passes.lanes.dots import Dot, DotWriter, dot_in
from teloom.passes.lanes.gathers import gather, has_masked_loads, is_gathered
from teloom.passes.lanes.interleaved import InterleavedAccesses
from teloom.passes.lanes.panels import PanelBuffer
from teloom.passes.lanes.shuffles import pick
from teloom.passes.lanes.values import (
    DIM,
    AffineValue,
    LaneValues,
    OneLane,
    constant,
    is_scalar_arithmetic,
)

_ANY = {
    "kind": vector.CombiningKindAttr(vector.CombiningKindFlag.OR),
    "fastmath": arith.FastMathFlagsAttr("none"),
}


class LaneWriter(LaneValues):
    """Writes ops to the end of `block`, all lanes of a vector at a time.

    With a `mask`, memory is touched only in the lanes where it is set. If it `may_flush`,
    instructions may take subnormal numbers for 0.
    """

    def __init__(
        self,
        strides: LaneStrides,
        first: AffineValue,
        block: Block,
        interleaved: Mapping[Member, Interleaved],
        outer: LaneWriter | None = None,
        may_flush: bool = False,
    ):
        super().__init__(strides, first, block, outer)
        self.interleaved = InterleavedAccesses(interleaved)
        self.panels: dict[Operation, PanelBuffer] = dict(outer.panels) if outer else {}
        self.mask = outer.mask if outer else None
        self.may_flush = outer.may_flush if outer else may_flush

    def inside(self, block: Block) -> LaneWriter:
        return LaneWriter(self.strides, self.first, block, self.interleaved.groups, self)

    # Ops with effects, in program order

    def write(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if (rule := LANES[type(op)]) is not None:
                rule(self, op)
            elif accesses_of(op):
                self.lane_by_lane(op)
            # Any other op is written where its value is first needed.
            self.interleaved.forget_what_changes(op)

    def _load(self, op: memref.LoadOp) -> None:
        (index,) = op.indices
        stride = self.strides.of(index)
        if stride == 0:
            load = op.clone({op.memref: self.scalar(op.memref), index: self.scalar(index)})
            is_safe = self.mask is None or self._stays_in_buffer(op)
            self.scalars[op.res] = self.emit(load if is_safe else self._if_any(load))
        elif op in self.interleaved:
            self.vectors[op.res] = self.interleaved.load(op, self, self.mask)
        elif op in self.panels:
            panel = self.panels[op]
            self.vectors[op.res] = self.load(panel.buffer, panel.column(self))
        elif is_gathered(op, self.strides, self.mask is not None):
            self.vectors[op.res] = gather(op, self, self.mask)
        elif stride is None and (known := self._vectors_of(op)) is not None:
            self.vectors[op.res] = self._picked(op, known)
        elif stride != 1:
            self.lane_by_lane(op)
        elif self.mask is None or self._is_in_registers(op):
            self.vectors[op.res] = self.load(op.memref, self.scalar(index))
        else:
            self.vectors[op.res] = self.masked_load(op.memref, self.scalar(index), self.mask)

    def _if_any(self, load: memref.LoadOp) -> scf.IfOp:
        """A load of the same element for all lanes of the mask; zero if there are none."""
        assert self.mask is not None
        any_lane = vector.ReductionOp.create(
            operands=[self.mask], result_types=[i1], properties=_ANY
        )
        zero = arith.ConstantOp(zero_of(load.res.type))
        there, none = Block([load, scf.YieldOp(load.res)]), Block([zero, scf.YieldOp(zero)])
        return scf.IfOp(self.emit(any_lane), [load.res.type], Region(there), Region(none))

    def _vectors_of(self, op: memref.LoadOp) -> LaneVectors | None:
        return lane_vectors(op, self.strides) if self.mask is None else None

    def _picked(self, op: memref.LoadOp, known: LaneVectors) -> SSAValue:
        """The lanes of a load, picked from the vectors that hold them."""
        index = self.scalar(op.indices[0])
        vectors = [
            self.load(op.memref, self.apply(DIM + begin, [index]), known.width)
            for begin in known.begins
        ]
        return pick(vectors, known.lanes, self.emit)

    def _store(self, op: memref.StoreOp) -> None:
        (index,) = op.indices
        if op in self.interleaved:
            self.interleaved.store(op, self)
        elif op in self.panels:
            panel = self.panels[op]
            self.store(op, self.vector(op.value), panel.column(self), panel.buffer)
        elif self.strides.of(index) != 1:
            self.lane_by_lane(op)
        elif self.mask is None:
            self.store(op, self.vector(op.value), self.scalar(index))
        elif self._is_in_registers(op):
            at, value = self.scalar(index), self.vector(op.value)
            self.store(op, self._chosen(self.mask, value, self.load(op.memref, at)), at)
        else:
            self.masked_store(op, self.vector(op.value), self.scalar(index), self.mask)

    def _is_in_registers(self, op: memref.LoadOp | memref.StoreOp) -> bool:
        """Whether all lanes of an access are in a buffer that stays in registers.

        An access to some of them would keep it in memory.
        """
        owner = op.memref.owner
        if not isinstance(owner, memref.AllocaOp) or not self._stays_in_buffer(op):
            return False
        return RegisterBuffers(target_of(op)).has(owner)

    def _stays_in_buffer(self, op: memref.LoadOp | memref.StoreOp) -> bool:
        """Whether an access is inside of its buffer in all iterations of the loops around it."""
        assert isinstance(op.memref.type, MemRefType)
        (size,) = op.memref.type.get_shape()
        found = range_of(self.strides.forms.of(op.indices[0]).terms.items())
        return found is not None and 0 <= found[0] and found[1] < size

    def _control(self, op: loop.ForOp | loop.IfOp) -> None:
        if any(self.strides.varies(operand) for operand in op.operands):
            self.lane_by_lane(op)
            return
        if (dot := self._dot_of(op)) is not None:
            DotWriter(dot, self, self.inside(self.block)).write()
            return
        panels = self._panels_of(op)
        operands = [self.scalar(operand) for operand in op.operands]
        regions = [self._region(region) for region in op.regions]
        new = type(op).create(
            operands=operands, properties=op.properties, attributes=op.attributes, regions=regions
        )
        new.location = op.location
        self.block.add_op(new)
        for panel in panels:
            if isinstance(panel.panel.op, memref.StoreOp):
                panel.store_rows(self, self.inside(self.block))

    def _dot_of(self, op: loop.ForOp | loop.IfOp) -> Dot | None:
        if not isinstance(op, loop.ForOp) or self.mask is not None:
            return None
        return dot_in(op, self.strides, self.may_flush)

    def _panels_of(self, op: loop.ForOp | loop.IfOp) -> list[PanelBuffer]:
        """The panels of a loop, each with its loads."""
        if not isinstance(op, loop.ForOp) or self.mask is not None:
            return []
        found = panels_in(op, op.body.block, self.strides)
        panels = [PanelBuffer(one, self) for one in found if one.op not in self.interleaved]
        for panel in panels:
            self.panels[panel.panel.op] = panel
            if isinstance(panel.panel.op, memref.LoadOp):
                panel.load_rows(self, self.inside(self.block))
        return panels

    def _region(self, region: Region) -> Region:
        block = Block(arg_types=[arg.type for arg in region.block.args])
        inside = self.inside(block)
        for old, new in zip(region.block.args, block.args, strict=True):
            new.name_hint = old.name_hint
            inside.scalars[old] = new
        inside.write(region.block.ops)
        return Region(block)

    def _choice(self, op: scf.IfOp) -> None:
        if not self.strides.varies(op.cond):
            self._uniform_choice(op)
        elif self._fits_mask(op):
            self._masked_choice(op)
        else:
            self.lane_by_lane(op)

    def _uniform_choice(self, op: scf.IfOp) -> None:
        as_vector = [self.strides.varies(result) for result in op.results]
        condition = self.scalar(op.cond)
        branches: list[Region] = []
        for region in op.regions:
            if not region.blocks:
                branches.append(Region())
                continue
            inside = self.inside(Block())
            inside.write(region.block.ops)
            values = region.block.last_op.operands if region.block.last_op else ()
            yielded = [
                inside.vector(value) if wide else inside.scalar(value)
                for value, wide in zip(values, as_vector, strict=True)
            ]
            inside.block.add_op(scf.YieldOp(*yielded))
            branches.append(Region(inside.block))
        types = [
            vector_type(result.type, self.lanes) if wide else result.type
            for result, wide in zip(op.results, as_vector, strict=True)
        ]
        new = scf.IfOp(condition, types, branches[0], branches[1])
        self.block.add_op(new)
        for old, result, wide in zip(op.results, new.results, as_vector, strict=True):
            (self.vectors if wide else self.scalars)[old] = result

    def _fits_mask(self, op: scf.IfOp) -> bool:
        """Whether both branches may run in all lanes under masks."""
        return all(self._runs_masked(inner) for region in op.regions for inner in preorder(region))

    def _runs_masked(self, op: Operation) -> bool:
        """Whether `op` may run in all lanes if it touches memory only in the lanes of the mask."""
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            return is_scalar_arithmetic(op) or isinstance(op, scf.YieldOp | scf.IfOp)
        stride = self.strides.of(op.indices[0])
        if stride == 1 or (stride == 0 and isinstance(op, memref.LoadOp)):
            return True
        if isinstance(op, memref.StoreOp) or not has_masked_loads(op):
            return False
        return op in self.interleaved or is_gathered(op, self.strides, True)

    def _masked_choice(self, op: scf.IfOp) -> None:
        condition = self.vector(op.cond)
        outer_mask = self.mask
        yielded: list[Sequence[SSAValue]] = []
        has_accesses = any(isinstance(one, memref.LoadOp | memref.StoreOp) for one in preorder(op))
        for region, holds in zip(op.regions, (True, False), strict=True):
            if not region.blocks:
                continue
            block = region.block
            if has_accesses:
                mask = condition
                if not holds:
                    ones = self.emit(constant(condition.type, [1]))
                    mask = self.emit(arith.XOrIOp(condition, ones))
                if outer_mask is not None:
                    mask = self.emit(arith.AndIOp(outer_mask, mask))
                self.mask = mask
            self.write(block.ops)
            assert block.last_op is not None
            yielded.append([self.vector(value) for value in block.last_op.operands])
        self.mask = outer_mask
        for result, yes, no in zip(op.results, *yielded, strict=True) if op.results else ():
            self.vectors[result] = self._chosen(condition, yes, no)

    def _chosen(self, condition: SSAValue, yes: SSAValue, no: SSAValue) -> SSAValue:
        """In each lane one of two values."""
        operands, select = [condition, yes, no], LANEWISE[arith.SelectOp]
        return self.emit(select.create(operands=operands, result_types=[yes.type]))

    # Lane by lane

    def lane_by_lane(self, op: Operation) -> None:
        """Runs `op` as it is, in one lane after the other.

        It becomes a short loop over lanes, which LLVM unrolls, or a serial loop if `op` is or holds
        a loop that cannot be unrolled. Results go through small buffers that LLVM keeps in
        registers.
        """
        block = empty_body("lane")
        (number,) = block.args
        lane = OneLane(self, number, block)
        mapping = {value: lane.value(value) for value in captured(op)}
        copy = op.clone(mapping)
        alignment = target_of(op).alignment
        slots = [
            self.emit(memref.AllocaOp.get(result.type, alignment, [self.lanes]))
            for result in op.results
        ]
        block.add_op(copy)
        for result, slot in zip(copy.results, slots, strict=True):
            block.add_op(memref.StoreOp.get(result, slot, [number]))
        self.block.add_op(
            loop.ForOp(
                [AffineExpr.constant(0)],
                [AffineExpr.constant(self.lanes)],
                [],
                Region(block),
                loop.LoopKind.SERIAL if _holds_open_loop(op) else loop.LoopKind.UNROLLED,
            )
        )
        for result, slot in zip(op.results, slots, strict=True):
            self.vectors[result] = self.load(slot, self.constant(0))


LANES: Rules[Callable[[LaneWriter, Any], None]] = Rules(
    {
        memref.LoadOp: LaneWriter._load,
        memref.StoreOp: LaneWriter._store,
        loop.ForOp: LaneWriter._control,
        loop.IfOp: LaneWriter._control,
        scf.IfOp: LaneWriter._choice,
        scf.YieldOp: lambda writer, op: None,  # the op around it asks for its operands
    }
)
"""How each op runs in all lanes, if it is more than arithmetic.

An op without a rule that declares its accesses runs in one lane after the other.
"""


def _holds_open_loop(op: Operation) -> bool:
    """Whether `op` is, or holds, a loop whose extent is no constant."""
    loops = (inner for inner in preorder(op) if isinstance(inner, loop.ForOp))
    return any(constant_extent(inner) is None for inner in loops)
