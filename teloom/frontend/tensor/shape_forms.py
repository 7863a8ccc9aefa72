"""Extents as affine expressions of sizes and axes, and the limits of such expressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import gcd
from typing import Any, NamedTuple

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.linear_forms import linear_terms
from teloom.errors import Error
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Apply, Const, Expr, Var, as_expr, walk
from teloom.frontend.kinds import checked_kind
from teloom.frontend.tensor.tensors import IterVar


def same_extents(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether two shapes are equal for all values of axes and sizes.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> same_extents((n + 1, 4), (1 + n, 4)), same_extents((n * n * 6,), (n * 3 * (n * 2),))
    (True, True)
    """
    for shape in (some, others):
        checked_kind(shape, Sequence, "a shape", "a list of extents")
    return len(some) == len(others) and all(
        one is other or _are_same(as_expr(one), as_expr(other))
        for one, other in zip(some, others, strict=True)
    )


def _are_same(one: Expr, other: Expr) -> bool:
    if _simplified(one - other) == AffineExpr.constant(0):
        return True
    leaves: dict[Expr, AffineExpr] = {}
    this, that = _Factors([one], leaves), _Factors([other], leaves)
    return this.constant == that.constant and this.others == that.others


def divided_extents(whole: Sequence[Any], parts: Sequence[Any]) -> list[Any] | None:
    """Factors of the product of the extents `whole` over that of `parts`, the first a constant.

    None if that may be no integer. Factors that both have are taken not to be 0.

    >>> from teloom import te
    >>> n, m = te.var("n"), te.var("m")
    >>> divided_extents([n * 4 + 8, 3, m], [6, n + 2]), divided_extents([n], [2])
    ([2, m], None)
    """
    leaves: dict[Expr, AffineExpr] = {}
    dividend, divisor = _Factors(whole, leaves), _Factors(parts, leaves)
    if divisor.constant == 0 or dividend.constant % divisor.constant:
        return None
    if divisor.others - dividend.others:
        return None
    left = (dividend.others - divisor.others).elements()
    return [dividend.constant // divisor.constant, *(dividend.exprs[factor] for factor in left)]


class _Factors:
    """A product, as a constant and factors that are no multiples of others by a constant.

    These are affine forms over `leaves` where they have one, and `exprs` their expressions.
    """

    def __init__(self, product: Sequence[Any], leaves: dict[Expr, AffineExpr]):
        self.constant = 1
        self.others = Counter[AffineExpr | Expr]()
        self.exprs: dict[AffineExpr | Expr, Expr] = {}
        checked_kind(product, Sequence, "a shape", "a list of extents")
        pending = [as_expr(factor) for factor in reversed(product)]
        while pending:
            match pending.pop():
                case Apply("mul", operands):
                    pending += reversed(operands)
                case factor:
                    self._add(factor, _simplified(factor, leaves))

    def _add(self, factor: Expr, form: AffineExpr | None) -> None:
        content = 1 if form is None else _content(form)
        self.constant *= content
        if form is not None and content > 1:
            factor, form = simplified(factor // content), canonical(form // content)
        if content == 0 or form == AffineExpr.constant(1):
            return
        self.others[form or factor] += 1
        self.exprs[form or factor] = factor


def _content(form: AffineExpr) -> int:
    """The greatest integer by which an affine form can be divided whatever its dimensions are."""
    linear, constant, divisions = linear_terms((form, 1))
    return gcd(constant, *linear.values(), *(factor for _, factor in divisions))


def shown_extents(extents: Sequence[Expr]) -> str:
    """Extents in a message; constant ones as numbers."""
    forms = [_simplified(extent) for extent in extents]
    return ", ".join(
        str(extent if form is None or form.used_dims() else form)
        for extent, form in zip(extents, forms, strict=True)
    )


def _simplified(expr: Expr, positions: dict[Expr, AffineExpr] | None = None) -> AffineExpr | None:
    """The affine form of an expression of axes and sizes; `positions` numbers them by first use."""
    known = {} if positions is None else positions

    def leaf(part: Expr) -> AffineExpr | None:
        if not isinstance(part, IterVar | Var):
            return None
        return known.setdefault(part, AffineExpr.dimension(len(known)))

    form = AffineForms[AffineExpr | None](leaf).of(expr)
    return None if form is None else canonical(form)


def sizes_of_extent(extent: Expr) -> set[Expr]:
    """The sizes that an extent depends on, without those that cancel out.

    >>> from teloom import te
    >>> n, m = te.var("n"), te.var("m")
    >>> sizes_of_extent(n + m - n) == {m}
    True
    """
    leaves: dict[Expr, AffineExpr] = {}
    form = _simplified(extent, leaves)
    used = None if form is None else form.used_dims()
    return {leaf for k, leaf in enumerate(leaves) if used is None or k in used}


def least_over_sizes(extent: Any) -> int | None:
    """A number that an expression of sizes, which are never negative, is never below.

    None if none is found, as for a difference.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> least_over_sizes(n // 2 + 4), least_over_sizes(8 - n)
    (4, None)
    """
    sizes: dict[Expr, AffineExpr] = {}
    form = _simplified(as_expr(extent), sizes)
    if form is None or not all(isinstance(one, Var) for one in sizes):
        return None
    return _least_over_dims(form)


def _least_over_dims(form: AffineExpr) -> int | None:
    linear, found, divisions = linear_terms((form, 1))
    if any(factor < 0 for factor in (*linear.values(), *(factor for _, factor in divisions))):
        return None
    for division, factor in divisions:
        least_division = _least_of_division(division)
        if least_division is None:
            return None
        found += least_division * factor
    return found


def _least_of_division(division: AffineBinaryOpExpr) -> int | None:
    if division.kind is AffineBinaryOpKind.Mod:
        return 0
    assert isinstance(division.rhs, AffineConstantExpr)
    dividend, divisor = _least_over_dims(division.lhs), division.rhs.value
    if dividend is None:
        return None
    is_rounded_up = division.kind is AffineBinaryOpKind.CeilDiv
    return -(-dividend // divisor) if is_rounded_up else dividend // divisor


class LinearForm(NamedTuple):
    """A sum of axes and sizes times coefficients that are not 0, and of a constant."""

    terms: dict[Expr, int]
    constant: int

    def expr(self, dtype: str) -> Expr:
        """The sum."""
        found: Expr | None = None
        for leaf, factor in self.terms.items():
            term = leaf if factor == 1 else leaf * factor
            found = term if found is None else found + term
        constant = Const(self.constant, dtype)
        return constant if found is None else found + constant if self.constant else found


def linear_form(expr: Expr) -> LinearForm | None:
    """The linear form of an expression; None if it has none."""
    leaves: dict[Expr, AffineExpr] = {}
    form = _simplified(expr, leaves)
    if form is None:
        return None
    linear, constant, divisions = linear_terms((form, 1))
    if divisions:
        return None
    known = list(leaves)
    terms = {known[number]: factor for number, factor in linear.items() if factor}
    return LinearForm(terms, constant)


def simplified(expr: Expr) -> Expr:
    """`expr` as a sum of axes and sizes times coefficients, if it is one."""
    form = linear_form(expr)
    return expr if form is None else form.expr(expr.dtype)


def distance(one: Expr, other: Expr) -> Expr | None:
    """`one - other`, over axes and sizes; None if that is not linear in these.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> distance(n + 3, n), distance(n // 2, n)
    (3, None)
    """
    form = linear_form(one - other)
    return None if form is None else form.expr(one.dtype)


def least(expr: Expr) -> Expr | None:
    """The least value at all positions of axes, over sizes; None if it is not linear in these."""
    return _extreme(expr, -1)


def greatest(expr: Expr) -> Expr | None:
    """The greatest value at all positions of axes, over sizes; None if it is not linear in these.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> i = te.compute((n,), lambda i: i).op.axis[0]
    >>> greatest(i * 2 + 1), least(i * 2 + 1)
    (((n * 2) + -1), 1)
    """
    return _extreme(expr, 1)


def _extreme(expr: Expr, sign: int) -> Expr | None:
    form = linear_form(expr)
    while form is not None and any(isinstance(one, IterVar) for one in form.terms):
        found: Expr = Const(form.constant, expr.dtype)
        for leaf, factor in form.terms.items():
            if isinstance(leaf, IterVar):
                if leaf.dom is None:
                    return None
                leaf = leaf.dom.end - 1 if factor * sign > 0 else leaf.dom.min
            found = found + leaf * factor
        form = linear_form(found)
    return None if form is None else form.expr(expr.dtype)


class ShapeForms:
    """Affine expressions whose dimension k is the k-th of the sizes, followed by the axes."""

    def __init__(self, sizes: Sequence[Var], axes: Sequence[IterVar] = ()):
        positions: dict[Expr, AffineExpr] = {
            value: AffineExpr.dimension(number) for number, value in enumerate([*sizes, *axes])
        }
        self._known = positions
        self._forms = AffineForms(positions.get)
        self._over = "its axes and sizes" if axes else "its sizes"

    def extents(self, extents: Sequence[Expr], owner: str) -> tuple[AffineExpr, ...]:
        """The affine forms of the extents of `owner`; raises `teloom.Error` if one has none."""
        return tuple(self._extent(extent, owner) for extent in extents)

    def _extent(self, extent: Expr, owner: str) -> AffineExpr:
        form = self._forms.of(extent)
        others = [one for one in walk((extent,)) if isinstance(one, IterVar)]
        others = [one for one in others if one not in self._known]
        if form is None and others:
            raise Error(
                f"extent {extent} of {owner!r} depends on axis {others[0]}, which is no axis "
                "before it; a reduce axis whose bounds are over the axes of an equation is made in "
                "its function, as in lambda i: te.sum(A[i, r := te.reduce_axis((0, i))], axis=r)"
            )
        if form is None:
            over_axes = any(isinstance(one, IterVar) for one in walk((extent,)))
            instead = (
                "bound the axis by such a sum, and say the rest by where=, as in "
                "te.sum(A[i, r], axis=r, where=r < k)"
                if over_axes
                else "give it a te.var of its own"
            )
            raise Error(
                f"extent {extent} of {owner!r} is not affine in {self._over}; only sums of sizes "
                f"times constants, // and % by constants are: {instead}"
            )
        return form
