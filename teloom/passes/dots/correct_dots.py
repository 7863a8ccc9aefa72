"""Pass `correct-dots`: what an instruction for other signs adds too much is summed up once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, vector
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.dot_products import is_turned
from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.loops.iteration_sets import is_inside
from teloom.analysis.memory.storage import Allocation
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of, accesses_to
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.dots.dot_code import FIRST_BIT, instruction_of, kind_of
from teloom.passes.dots.flipped_stores import flip_at_stores, own_buffer
from teloom.passes.lanes.values import constant

_SERIAL = LoopKind.SERIAL, LoopKind.UNROLLED
_LOADS = memref.LoadOp, vector.LoadOp
_PLAIN = (
    *_LOADS,
    vector.MaskedLoadOp,
    memref.StoreOp,
    vector.StoreOp,
    vector.MaskedStoreOp,
    memref.DeallocOp,
)

Emit = Callable[[Operation], SSAValue | None]


@dataclass(frozen=True, eq=False)
class _Dot:
    """Sums of products in a tile of a buffer, to which loops add term by term.

    `loops` are all from the outermost over terms to the dot, which is in the innermost.
    """

    op: loop.DotOp
    store: vector.StoreOp
    loops: Sequence[loop.ForOp]
    place: Polynomial

    @property
    def tile(self) -> list[loop.ForOp]:
        """The loops over the tile; the others are over terms."""
        return [one for one in self.loops if self.place.uses(one.induction_variable)]

    @property
    def outermost(self) -> loop.ForOp:
        return self.loops[0]


@dataclass(frozen=True, eq=False)
class _Correction:
    """What is too much where a factor, by number, has its first bit flipped.

    `steps` compute the other factor. It can be computed so in front of the loop `front`, at the
    places in the tile along the loops `along`.
    """

    dot: _Dot
    flipped: int
    steps: Sequence[Operation]
    along: Sequence[loop.ForOp]
    front: loop.ForOp

    @property
    def other(self) -> SSAValue:
        return self.dot.op.operands[1 - self.flipped]

    @cached_property
    def work(self) -> int:
        """The instructions more that a step takes: to flip a factor, and to correct.

        What is stored here can be flipped before.
        """
        apart = [one for one in self.dot.tile if one not in self.along]
        is_stored_here = own_buffer(self.dot.op.operands[self.flipped]) is not None
        corrections = _points(self.along) if self.front is self.dot.outermost else 0
        return corrections + (0 if is_stored_here else _points(apart))

    @property
    def pays(self) -> bool:
        return _points(self.along) < _points(self.dot.tile)


def _points(loops: Sequence[loop.ForOp]) -> int:
    return prod(constant_extent(one) or 0 for one in loops)


def _dot(op: loop.DotOp) -> _Dot | None:
    """The tile of a dot, if it adds to what is in memory, and nothing else does in its loops."""
    load, uses = op.sums.owner, [*op.result.uses]
    if not isinstance(load, vector.LoadOp) or len(uses) != 1 or len([*load.result.uses]) != 1:
        return None
    store = uses[0].operation
    if not isinstance(store, vector.StoreOp) or store.vector is not op.result:
        return None
    if store.base is not load.base or [*store.indices] != [*load.indices]:
        return None
    loops: list[loop.ForOp] = []
    around = op.parent_op()
    while isinstance(around, loop.ForOp) and _has_alone(around, store.base, (load, store)):
        loops.insert(0, around)
        around = around.parent_op()
    place = IndexForms().of(store.indices[0])
    while loops and place.uses(loops[0].induction_variable):
        del loops[0]
    found = _Dot(op, store, loops, place)
    return found if loops and _is_plain(found) else None


def _has_alone(op: loop.ForOp, buffer: SSAValue, ops: tuple[Operation, ...]) -> bool:
    """Whether a serial loop has no other accesses to a buffer, which is there around it."""
    if op.kind.data not in _SERIAL or is_inside(buffer, op):
        return False
    if not isinstance(buffer.owner, Allocation) or not _is_by_itself(buffer):
        return False
    inside = [one.op for one in accesses_to(buffer) if op.is_ancestor(one.op)]
    return all(one in ops for one in inside)


def _is_plain(dot: _Dot) -> bool:
    """Whether the loops over the tile are from 0 to numbers, and nothing else is in any loop."""
    known = {one.induction_variable for one in dot.tile}
    if not dot.place.is_affine:
        return False
    if any(is_inside(value, dot.outermost) and value not in known for value in dot.place.values()):
        return False
    for one in dot.tile:
        if constant_extent(one) is None or any(lower.terms for lower in lower_bounds(one)):
            return False
    allowed = (*dot.loops, dot.op, dot.store)
    inside = preorder(dot.outermost)
    return all(op in allowed or only_computes(op) or isinstance(op, _LOADS) for op in inside)


def _correction(dot: _Dot, flipped: int) -> _Correction | None:
    """How a dot is corrected whose factor of that number is flipped."""
    other = dot.op.operands[1 - flipped]
    steps = _steps(other, dot.outermost, dot)
    if steps is None:
        return None
    read = {operand for step in steps for operand in step.operands}
    read.add(other)
    along = [one for one in dot.tile if one.induction_variable in read]
    front, around = dot.outermost, dot.outermost.parent_op()
    while isinstance(around, loop.ForOp) and _may_be_in_front(other, around, dot):
        front, around = around, around.parent_op()
    steps = _steps(other, front, dot)
    assert steps is not None
    return _Correction(dot, flipped, steps, along, front)


def _steps(value: SSAValue, op: loop.ForOp, dot: _Dot) -> list[Operation] | None:
    """What computes a value in a loop, by the loops of the dot alone; None if other ops do."""
    counters = {one.induction_variable for one in dot.loops}

    def computed(one: SSAValue) -> Sequence[SSAValue]:
        is_made = isinstance(one.owner, Operation) and op.is_ancestor(one.owner)
        return one.owner.operands if is_made else ()

    inside = [one for one in postorder([value], computed) if is_inside(one, op)]
    found = [one.owner for one in inside if isinstance(one.owner, Operation)]
    if any(isinstance(one.owner, Block) and one not in counters for one in inside):
        return None
    if not all(only_computes(step) or isinstance(step, _LOADS) for step in found):
        return None
    ends = (end for one in dot.loops if one not in dot.tile for end in one.operands_)
    return None if any(is_inside(end, op) for end in ends) else found


def _may_be_in_front(value: SSAValue, op: loop.ForOp, dot: _Dot) -> bool:
    """Whether a value can be computed in front of a loop around the dot, which has iterations."""
    if op.kind.data not in _SERIAL or not constant_extent(op):
        return False
    steps = _steps(value, op, dot)
    if steps is None:
        return False
    buffers = {access.buffer for step in steps for access in accesses_of(step)}
    if any(is_inside(buffer, op) or not _is_by_itself(buffer) for buffer in buffers):
        return False
    done = (access for inner in preorder(op) for access in accesses_of(inner))
    return not any(access.writes and access.buffer in buffers for access in done)


def _is_by_itself(buffer: SSAValue) -> bool:
    """Whether nothing but its loads and stores is about the memory of a buffer.

    It is an argument of the function, or allocated, and has no view, which could be written.
    """
    owner = buffer.owner
    around = owner.parent_op() if isinstance(owner, Block) else None
    if not isinstance(around, func.FuncOp) and not isinstance(owner, Allocation):
        return False
    return all(isinstance(access.op, _PLAIN) for access in accesses_to(buffer))


def _correction_of(op: loop.DotOp) -> _Correction | None:
    """The correction of a dot that takes the least work, if it needs one, and that saves any."""
    known = instruction_of(op)
    if known is None or known.flipped is None:
        return None
    dot = _dot(op)
    found = () if dot is None else (_correction(dot, number) for number in (0, 1))
    pay = [one for one in found if one is not None and one.pays]
    return min(pay, key=lambda one: one.work, default=None)


class _Writer:
    """Writes what corrects a dot."""

    def __init__(self, correction: _Correction):
        self.correction, self.dot = correction, correction.dot
        self.op = correction.dot.op
        self.sums = self.op.sums.type
        assert isinstance(self.sums, VectorType)
        self.target = target_of(self.op)
        bytes = self.op.operands[correction.flipped].type
        assert isinstance(bytes, VectorType)
        self.sign = constant(bytes, [FIRST_BIT])

    def write(self) -> arith.XOrIOp:
        """Corrects the dot; gives the op that flips a factor."""
        size = _points(self.correction.along) * self.op.lanes
        type = self.sums.element_type
        room = memref.AllocaOp.get(type, self.target.alignment, [size])
        Rewriter.insert_op(room, InsertPoint.before(self.correction.front))
        self.buffer = room.memref
        self.buffer.name_hint = "correction"
        self._nest(self.correction.front, self.correction.along, self._begin)
        apart = [one for one in self.dot.tile if one not in self.correction.along]
        terms = [one for one in self.dot.loops if one not in apart]
        self._nest(self.correction.front, terms, self._sum)
        self._nest(self.dot.outermost, self.dot.tile, self._subtract)
        return self._flip()

    def _nest(
        self,
        before: Operation,
        loops: Sequence[loop.ForOp],
        body: Callable[[Emit, Mapping[SSAValue, SSAValue]], None],
    ) -> None:
        """Loops like these in front of an op, around a body that gets their counters."""
        counters: dict[SSAValue, SSAValue] = {}
        place = InsertPoint.before(before)
        for one in loops:
            inner = Block(arg_types=[one.induction_variable.type])
            new = loop.ForOp.create(
                operands=one.operands,
                properties=one.properties,
                attributes=one.attributes,
                regions=[Region(inner)],
                location=one.location,
            )
            new.induction_variable.name_hint = one.induction_variable.name_hint
            counters[one.induction_variable] = new.induction_variable
            Rewriter.insert_op(new, place)
            place = InsertPoint.at_end(inner)

        def emit(op: Operation) -> SSAValue | None:
            Rewriter.insert_op(op, place)
            return op.results[0] if op.results else None

        body(emit, counters)

    def _begin(self, emit: Emit, counters: Mapping[SSAValue, SSAValue]) -> None:
        self._store(emit(constant(self.sums, [0])), self._place(emit, counters), emit)

    def _sum(self, emit: Emit, counters: Mapping[SSAValue, SSAValue]) -> None:
        """Adds what one term adds too much."""
        known = dict(counters)
        for step in self.correction.steps:
            emit(step.clone(known))
        other = self.correction.other
        place, sign = self._place(emit, counters), emit(self.sign.clone())
        sums = emit(self._load(self.buffer, place))
        self._store(emit(self._signed(sign, known.get(other, other), sums)), place, emit)

    def _subtract(self, emit: Emit, counters: Mapping[SSAValue, SSAValue]) -> None:
        """Takes it away from the sums before the first term."""
        form = self.dot.place
        for old, new in counters.items():
            form = form.substitute(old, Polynomial.of(new))
        place, base = IndexCode(emit).of(form), self.dot.store.base
        correction = emit(self._load(self.buffer, self._place(emit, counters)))
        less = emit(arith.SubiOp(emit(self._load(base, place)), correction))
        emit(vector.StoreOp.create(operands=[less, base, place]))

    def _flip(self) -> arith.XOrIOp:
        flipped = self.correction.flipped
        place = InsertPoint.before(self.op)
        sign = self.sign.clone()
        other_sign = arith.XOrIOp(self.op.operands[flipped], sign.result)
        new = self._signed(other_sign.result, self.correction.other, self.op.sums)
        for op in (sign, other_sign, new):
            Rewriter.insert_op(op, place)
        new.location = self.op.location
        Rewriter.replace_op(self.op, [], [new.result])
        return other_sign

    def _signed(self, flipped: SSAValue, other: SSAValue, sums: SSAValue) -> loop.DotOp:
        """A dot of a factor that has the other sign by now, in the order of instructions."""
        was = self.op.is_lhs_unsigned
        factors = [(flipped, not was), (other, was)]
        if is_turned(*(kind_of(value, unsigned) for value, unsigned in factors)):
            factors.reverse()
        (lhs, of_lhs), (rhs, of_rhs) = factors
        return loop.DotOp(lhs, rhs, sums, (of_lhs, of_rhs))

    def _load(self, buffer: SSAValue, place: SSAValue) -> Operation:
        return vector.LoadOp.create(operands=[buffer, place], result_types=[self.sums])

    def _store(self, value: SSAValue | None, place: SSAValue, emit: Emit) -> None:
        assert value is not None
        emit(vector.StoreOp.create(operands=[value, self.buffer, place]))

    def _place(self, emit: Emit, counters: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """Where the correction of a place in the tile is."""
        form, size = Polynomial.constant(0), self.op.lanes
        for one in reversed(self.correction.along):
            form = form.plus(Polynomial.of(counters[one.induction_variable]), size)
            size *= constant_extent(one) or 0
        return IndexCode(emit).of(form)


@dataclass(frozen=True)
class CorrectDotsPass(ModulePass):
    """Sum up once what an instruction for factors of other signs adds too much.

    Instructions multiply unsigned bytes by signed ones. With the first bit of one factor flipped,
    they multiply others, too: each product is too large then by 128 times the other factor, or too
    small. `lower-loops` by itself corrects each sum in each step. But what is too much is the same
    for all rows of a tile: here it is summed up in front of the loops over terms, or of all loops
    in which the other factor is the same, and taken away from the sums before these. A factor that
    is loaded from a buffer of our own, and for such sums alone, is flipped where it is stored.

    A dot stays if anything else is in its loops, if the extents of its tile are no numbers, or if
    each sum of the tile has a correction of its own.

    Order: after `vectorize-loops`, which makes the dots; before `align-accesses`, which knows the
    boundaries of what is loaded and stored here.

    Example: `correct-dots`
    ```mlir
    builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "CPU" = #dlti.target_device_spec<"architecture" = "x86_64", "features" = "+avxvnni">>} {
      func.func @rows(%A: memref<512xi8>, %B: memref<128xi8>) {
        %t = memref.alloca() : memref<16xi32>
        %zero = arith.constant dense<0> : vector<4xi32>
        loop.for %i = 0 to 4 {
          %at = affine.apply affine_map<(d0) -> (d0 * 4)> (%i)
          vector.store %zero, %t[%at] : memref<16xi32>, vector<4xi32>
        }
        loop.for %k = 0 to 8 {
          %bk = affine.apply affine_map<(d0) -> (d0 * 16)> (%k)
          %b = vector.load %B[%bk] : memref<128xi8>, vector<16xi8>
          loop.for %i = 0 to 4 unrolled {
            %ak = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1 * 16)> (%i, %k)
            %a = vector.load %A[%ak] : memref<512xi8>, vector<16xi8>
            %at = affine.apply affine_map<(d0) -> (d0 * 4)> (%i)
            %s = vector.load %t[%at] : memref<16xi32>, vector<4xi32>
            %d = loop.dot %a, %b into %s : vector<16xi8>, vector<16xi8>, vector<4xi32>
            vector.store %d, %t[%at] : memref<16xi32>, vector<4xi32>
          }
        }
        func.return
      }
    }
    ```
    becomes
    ```mlir
    builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "CPU" = #dlti.target_device_spec<"architecture" = "x86_64", "features" = "+avxvnni">>} {
      func.func @rows(%A: memref<512xi8>, %B: memref<128xi8>) {
        %t = memref.alloca() : memref<16xi32>
        %zero = arith.constant dense<0> : vector<4xi32>
        loop.for %i = 0 to 4 {
          %at = affine.apply affine_map<(d0) -> (d0 * 4)> (%i)
          vector.store %zero, %t[%at] : memref<16xi32>, vector<4xi32>
        }
        %correction = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
        %0 = arith.constant dense<0> : vector<4xi32>
        %1 = arith.constant 0 : index
        vector.store %0, %correction[%1] : memref<4xi32>, vector<4xi32>
        loop.for %k = 0 to 8 {
          %bk = affine.apply affine_map<(d0) -> (d0 * 16)> (%k)
          %b = vector.load %B[%bk] : memref<128xi8>, vector<16xi8>
          %2 = arith.constant 0 : index
          %3 = arith.constant dense<-128> : vector<16xi8>
          %4 = vector.load %correction[%2] : memref<4xi32>, vector<4xi32>
          %5 = loop.dot unsigned %3, %b into %4 : vector<16xi8>, vector<16xi8>, vector<4xi32>
          vector.store %5, %correction[%2] : memref<4xi32>, vector<4xi32>
        }
        loop.for %i_1 = 0 to 4 unrolled {
          %6 = affine.apply affine_map<(d0) -> (d0 * 4)> (%i_1)
          %7 = arith.constant 0 : index
          %8 = vector.load %correction[%7] : memref<4xi32>, vector<4xi32>
          %9 = vector.load %t[%6] : memref<16xi32>, vector<4xi32>
          %10 = arith.subi %9, %8 : vector<4xi32>
          vector.store %10, %t[%6] : memref<16xi32>, vector<4xi32>
        }
        loop.for %k_1 = 0 to 8 {
          %bk_1 = affine.apply affine_map<(d0) -> (d0 * 16)> (%k_1)
          %b_1 = vector.load %B[%bk_1] : memref<128xi8>, vector<16xi8>
          loop.for %i_2 = 0 to 4 unrolled {
            %ak = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1 * 16)> (%i_2, %k_1)
            %a = vector.load %A[%ak] : memref<512xi8>, vector<16xi8>
            %at_1 = affine.apply affine_map<(d0) -> (d0 * 4)> (%i_2)
            %s = vector.load %t[%at_1] : memref<16xi32>, vector<4xi32>
            %11 = arith.constant dense<-128> : vector<16xi8>
            %12 = arith.xori %a, %11 : vector<16xi8>
            %d = loop.dot unsigned %12, %b_1 into %s : vector<16xi8>, vector<16xi8>, vector<4xi32>
            vector.store %d, %t[%at_1] : memref<16xi32>, vector<4xi32>
          }
        }
        func.return
      }
    }
    ```
    """

    name = "correct-dots"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        corrections = map(_correction_of, ops_in(op, loop.DotOp))
        flip_at_stores([_Writer(one).write() for one in corrections if one is not None])
