"""Index values as polynomials of the values that they are computed from."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index import polynomials
from teloom.analysis.index.polynomials import Polynomial
from teloom.analysis.index.ranges import settle
from teloom.dialects.affine.linear_forms import MOST_PARTS
from teloom.dialects.bodies.postorder import operands_of, postorder

_COMPUTED = arith.AddiOp | arith.SubiOp | arith.MuliOp | affine.ApplyOp


class IndexForms:
    """Polynomials of index values, found through the ops that compute them.

    Without `products` a product of two values that vary is itself an atom, and what
    comes out is affine. Ranges of induction variables simplify quotients. A value whose
    polynomial would be too large is an atom, too.
    """

    def __init__(self, products: bool = True) -> None:
        self.products = products
        self._known: dict[SSAValue, Polynomial] = {}

    def of(self, value: SSAValue) -> Polynomial:
        for one in postorder([value], self._waiting):
            if one not in self._known:
                form = self._compute(one)
                self._known[one] = form if form.is_small else Polynomial.of(one)
        return self._known[value]

    def _waiting(self, value: SSAValue) -> Sequence[SSAValue]:
        is_known = value in self._known or not isinstance(value.owner, _COMPUTED)
        return () if is_known or not isinstance(value.type, IndexType) else operands_of(value)

    def of_exprs(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[Polynomial]:
        """The polynomials of `exprs`, whose dimension k stands for `values[k]`."""
        forms = [self.of(value) for value in values]
        return [settle(polynomials.of_expr(expr, forms.__getitem__)) for expr in exprs]

    def _compute(self, value: SSAValue) -> Polynomial:
        op = value.owner
        if not isinstance(value.type, IndexType):
            return Polynomial.of(value)
        match op:
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                return Polynomial.constant(op.value.value.data)
            case arith.AddiOp():
                return self.of(op.lhs) + self.of(op.rhs)
            case arith.SubiOp():
                return self.of(op.lhs) - self.of(op.rhs)
            case arith.MuliOp():
                lhs, rhs = self.of(op.lhs), self.of(op.rhs)
                constants = [f for f in (lhs, rhs) if f.as_constant() is not None]
                multiplies = self.products and lhs.size * rhs.size <= MOST_PARTS
                return lhs * rhs if multiplies or constants else Polynomial.of(value)
            case affine.ApplyOp() if not op.map.data.num_symbols:
                (form,) = self.of_exprs(op.map.data.results, op.operands)
                return form
            case _:
                return Polynomial.of(value)
