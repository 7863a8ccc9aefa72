"""Index values as affine expressions of given ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import affine as upstream_affine
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr


def affine_form(value: SSAValue, dims: Mapping[SSAValue, int]) -> AffineExpr | None:
    """`value` as an affine expression of `dims`; None if it is not visibly one."""
    if value in dims:
        return AffineExpr.dimension(dims[value])
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return AffineExpr.constant(owner.value.value.data)
    # Narrower integers wrap.
    if not isinstance(owner, _AFFINE) or not isinstance(value.type, IndexType):
        return None
    forms = [affine_form(operand, dims) for operand in owner.operands]
    known = [form for form in forms if form is not None]
    return _combined(owner, known) if len(known) == len(forms) else None


_AFFINE = upstream_affine.ApplyOp | arith.AddiOp | arith.SubiOp | arith.MuliOp


def _combined(op: Operation, forms: Sequence[AffineExpr]) -> AffineExpr | None:
    match op:
        case upstream_affine.ApplyOp():
            map = op.map.data
            dims, symbols = forms[: map.num_dims], forms[map.num_dims :]
            return map.results[0].replace_dims_and_symbols(dims, symbols)
        case arith.AddiOp():
            return forms[0] + forms[1]
        case arith.SubiOp():
            return forms[0] + forms[1] * -1
        case _:
            constant = any(isinstance(form, AffineConstantExpr) for form in forms)
            return forms[0] * forms[1] if constant else None
