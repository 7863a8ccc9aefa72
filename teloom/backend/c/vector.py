"""The `vector` dialect in C, but for its accesses: what moves lanes, and folds them."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Operation

from teloom.backend.c.arith import bits_as
from teloom.backend.c.expressions import (
    ATOM,
    LANE,
    CExpr,
    as_signed,
    as_unsigned,
    binary,
    integer,
    name,
)
from teloom.backend.c.lanewise import vector_cast
from teloom.backend.c.types import BOOL, I64, NumberType, lanes_of, number_of
from teloom.backend.c.writer import FunctionWriter, Rule
from teloom.errors import PassError
from teloom.passes.llvm.conversions.vector import FLOAT_SELECTIONS


def write_broadcast(op: vector.BroadcastOp, w: FunctionWriter) -> None:
    (source,) = op.operands
    value = w.use(source)
    if value.lanes:
        w.define(op.results[0], value)
        return
    # Its lanes are evaluated one by one, where others may have been stored.
    scalar = w.variable(value, source.name_hint) if value.reads else value
    lanes = lanes_of(op.results[0].type)
    w.define(op.results[0], replace(scalar, lanes=lanes, form="splat"))


def _position(op: Operation, dynamic: int, w: FunctionWriter) -> str | None:
    """The lane that an `extract` or `insert` names; None for the whole vector."""
    static = op.properties["static_position"]
    assert isinstance(static, DenseArrayBase)
    if not len(static):
        return None
    if len(op.operands) > dynamic:
        return w.use(op.operands[dynamic]).text
    return str(int(static.get_values()[0]))


def write_extract(op: vector.ExtractOp, w: FunctionWriter) -> None:
    at = _position(op, 1, w)
    value = w.use(op.operands[0])
    if at is None:
        w.define(op.results[0], value)
    elif value.form == "splat":
        w.define(op.results[0], w.lane(value))
    else:
        w.define(op.results[0], w.element(w.held(value), at))


def write_insert(op: vector.InsertOp, w: FunctionWriter) -> None:
    at = _position(op, 2, w)
    value, into = w.use(op.operands[0]), w.use(op.operands[1])
    if at is None:
        w.define(op.results[0], value)
        return
    number = number_of(op.results[0].type)
    named = w.scopes.new(op.results[0].name_hint)
    w.declare(named, number, into.lanes)
    like = replace(name(named, number), lanes=into.lanes, form="whole")
    w.assign(named, w.typed(into, like))
    w.line(f"{w.element(like, at).text} = {value.text};")
    w.define(op.results[0], like)


def write_shuffle(op: vector.ShuffleOp, w: FunctionWriter) -> None:
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    lanes = [int(lane) for lane in mask.get_values()]
    left, right = (w.use(one) for one in op.operands)
    number = number_of(op.results[0].type)
    if w.parts.extension and number.family != "b" and left.lanes == right.lanes:
        left, right = (vector_cast(w.whole(one), number, w) for one in (left, right))
        picked = ", ".join(map(str, lanes))
        text = f"__builtin_shufflevector({left.text}, {right.text}, {picked})"
        found = CExpr(text, ATOM - 1, number, left.reads | right.reads)
        found = replace(found, lanes=len(lanes), form="whole")
        w.values[op.results[0]] = w.variable(found, op.results[0].name_hint)
        return
    held = [w.held(one) for one in (left, right)]
    named = w.scopes.new(op.results[0].name_hint)
    w.declare(named, number, len(lanes))
    result = replace(name(named, number), lanes=len(lanes), form="whole")
    for lane, source in enumerate(lanes):
        if source < 0:
            continue  # it may hold anything
        which, at = (0, source) if source < left.lanes else (1, source - left.lanes)
        w.line(f"{w.element(result, str(lane)).text} = {w.element(held[which], str(at)).text};")
    w.define(op.results[0], result)


def write_create_mask(op: vector.CreateMaskOp, w: FunctionWriter) -> None:
    (count,) = (w.use(one) for one in op.operands)
    lanes = lanes_of(op.results[0].type)
    test = binary("<", name(LANE, I64), as_signed(count), BOOL)
    w.define(op.results[0], replace(test, lanes=lanes, form="lane"))


def write_bitcast(op: vector.BitcastOp, w: FunctionWriter) -> None:
    """Of vectors with as many lanes, lane by lane."""
    source, target = op.operands[0].type, op.results[0].type
    value, number = w.use(op.operands[0]), number_of(target)
    lanes = lanes_of(target)
    if lanes == lanes_of(source):
        if "b" in (number.family, number_of(source).family):
            w.define(op.results[0], value)
            return
        found = bits_as(w.lane(value), number, w)
        w.define(op.results[0], replace(found, lanes=lanes, form="lane"))
        return
    if not w.parts.extension:
        raise PassError(f"cannot write {op.name} from {source} to {target} in C as loops", op)
    found = replace(w.whole(value), lanes=lanes)
    w.define(op.results[0], replace(vector_cast(found, number, w), form="whole"))


_OPERATORS = {
    CombiningKindFlag.ADD: "+",
    CombiningKindFlag.MUL: "*",
    CombiningKindFlag.AND: "&",
    CombiningKindFlag.OR: "|",
    CombiningKindFlag.XOR: "^",
}

_EXTREMES = {
    CombiningKindFlag.MINSI: ("min", "i"),
    CombiningKindFlag.MAXSI: ("max", "i"),
    CombiningKindFlag.MINUI: ("min", "u"),
    CombiningKindFlag.MAXUI: ("max", "u"),
}


def write_reduction(op: vector.ReductionOp, w: FunctionWriter) -> None:
    """The fold of all lanes, in order; it begins with the accumulator, if there is one."""
    operand, *start = op.operands
    kind = op.properties["kind"].data  # pyright: ignore
    value, number = w.use(operand), number_of(op.results[0].type)
    begin = w.widen(w.use(start[0])) if start else None
    if begin is None or value.form == "whole":
        value = w.held(value)
    lane = w.widen(w.lane(value))
    held = _accumulator(kind, number, lane.type)
    named = w.scopes.new(op.results[0].name_hint)
    total = name(named, held)
    first = begin if begin is not None else w.widen(w.element(value, "0"))
    w.line(f"{held.spelled} {named} = {_as(first, held).text};")
    combined = _combined(kind, total, lane, w)
    loop = f"for (int {LANE} = {int(begin is None)}; {LANE} < {value.lanes}; ++{LANE})"
    w.line(f"{loop} {named} = {combined.text};")
    w.define(op.results[0], w.narrow(total, number) if number.is_float else total)


def _accumulator(kind: CombiningKindFlag, number: NumberType, wide: NumberType) -> NumberType:
    if not number.is_integer:
        return wide
    return number.of("u") if kind in _OPERATORS else number


def _as(value: CExpr, number: NumberType) -> CExpr:
    if number.family == "u":
        return as_unsigned(value)
    return as_signed(value) if number.family == "i" else value


def _combined(kind: CombiningKindFlag, total: CExpr, lane: CExpr, w: FunctionWriter) -> CExpr:
    """One step of the fold: a statement's right side."""
    number = total.type
    if kind in FLOAT_SELECTIONS:
        helper = {
            CombiningKindFlag.MINNUMF: "minnum",
            CombiningKindFlag.MAXNUMF: "maxnum",
            CombiningKindFlag.MINIMUMF: "minimum",
            CombiningKindFlag.MAXIMUMF: "maximum",
        }[kind]
        return w.help(helper, number, [total, lane])
    if kind in _EXTREMES:
        helper, family = _EXTREMES[kind]
        if number.family == "b":
            is_and = (helper == "min") == (family == "u")
            return binary("&&" if is_and else "||", total, lane, BOOL)
        typed = number.of(family)
        return w.help(helper, typed, [_as(total, typed), _as(lane, typed)])
    operator = _OPERATORS[kind]
    if number.family == "b":
        logical = {"+": "!=", "*": "&&", "&": "&&", "|": "||", "^": "!="}[operator]
        return binary(logical, total, lane, BOOL)
    if number.is_integer:
        lane = as_unsigned(lane)
        if number.bits == 16 and operator == "*":
            return binary(
                "*", binary("*", integer(1, NumberType("u", 32)), total, number), lane, number
            )
    return binary(operator, total, lane, number)


RULES: dict[type[Operation], Rule] = {
    vector.BroadcastOp: write_broadcast,
    vector.ExtractOp: write_extract,
    vector.InsertOp: write_insert,
    vector.ShuffleOp: write_shuffle,
    vector.CreateMaskOp: write_create_mask,
    vector.BitcastOp: write_bitcast,
    vector.ReductionOp: write_reduction,
}
