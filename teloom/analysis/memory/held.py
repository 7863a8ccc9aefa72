"""Memory pressure: what a program holds in the memory of a scope at one time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.index.affine_forms import affine_form
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.memory.moments import lives_of
from teloom.analysis.memory.storage import Allocation, boundary_of, buffer_bytes
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.analysis.stages.threads import can_hand_over, have_one_copy
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.syntax.scopes import scope_name, scope_of_buffer
from teloom.errors import PassError


class Held(NamedTuple):
    """An allocation, and the number of concurrent iterations around it that hold one each."""

    op: Allocation
    copies: int

    def end(self, start: int) -> int:
        """The end of all copies, if the first begins at the first boundary from `start` on."""
        size = buffer_bytes(self.op.memref)
        assert size is not None
        begin = _next_multiple(start, boundary_of(self.op))
        return begin + _next_multiple(size, boundary_of(self.op)) * (self.copies - 1) + size


def name_of_buffer(buffer: SSAValue) -> str:
    return buffer.name_hint or "<unnamed>"


def allocations_in(module: Operation, scope: str) -> Iterator[Allocation]:
    """The allocations in `module` in the memory of `scope`, in program order."""
    for op in ops_in(module, memref.AllocOp, memref.AllocaOp):
        if scope_of_buffer(op.memref.type) == scope:
            yield op


def bytes_of(held: Sequence[Held]) -> int:
    """The bytes of these allocations in a row, each aligned to its boundary."""
    return reduce(lambda end, one: one.end(end), held, 0)


def _next_multiple(value: int, factor: int) -> int:
    return -(-value // factor) * factor


def _have_one_memory(scope: str, kind: loop.LoopKind) -> bool:
    """Whether all iterations of a loop, which run at the same time, see the same memory."""
    if kind.is_parallel:
        return scope_name(scope) != "local"  # a thread has its own `local`
    return have_one_copy(scope, kind)


class MemoryHeld:
    """The allocations of a function that are live at the point of the highest pressure: `most`.

    Raises PassError for an allocation in a loop with concurrent iterations, each of which holds
    one, if the trip count is not constant.
    """

    def __init__(self, function: Operation, scope: str):
        self.scope = scope
        self.most: tuple[Held, ...] = ()
        self._now: dict[SSAValue, Held] = {}
        self._regions(function, 1)

    def _regions(self, op: Operation, copies: int) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._block(block, copies)

    def _block(self, block: Block, copies: int) -> None:
        before = set(self._now)
        for op in block.ops:
            if isinstance(op, memref.DeallocOp):
                self._now.pop(op.memref, None)
            elif isinstance(op, Allocation) and scope_of_buffer(op.memref.type) == self.scope:
                self._now[op.memref] = Held(op, copies)
                now = tuple(self._now.values())
                if not self.most or bytes_of(now) > bytes_of(self.most):
                    self.most = now
            elif op.regions and any(allocations_in(op, self.scope)):
                self._regions(op, copies * self._at_once(op))
        self._now = {buffer: held for buffer, held in self._now.items() if buffer in before}

    def _at_once(self, op: Operation) -> int:
        """The number of concurrent iterations of `op` whose allocations lie in one memory."""
        if (
            not isinstance(op, loop.ForOp)
            or can_hand_over(self.scope, op.kind.data)
            or not _have_one_memory(self.scope, op.kind.data)
        ):
            return 1
        extent = constant_extent(op)
        if extent is None:
            name = name_of_buffer(op.induction_variable)
            raise PassError(
                f'all iterations of {name} hold memory in "{self.scope}" at the same time, but '
                "how many they are depends on sizes; split the loop by a constant factor, or "
                "make it serial",
                op,
            )
        return max(1, extent)


class _Lying(NamedTuple):
    """A buffer in the bytes from `begin` to `end` of an allocation, with the gap behind it.

    `lives` are its live ranges, as `lives_of` gives them.
    """

    buffer: SSAValue
    begin: int
    end: int
    lives: Sequence[Lifetime]

    @property
    def size(self) -> int:
        return self.end - self.begin

    def overlaps(self, other: _Lying) -> bool:
        return self.begin < other.end and other.begin < self.end

    def life(self, others: Sequence[_Lying]) -> Lifetime:
        """Its longest live range in which no other buffer needs the bytes.

        A buffer made in place of another overlaps it in bytes and in time. Such a pair counts
        as one buffer, so the other does not shorten the range.
        """
        rivals = [
            other.lives[-1]
            for other in others
            if self.overlaps(other) and not self.lives[-1].overlaps(other.lives[-1])
        ]
        return next(life for life in self.lives if not any(map(life.overlaps, rivals)))


def _lying_in(held: Held, moments: dict[Operation, Lifetime]) -> Iterator[_Lying]:
    total = buffer_bytes(held.op.memref)
    assert total is not None
    for view in (use.operation for use in held.op.memref.uses):
        if isinstance(view, memref.ViewOp) and (lives := lives_of(view.result, moments)):
            shift, size = affine_form(view.byte_shift, {}), buffer_bytes(view.result)
            if isinstance(shift, AffineConstantExpr) and size is not None:
                end = _next_multiple(shift.value + size, boundary_of(held.op))
                yield _Lying(view.result, shift.value, min(end, total), lives)


def buffers_at_once(held: Held, moments: dict[Operation, Lifetime]) -> Sequence[SSAValue]:
    """The buffers of an allocation that are live at the moment of the highest pressure.

    Of buffers made in place of one another, only the largest is given.
    """
    lying = list(_lying_in(held, moments))
    lives = [one.life(lying) for one in lying]
    most: list[_Lying] = []
    for at in {life.first for life in lives}:
        alive = [lying[k] for k, life in enumerate(lives) if life.first <= at <= life.last]
        apart: list[_Lying] = []
        for one in sorted(alive, key=lambda one: one.size, reverse=True):
            if not any(map(one.overlaps, apart)):
                apart.append(one)
        most = max(most, apart, key=lambda found: sum(one.size for one in found))
    most.sort(key=lambda one: one.lives[-1])
    return [one.buffer for one in most] or [held.op.memref]
