"""What is quick does what xDSL does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    SameVariadicOperandSize,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_region_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import PyRDLOpDefinitionError, VerifyException

import teloom
from teloom import te
from teloom.dialects import quick_ir
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.quick_ir import verification
from teloom.passes.pipelines import LEVELS


@contextmanager
def as_xdsl_does():
    ours = {place: vars(place[0])[place[1]] for place in quick_ir.XDSL}

    def put(methods):
        for (kind, name), method in methods.items():
            if method is None:
                delattr(kind, name)
            else:
                setattr(kind, name, method)

    put(quick_ir.XDSL)
    try:
        yield
    finally:
        put(ours)


def _module(level: str, scheduled: bool = True) -> ModuleOp:
    A = te.placeholder((20,), "float32", name="A")
    B = te.compute((19,), lambda i: te.if_then_else(i > 3, A[i] + A[i + 1], te.exp(A[i])), name="B")
    s = te.create_schedule(B)
    if scheduled:
        outer, inner = s[B].split(B.op.axis[0], 8)
        s[B].vectorize(inner)
        s[B].parallel(outer)
    return teloom.lower(s, [A, B], level=level)


def _parts(op: Operation) -> list[object]:
    uses = [use for operand in op.operands for use in operand.uses if use.operation is op]
    return [
        [*op.operands],
        sorted(use.index for use in uses),
        [(result.type, result.index, result.op is op) for result in op.results],
        [*op.properties.items()],
        [*op.attributes.items()],
        op.location,
        [*op.successors],
        [region.parent is op for region in op.regions],
        [op.parent, op.prev_op, op.next_op],
    ]


def test_the_test_sees_xdsl_itself():
    ours = Operation.create
    with as_xdsl_does():
        assert Operation.create.__module__ == Operation.__module__
        assert Operation.create != ours
    assert Operation.create == ours


@pytest.mark.parametrize("scheduled", [False, True])
@pytest.mark.parametrize("level", LEVELS)
def test_a_program_is_lowered_to_the_same(level: str, scheduled: bool):
    with as_xdsl_does():
        theirs = str(_module(level, scheduled))
    assert str(_module(level, scheduled)) == theirs


@pytest.mark.parametrize("level", LEVELS)
def test_an_op_is_made_as_by_xdsl(level: str):
    for op in preorder(_module(level)):

        def made(op=op) -> Operation:
            return type(op).create(
                operands=[*op.operands],
                result_types=op.result_types,
                properties=op.properties,
                attributes=op.attributes,
                location=op.location,
                successors=[*op.successors],
                regions=[Region() for _ in op.regions],
            )

        ours = made()
        with as_xdsl_does():
            theirs = made()
        assert type(ours) is type(theirs)
        assert _parts(ours) == _parts(theirs)
        ours.drop_all_references()
        theirs.drop_all_references()


def _op_in(format: str) -> type[IRDLOperation]:
    @irdl_op_definition
    class Written(IRDLOperation):
        name = "test.written"
        count = prop_def(IntegerAttr)
        assembly_format = format

    return Written


def test_a_format_prints_and_parses_as_by_xdsl():
    format, context = "$count attr-dict", Context()
    with as_xdsl_does():
        theirs = _op_in(format)(properties={"count": IntegerAttr(3, i32)})
    ours = _op_in(format)(properties={"count": IntegerAttr(3, i32)})
    assert str(ours) == str(theirs) == "test.written 3 : i32"
    context.load_op(type(ours))
    assert str(Parser(context, str(ours)).parse_op()) == str(ours)


def test_a_wrong_format_is_refused_when_it_is_needed():
    with as_xdsl_does(), pytest.raises(PyRDLOpDefinitionError) as theirs:
        _op_in("$number")
    op = _op_in("$number")(properties={"count": IntegerAttr(3, i32)})
    with pytest.raises(PyRDLOpDefinitionError) as ours:
        str(op)
    assert str(ours.value) == str(theirs.value)


def test_a_value_takes_the_place_of_another():
    (number,) = AnyOp(result_types=[i32]).results
    number.name_hint = "name"

    def users() -> list[object]:
        found = [AnyOp(operands=[number] * count) for count in (1, 2, 0, 3)]
        (other,) = AnyOp(result_types=[i32]).results
        number.replace_all_uses_with(other)
        assert not number.uses
        assert all(use.operation.operands[use.index] is other for use in other.uses)
        return [other.name_hint, [found.index(use.operation) for use in other.uses]]

    ours = users()
    with as_xdsl_does():
        assert ours == users()
    number.replace_all_uses_with(number)


def test_defaults_are_filled_in():
    number = arith.ConstantOp(IntegerAttr(1, i32)).result
    made = arith.AddiOp.create(operands=(number, number), result_types=(i32,))
    assert made.properties == arith.AddiOp(number, number).properties
    assert made.is_structurally_equivalent(arith.AddiOp(number, number))


def test_a_region_has_one_op_and_an_op_one_block():
    region = Region(Block())
    op = AnyOp.create(regions=[region])
    with pytest.raises(ValueError, match="already attached"):
        AnyOp.create(regions=[region])
    with pytest.raises(ValueError, match="contained in the operation"):
        region.block.add_op(op)
    region.block.add_op(inner := AnyOp())
    with pytest.raises(ValueError, match="already attached"):
        Builder(InsertPoint.at_end(Block())).insert(inner)


def test_an_implicit_builder_takes_ops():
    block = Block()
    with ImplicitBuilder(block):
        one, other = AnyOp.create(), AnyOp()
    AnyOp.create()
    assert [*block.ops] == [one, other]


@irdl_op_definition
class _Own(IRDLOperation):
    name = "test.own"

    def __post_init__(self):
        super().__post_init__()
        self.attributes["mark"] = IntegerAttr(1, i32)


def test_a_class_may_complete_its_ops():
    assert _Own.create().attributes.keys() == {"mark"}


@irdl_op_definition
class _Parts(IRDLOperation):
    name = "test.parts"
    first = operand_def()
    more = var_operand_def()
    last = operand_def()
    result = result_def()
    other = result_def()
    body = region_def()
    rest = region_def()


@irdl_op_definition
class _Segments(IRDLOperation):
    name = "test.segments"
    irdl_options = (AttrSizedOperandSegments(),)
    first = operand_def()
    more = var_operand_def()
    perhaps = opt_operand_def()


@irdl_op_definition
class _Lists(IRDLOperation):
    name = "test.lists"
    values = var_operand_def()
    made = var_result_def()
    bodies = var_region_def()
    targets = var_successor_def()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_field_of_all_parts_has_them_in_a_tuple(count: int):
    blocks, values = [Block() for _ in range(count)], AnyOp(result_types=[i32] * count).results
    regions = [Region() for _ in range(count)]
    op = _Lists(
        operands=[values], result_types=[[i32] * count], successors=[blocks], regions=[regions]
    )

    def parts() -> list[object]:
        fields = [op.values, op.made, op.bodies, op.targets]
        return [(type(field), field) for field in fields]

    ours = parts()
    with as_xdsl_does():
        assert ours == parts()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_fields_are_the_parts_that_xdsl_gives(count: int):
    values = AnyOp(result_types=[i32] * (count + 2)).results
    regions = [Region(Block()), Region(Block())]
    op = _Parts.create(operands=values, result_types=[i32, i32], regions=regions)
    sized = [_Segments(operands=[values[0], values[2:], one]) for one in (None, values[1])]

    def parts() -> list[object]:
        said = [[one.first, [*one.more], one.perhaps] for one in sized]
        return [op.first, [*op.more], op.last, op.result, op.other, op.body, op.rest, said]

    ours = parts()
    with as_xdsl_does():
        assert ours == parts()


@irdl_op_definition
class _Everything(IRDLOperation):
    name = "test.everything"
    irdl_options = (AttrSizedOperandSegments(as_property=True), AttrSizedResultSegments())
    first = operand_def()
    more = var_operand_def()
    perhaps = opt_operand_def()
    some = var_result_def()
    other = opt_result_def()
    body = opt_region_def()
    target = successor_def()
    targets = var_successor_def()
    number = prop_def(IntegerAttr, default_value=IntegerAttr(7, i32))
    perhaps_said = opt_prop_def(StringAttr)
    word = attr_def(StringAttr, default_value=StringAttr("word"))


@irdl_op_definition
class _Pairs(IRDLOperation):
    name = "test.pairs"
    irdl_options = (SameVariadicOperandSize(),)
    ones = var_operand_def()
    others = var_operand_def()


(_A, _B, _C) = AnyOp(result_types=[i32, i32, i32]).results
_PRODUCER = AnyOp(result_types=[i32])
_TO = Block()


def _everything(**fields: object) -> Callable[[], Operation]:
    usual = {
        "operands": [_A, [_B, _C], None],
        "result_types": [[i32, i64], None],
        "regions": [None],
        "successors": [_TO, [_TO]],
    }
    return lambda: _Everything(**{**usual, **fields})  # pyright: ignore


_MADE: dict[str, Callable[[], Operation]] = {
    "all": _everything(),
    "optional ones": _everything(operands=[_A, [], _B], result_types=[[], i64]),
    "ops as operands": _everything(operands=[_PRODUCER, [_PRODUCER, _A], None]),
    "a list for one": _everything(operands=[[_A], [_B], [_C]]),
    "one for a list": _everything(operands=[_A, _B, None], successors=[_TO, _TO]),
    "tuples": _everything(operands=(_A, (_B,), None), result_types=((i32,), None)),
    "what is said": _everything(
        properties={"number": None, "perhaps_said": StringAttr("x")}, attributes={"word": None}
    ),
    "not all said": _everything(properties={"perhaps_said": None}, attributes={}),
    "ops as a region": lambda: _everything(regions=[[AnyOp()]])(),
    "a region": lambda: _everything(regions=[Region(Block())])(),
    "of one size": lambda: _Pairs(operands=[[_A], [_B]]),
    "of other sizes": lambda: _Pairs(operands=[[_A], []]),
    "too few": lambda: _Parts(operands=[_A, [_B]], result_types=[i32, i32]),
    "none for one": lambda: _Everything(operands=[None, [], None], result_types=[[], None]),
    "two for one": _everything(operands=[[_A, _B], [], None]),
    "two for one at most": _everything(operands=[_A, [], [_B, _C]]),
    "no type": _everything(result_types=[["type"], None]),
}


@pytest.mark.parametrize("name", _MADE)
def test_an_op_of_fields_is_made_as_by_xdsl(name: str):
    def made() -> object:
        try:
            op = _MADE[name]()
        except Exception as error:
            return type(error), str(error)
        nested = [type(inner) for region in op.regions for inner in region.walk()]
        parts = _parts(op)
        op.drop_all_references()
        return [parts, nested]

    ours = made()
    with as_xdsl_does():
        assert ours == made()


def _links(op: Operation) -> list[object]:
    """What an op has in it, values by the numbers of their definitions, uses in their order."""
    numbers: dict[SSAValue, int] = {}
    inside = [*op.walk()]
    for one in inside:
        for region in one.regions:
            for block in region.blocks:
                numbers |= {arg: len(numbers) + k for k, arg in enumerate(block.args)}
        numbers |= {result: len(numbers) + k for k, result in enumerate(one.results)}
    places = {one: k for k, one in enumerate(inside)}
    return [
        str(op),
        [value.name_hint for value in numbers],
        [value.location for value in numbers if isinstance(value, BlockArgument)],
        [one.location for one in inside],
        [[numbers.get(operand, operand) for operand in one.operands] for one in inside],
        [[(places[use.operation], use.index) for use in value.uses] for value in numbers],
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_a_module_is_copied_as_by_xdsl(level: str):
    module = _module(level)
    ours = module.clone()
    with as_xdsl_does():
        theirs = module.clone()
    assert _links(ours) == _links(theirs)
    assert str(ours) == str(module)


def test_what_is_copied_may_use_what_is_outside_and_what_follows():
    outer = AnyOp(result_types=[i32, i32])
    later = AnyOp(result_types=[i32])
    here, there = Block(arg_types=[i32]), Block()
    here.add_op(AnyOp(operands=[outer.results[0], later.results[0], here.args[0]]))
    here.add_op(cf.BranchOp(there))
    there.add_ops([later, AnyOp(operands=[outer.results[1], outer.results[0]])])
    there.add_op(cf.BranchOp(here, later.results[0]))
    op = AnyOp(operands=[outer.results[1]], regions=[Region([here, there])])
    (other,) = AnyOp(result_types=[i32]).results

    def copied() -> list[object]:
        values: dict[SSAValue, SSAValue] = {outer.results[1]: other}
        blocks: dict[Block, Block] = {}
        copy = op.clone(values, blocks)
        (first, second) = copy.regions[0].blocks
        assert blocks == {here: first, there: second}
        assert values.keys() == {outer.results[1], here.args[0], later.results[0]}
        found = _links(copy), [use.index for use in outer.results[0].uses]
        copy.drop_all_references()
        return [*found]

    ours = copied()
    with as_xdsl_does():
        assert ours == copied()
    bare = op.clone(clone_name_hints=False, clone_operands=False)
    assert not bare.operands


class _Says(Protocol):
    def said(self) -> str: ...


class _Saying(BlockArgument, _Says):
    def said(self) -> str:
        return "said"


def test_an_instance_is_one_of_a_class_and_those_above():
    value = _Saying(i32, Block(), 0)
    assert value.said() == "said"
    for kind, is_one in {
        _Saying: True,
        BlockArgument: True,
        SSAValue: True,
        OpResult | BlockArgument: True,
        OpResult: False,
        Attribute | Operation: False,
    }.items():
        assert isinstance(value, kind) is is_one
        assert issubclass(_Saying, kind) is is_one
    assert not isinstance(3, Attribute)
    with pytest.raises(TypeError, match="abstract"):
        AffineExpr()  # pyright: ignore


@pytest.mark.parametrize(
    "shape",
    [[], [2, 3], (IntAttr(4), 5), ArrayAttr([IntAttr(6)]), ArrayAttr([StringAttr("7")]), ["8"]],
)
def test_a_buffer_has_the_type_that_xdsl_gives(shape: object):
    def made() -> object:
        try:
            return MemRefType(f32, shape)  # pyright: ignore
        except (VerifyException, AttributeError) as error:
            return type(error), str(error)

    ours = made()
    with as_xdsl_does():
        assert ours == made()


_ATTRIBUTES: dict[str, Callable[[], Attribute]] = {
    "right": lambda: IntegerAttr(IntAttr(3), i32),
    "a wrong type": lambda: IntegerAttr(IntAttr(3), f32),  # pyright: ignore
    "no attribute": lambda: IntegerAttr(IntAttr(3), "i32"),  # pyright: ignore
    "a wrong number": lambda: IntegerAttr(300, i8),
    "one of two": lambda: LLVMPointerType(IntAttr(1)),
    "none of two": lambda: LLVMPointerType(StringAttr("1")),  # pyright: ignore
    "right elements": lambda: FunctionType(ArrayAttr([i32]), ArrayAttr([])),
    "wrong elements": lambda: SymbolRefAttr(StringAttr("a"), ArrayAttr([i32])),  # pyright: ignore
    "converted": lambda: LLVMArrayType(4, i32),  # pyright: ignore
    "too few": lambda: FunctionType(ArrayAttr([i32])),  # pyright: ignore
}


@pytest.mark.parametrize("name", _ATTRIBUTES)
def test_an_attribute_is_checked_as_by_xdsl(name: str):
    def made() -> object:
        try:
            return _ATTRIBUTES[name]()
        except (VerifyException, ValueError, TypeError, AttributeError) as error:
            return type(error), str(error)

    assert isinstance(IntegerAttr(IntAttr(4), i32), Attribute)  # one that is right before
    ours = made()
    assert ours == made()
    with as_xdsl_does():
        assert ours == made()


def test_numbers_of_an_attribute_are_read_once():
    numbers = DenseArrayBase.from_list(i64, [1, -2, 3])
    assert numbers.get_values() == numbers.get_values() == (1, -2, 3)
    assert numbers.get_values() is numbers.get_values()
    assert numbers == DenseArrayBase.from_list(i64, [1, -2, 3])


def test_expressions_are_walked_as_by_xdsl():
    dims = [AffineExpr.dimension(k) for k in range(3)]
    whole = (dims[0] * 2 + dims[2]) // 5 + (dims[1] + AffineExpr.symbol(0)) % 3
    exprs = [*dims, AffineExpr.constant(4), AffineExpr.symbol(1), whole]
    ours = [([*expr.dfs()], expr.used_dims()) for expr in exprs]
    with as_xdsl_does():
        assert ours == [([*expr.dfs()], expr.used_dims()) for expr in exprs]
    assert AffineExpr.constant(1) == AffineConstantExpr(1)
    assert AffineExpr.constant(True).value is True  # pyright: ignore
    assert AffineExpr.dimension(1) == AffineDimExpr(1)
    assert isinstance(whole, AffineBinaryOpExpr)


def test_ops_stand_in_a_block_as_xdsl_puts_them():
    def stood() -> list[object]:
        block, ops = Block(), [AnyOp(result_types=[i32]) for _ in range(4)]
        block.add_ops(ops[:3])
        block.detach_op(ops[1])
        block.add_op(ops[1])
        block.erase_op(ops[2])
        AnyOp(operands=ops[1].results)
        with pytest.raises(ValueError, match="still has uses"):
            block.erase_op(ops[1])
        block.add_op(ops[3])
        number = {op: k for k, op in enumerate(ops)}
        around = [(op.prev_op, op.next_op) for op in block.ops]
        return [[(number.get(one), number.get(other)) for one, other in around], len(block.ops)]

    ours = stood()
    with as_xdsl_does():
        assert ours == stood()


def _verdict(op: Operation) -> str | None:
    try:
        op.verify_()
    except Exception as error:
        return repr(error)
    return None


def _with_something_odd(op: Operation) -> Iterator[Operation]:
    """Copies of an op that lack a part, or have one that is another op's."""
    for said in ("properties", "attributes"):
        for name in [*getattr(op, said), "odd"]:
            for odd in (None, StringAttr("odd"), IntegerAttr(-1, i8)):
                copy = op.clone()
                given = getattr(copy, said)
                given.pop(name, None)
                if odd is not None:
                    given[name] = odd
                yield copy
    for operands in (op.operands[:-1], (*op.operands, *op.operands[:1]), op.operands[::-1]):
        copy = op.clone()
        copy.operands = operands
        yield copy


@pytest.mark.parametrize("level", LEVELS)
def test_an_op_is_verified_as_by_xdsl(level: str):
    module = _module(level)
    for op in {type(one): one for one in preorder(module) if not one.regions}.values():
        assert _verdict(op) is None
        odd = [*_with_something_odd(op)]
        Rewriter.insert_op(odd, InsertPoint.before(op))
        ours = [[*map(_verdict, odd)] for _ in range(2)]
        with as_xdsl_does():
            theirs = [*map(_verdict, odd)]
        assert ours == [theirs, theirs]
        for one in odd:
            one.detach()


@irdl_op_definition
class _Lonely(IRDLOperation):
    name = "test.lonely"
    traits = traits_def()


class _IsNowhere(OpTrait):
    def verify(self, op: Operation) -> None:
        if op.parent is not None:
            raise VerifyException("is somewhere")


def test_traits_that_come_later_are_asked():
    Block([op := _Lonely()])
    assert _verdict(op) is None
    _Lonely.traits.add_trait(_IsNowhere())
    assert "is somewhere" in str(_verdict(op))
    op.detach()
    assert _verdict(op) is None


@irdl_op_definition
class _Sized(IRDLOperation):
    name = "test.sized"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    operandSegmentSizes = prop_def(DenseArrayBase)
    first = var_operand_def()
    second = var_operand_def()


def test_sizes_of_segments_are_looked_at():
    value = AnyOp(result_types=[i32]).results[0]
    op = _Sized(operands=[[value], [value]])
    assert _verdict(op) is None
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [2, 1])
    ours = _verdict(op)
    with as_xdsl_does():
        assert ours == _verdict(op) is not None


def test_what_was_right_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(verification, "MOST_KEPT", 3)
    value = AnyOp(result_types=[i32]).results[0]
    for count in range(10):
        assert _verdict(_Sized(operands=[[value] * count, []])) is None
    assert len(vars(_Sized.get_irdl_definition())["_accepted"]._parts) <= 3
