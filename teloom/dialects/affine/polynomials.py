"""Index expressions as polynomials: the one form in which they are added, divided and written.

A polynomial is a sum of integer multiples of monomials; a monomial is a product of
atoms; an atom is an SSA value, or the quotient of a polynomial by a constant. What
`mod` gives is kept as a quotient, so that `x floordiv 8 * 8 + x mod 8` is `x`.

A quotient holds nothing that its divisor divides, and no term is negative in it if all are.
It is written so that it reads: like terms joined, positive ones first, the constant last;
what is left of a sum beside a quotient with `mod`, and `(x + 7) floordiv 8` as `x ceildiv 8`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

from teloom.dialects.affine.linear_forms import MOST_DEPTH, MOST_PARTS, sum_of, summands

LARGEST_DIVISOR = 2**62
"""Quotients are not joined to one by a larger number: it could not be an index."""


@dataclass(frozen=True)
class Quotient:
    """The dividend divided by a positive constant, rounded down."""

    dividend: Polynomial
    divisor: int


Atom: TypeAlias = SSAValue | Quotient
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, made by `product_of`; the empty one stands for 1."""


class _Product(tuple[Atom, ...]):
    """A monomial of several atoms: equal in any order, and written in the order that it has."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Product) and Counter(self) == Counter(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(self))


def product_of(atoms: Iterable[Atom]) -> Monomial:
    """The monomial of some atoms."""
    product = tuple(atoms)
    return _Product(product) if len(product) > 1 else product


class Polynomial:
    """A sum of monomials, each with a coefficient that is not 0."""

    def __init__(self, terms: Mapping[Monomial, int]):
        self.terms = terms

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
        is_plain = all([len(m) < 2 and (not m or type(m[0]) is not Quotient) for m in self.terms])
        if is_plain and 2 * len(self.terms) <= MOST_PARTS:
            return True
        return self.size <= MOST_PARTS and self.depth <= MOST_DEPTH // 4

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms.get((), 0)

    def as_constant(self) -> int | None:
        """The value, if it is the same for all values of the atoms."""
        return self.offset if self.terms.keys() <= {()} else None

    @staticmethod
    def sum(parts: Iterable[tuple[Polynomial, int]]) -> Polynomial:
        """The sum of multiples, its terms in their order."""
        terms: dict[Monomial, int] = {}
        for part, factor in parts:
            add_terms(terms, part.terms, factor)
        return Polynomial(terms)

    def plus(self, other: Polynomial, factor: int) -> Polynomial:
        """The sum with a multiple of another one."""
        terms = {**self.terms}
        add_terms(terms, other.terms, factor)
        return Polynomial(terms)

    def __add__(self, other: Polynomial) -> Polynomial:
        return self.plus(other, 1)

    def times(self, factor: int) -> Polynomial:
        if not factor:
            return Polynomial({})
        return Polynomial({m: c * factor for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self.plus(other, -1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                product = product_of((*m, *n)) if m and n else m or n
                terms[product] = terms.get(product, 0) + c * d
        return Polynomial({m: c for m, c in terms.items() if c})

    def floordiv(self, divisor: int) -> Polynomial:
        """The quotient rounded down; `divisor` is positive."""
        # (d*a + r) floordiv d -> a + r floordiv d, exact for integers of any sign
        terms = {m: c for m, c in self.terms.items() if m and c % divisor}
        kept = {m: c // divisor for m, c in self.terms.items() if m not in terms}
        whole = Polynomial({m: c for m, c in kept.items() if c})
        if not terms:
            return whole
        # (g*r + c) floordiv (g*d) -> (r + c floordiv g) floordiv d
        common = gcd(divisor, *terms.values())
        terms = {m: c // common for m, c in terms.items()}
        constant, divisor = self.offset % divisor // common, divisor // common
        if divisor == 1:
            return whole + Polynomial(terms) + Polynomial.constant(constant)
        sign = 1
        if all(c < 0 for c in terms.values()):
            # (-x + c) floordiv d -> -((x + d - 1 - c) floordiv d)
            sign, constant = -1, divisor - 1 - constant
            terms = {m: -c for m, c in terms.items()}
        ((monomial, coefficient), *others) = terms.items()
        inner = monomial[0]
        alone = not others and coefficient == len(monomial) == 1
        if alone and isinstance(inner, Quotient) and inner.divisor * divisor <= LARGEST_DIVISOR:
            # (x floordiv a + c) floordiv d -> (x + a*c) floordiv (a*d)
            raised = inner.dividend + Polynomial.constant(constant * inner.divisor)
            return whole + raised.floordiv(inner.divisor * divisor).times(sign)
        dividend = Polynomial({**terms, (): constant} if constant else terms)
        return whole + Polynomial({(Quotient(dividend, divisor),): sign})

    def mod(self, divisor: int) -> Polynomial:
        """The remainder in [0, divisor)."""
        return self - self.floordiv(divisor).times(divisor)

    def ceildiv(self, divisor: int) -> Polynomial:
        return (self + Polynomial.constant(divisor - 1)).floordiv(divisor)

    def substitute(self, value: SSAValue, replacement: Polynomial) -> Polynomial:
        """The polynomial with every `value` replaced."""

        def given(atom: Atom) -> Polynomial:
            if isinstance(atom, Quotient):
                return atom.dividend.substitute(value, replacement).floordiv(atom.divisor)
            return replacement if atom is value else Polynomial.of(atom)

        return self.with_factors(given)

    def with_factors(self, given: Callable[[Atom], Polynomial]) -> Polynomial:
        """The polynomial with what is `given` for each atom that its monomials are products of."""
        total = Polynomial({})
        for monomial, coefficient in self.terms.items():
            product = Polynomial.constant(coefficient)
            for atom in monomial:
                product = product * given(atom)
            total = total + product
        return total

    def atoms(self) -> Iterable[Atom]:
        """Every atom, those inside quotients too."""
        for monomial in self.terms:
            for atom in monomial:
                yield atom
                if isinstance(atom, Quotient):
                    yield from atom.dividend.atoms()

    def values(self) -> Iterator[SSAValue]:
        """Every value, those inside quotients too."""
        return (atom for atom in self.atoms() if not isinstance(atom, Quotient))

    @property
    def is_affine(self) -> bool:
        """Whether no two atoms are multiplied, inside quotients either."""
        quotients = (atom for atom in self.atoms() if isinstance(atom, Quotient))
        parts = [self, *(quotient.dividend for quotient in quotients)]
        return all(len(monomial) <= 1 for part in parts for monomial in part.terms)

    def uses(self, value: SSAValue) -> bool:
        return any(one is value for one in self.values())

    def factor_of(self, value: SSAValue) -> int | None:
        """What a value is multiplied by, 0 if it is not used; None if it is no term of its own."""
        uses = sum(one is value for one in self.values())
        if not uses:
            return 0
        return self.terms.get((value,)) if uses == 1 else None


def add_terms(terms: dict[Monomial, int], others: Mapping[Monomial, int], factor: int) -> None:
    """Adds a multiple of a sum. A monomial takes long to hash: it is done rarely."""
    for monomial, coefficient in others.items():
        total = terms.get(monomial, 0) + coefficient * factor
        if total:
            terms[monomial] = total
        else:
            terms.pop(monomial, None)


def _size(atom: Atom | None) -> int:
    return atom.dividend.size + 1 if isinstance(atom, Quotient) else 1


def of_expr(expr: AffineExpr, leaf: Callable[[AffineExpr], Polynomial]) -> Polynomial:
    """The polynomial of `expr`; `leaf` gives those of its dimensions and symbols.

    It is asked for operations, too, that are no sum, and no division by a positive constant.
    """
    if type(expr) is not AffineBinaryOpExpr:
        return _summand(expr, leaf)
    return Polynomial.sum((_summand(part, leaf), factor) for part, factor in summands((expr, 1)))


def _summand(part: AffineExpr, leaf: Callable[[AffineExpr], Polynomial]) -> Polynomial:
    # By type, which takes half as long as `isinstance`.
    if type(part) is AffineConstantExpr:
        return Polynomial.constant(part.value)
    if type(part) is not AffineBinaryOpExpr or part.kind not in _DIVIDED:
        return leaf(part)
    if type(part.rhs) is not AffineConstantExpr or part.rhs.value <= 0:
        return leaf(part)
    return _DIVIDED[part.kind](of_expr(part.lhs, leaf), part.rhs.value)


_DIVIDED = {
    AffineBinaryOpKind.FloorDiv: Polynomial.floordiv,
    AffineBinaryOpKind.CeilDiv: Polynomial.ceildiv,
    AffineBinaryOpKind.Mod: Polynomial.mod,
}


def over(operands: Sequence[Polynomial]) -> Callable[[AffineExpr], Polynomial]:
    """For `of_expr`: dimension k stands for `operands[k]`."""

    def leaf(expr: AffineExpr) -> Polynomial:
        assert isinstance(expr, AffineDimExpr), f"{expr} is not over operands"
        return operands[expr.position]

    return leaf


def of_exprs(exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[Polynomial]:
    """The polynomials of `exprs`, whose dimension k stands for `values[k]`."""
    leaf = over([Polynomial.of(value) for value in values])
    return [of_expr(expr, leaf) for expr in exprs]


def to_expr(polynomial: Polynomial, leaf: Callable[[SSAValue], AffineExpr]) -> AffineExpr:
    """`polynomial`, in which no two atoms are multiplied; `leaf` says what stands for a value."""
    constant = polynomial.offset
    terms: dict[Monomial | _Remainder, int] = {m: c for m, c in polynomial.terms.items() if m}
    if not terms:
        return AffineExpr.constant(constant)
    quotients = [m[0] for m in polynomial.terms if len(m) == 1 and isinstance(m[0], Quotient)]
    # Outer ones first: what is left of an inner one can be a part of what an outer one divides.
    quotients.sort(key=_reading_order)
    for quotient in quotients:
        if (quotient,) not in terms:
            continue
        there = [other for other in quotients if (other,) in terms]
        for read in _divided_alike(quotient, there):
            # k*x - k*d*(x floordiv d) -> (x mod d) * k
            factor, rest = divmod(-terms[quotient,], read.divisor)
            variables = {m: c for m, c in read.dividend.terms.items() if m}
            if rest or any(terms.get(m) != c * factor for m, c in variables.items()):
                continue
            for monomial in (*variables, (quotient,)):
                del terms[monomial]
            terms[_Remainder(read)] = factor
            constant -= read.dividend.offset * factor
            break
    positive_first = sorted(terms.items(), key=lambda item: item[1] < 0)
    return sum_of(((_written(term, leaf), c) for term, c in positive_first), constant)


def _divided_alike(quotient: Quotient, others: Sequence[Quotient]) -> Iterator[Quotient]:
    """The ways to write a quotient: as it is, or by another one with a smaller divisor."""
    yield quotient
    for other in others:
        divisor, rest = divmod(quotient.divisor, other.divisor)
        if divisor > 1 and not rest and other.dividend == quotient.dividend:
            # x floordiv (a*d) -> (x floordiv a) floordiv d
            yield Quotient(Polynomial.of(other), divisor)


def _reading_order(quotient: Quotient) -> tuple[int, int, int]:
    """Deep ones, those of many terms and by large divisors first, however the sum is ordered."""
    dividend = quotient.dividend
    return -dividend.depth, -sum(map(bool, dividend.terms)), -quotient.divisor


@dataclass(frozen=True)
class _Remainder:
    """The remainder of a division."""

    of: Quotient


def _written(term: Monomial | _Remainder, leaf: Callable[[SSAValue], AffineExpr]) -> AffineExpr:
    if isinstance(term, _Remainder):
        return to_expr(term.of.dividend, leaf) % term.of.divisor
    (atom,) = term
    if not isinstance(atom, Quotient):
        return leaf(atom)
    dividend, divisor = atom.dividend, atom.divisor
    if dividend.offset == divisor - 1:
        return to_expr(dividend - Polynomial.constant(divisor - 1), leaf).ceil_div(divisor)
    return to_expr(dividend, leaf) // divisor
