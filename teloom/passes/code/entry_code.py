"""Code at the start of a function, of values that are known there and stand further down."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from teloom.passes.code.affine_to_arith import AffineCode
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode


class EntryCode(IndexCode):
    """Code in front of `place`, an op of the first block of a function.

    Known are the arguments, what stands in front of `place`, and what is computed of these.
    """

    def __init__(self, place: Operation):
        assert place.parent is not None
        super().__init__(IndexCode.before(place).insert)
        self.affine = AffineCode(self.insert)
        self._there: dict[SSAValue, SSAValue] = {}
        self._known: dict[SSAValue, bool] = {}
        for value in place.parent.args:
            self._there[value] = value
        for op in place.parent.ops:
            if op is place:
                break
            self._there.update(zip(op.results, op.results, strict=True))

    def is_known(self, value: SSAValue) -> bool:
        if value in self._there:
            return True
        if value not in self._known:
            op = value.owner
            self._known[value] = (
                not isinstance(op, Block)
                and only_computes(op)
                and all(map(self.is_known, op.operands))
            )
        return self._known[value]

    def value(self, known: SSAValue) -> SSAValue:
        """The known value as the entry has it; ops further down that compute it are copied."""
        found = self._there.get(known)
        if found is None:
            assert isinstance(known.owner, Operation)
            operands = {operand: self.value(operand) for operand in known.owner.operands}
            found = self._there[known] = self.emit(known.owner.clone(operands))
        return found
