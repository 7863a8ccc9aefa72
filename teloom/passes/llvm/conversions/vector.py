"""Conversions of the `vector` dialect, for vectors of one axis."""

from functools import cache

from xdsl.dialects import builtin, vector
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32, i64
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from teloom.analysis.memory.storage import byte_width
from teloom.dialects.upstream import llvm
from teloom.dialects.upstream.vector import GatherOp
from teloom.passes.llvm.builder import Builder, Conversion
from teloom.passes.llvm.conversions.arith import cast, fastmath_of, float_intrinsic
from teloom.passes.llvm.conversions.memory import alignment_of, convert_load, convert_store
from teloom.passes.llvm.instructions import SLT
from teloom.passes.llvm.types import element_type, machine_type

INTEGER_REDUCTIONS: dict[CombiningKindFlag, type[Operation] | str] = {
    CombiningKindFlag.ADD: upstream.AddOp,
    CombiningKindFlag.MUL: upstream.MulOp,
    CombiningKindFlag.AND: upstream.AndOp,
    CombiningKindFlag.OR: upstream.OrOp,
    CombiningKindFlag.XOR: upstream.XOrOp,
    CombiningKindFlag.MINSI: "llvm.smin",
    CombiningKindFlag.MAXSI: "llvm.smax",
    CombiningKindFlag.MINUI: "llvm.umin",
    CombiningKindFlag.MAXUI: "llvm.umax",
}
"""How two integers combine, by an op or an intrinsic."""

FLOAT_SELECTIONS = {
    CombiningKindFlag.MINNUMF: ("llvm.minnum", "llvm.vector.reduce.fmin"),
    CombiningKindFlag.MAXNUMF: ("llvm.maxnum", "llvm.vector.reduce.fmax"),
    CombiningKindFlag.MINIMUMF: ("llvm.minimum", "llvm.vector.reduce.fminimum"),
    CombiningKindFlag.MAXIMUMF: ("llvm.maximum", "llvm.vector.reduce.fmaximum"),
}
"""How two floats combine, and how all lanes of a vector do."""

FLOAT_FOLDS = {
    CombiningKindFlag.ADD: ("llvm.vector.reduce.fadd", -0.0),
    CombiningKindFlag.MUL: ("llvm.vector.reduce.fmul", 1.0),
}
"""The intrinsic that folds the lanes in order, and the value that it starts from."""


def convert_broadcast(op: Operation, b: Builder) -> SSAValue:
    (value,) = op.operands
    type = machine_type(op.results[0].type)
    return value if value.type == type else b.splat(value, type)


def position_of(op: Operation, dynamic: int, b: Builder) -> SSAValue | None:
    """The lane that a `vector.extract` or `.insert` names; None for the whole vector.

    `dynamic` is the number of the operand that holds the lane if it is not constant.
    """
    static = op.properties["static_position"]
    assert isinstance(static, DenseArrayBase)
    if not len(static):
        return None
    if len(op.operands) > dynamic:
        return op.operands[dynamic]
    return b.constant(int(static.get_values()[0]), i64)


def convert_extract(op: Operation, b: Builder) -> SSAValue:
    position = position_of(op, 1, b)
    return op.operands[0] if position is None else b.extract(op.operands[0], position)


def convert_insert(op: Operation, b: Builder) -> SSAValue:
    value, into = op.operands[0], op.operands[1]
    position = position_of(op, 2, b)
    return value if position is None else b.insert(into, value, position)


def convert_shuffle(op: Operation, b: Builder) -> SSAValue:
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    said = {"mask": _mask(mask)}
    return b.emit(upstream.ShuffleVectorOp, op.operands, machine_type(op.results[0].type), said)


@cache
def _mask(lanes: DenseArrayBase[builtin.IntegerType]) -> DenseArrayBase:
    """The numbers of lanes in as many bits as the `llvm` dialect has for each."""
    return DenseArrayBase.from_list(i32, [int(lane) for lane in lanes.get_values()])


def convert_reduction(op: Operation, b: Builder) -> SSAValue:
    operand, *start = op.operands
    kind = op.properties["kind"]
    assert isinstance(kind, vector.CombiningKindAttr)
    if not isinstance(element_type(operand.type), type(i64)):
        return _reduce_floats(op, kind.data, b)
    combine = INTEGER_REDUCTIONS[kind.data]
    name = f"llvm.vector.reduce.{_short_name(kind.data)}"
    total = b.intrinsic(name, (operand,), element_type(operand.type))
    if not start:
        return total
    if isinstance(combine, str):
        return b.intrinsic(combine, (total, *start), total.type)
    if combine in (upstream.AddOp, upstream.MulOp):
        return b.wrapping(combine, total, start[0])
    return b.binary(combine, total, start[0])


def _short_name(kind: CombiningKindFlag) -> str:
    """`minsi` is `smin` in LLVM; the operations without a sign keep their name."""
    name = kind.value
    return name[3] + name[:3] if name[:3] in ("min", "max") else name


def _reduce_floats(op: Operation, kind: CombiningKindFlag, b: Builder) -> SSAValue:
    type = op.results[0].type
    fastmath = fastmath_of(op)
    operand, *start = (b.widen(value) for value in op.operands)
    element = element_type(operand.type)
    if kind in FLOAT_FOLDS:
        name, neutral = FLOAT_FOLDS[kind]
        first = start[0] if start else b.constant(neutral, element)
        return b.narrow(b.intrinsic(name, (first, operand), element, fastmath), type)
    combine, reduce = FLOAT_SELECTIONS[kind]
    total = b.intrinsic(reduce, (operand,), element, fastmath)
    if start:
        total = b.intrinsic(combine, (total, *start), element, fastmath)
    return b.narrow(total, type)


def convert_gather(op: Operation, b: Builder) -> SSAValue:
    buffer, *offsets, indices, mask, default = op.operands
    type, default = default.type, b.as_stored(default)
    element = element_type(default.type)
    begin = b.address(buffer, offsets, element)
    access = llvm.MaskedGatherOp.create(
        operands=(b.address(begin, (indices,), element), mask, default),
        result_types=(default.type,),
        properties=_alignment(op, element),
    )
    return b.as_value(b.access(access, buffer).results[0], type)


def convert_maskedload(op: Operation, b: Builder) -> SSAValue:
    buffer, index, mask, default = op.operands
    type, default = default.type, b.as_stored(default)
    element = element_type(default.type)
    access = llvm.MaskedLoadOp.create(
        operands=(b.address(buffer, (index,), element), mask, default),
        result_types=(default.type,),
        properties=_alignment(op, element),
    )
    return b.as_value(b.access(access, buffer).results[0], type)


def convert_maskedstore(op: Operation, b: Builder) -> None:
    buffer, index, mask, value = op.operands
    value = b.as_stored(value)
    element = element_type(value.type)
    access = llvm.MaskedStoreOp.create(
        operands=(value, b.address(buffer, (index,), element), mask),
        properties=_alignment(op, element),
    )
    b.access(access, buffer)


def _alignment(op: Operation, element: Attribute) -> dict[str, Attribute]:
    return {"alignment": IntegerAttr(alignment_of(op) or byte_width(element), i32)}


def convert_create_mask(op: Operation, b: Builder) -> SSAValue:
    (count,) = op.operands
    mask_type = op.results[0].type
    lanes = builtin.VectorType(i32, machine_type(mask_type).shape)  # pyright: ignore
    length = lanes.get_shape()[0]
    # Clamped first, the count fits into 32 bits, which are cheaper to compare.
    count = b.intrinsic("llvm.smin", (count, b.constant(length, i64)), i64)
    count = b.intrinsic("llvm.smax", (count, b.constant(0, i64)), i64)
    numbers = builtin.DenseIntOrFPElementsAttr.from_list(lanes, range(length))
    numbered = b.literal(numbers, lanes)
    return b.compare(SLT, numbered, b.splat(b.truncate(count, i32), lanes))


CONVERSIONS: dict[type[Operation], Conversion] = {
    vector.LoadOp: convert_load,
    vector.StoreOp: convert_store,
    vector.BroadcastOp: convert_broadcast,
    vector.FMAOp: float_intrinsic("llvm.fma"),
    vector.ExtractOp: convert_extract,
    vector.InsertOp: convert_insert,
    vector.ShuffleOp: convert_shuffle,
    vector.BitcastOp: cast(upstream.BitcastOp),
    vector.ReductionOp: convert_reduction,
    GatherOp: convert_gather,
    vector.MaskedLoadOp: convert_maskedload,
    vector.MaskedStoreOp: convert_maskedstore,
    vector.CreateMaskOp: convert_create_mask,
}
