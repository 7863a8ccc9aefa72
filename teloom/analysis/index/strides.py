"""How index values change from one lane to the next, when a loop runs as vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial, Quotient
from teloom.dialects.upstream.accesses import accesses_of


def stride_of(subscripts: Sequence[Polynomial], counter: SSAValue) -> int | None:
    """By how many elements along the last axis an access moves with a counter.

    None if it moves otherwise.
    """
    *others, last = [Polynomial({}), *subscripts]
    return None if any(one.uses(counter) for one in others) else last.factor_of(counter)


class _Dividend(NamedTuple):
    """What is divided, in the lanes of a vector: multiples of `period`, and what `at` says."""

    first: int
    stride: int
    period: int

    def at(self, lane: int) -> int:
        return self.first + self.stride * lane


class LaneStrides:
    """The differences between the lanes of a loop whose iterations run `lanes` at a time.

    Lane 0 of every vector has the induction variable `first` plus a multiple of `lanes`, which is
    where the loop begins if nothing is said. `varying` holds the values in the body that may
    differ between lanes.
    """

    def __init__(self, op: loop.ForOp, lanes: int, first: Polynomial | None = None):
        self.variable = op.induction_variable
        self.lanes = lanes
        self.forms = IndexForms()
        self.varying: set[SSAValue] = {self.variable}
        lowers = self.forms.of_exprs(op.lower.data.results, op.operands_)
        self._first = lowers[0] if first is None and len(lowers) == 1 else first
        self._body = op.body.block
        self._block(self._body.ops)

    def vary(self, values: Iterable[SSAValue]) -> None:
        """Lets values in the body vary, and so all that is computed from these."""
        self.varying.update(values)
        self._block(self._body.ops)

    def varies(self, value: SSAValue) -> bool:
        return value in self.varying

    def of(self, value: SSAValue) -> int | None:
        """The difference of an index value between a lane and the one before, if constant."""
        total = 0
        for monomial, coefficient in self.forms.of(value).terms.items():
            if monomial == (self.variable,):
                total += coefficient
            elif not all(self.is_uniform(atom) for atom in monomial):
                return None
        return total

    def distances(self, value: SSAValue) -> list[int] | None:
        """How far an index value is, in each lane, from that in lane 0, if all are constant."""
        found = [0] * self.lanes
        for monomial, coefficient in self.forms.of(value).terms.items():
            if all(self.is_uniform(atom) for atom in monomial):
                continue
            steps = self._steps(monomial[0]) if len(monomial) == 1 else None
            if steps is None:
                return None
            found = [one + coefficient * step for one, step in zip(found, steps, strict=True)]
        return found

    def _steps(self, atom: SSAValue | Quotient) -> Sequence[int] | None:
        """The distances of an atom that is not uniform."""
        if atom is self.variable:
            return range(self.lanes)
        if not isinstance(atom, Quotient) or (dividend := self._dividend(atom)) is None:
            return None
        if dividend.period != atom.divisor:
            return None
        return [dividend.at(lane) // atom.divisor for lane in range(self.lanes)]

    def is_uniform(self, atom: SSAValue | Quotient) -> bool:
        """Whether all lanes of a vector have one value."""
        if not isinstance(atom, Quotient):
            return atom not in self.varying
        if not {*atom.dividend.values()} & self.varying:
            return True
        return self._stays(atom)

    def _stays(self, quotient: Quotient) -> bool:
        """Whether a quotient of the induction variable is the same in all lanes of a vector."""
        dividend = self._dividend(quotient)
        return (
            dividend is not None
            and dividend.stride > 0
            and dividend.at(self.lanes - 1) < dividend.period
        )

    def _dividend(self, quotient: Quotient) -> _Dividend | None:
        """The dividend of a quotient in all lanes; None if more than the variable varies in it."""
        dividend = quotient.dividend
        if {*dividend.values()} & self.varying != {self.variable} or self._first is None:
            return None
        stride = dividend.factor_of(self.variable)
        if not stride:
            return None
        rest = dividend - Polynomial({(self.variable,): stride})
        first = rest + self._first.times(stride)
        steps = (c for m, c in first.terms.items() if m)
        period = gcd(quotient.divisor, stride * self.lanes, *steps)
        return _Dividend(first.offset % period, stride, period)

    def _block(self, ops) -> None:
        for op in ops:
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                if isinstance(op, loop.ForOp) and self._any(op.operands):
                    self.varying.update(block.args)
                self._block(block.ops)
        if isinstance(op, scf.IfOp):
            differs = self.varies(op.cond)
            for region in op.regions:
                last = region.blocks[0].last_op if region.blocks else None
                differs = differs or (last is not None and self._any(last.operands))
        else:
            indices = {index for one in accesses_of(op) if one.is_known for index in one.indices}
            differs = any(self.of(index) != 0 for index in indices)
            differs = differs or self._any(v for v in op.operands if v not in indices)
        if differs:
            self.varying.update(op.results)

    def _any(self, values) -> bool:
        return any(value in self.varying for value in values)
