"""The `linalg` dialect: xDSL's, and the named ops and syntax of upstream MLIR's that it lacks.

A named op is its `linalg.generic`: indexing maps, kinds of loops and a body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import Linalg as UPSTREAM
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation, NamedOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.upstream.formats import give_syntax, parse_arrow_types

Body = Callable[[Block], SSAValue]
"""Adds to a block what an output becomes, of the arguments: the inputs' elements, the output's."""


def _added(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def _either(floats: type[Operation], integers: type[Operation]) -> Body:
    """One op of the arguments that it takes, for floats or for integers."""

    def body(block: Block) -> SSAValue:
        kind = floats if isinstance(block.args[0].type, AnyFloat) else integers
        count = len(kind.get_irdl_definition().operands)  # pyright: ignore
        result = block.args[0].type
        return _added(block, kind.create(operands=block.args[:count], result_types=[result]))

    return body


def _widened(block: Block, value: SSAValue, type: Attribute) -> SSAValue:
    """The value as one of the type of what it is added to, which is as wide or wider."""
    if value.type == type:
        return value
    kind = arith.ExtFOp if isinstance(type, AnyFloat) else arith.ExtSIOp
    return _added(block, kind(value, type))


def _multiply_add(block: Block) -> SSAValue:
    *factors, old = block.args
    one, other = (_widened(block, factor, old.type) for factor in factors)
    is_float = isinstance(old.type, AnyFloat)
    product = _added(block, arith.MulfOp(one, other) if is_float else arith.MuliOp(one, other))
    return _added(block, arith.AddfOp(old, product) if is_float else arith.AddiOp(old, product))


def _folded(floats: type[Operation], integers: type[Operation]) -> Body:
    """An output and an input, by one op."""

    def body(block: Block) -> SSAValue:
        value, _, old = block.args
        kind = floats if isinstance(old.type, AnyFloat) else integers
        operands = [old, _widened(block, value, old.type)]
        return _added(block, kind.create(operands=operands, result_types=[old.type]))

    return body


def _region_of(body: Body) -> Callable[..., Region]:
    """The method of a named op that makes its region."""

    def hidden_region(
        cls: type[NamedOperation], inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        block = Block(arg_types=cls.body_arg_types((*inputs, *outputs)))
        block.add_op(linalg.YieldOp(body(block)))
        return Region(block)

    return hidden_region


class _Named(NamedOperation):
    """A named op by its body."""

    BODY: ClassVar[Body]

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return _region_of(cls.BODY)(cls, inputs, outputs)


class _Contraction(_Named):
    """A named op by its maps; loops that the output has not reduce."""

    MAPS: ClassVar[Sequence[AffineMap]]

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        return self.MAPS

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        return _kinds(self.get_default_indexing_maps())


def _kinds(maps: Sequence[AffineMap]) -> ArrayAttr[IteratorTypeAttr]:
    free = {expr.position for expr in maps[-1].results if isinstance(expr, AffineDimExpr)}
    kinds = (IteratorType.PARALLEL, IteratorType.REDUCTION)
    return ArrayAttr(IteratorTypeAttr(kinds[k not in free]) for k in range(maps[0].num_dims))


_ONES = DenseIntElementsAttr.from_list(TensorType(i64, [2]), [1, 1])


class _Window(_Named):
    """A named op whose windows have strides and dilations."""

    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True

    FORM: ClassVar[str]
    """Axes of the input, of the filter, of the output: `nhwc hw nhwc`; `h` and `w` are windows'."""

    strides = prop_def(DenseIntElementsAttr, default_value=_ONES)
    dilations = prop_def(DenseIntElementsAttr, default_value=_ONES)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        data, window, output = self.FORM.split()
        loops = {axis: AffineExpr.dimension(k) for k, axis in enumerate(output)}
        inside: dict[str, AffineExpr] = {}
        for axis in window:
            of = inside if axis in "hw" else loops
            if axis not in of:
                of[axis] = AffineExpr.dimension(len(loops) + len(inside))
        count = len(loops) + len(inside)
        steps = [int(step) for step in self.strides.get_values()]
        gaps = [int(gap) for gap in self.dilations.get_values()]
        reached = {
            axis: loops[axis] * step + inside[axis] * gap
            for axis, step, gap in zip("hw", steps, gaps, strict=True)
        }
        return [
            AffineMap(count, 0, tuple(reached.get(axis, loops[axis]) for axis in data)),
            AffineMap(count, 0, tuple(inside.get(axis, loops[axis]) for axis in window)),
            AffineMap(count, 0, tuple(loops[axis] for axis in output)),
        ]

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        return _kinds(self.get_default_indexing_maps())


def _named(
    base: type[Operation], name: str, body: Body, shapes: Sequence[str], **said: object
) -> type[Operation]:
    """The op `linalg.NAME`; the shapes are of inputs and of the output in its example."""
    words = "".join(word.capitalize() for word in name.split("_"))
    fields: dict[str, object] = {
        "name": f"linalg.{name}",
        "BODY": staticmethod(body),
        "__module__": __name__,
        "__doc__": _documentation(name, shapes, base is _Window),
        **said,
    }
    fields["__annotations__"] = dict.fromkeys(said, ClassVar[object])
    return irdl_op_definition(type(f"{words}Op", (base,), fields))  # pyright: ignore


def _documentation(name: str, shapes: Sequence[str], has_steps: bool) -> str:
    element = "i32" if name == "div_unsigned" else "f32"
    types = [f"tensor<{shape}{element}>" for shape in shapes]
    names = [f"%a{number}" for number in range(len(shapes) - 1)]
    ones = "dense<1> : tensor<2xi64>"
    steps = f" {{dilations = {ones}, strides = {ones}}}" if has_steps else ""
    inputs, output = ", ".join(types[:-1]), types[-1]
    return f"""What upstream's `linalg.{name}` computes.

    ```mlir
    {", ".join(names)}, %o = "test.op"() : () -> ({", ".join(types)})
    %r = linalg.{name}{steps} ins({", ".join(names)} : {inputs}) outs(%o : {output}) -> {output}
    ```

    Like: upstream's.
    """


class _Elementwise(_Named, ElementwiseOperation):
    """A named op on elements of equal positions."""


_ELEMENTWISE: dict[str, Body] = {
    "abs": _either(math.AbsFOp, math.AbsIOp),
    "ceil": _either(math.CeilOp, math.CeilOp),
    "div": _either(arith.DivfOp, arith.DivSIOp),
    "div_unsigned": _either(arith.DivUIOp, arith.DivUIOp),
    "erf": _either(math.ErfOp, math.ErfOp),
    "floor": _either(math.FloorOp, math.FloorOp),
    "negf": _either(arith.NegfOp, arith.NegfOp),
    "powf": _either(math.PowFOp, math.PowFOp),
    "round": _either(math.RoundOp, math.RoundOp),
    "rsqrt": _either(math.RsqrtOp, math.RsqrtOp),
    "tanh": _either(math.TanhOp, math.TanhOp),
}

_CONTRACTIONS: dict[str, str] = {
    "dot": "k k ",
    "matvec": "ik k i",
    "vecmat": "k kj j",
    "batch_matmul": "bik bkj bij",
    "batch_matvec": "bik bk bi",
    "batch_vecmat": "bk bkj bj",
}
"""The axes of the two factors and of the output."""

_WINDOWS: dict[str, tuple[str, Body]] = {
    "conv_2d_nchw_fchw": ("nchw fchw nfhw", _multiply_add),
    "conv_2d_nhwc_fhwc": ("nhwc fhwc nhwf", _multiply_add),
    "conv_2d_nhwc_hwcf": ("nhwc hwcf nhwf", _multiply_add),
    "depthwise_conv_2d_nchw_chw": ("nchw chw nchw", _multiply_add),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc hwc nhwc", _multiply_add),
    # xDSL's folds the elements of the window in place of those of the output.
    "pooling_nchw_max": ("nchw hw nchw", _folded(arith.MaximumfOp, arith.MaxSIOp)),
    "pooling_nchw_sum": ("nchw hw nchw", _folded(arith.AddfOp, arith.AddiOp)),
    "pooling_nhwc_max": ("nhwc hw nhwc", _folded(arith.MaximumfOp, arith.MaxSIOp)),
    "pooling_nhwc_min": ("nhwc hw nhwc", _folded(arith.MinimumfOp, arith.MinSIOp)),
    "pooling_nhwc_sum": ("nhwc hw nhwc", _folded(arith.AddfOp, arith.AddiOp)),
}

_BINARY = ("div", "div_unsigned", "powf")


def _elementwise(name: str, body: Body) -> type[Operation]:
    return _named(_Elementwise, name, body, ["4x"] * (3 if name in _BINARY else 2))


def _contraction(name: str, form: str) -> type[Operation]:
    axes = form.split(" ")
    loops = [*axes[2], *(axis for axis in "".join(axes[:2]) if axis not in axes[2])]
    order = {axis: AffineExpr.dimension(k) for k, axis in enumerate(dict.fromkeys(loops))}
    maps = [AffineMap(len(order), 0, tuple(order[axis] for axis in one)) for one in axes]
    shapes = ["".join(f"{'bijk'.index(axis) + 2}x" for axis in one) for one in axes]
    return _named(_Contraction, name, _multiply_add, shapes, MAPS=maps)


def _window(name: str, form: str, body: Body) -> type[Operation]:
    data, window, output = form.split()
    sides = ((data, "5"), (window, "2"), (output, "4"))
    shapes = ["".join(f"{far if axis in 'hw' else 2}x" for axis in one) for one, far in sides]
    return _named(_Window, name, body, shapes, FORM=form)


def _plain_window() -> type[Operation]:
    maps = [
        AffineMap.from_callable(lambda i, j, p, q: (i + p, j + q)),
        AffineMap.from_callable(lambda i, j, p, q: (p, q)),
        AffineMap.from_callable(lambda i, j, p, q: (i, j)),
    ]
    return _named(_Contraction, "conv_2d", _multiply_add, ["5x5x", "2x2x", "4x4x"], MAPS=maps)


_OURS = [
    *(_elementwise(name, body) for name, body in _ELEMENTWISE.items()),
    *(_contraction(name, form) for name, form in _CONTRACTIONS.items()),
    *(_window(name, form, body) for name, (form, body) in _WINDOWS.items()),
    _plain_window(),
]


def _parse_operands(parser: Parser, word: str) -> list[SSAValue]:
    if not parser.parse_optional_keyword(word):
        return []
    with parser.in_parens():
        place = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return parser.resolve_operands(names, types, place)


def _parse_generic(parser: Parser) -> linalg.GenericOp:
    place = parser.pos
    said = parser.parse_optional_attr_dict()
    maps, kinds = said.pop("indexing_maps", None), said.pop("iterator_types", None)
    if not isinstance(maps, ArrayAttr) or not all(isinstance(m, AffineMapAttr) for m in maps):
        parser.raise_error("linalg.generic needs indexing_maps, affine maps", place, parser.pos)
    if not isinstance(kinds, ArrayAttr):
        parser.raise_error("linalg.generic needs iterator_types", place, parser.pos)
    loops = [_loop_kind(parser, kind) for kind in kinds]
    inputs, outputs = _parse_operands(parser, "ins"), _parse_operands(parser, "outs")
    if parser.parse_optional_keyword("attrs"):
        parser.parse_punctuation("=")
        said |= parser.parse_optional_attr_dict()
    body = parser.parse_region()
    types: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->"):
        types = parse_arrow_types(parser)
    doc, call = (
        text if isinstance(text := said.pop(key, None), StringAttr) else None
        for key in ("doc", "library_call")
    )
    op = linalg.GenericOp(inputs, outputs, body, maps, loops, types, doc, call)
    op.attributes |= said
    return op


def _loop_kind(parser: Parser, kind: Attribute) -> IteratorTypeAttr:
    if isinstance(kind, StringAttr) and kind.data in [*IteratorType]:
        return IteratorTypeAttr(IteratorType(kind.data))
    if not isinstance(kind, IteratorTypeAttr):
        parser.raise_error(f"{kind} is no kind of loop; there are {', '.join(IteratorType)}")
    return kind


def _parse_reduce(parser: Parser) -> linalg.ReduceOp:
    """Parses a reduction with a region, or with the name of the one op that folds, in braces."""
    place = parser.pos
    short = None
    if parser.parse_optional_punctuation("{"):
        short = parser._get_op_by_name(parser.parse_identifier())  # pyright: ignore
        parser.parse_optional_attr_dict()
        parser.parse_punctuation("}")
    inputs, outputs = _parse_operands(parser, "ins"), _parse_operands(parser, "outs")
    if len(inputs) != 1 or len(outputs) != 1:
        parser.raise_error("linalg.reduce of several tensors; write linalg.generic", place)
    parser.parse_keyword("dimensions")
    parser.parse_punctuation("=")
    axes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    if short is None:
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument()
        )
        body = parser.parse_region(arguments)
    else:
        (type,) = NamedOperation.body_arg_types(inputs)
        block = Block(arg_types=[type, type])
        new = short.create(operands=[*reversed(block.args)], result_types=[type])
        block.add_op(linalg.YieldOp(_added(block, new)))
        body = Region(block)
    return linalg.ReduceOp(inputs[0], outputs[0], DenseArrayBase.from_list(i64, axes), body)


def _element_types(operands: Sequence[SSAValue]) -> Sequence[Attribute]:
    """The types of a named body's arguments.

    Stands in the place of xDSL's, which ends in an assertion for what it does not know.
    """
    found: list[Attribute] = []
    for operand in operands:
        type = operand.type
        element = type.element_type if isinstance(type, TensorType | MemRefType) else type
        if not isinstance(element, AnyFloat | IntegerType):
            raise VerifyException(
                f"a named op of linalg is on {type}; it takes tensors or buffers of floats or "
                "integers, and such numbers"
            )
        found.append(element)
    return found


# xDSL multiplies elements of other types than the output's before it widens them.
setattr(linalg.MatmulOp, "get_hidden_region", classmethod(_region_of(_multiply_add)))
setattr(NamedOperation, "body_arg_types", staticmethod(_element_types))

give_syntax(linalg.GenericOp, _parse_generic, linalg.GenericOp.print)
give_syntax(linalg.ReduceOp, _parse_reduce, linalg.ReduceOp.print)

_NAMES = {op.name for op in _OURS}
_OTHERS = [op for op in UPSTREAM.operations if op.name not in _NAMES]

Linalg = Dialect("linalg", [*_OTHERS, *_OURS], [*UPSTREAM.attributes])
