"""The function of a module that computes an elementary function of one type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, builtin, func, scf, vector
from xdsl.dialects.builtin import UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from teloom.dialects.target import Target
from teloom.dialects.upstream.llvm import ELEMENTARY
from teloom.passes.elementary.accuracy import Formula
from teloom.passes.elementary.numbers import Code, Format, LaneMask, Number


class Writer:
    """Writes what an op computes, of values of a type, by a formula in a format.

    Beyond the formula it is the op itself, which in such a function is a call of the C library.
    """

    def __init__(
        self,
        op: type[Operation],
        type: Attribute,
        formula: Formula,
        format: Format,
        target: Target,
    ):
        self.op, self.type, self.formula, self.format = op, type, formula, format
        self.target = target
        is_vector = isinstance(type, VectorType)
        self.element = type.element_type if is_vector else type
        self.lanes = type.get_shape()[0] if is_vector else None

    def write(self, name: str, beyond: Callable[..., LaneMask] | None) -> func.FuncOp:
        """The function, named `name`."""
        operands = len(self.op.get_irdl_definition().operands)
        block = Block(arg_types=[self.type] * operands)
        code = Code(self.format, self.lanes, block, self.target)
        numbers = [self._number(code, value) for value in block.args]
        found = self.formula(*numbers)
        if beyond is not None:
            found = self._by_library(numbers, found, beyond(*numbers))
        block.add_op(func.ReturnOp(self._rounded(found)))
        types = ([self.type] * operands, [self.type])
        op = func.FuncOp(name, types, Region(block), visibility="private")
        op.attributes[ELEMENTARY] = UnitAttr()
        return op

    def _number(self, code: Code, value: SSAValue) -> Number:
        """A value in the format of `code`, which holds it exactly."""
        same = self.element == code.format.float_type
        if same:
            return Number(code, value)
        return Number(code, code.emit(arith.ExtFOp, (value,), code.format.float_type))

    def _rounded(self, found: Number) -> SSAValue:
        if found.value.type == self.type:
            return found.value
        return found.code.emit(arith.TruncFOp, (found.value,), self.element)

    def _by_library(self, numbers: Sequence[Number], found: Number, beyond: LaneMask) -> Number:
        """`found`, but in the lanes where arguments are beyond the formula: there the op itself."""
        code = found.code
        block, otherwise = Block(), Block()
        op = self.op.create(operands=[number.value for number in numbers], result_types=[code.type])
        of_library = _added(block, op)
        inner = Code(code.format, code.lanes, block)
        chosen = LaneMask(inner, beyond.value).choose(Number(inner, of_library), found)
        block.add_op(scf.YieldOp(chosen.value))
        otherwise.add_op(scf.YieldOp(found.value))
        choice = scf.IfOp(_any(beyond), [code.type], Region(block), Region(otherwise))
        return Number(code, _added(code.block, choice))


def _added(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def _any(test: LaneMask) -> SSAValue:
    """Whether it holds in a lane."""
    if test.code.lanes is None:
        return test.value
    kind = vector.CombiningKindAttr(vector.CombiningKindFlag.OR)
    op = vector.ReductionOp.build(
        operands=[test.value, []], result_types=[builtin.i1], properties={"kind": kind}
    )
    return _added(test.code.block, op)
