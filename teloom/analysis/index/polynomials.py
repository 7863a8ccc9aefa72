"""Index expressions as polynomials: two that are always equal become the same object.

A polynomial is a sum of integer multiples of monomials; a monomial is a product of
atoms; an atom is an SSA value, or the quotient of a polynomial by a constant. What
`mod` gives is written with a quotient, so that `x floordiv 8 * 8 + x mod 8` is `x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TypeAlias

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.dialects.affine.fold import fold
from teloom.dialects.affine.linear_forms import MOST_DEPTH, MOST_PARTS
from teloom.dialects.affine.operands import OperandList


@dataclass(frozen=True)
class Quotient:
    """The dividend divided by a positive constant, rounded down."""

    dividend: Polynomial
    divisor: int


Atom: TypeAlias = SSAValue | Quotient
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, ordered by hash; the empty one stands for 1."""


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A sum of monomials, each with a coefficient that is not 0."""

    terms: Mapping[Monomial, int]

    @staticmethod
    def constant(value: int) -> Polynomial:
        return Polynomial({(): value} if value else {})

    @staticmethod
    def of(atom: Atom) -> Polynomial:
        return Polynomial({(atom,): 1})

    @cached_property
    def key(self) -> frozenset[tuple[Monomial, int]]:
        return frozenset(self.terms.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def size(self) -> int:
        """How many atoms it is written with."""
        return sum(_size(atom) for monomial in self.terms for atom in (*monomial, None))

    @cached_property
    def depth(self) -> int:
        """How deep its quotients are nested."""
        inner = (a.dividend.depth + 1 for m in self.terms for a in m if isinstance(a, Quotient))
        return max(inner, default=0)

    @property
    def is_small(self) -> bool:
        """Whether it can be written as one expression; see `linear_forms`."""
        return self.size <= MOST_PARTS and self.depth <= MOST_DEPTH // 4

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms.get((), 0)

    def as_constant(self) -> int | None:
        """The value, if it is the same for all values of the atoms."""
        return self.offset if self.terms.keys() <= {()} else None

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial({m: c for m, c in terms.items() if c})

    def times(self, factor: int) -> Polynomial:
        if not factor:
            return Polynomial({})
        return Polynomial({m: c * factor for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.times(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                product = tuple(sorted((*m, *n), key=hash)) if m and n else m or n
                terms[product] = terms.get(product, 0) + c * d
        return Polynomial({m: c for m, c in terms.items() if c})

    def floordiv(self, divisor: int) -> Polynomial:
        """The quotient rounded down; `divisor` is positive."""
        # (d*a + r) floordiv d -> a + r floordiv d, exact for integers of any sign
        whole = {m: c // divisor for m, c in self.terms.items() if c % divisor == 0}
        rest = {m: c for m, c in self.terms.items() if c % divisor}
        if rest.get((), 0):
            whole[()] = rest[()] // divisor
            rest[()] %= divisor
        whole = Polynomial({m: c for m, c in whole.items() if c})
        # (g*r + c) floordiv (g*d) -> (r + c floordiv g) floordiv d
        common = gcd(divisor, *(c for m, c in rest.items() if m))
        rest = {m: c // common for m, c in rest.items() if c // common}
        divisor //= common
        if rest.keys() <= {()}:
            return whole  # what is left is a constant below the divisor
        if divisor == 1:
            return whole + Polynomial(rest)
        if len(rest) == 1:
            ((monomial, coefficient),) = rest.items()
            inner = monomial[0]
            if len(monomial) == 1 and coefficient == 1 and isinstance(inner, Quotient):
                # (x floordiv a) floordiv b -> x floordiv (a*b)
                return whole + inner.dividend.floordiv(inner.divisor * divisor)
        return whole + Polynomial.of(Quotient(Polynomial(rest), divisor))

    def mod(self, divisor: int) -> Polynomial:
        """The remainder in [0, divisor)."""
        return self - self.floordiv(divisor).times(divisor)

    def ceildiv(self, divisor: int) -> Polynomial:
        return (self + Polynomial.constant(divisor - 1)).floordiv(divisor)

    def substitute(self, value: SSAValue, replacement: Polynomial) -> Polynomial:
        """The polynomial with every `value` replaced."""
        total = Polynomial({})
        for monomial, coefficient in self.terms.items():
            product = Polynomial.constant(coefficient)
            for atom in monomial:
                factor = Polynomial.of(atom)
                if atom is value:
                    factor = replacement
                elif isinstance(atom, Quotient):
                    factor = atom.dividend.substitute(value, replacement).floordiv(atom.divisor)
                product = product * factor
            total = total + product
        return total

    def atoms(self) -> Iterable[Atom]:
        """Every atom, those inside quotients too."""
        for monomial in self.terms:
            for atom in monomial:
                yield atom
                if isinstance(atom, Quotient):
                    yield from atom.dividend.atoms()

    def uses(self, value: SSAValue) -> bool:
        return any(atom is value for atom in self.atoms())


def _size(atom: Atom | None) -> int:
    return atom.dividend.size + 1 if isinstance(atom, Quotient) else 1


def of_expr(expr: AffineExpr, operand: Callable[[int], Polynomial]) -> Polynomial:
    """The polynomial of `expr`, whose dimension k stands for `operand(k)`."""

    def leaf(expr: AffineExpr) -> Polynomial:
        if isinstance(expr, AffineConstantExpr):
            return Polynomial.constant(expr.value)
        assert isinstance(expr, AffineDimExpr), f"{expr} is not over operands"
        return operand(expr.position)

    return fold(expr, leaf, _combined)


def _combined(expr: AffineBinaryOpExpr, lhs: Polynomial, rhs: Polynomial) -> Polynomial:
    if expr.kind is AffineBinaryOpKind.Add:
        return lhs + rhs
    if expr.kind is AffineBinaryOpKind.Mul:
        return lhs * rhs
    return _DIVISIONS[expr.kind](lhs, rhs.offset)


_DIVISIONS = {
    AffineBinaryOpKind.FloorDiv: Polynomial.floordiv,
    AffineBinaryOpKind.CeilDiv: Polynomial.ceildiv,
    AffineBinaryOpKind.Mod: Polynomial.mod,
}


def of_exprs(exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[Polynomial]:
    """The polynomials of `exprs`, whose dimension k stands for `values[k]`."""
    atoms = [Polynomial.of(value) for value in values]
    return [of_expr(expr, atoms.__getitem__) for expr in exprs]


def to_expr(polynomial: Polynomial, operands: OperandList) -> AffineExpr:
    """`polynomial`, in which no two atoms are multiplied, over the dimensions of `operands`."""
    polynomial, remainders = _split_remainders(polynomial)
    expr: AffineExpr | None = None

    def add(term: AffineExpr, coefficient: int) -> None:
        nonlocal expr
        term = term * coefficient
        expr = term if expr is None else expr + term

    for monomial, coefficient in polynomial.terms.items():
        if monomial:
            (atom,) = monomial
            if isinstance(atom, SSAValue):
                add(operands.dim(atom), coefficient)
            else:
                add(to_expr(atom.dividend, operands) // atom.divisor, coefficient)
    for (dividend, divisor), coefficient in remainders:
        add(to_expr(dividend, operands) % divisor, coefficient)
    if expr is None:
        return AffineExpr.constant(polynomial.offset)
    return expr + polynomial.offset if polynomial.offset else expr


def _split_remainders(
    polynomial: Polynomial,
) -> tuple[Polynomial, list[tuple[tuple[Polynomial, int], int]]]:
    """Takes `k*x - k*d*(x floordiv d)` out of a sum: they read better as `x mod d * k`."""
    remainders: list[tuple[tuple[Polynomial, int], int]] = []
    for monomial, coefficient in polynomial.terms.items():
        if len(monomial) != 1 or not isinstance(quotient := monomial[0], Quotient):
            continue
        factor, rest = divmod(-coefficient, quotient.divisor)
        variables = {m: c for m, c in quotient.dividend.terms.items() if m}
        if rest or any(polynomial.terms.get(m) != c * factor for m, c in variables.items()):
            continue
        taken = quotient.dividend.times(factor) + Polynomial({monomial: coefficient})
        polynomial = polynomial - taken
        remainders.append(((quotient.dividend, quotient.divisor), factor))
    return polynomial, remainders
