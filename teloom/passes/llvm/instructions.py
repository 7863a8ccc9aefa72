"""The `llvm` ops that conversions are made of."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from xdsl.dialects import builtin
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, f32, f64, i1, i16, i32, i64
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teloom.dialects.quick_ir import segments
from teloom.dialects.upstream import llvm
from teloom.dialects.upstream.arith import fits_lanes
from teloom.passes.llvm.types import element_type, is_short_float, like

STRICT = FastMathAttr(None)
CONTRACT = FastMathAttr((FastMathFlag.ALLOW_CONTRACT,))
NO_OVERFLOW_FLAGS = IntegerAttr(0, i32)

EQ, NE, SLT, SGE, ULE, UGT = 0, 1, 2, 5, 7, 8
UNORDERED = 14
"""Predicates, as `arith.cmpi` and `arith.cmpf` number them."""

_C_CONVENTION = upstream.CallingConventionAttr("ccc")
_NO_BUNDLES = DenseArrayBase.from_list(i32, ())
_NO_TAIL_CALL = upstream.TailCallKindAttr(upstream.TailCallKind.NONE)
_NOTHING_SAID: Mapping[str, Attribute] = MappingProxyType({})


@lru_cache(1024)
def stated(number: int, type: builtin.IntegerType = i64) -> IntegerAttr:
    """A number that an op says, as a predicate, an alignment or a constant: few, of many ops."""
    return IntegerAttr(number, type, truncate_bits=True)


class Instructions:
    """Appends `llvm` ops to the block at hand; a method per operation."""

    def __init__(self, block: Block):
        self.block = block

    def emit(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] = _NOTHING_SAID,
    ) -> SSAValue:
        """Append an op with one result, and return that."""
        op = kind.create(operands=operands, result_types=(type,), properties=properties)
        self.block.add_op(op)
        return op.results[0]

    def binary(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Append an integer operation without flags."""
        return self.emit(kind, (lhs, rhs), lhs.type)

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.wrapping(upstream.AddOp, lhs, rhs)

    def wrapping(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Append an addition, subtraction, product or shift that may wrap."""
        return self.emit(kind, (lhs, rhs), lhs.type, {"overflowFlags": NO_OVERFLOW_FLAGS})

    def constant(self, value: float, type: Attribute) -> SSAValue:
        """The number `value` in `type`, in every lane if that is a vector."""
        element = element_type(type)
        attribute: IntegerAttr | builtin.FloatAttr
        if isinstance(element, builtin.IntegerType):
            assert isinstance(value, int)
            attribute = stated(value, element)
        else:
            attribute = builtin.FloatAttr(value, element)  # pyright: ignore
        if isinstance(type, builtin.VectorType):
            if not fits_lanes(attribute):
                return self._spread(self.literal(attribute, element), type)
            numbers = (attribute.value.data,)
            attribute = builtin.DenseIntOrFPElementsAttr.from_list(type, numbers)
        return self.literal(attribute, type)

    def literal(self, value: Attribute, type: Attribute) -> SSAValue:
        """The constant of an attribute."""
        return self.emit(upstream.ConstantOp, (), type, {"value": value})

    def compare(self, predicate: int, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Compare integers."""
        properties = {"predicate": stated(predicate)}
        return self.emit(upstream.ICmpOp, (lhs, rhs), like(lhs.type, i1), properties)

    def compare_floats(
        self, predicate: int, lhs: SSAValue, rhs: SSAValue, fastmath: FastMathAttr = STRICT
    ) -> SSAValue:
        properties = {"predicate": stated(predicate), "fastmathFlags": fastmath}
        return self.emit(llvm.FCmpOp, (lhs, rhs), like(lhs.type, i1), properties)

    def select(self, test: SSAValue, yes: SSAValue, no: SSAValue) -> SSAValue:
        return self.emit(llvm.SelectOp, (test, yes, no), yes.type, {"fastmathFlags": STRICT})

    def poison(self, type: Attribute) -> SSAValue:
        return self.emit(llvm.PoisonOp, (), type)

    def extract(self, vector: SSAValue, position: SSAValue) -> SSAValue:
        """The lane of `vector` at an integer position."""
        return self.emit(llvm.ExtractElementOp, (vector, position), element_type(vector.type))

    def insert(self, vector: SSAValue, value: SSAValue, position: SSAValue) -> SSAValue:
        """`vector` with `value` in the lane at an integer position."""
        return self.emit(upstream.InsertElementOp, (vector, value, position), vector.type)

    def splat(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value` in every lane of the vector `type`."""
        assert isinstance(type, builtin.VectorType)
        if isinstance(value.owner, upstream.ConstantOp):
            number = value.owner.value
            assert isinstance(number, IntegerAttr | builtin.FloatAttr)
            if fits_lanes(number):
                return self.constant(number.value.data, type)
        return self._spread(value, type)

    def _spread(self, value: SSAValue, type: builtin.VectorType) -> SSAValue:
        one_lane = self.insert(self.poison(type), value, self.constant(0, i64))
        mask = DenseArrayBase.from_list(i32, (0,) * type.get_shape()[0])
        return self.emit(upstream.ShuffleVectorOp, (one_lane, one_lane), type, {"mask": mask})

    def intrinsic(
        self,
        name: str,
        operands: Sequence[SSAValue],
        type: Attribute,
        fastmath: FastMathAttr = STRICT,
    ) -> SSAValue:
        """Call an intrinsic by its name without the suffix for its types."""
        properties: dict[str, Attribute] = {
            "intrin": builtin.StringAttr(name),
            "fastmathFlags": fastmath,
            "op_bundle_sizes": _NO_BUNDLES,
            "operandSegmentSizes": segments(len(operands), 0),
        }
        return self.emit(upstream.CallIntrinsicOp, operands, type, properties)

    def call(
        self, name: str, operands: Sequence[SSAValue], type: Attribute | None
    ) -> SSAValue | None:
        """Call a function of the module; without `type` it returns nothing."""
        op = upstream.CallOp.create(
            operands=operands,
            result_types=() if type is None else (type,),
            properties={
                "callee": builtin.SymbolRefAttr(name),
                "fastmathFlags": STRICT,
                "CConv": _C_CONVENTION,
                "TailCallKind": _NO_TAIL_CALL,
                "op_bundle_sizes": _NO_BUNDLES,
                "operandSegmentSizes": segments(len(operands), 0),
            },
        )
        self.block.add_op(op)
        return op.results[0] if op.results else None

    def cast(self, kind: type[Operation], value: SSAValue, to: Attribute) -> SSAValue:
        """Convert lane by lane; `to` is the type of one lane. It may have that type already."""
        type = like(value.type, to)
        return value if value.type == type else self.emit(kind, (value,), type)

    def truncate(self, value: SSAValue, to: Attribute) -> SSAValue:
        """Keep the low bits; `to` is the type of one lane."""
        return self.cast(upstream.TruncOp, value, to)

    def widen(self, value: SSAValue) -> SSAValue:
        """A 16-bit float as f32, which holds it exactly; any other float as it is."""
        if not is_short_float(value.type):
            return value
        if not isinstance(element_type(value.type), builtin.BFloat16Type):
            return self.cast(upstream.FPExtOp, value, f32)
        # The bits of a bf16 are the high bits of the same f32.
        bits = self.cast(upstream.ZExtOp, self.cast(upstream.BitcastOp, value, i16), i32)
        high = self.wrapping(upstream.ShlOp, bits, self.constant(16, bits.type))
        return self.cast(upstream.BitcastOp, high, f32)

    def narrow(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Round an f32 or f64 to the nearest of the 16-bit float `type`, ties to even.

        An f64 becomes an f32 first, and then a bf16, as in NumPy: it is rounded twice.
        Does nothing where `value` has that type already.
        """
        if value.type == type:
            return value
        bfloat = isinstance(element_type(type), builtin.BFloat16Type)
        if element_type(value.type) == f64:
            value = value if bfloat else self._round_to_odd(value)
            value = self.cast(upstream.FPTruncOp, value, f32)
        if bfloat:
            return self._round_to_bfloat(value, type)
        return self.emit(upstream.FPTruncOp, (value,), type)

    def _round_to_odd(self, value: SSAValue) -> SSAValue:
        """An f64 with the 24 bits of an f32; the last bit also stands for all bits behind it.

        What is rounded to fewer than 23 bits afterwards is then as if it were rounded once
        (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
        using rounding to odd", 2008). LLVM's fptrunc to f16 needs a compiler runtime on most
        machines.
        """
        bits = self.cast(upstream.BitcastOp, value, i64)
        behind = self.constant((1 << 29) - 1, bits.type)
        # Any bit behind the last one carries into it.
        sum = self.add(self.binary(upstream.AndOp, bits, behind), behind)
        sticky = self.binary(upstream.OrOp, bits, sum)
        kept = self.binary(upstream.AndOp, sticky, self.constant(-1 << 29, bits.type))
        return self.cast(upstream.BitcastOp, kept, f64)

    def _round_to_bfloat(self, value: SSAValue, type: Attribute) -> SSAValue:
        # In integers, because LLVM's fptrunc needs a compiler runtime on machines
        # without bf16 units, and flushes subnormals on machines with them.
        bits = self.cast(upstream.BitcastOp, value, i32)
        sixteen = self.constant(16, bits.type)
        high = self.binary(upstream.LShrOp, bits, sixteen)
        odd = self.binary(upstream.AndOp, high, self.constant(1, bits.type))
        bias = self.add(odd, self.constant(0x7FFF, bits.type))
        rounded = self.binary(upstream.LShrOp, self.add(bits, bias), sixteen)
        # A NaN keeps its sign and its high bits, and is made quiet.
        quiet = self.binary(upstream.OrOp, high, self.constant(0x40, bits.type))
        is_nan = self.compare_floats(UNORDERED, value, value)
        short = self.truncate(self.select(is_nan, quiet, rounded), i16)
        return self.emit(upstream.BitcastOp, (short,), type)
