"""Nests of loops in text with index expressions in them, and each value that these have."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from standard_kernels import parse
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.polynomials import Polynomial, Quotient

LoopEnds = tuple[int, int]


def random_expr(chosen: Random, dims: int) -> AffineExpr:
    """A sum of multiples of dimensions, and of quotients of such sums."""

    def linear(most: int) -> AffineExpr:
        expr = AffineExpr.constant(chosen.randint(-most, most))
        for dim in range(dims):
            expr = expr + AffineExpr.dimension(dim) * chosen.randint(-most, most)
        return expr

    expr = linear(3)
    for _ in range(chosen.randint(0, 2)):
        divisor = chosen.choice([2, 3, 4, 8])
        quotient = linear(8) // divisor if chosen.random() < 0.7 else linear(8) % divisor
        expr = expr + quotient * chosen.randint(-3, 3)
    return expr


def nest(bounds: Sequence[LoopEnds], exprs: Sequence[AffineExpr]) -> ModuleOp:
    """Loops %i0, %i1 ... with these constant bounds; the innermost computes the expressions."""
    dims = ", ".join(f"d{k}" for k in range(len(bounds)))
    names = ", ".join(f"%i{k}" for k in range(len(bounds)))
    opened = "\n".join(f"loop.for %i{k} = {a} to {b} {{" for k, (a, b) in enumerate(bounds))
    body = "\n".join(
        f"%e{k} = affine.apply affine_map<({dims}) -> ({expr})> ({names})"
        for k, expr in enumerate(exprs)
    )
    closed = "}" * len(bounds)
    return parse(f"func.func @f() {{\n{opened}\n{body}\n{closed}\nfunc.return\n}}")


def applied(module: ModuleOp) -> list[SSAValue]:
    """The values of the expressions of a nest."""
    return [op.result for op in module.walk() if isinstance(op, ApplyOp)]


def value_at(polynomial: Polynomial, at: Mapping[SSAValue, int]) -> int:
    """What a polynomial is where values are these numbers."""
    total = 0
    for monomial, coefficient in polynomial.terms.items():
        for atom in monomial:
            if isinstance(atom, Quotient):
                coefficient *= value_at(atom.dividend, at) // atom.divisor
            else:
                coefficient *= at[atom]
        total += coefficient
    return total


def random_bounds(chosen: Random, count: int) -> list[LoopEnds]:
    starts = [chosen.randint(-4, 4) for _ in range(count)]
    return [(start, start + chosen.randint(1, 9)) for start in starts]


def seeds(count: int) -> Iterator[Random]:
    """Random numbers, always the same ones."""
    return map(Random, range(count))
