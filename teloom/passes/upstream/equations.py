"""Bodies of structured ops as the regions of equations: what is computed, and what is folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from teloom.analysis.neutral import neutral_of
from teloom.dialects import te
from teloom.dialects.affine.operands import pack
from teloom.dialects.bodies.equation import EquationParts
from teloom.errors import PassError
from teloom.passes.upstream.structured import Structured

INDEX = IndexType()

Content = Callable[[Block, AffineMap, Sequence[SSAValue]], SSAValue]
"""Adds to a block the element of a tensor at subscripts, a map over index values there."""

Scalar = Callable[[Block, SSAValue], SSAValue]
"""Adds to a block a scalar that is defined outside of the op."""


class Sources(NamedTuple):
    """Where the elements of operands come from, by position: inputs, then outputs before the op.

    `starts` are the constants that fill the outputs before it, if they are filled so.
    """

    contents: Sequence[Content]
    starts: Sequence[Attribute | None]
    scalar: Scalar
    tensor: Callable[[SSAValue], SSAValue]


def equation_parts(said: Structured, sources: Sources) -> EquationParts:
    """The regions of the equation that a structured op is: its axes are data loops, then others."""
    if not said.folded_loops:
        return EquationParts(_whole(said, sources), Region(), None, Region())
    folding = _folding_ops(said)
    value, combine = _split(said, sources, folding)
    identity = _identity(said, folding)
    starts_so = identity is not None and [*identity] == [*sources.starts]
    return EquationParts(value, combine, identity, Region() if starts_so else _start(said, sources))


class _Code:
    """Copies of a body's ops in a block whose arguments are the axes of an equation."""

    def __init__(self, said: Structured, sources: Sources, loops: Sequence[int]):
        self.said, self.sources = said, sources
        self.block = Block(arg_types=[INDEX] * len(loops))
        self.axes: dict[int, SSAValue] = dict(zip(loops, self.block.args, strict=True))
        for loop, axis in self.axes.items():
            axis.name_hint = f"d{loop}"
        self.values: dict[SSAValue, SSAValue] = {}

    def value(self, value: SSAValue) -> SSAValue:
        """The copy of a value of the body, or of one outside."""
        if value not in self.values:
            self.values[value] = self._made(value)
        return self.values[value]

    def _made(self, value: SSAValue) -> SSAValue:
        said, owner = self.said, value.owner
        if isinstance(owner, Block) and owner is said.body:
            assert isinstance(value, BlockArgument)
            return self.element(value.index)
        if isinstance(owner, Block) or owner.parent is not said.body:
            return self.sources.scalar(self.block, value)
        if isinstance(owner, linalg.IndexOp):
            return self.axes[owner.dim.value.data]
        if isinstance(owner, tensor.ExtractOp):
            indices = [self.value(index) for index in owner.indices]
            content = reading(self.sources.tensor(owner.tensor))
            return content(self.block, AffineMap.identity(len(indices)), indices)
        check_scalar_op(owner)
        copy = owner.clone({operand: self.value(operand) for operand in owner.operands})
        self.block.add_op(copy)
        for result, copied in zip(owner.results, copy.results, strict=True):
            self.values[result] = copied
        return self.values[value]

    def element(self, position: int) -> SSAValue:
        """The element of an operand for these axes."""
        count = len(self.said.parallel)
        unused = Block(arg_types=[INDEX]).args[0]
        axes = [self.axes.get(loop, unused) for loop in range(count)]
        return self.sources.contents[position](self.block, self.said.maps[position], axes)

    def region(self, values: Sequence[SSAValue]) -> Region:
        """The region that yields these."""
        self.block.add_op(te.YieldOp(values))
        return Region(self.block)


def reading(source: SSAValue) -> Content:
    """The content of a tensor of a `te.func`."""

    def content(block: Block, map: AffineMap, indices: Sequence[SSAValue]) -> SSAValue:
        packed, operands = pack(map.results, indices)
        block.add_op(read := te.ReadOp(source, packed, operands))
        return read.value

    return content


def check_scalar_op(op: Operation) -> None:
    """Raises `PassError` for an op that is no arithmetic on scalars."""
    if op.dialect_name() not in ("arith", "math"):
        raise PassError(
            f"{op.name} computes an element; linalg-to-te knows arith, math, linalg.index and "
            "tensor.extract there",
            op,
        )


def _yielded(said: Structured) -> Sequence[SSAValue]:
    last = said.body.last_op
    assert last is not None
    return last.operands


def _whole(said: Structured, sources: Sources) -> Region:
    code = _Code(said, sources, said.data_loops)
    return code.region([code.value(value) for value in _yielded(said)])


def _folding_ops(said: Structured) -> list[Operation]:
    """The ops that depend on what the outputs were, in order."""
    first = len(said.inputs)
    dependent: set[SSAValue] = set(said.body.args[first:])
    found: list[Operation] = []
    for op in said.body.ops:
        if op is not said.body.last_op and dependent.intersection(op.operands):
            check_scalar_op(op)
            dependent.update(op.results)
            found.append(op)
    return found


def _split(
    said: Structured, sources: Sources, folding: Sequence[Operation]
) -> tuple[Region, Region]:
    """The region of the values that are folded, and the combiner of old outputs and these."""
    old = said.body.args[len(said.inputs) :]
    code = _Code(said, sources, [*said.data_loops, *said.folded_loops])
    inside = {*old, *(result for op in folding for result in op.results)}
    taken = [value for op in folding for value in op.operands]
    taken += _yielded(said)
    new: dict[SSAValue, None] = {}
    constants: dict[SSAValue, arith.ConstantOp] = {}
    for value in taken:
        if isinstance(value.owner, arith.ConstantOp):
            constants[value] = value.owner
        elif value not in inside:
            new[value] = None
    values = _matched([*new], [argument.type for argument in old], said)
    combine = Block(arg_types=[argument.type for argument in (*old, *old)])
    copies: dict[SSAValue, SSAValue] = dict(zip([*old, *values], combine.args, strict=True))
    for value, constant in constants.items():
        combine.add_op(copy := constant.clone())
        copies[value] = copy.result
    for op in folding:
        combine.add_op(op.clone(copies))
    combine.add_op(te.YieldOp([copies[value] for value in _yielded(said)]))
    return code.region([code.value(value) for value in values]), Region(combine)


def _matched(
    new: Sequence[SSAValue], types: Sequence[Attribute], said: Structured
) -> Sequence[SSAValue]:
    """The new values in the order of the outputs, whose types they must have."""
    if [value.type for value in new] != [*types]:
        found, wanted = (", ".join(map(str, all)) for all in ([v.type for v in new], types))
        raise PassError(
            f"{said.op.name} folds values of types ({found}) into outputs of ({wanted}); a fold "
            "combines each output with one value of its type",
            said.op,
        )
    return new


def _identity(said: Structured, folding: Sequence[Operation]) -> ArrayAttr | None:
    """The neutral element of a fold by one op; None for any other fold."""
    yielded = _yielded(said)
    if len(folding) != 1 or [*folding[0].results] != [*yielded]:
        return None
    neutral = neutral_of(folding[0].__class__, yielded[0].type)
    return None if neutral is None else ArrayAttr([neutral])


def _start(said: Structured, sources: Sources) -> Region:
    """Where a fold starts: at what the outputs were."""
    code = _Code(said, sources, said.data_loops)
    first = len(said.inputs)
    return code.region([code.element(first + k) for k in range(len(said.outputs))])
