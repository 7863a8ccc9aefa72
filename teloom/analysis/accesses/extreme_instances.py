"""The first and the last time at which accesses reach the start of their buffer.

They are found for one choice of what a block does not change. So they may show that
accesses of two buffers meet, in far less time than a decision takes, and never that they
do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import func
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.accesses.buffers import Access, ways_before
from teloom.analysis.accesses.domains import bounds, conditions, is_fixed, where
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.index.polynomials import Atom, Polynomial, Quotient
from teloom.analysis.sets.integer_sets import SET, Constraint, set_of
from teloom.dialects import loop

_ARGUMENT, _OTHER = 1000, 0
"""What an argument of the function, and any other value of outside, is taken to be."""


class Instance(NamedTuple):
    """An access in one iteration of each loop around it."""

    access: Access
    iterations: Mapping[loop.ForOp, int]

    def is_before(self, other: Instance) -> bool:
        """Whether it may run before `other`, in one run of the block."""

        def steps(op: loop.ForOp) -> int:
            return other.iterations[op] - self.iterations[op]

        return any(
            not any(map(steps, way.same))
            and (way.other is None or (steps(way.other) > 0 if way.ordered else steps(way.other)))
            for way in ways_before(self.access, other.access)
        )


class Extremes(NamedTuple):
    """Of the accesses of a buffer, the first instance of each store, and the last of each."""

    first_stores: list[Instance]
    last: list[Instance]


def extremes_of(
    accesses: Sequence[Access], block: Block, forms: IndexForms, context: isl.Context
) -> Extremes:
    """Those that are known, of the accesses of one buffer in `block`."""
    found = Extremes([], [])
    for access in accesses:
        try:
            domain = _domain(access, block, forms, context)
        except _NotAffineError:
            continue
        if domain.is_empty():
            continue
        found.last.append(_only(access, domain.lexmax()))
        if access.is_store:
            found.first_stores.append(_only(access, domain.lexmin()))
    return found


class _NotAffineError(Exception):
    """An expression is not affine in the loops around an access."""


def _domain(access: Access, block: Block, forms: IndexForms, context: isl.Context) -> isl.Set:
    """The iterations of the loops around in which an access reaches the start of its buffer."""
    loops = list(_loops(access))
    dims = {op.induction_variable: AffineExpr.dimension(k) for k, op in enumerate(loops)}

    def expr(form: Polynomial) -> AffineExpr:
        return sum(
            (_product([atom_expr(a) for a in m]) * c for m, c in form.terms.items()),
            AffineExpr.constant(0),
        )

    def atom_expr(atom: Atom) -> AffineExpr:
        if isinstance(atom, Quotient):
            return expr(atom.dividend) // atom.divisor
        if atom in dims:
            return dims[atom]
        if not is_fixed(atom, block):
            raise _NotAffineError
        return AffineExpr.constant(_number(atom))

    def exprs(of: Sequence[AffineExpr], op: loop.ForOp | loop.IfOp) -> list[AffineExpr]:
        return [expr(form) for form in forms.of_exprs(of, op.operands_)]

    constraints = [Constraint(expr(forms.of(index)), True) for index in access.indices]
    constraints += bounds(access, lambda op: dims[op.induction_variable], exprs)
    points = set_of(context, len(loops), constraints).to_set()
    return where(points, conditions(access, exprs))


def _loops(access: Access) -> Iterator[loop.ForOp]:
    return (op for op, _ in access.around if isinstance(op, loop.ForOp))


def _product(factors: Sequence[AffineExpr]) -> AffineExpr:
    result = AffineExpr.constant(1)
    for factor in factors:
        if not isinstance(result, AffineConstantExpr) and not isinstance(
            factor, AffineConstantExpr
        ):
            raise _NotAffineError
        result = result * factor
    return result


def _number(value: SSAValue) -> int:
    function = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return _ARGUMENT if isinstance(function, func.FuncOp) else _OTHER


def _only(access: Access, points: isl.Set) -> Instance:
    point = points.sample_point()
    return Instance(
        access,
        {op: point.get_coordinate_val(SET, k).to_python() for k, op in enumerate(_loops(access))},
    )
