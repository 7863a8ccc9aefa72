"""Sums of products of neighbouring elements, and the instructions that machines have for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import BFloat16Type, IntegerType, VectorType, bf16, f32
from xdsl.ir import Attribute, SSAValue

from teloom.dialects import loop
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.target import Target
from teloom.dialects.tile_registers import OF_BF16, OF_BYTES, TILES
from teloom.dialects.upstream.arith import zero_of

T = TypeVar("T")

SUM_BITS = 32
"""Of the sums of all instructions."""


class NumberKind(NamedTuple):
    """A kind of numbers: integers of some bits, signed or unsigned, or bf16."""

    bits: int
    unsigned: bool
    is_float: bool = False

    def holds(self, other: NumberKind) -> bool:
        """Whether each number of the other kind is one of this kind."""
        if self.is_float or other.is_float:
            return self == other
        if self.unsigned == other.unsigned:
            return self.bits >= other.bits
        return other.unsigned and self.bits > other.bits


def is_turned(left: NumberKind, right: NumberKind) -> bool:
    """Whether instructions take two factors the other way round: unsigned ones come first."""
    return right.unsigned and not left.unsigned


BF16 = NumberKind(16, False, True)

Kinds = tuple[NumberKind, NumberKind]


class _Name(NamedTuple):
    """An intrinsic, and the extensions that have it; without any, each machine of x86-64 has it."""

    name: str
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Instruction:
    """Gives each lane the sum of the products of `group` neighbours, by a name of LLVM's.

    It `adds` these to what is there, or gives them alone. The name depends on how many lanes. One
    that `flushes` takes subnormal numbers for 0, and gives 0 for them. It takes the other sign of
    the factor with the number `flipped`: with its first bit flipped that is the same number, but
    for 128, and once more the instruction gives what is too much then.
    """

    kinds: Kinds
    group: int
    adds: bool
    names: Mapping[int, _Name]
    flushes: bool = False
    flipped: int | None = None

    def name(self, target: Target, lanes: int) -> str | None:
        """The name, if the target has such an instruction."""
        found = self.names.get(lanes)
        if found is None or target.architecture != "x86_64":
            return None
        there = not found.extensions or any(map(target.has, found.extensions))
        return found.name if there else None

    def types(self, lanes: int) -> tuple[Sequence[VectorType], VectorType]:
        """The types of its operands and of its result, for so many sums."""
        elements = [bf16 if kind.is_float else IntegerType(kind.bits) for kind in self.kinds]
        factors = [VectorType(element, [lanes * self.group]) for element in elements]
        sums = VectorType(f32 if self.kinds[0].is_float else IntegerType(SUM_BITS), [lanes])
        return [sums, *factors] if self.adds else factors, sums

    def takes(self, kinds: Kinds) -> bool:
        """Whether its factors hold these."""
        return all(own.holds(kind) for own, kind in zip(self.kinds, kinds, strict=True))


_BF16 = ("avx512bf16",)
_BYTE, _UNSIGNED_BYTE = NumberKind(8, False), NumberKind(8, True)

_OF_BYTES = {
    4: _Name("llvm.x86.avx512.vpdpbusd.128", ("avxvnni",)),
    8: _Name("llvm.x86.avx512.vpdpbusd.256", ("avxvnni",)),
    16: _Name("llvm.x86.avx512.vpdpbusd.512", ("avx512vnni",)),
}
"""Four products of 8 bits by 8 fit the sum: unlike vpmaddubsw, these saturate nowhere."""

# Those of AVX-512 of whole registers only: code for masks that become numbers has no shorter ones.
INSTRUCTIONS = (
    Instruction((_UNSIGNED_BYTE, _BYTE), 4, True, _OF_BYTES),
    Instruction((_BYTE, _BYTE), 4, True, _OF_BYTES, flipped=0),
    Instruction((_UNSIGNED_BYTE, _UNSIGNED_BYTE), 4, True, _OF_BYTES, flipped=1),
    # Two products do not, where all four factors are the least number: then they wrap.
    Instruction(
        (NumberKind(16, False), NumberKind(16, False)),
        2,
        False,
        {
            4: _Name("llvm.x86.sse2.pmadd.wd"),
            8: _Name("llvm.x86.avx2.pmadd.wd", ("avx2",)),
            16: _Name("llvm.x86.avx512.pmaddw.d.512", ("avx512bw",)),
        },
    ),
    # The products are exact.
    Instruction(
        (BF16, BF16),
        2,
        True,
        {
            16: _Name("llvm.x86.avx512bf16.dpbf16ps.512", _BF16),
        },
        flushes=True,
    ),
)
"""The better ones first."""


def is_known(name: str, operands: Sequence[Attribute], result: Attribute) -> bool:
    """Whether LLVM has an instruction of these types by this name: one of `INSTRUCTIONS`."""
    return any(
        found.name == name and one.types(lanes) == ([*operands], result)
        for one in INSTRUCTIONS
        for lanes, found in one.names.items()
    )


def instruction_for(
    kinds: Kinds, target: Target, lanes: int, may_flush: bool = True
) -> Instruction | None:
    """The best one of a target for factors of these kinds, in this order."""
    found = (one for one in INSTRUCTIONS if one.takes(kinds) and one.name(target, lanes))
    return next((one for one in found if may_flush or not one.flushes), None)


def has_tiles(target: Target, kinds: Kinds, may_flush: bool) -> bool:
    """Whether a target multiplies tiles of such factors.

    With `may_flush` that may take subnormal numbers for 0.
    """
    if not target.has(TILES):
        return False
    if kinds == (BF16, BF16):
        return may_flush and target.has(OF_BF16)
    are_bytes = all(one.bits == 8 and not one.is_float for one in kinds)
    return are_bytes and target.has(OF_BYTES)


def terms_in_group(kinds: Kinds) -> int:
    """How many factors of a kind are in as many bytes as a sum."""
    return SUM_BITS // kinds[0].bits


_SUMS = IntegerType(SUM_BITS), f32


class Factor(NamedTuple):
    """An element that is loaded, and converted to the type of a product.

    With a condition it is zero where that does not hold.
    """

    load: loop.LoadOp | memref.LoadOp
    kind: NumberKind
    condition: SSAValue | None = None


class Factors(NamedTuple):
    """The factors in the order of instructions."""

    left: Factor
    right: Factor

    @property
    def kinds(self) -> Kinds:
        return self.left.kind, self.right.kind


def factors_of(value: SSAValue) -> Factors | None:
    """The two elements that `value` is a product of, in the type of an instruction's sums."""
    found = _of_both(value, _factor)
    if found is None:
        return None
    left, right = found
    return Factors(right, left) if is_turned(left.kind, right.kind) else Factors(left, right)


def kinds_of(value: SSAValue) -> Kinds | None:
    """The kinds of the two numbers that `value` is a product of, in the type of sums."""
    return _of_both(value, _kind)


def _of_both(value: SSAValue, of: Callable[[SSAValue], T | None]) -> tuple[T, T] | None:
    """What there is `of` both numbers that `value` is a product of, in the type of sums."""
    product = value.owner
    if not isinstance(product, arith.MuliOp | arith.MulfOp) or value.type not in _SUMS:
        return None
    left, right = map(of, product.operands)
    return None if left is None or right is None else (left, right)


def _kind(value: SSAValue) -> NumberKind | None:
    """The kind of a number before it is converted to a wider one."""
    op = value.owner
    if not isinstance(op, arith.ExtSIOp | arith.ExtUIOp | arith.ExtFOp):
        return None
    type = op.input.type
    if isinstance(type, IntegerType):
        return NumberKind(type.width.data, isinstance(op, arith.ExtUIOp))
    return BF16 if isinstance(type, BFloat16Type) else None


def _factor(value: SSAValue) -> Factor | None:
    op, kind = value.owner, _kind(value)
    if kind is None:
        return None
    assert isinstance(op, arith.ExtSIOp | arith.ExtUIOp | arith.ExtFOp)
    value, condition = op.input, None
    if isinstance(value.owner, scf.IfOp) and (inside := _or_zero(value.owner)) is not None:
        value, condition = inside, value.owner.cond
    load = value.owner
    return Factor(load, kind, condition) if isinstance(load, loop.LoadOp | memref.LoadOp) else None


def _or_zero(op: scf.IfOp) -> SSAValue | None:
    """What a choice of one value is if its condition holds, if it is zero otherwise."""
    if len(op.results) != 1:
        return None
    (value,), (other,) = (yielded(region) for region in op.regions)
    constant = other.owner
    is_zero = isinstance(constant, arith.ConstantOp) and constant.value == zero_of(other.type)
    return value if is_zero else None
