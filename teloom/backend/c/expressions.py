"""Expressions of C with their precedence: parentheses stand where C or a reader needs them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from teloom.backend.c.types import BOOL, NumberType, integer_literal

ATOM, UNARY, PRODUCT, SUM, SHIFT, RELATION, BITS, LOGIC, CHOICE = range(9, 0, -1)
"""How tightly an expression holds together, the tightest first."""

LANE = "lane"
"""The counter of a loop over the lanes of a vector."""

_RANKS = {
    **dict.fromkeys(("*", "/", "%"), (PRODUCT, PRODUCT, UNARY)),
    **dict.fromkeys(("+", "-"), (SUM, SUM, PRODUCT)),
    **dict.fromkeys(("<<", ">>"), (SHIFT, UNARY, UNARY)),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), (RELATION, SUM, SUM)),
    **dict.fromkeys(("&", "|", "^"), (BITS, UNARY, UNARY)),
    **dict.fromkeys(("&&", "||"), (LOGIC, RELATION, RELATION)),
}
"""The rank of a binary operation, and the least ranks of its operands without parentheses.

Where compilers warn of a mixture, as of `a && b || c`, the operands need more than C demands.
"""


@dataclass(frozen=True)
class CExpr:
    """The text of a value: of a scalar, or of a vector in one of three forms.

    `whole` is a vector of the compiler's extension, or a variable with all lanes; `lane` is the
    text of the lane at `LANE`; `splat` is a scalar that all lanes are.
    """

    text: str
    rank: int
    type: NumberType
    reads: frozenset[SSAValue] = frozenset()
    """The buffers that are read where the expression is evaluated."""
    literal: int | None = None
    lanes: int = 0
    form: str = ""

    @property
    def is_atom(self) -> bool:
        """Whether it may stand anywhere, any number of times."""
        return (self.rank == ATOM or self.literal is not None) and not self.reads

    def at_least(self, rank: int) -> str:
        """The text, in parentheses if it does not hold together as tightly as `rank`."""
        return self.text if self.rank >= rank else f"({self.text})"


def name(text: str, type: NumberType) -> CExpr:
    """A variable, or a call that reads no memory."""
    return CExpr(text, ATOM, type)


def integer(value: int, type: NumberType) -> CExpr:
    """An integer constant."""
    text = integer_literal(value, type)
    return CExpr(text, UNARY if value < 0 else ATOM, type, literal=value)


def truth(value: bool) -> CExpr:
    """A truth value as a constant."""
    return CExpr("true" if value else "false", ATOM, BOOL, literal=int(value))


def reads_of(*parts: CExpr) -> frozenset[SSAValue]:
    """The buffers that any of the parts reads."""
    return frozenset().union(*(part.reads for part in parts))


def binary(operator: str, left: CExpr, right: CExpr, type: NumberType) -> CExpr:
    """`left operator right`, of a type that the caller knows C to give, or to be equal to."""
    rank, least_left, least_right = _RANKS[operator]
    if operator in ("+", "-") and right.literal is not None and right.literal < 0:
        if right.type.family == "i" and right.literal > -(2**63):
            operator = "-" if operator == "+" else "+"
            right = integer(-right.literal, right.type)
    is_chain = operator in ("&&", "||", "&", "|") and f" {operator} " in left.text
    if is_chain and left.rank == rank and not _mixes(left.text, operator):
        least_left = rank
    text = f"{left.at_least(least_left)} {operator} {right.at_least(least_right)}"
    return CExpr(text, rank, type, reads_of(left, right))


def _mixes(text: str, operator: str) -> bool:
    """Whether a chain has other operators of the same rank beside `operator`."""
    others = {"&&": ("||",), "||": ("&&",), "&": ("|", "^"), "|": ("&", "^")}[operator]
    return any(f" {other} " in text for other in others)


def unary(operator: str, operand: CExpr, type: NumberType) -> CExpr:
    """`operator operand`."""
    return CExpr(operator + operand.at_least(ATOM), UNARY, type, operand.reads)


def cast(operand: CExpr, type: NumberType) -> CExpr:
    """`(type)operand`."""
    return CExpr(f"({type.spelled}){operand.at_least(UNARY)}", UNARY, type, operand.reads)


def call(function: str, operands: list[CExpr] | tuple[CExpr, ...], type: NumberType) -> CExpr:
    """A call of a function of C without effects."""
    arguments = ", ".join(operand.text for operand in operands)
    return CExpr(f"{function}({arguments})", ATOM, type, reads_of(*operands))


def choice(test: CExpr, yes: CExpr, no: CExpr, type: NumberType) -> CExpr:
    """`test ? yes : no`."""
    parts = " ? ".join([test.at_least(RELATION), yes.at_least(RELATION)])
    return CExpr(f"{parts} : {no.at_least(RELATION)}", CHOICE, type, reads_of(test, yes, no))


def as_signed(operand: CExpr) -> CExpr:
    """An integer as C's integer with a sign; a truth value as -1 or 0."""
    if operand.type.family == "b":
        if operand.literal is not None:
            return integer(-operand.literal, operand.type.of("i"))
        return unary("-", operand, operand.type.of("i"))
    if operand.type.family != "u":
        return operand
    signed = operand.type.of("i")
    if operand.literal is not None:
        half = 2 ** (signed.bits - 1)
        return integer((operand.literal + half) % (2 * half) - half, signed)
    return cast(operand, signed)


def as_unsigned(operand: CExpr) -> CExpr:
    """An integer as C's integer without a sign; a truth value as 1 or 0."""
    if operand.type.family == "b":
        return replace(operand, type=operand.type.of("u"))
    if operand.type.family != "i":
        return operand
    unsigned = operand.type.of("u")
    if operand.literal is not None:
        return integer(operand.literal % 2**unsigned.bits, unsigned)
    return cast(operand, unsigned)
