"""The `affine` dialect: xDSL's, with the op and the syntax of upstream MLIR's that it lacks.

`canonicalize` simplifies its ops as upstream's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.printer import Printer
from xdsl.traits import HasCanonicalizationPatternsTrait, OpTrait, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.linear_forms import is_small
from teloom.dialects.affine.operands import map_of, pack, parse_bound, print_bound, substitute
from teloom.dialects.syntax.layouts import verify_quasi_affine
from teloom.dialects.syntax.upstream_text import Indices
from teloom.dialects.upstream.arith import constant_index
from teloom.dialects.upstream.formats import (
    give_syntax,
    parse_arrow_types,
    parse_body,
    print_arrow_types,
)

INDEX = IndexType()


def composed(op: Operation, own: AffineMapAttr) -> tuple[AffineMapAttr, Sequence[SSAValue]]:
    """The map of `op` over what its operands are computed from: constants, other maps."""
    exprs = over_dims(own.data)
    replacements = {
        operand: meaning for operand in op.operands if (meaning := _meaning(operand)) is not None
    }
    found, operands = substitute(exprs, op.operands, replacements)
    is_whole = all(map(is_small, found.data.results))
    return (found, operands) if is_whole else pack(exprs, op.operands)


def _meaning(value: SSAValue) -> tuple[AffineExpr, Sequence[SSAValue]] | None:
    match op := value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return AffineExpr.constant(number.value.data), ()
        case affine.ApplyOp():
            return over_dims(op.map.data)[0], op.mapOperands
        case _:
            return None


class SimplifyApply(RewritePattern):
    """Maps are composed; one that is a constant, or an operand, is replaced by it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ApplyOp, rewriter: PatternRewriter) -> None:
        map, operands = composed(op, op.map)
        (expr,) = map.data.results
        if isinstance(expr, AffineDimExpr):
            rewriter.replace(op, [], [operands[expr.position]])
        elif isinstance(expr, AffineConstantExpr):
            rewriter.replace(op, constant_index(expr.value))
        elif map != op.map or [*operands] != [*op.operands]:
            rewriter.replace(op, affine.ApplyOp(operands, map))


class SimplifyMin(RewritePattern):
    """Of several constants one counts, and of equal expressions one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.MinOp, rewriter: PatternRewriter) -> None:
        map, operands = composed(op, op.map)
        exprs = dict.fromkeys(map.data.results)
        constants = [expr.value for expr in exprs if isinstance(expr, AffineConstantExpr)]
        kept = [expr for expr in exprs if not isinstance(expr, AffineConstantExpr)]
        if constants:
            kept.append(AffineExpr.constant(min(constants)))
        map, operands = pack(kept, operands)
        if len(kept) == 1:
            rewriter.replace(op, affine.ApplyOp(operands, map))
        elif map != op.map or [*operands] != [*op.operands]:
            rewriter.replace(op, affine.MinOp(operands, map))


@dataclass(frozen=True)
class Simplifies(HasCanonicalizationPatternsTrait):
    """An op that `canonicalize` simplifies by one pattern."""

    pattern: type[RewritePattern]

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return (self.pattern(),)


def check_step(step: IntegerAttr) -> None:
    """Raises VerifyException for a step with which a loop would not end."""
    if step.value.data < 1:
        raise VerifyException(f"step {step.value.data}: a loop steps by 1 or more")


class StepsForward(OpTrait):
    """The step of a loop is positive."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, affine.ForOp)
        check_step(op.step)


class DividesByPositive(OpTrait):
    """Divisors in maps and sets are positive constants, as upstream asks."""

    def verify(self, op: Operation) -> None:
        for said in op.properties.values():
            if isinstance(said, AffineMapAttr):
                exprs: Iterable[AffineExpr] = said.data.results
            elif isinstance(said, AffineSetAttr):
                exprs = (constraint.lhs for constraint in said.data.constraints)
            else:
                continue
            for expr in exprs:
                verify_quasi_affine(expr)


# xDSL's classes stay the ones that everyone knows: they only get a trait.
for _kind in (
    affine.ApplyOp,
    affine.ForOp,
    affine.IfOp,
    affine.LoadOp,
    affine.MinOp,
    affine.StoreOp,
):
    _kind.traits.add_trait(DividesByPositive())
affine.ForOp.traits.add_trait(StepsForward())
affine.ApplyOp.traits.add_trait(Simplifies(SimplifyApply))
affine.MinOp.traits.add_trait(Pure())  # as upstream
affine.MinOp.traits.add_trait(Simplifies(SimplifyMin))


@irdl_op_definition
class MaxOp(IRDLOperation):
    """The largest of the results of a map.

    ```mlir
    %i = "test.op"() : () -> index
    %m = affine.max affine_map<(d0) -> (d0 - 4, 0)> (%i)
    ```

    Like: upstream's.
    """

    name = "affine.max"

    arguments = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    result = result_def(INDEX)

    traits = traits_def(Pure(), DividesByPositive())

    def __init__(self, operands: Sequence[SSAValue], map: AffineMapAttr):
        super().__init__(operands=[operands], properties={"map": map}, result_types=[INDEX])

    def verify_(self) -> None:
        taken = _operand_count(self.map)
        if len(self.operands) != taken:
            raise VerifyException(f"{len(self.operands)} operands for a map of {taken}")

    @classmethod
    def parse(cls, parser: Parser) -> MaxOp:
        found = affine.MinOp.parse(parser)
        op = MaxOp(found.operands, found.map)
        op.attributes |= found.attributes | parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        _print_applied(printer, self.map, self.operands)
        printer.print_op_attributes(self.attributes)


def _print_applied(
    printer: Printer, what: AffineMapAttr | AffineSetAttr, operands: Sequence[SSAValue]
) -> None:
    """Prints a map or a set, and what stands for its dimensions and symbols."""
    dims = what.data.num_dims
    printer.print_string(" ")
    printer.print_attribute(what)
    with printer.in_parens():
        printer.print_list(operands[:dims], printer.print_operand)
    if what.data.num_symbols:
        with printer.in_square_brackets():
            printer.print_list(operands[dims:], printer.print_operand)


def _parse_if(parser: Parser) -> affine.IfOp:
    condition = parser.parse_attribute()
    if not isinstance(condition, AffineSetAttr):
        parser.raise_error("expected an affine set")
    operands = [
        value
        for brackets in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE)
        for value in parser.parse_optional_comma_separated_list(
            brackets, lambda: parser.parse_operand(INDEX)
        )
        or ()
    ]
    types: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->"):
        types = parse_arrow_types(parser)
    then = parse_body(parser, (), affine.YieldOp.get())
    otherwise = Region()
    if parser.parse_optional_keyword("else"):
        otherwise = parse_body(parser, (), affine.YieldOp.get())
    return affine.IfOp.create(
        operands=operands,
        result_types=types,
        properties={"condition": condition},
        attributes=parser.parse_optional_attr_dict(),
        regions=[then, otherwise],
    )


def _print_if(op: affine.IfOp, printer: Printer) -> None:
    _print_applied(printer, op.condition, op.args)
    if op.results:
        printer.print_string(" -> ")
        print_arrow_types(printer, op.result_types)
    for word, region in ((" ", op.then_region), (" else ", op.else_region)):
        if region.blocks:
            printer.print_string(word)
            printer.print_region(region, print_block_terminators=bool(op.results))
    printer.print_op_attributes(op.attributes)


class ParallelBounds(NamedTuple):
    """One side of the bounds of a parallel loop: all expressions, and how many each axis has."""

    map: AffineMapAttr
    groups: DenseIntElementsAttr
    operands: Sequence[SSAValue]

    @staticmethod
    def parse(parser: Parser, word: str) -> ParallelBounds:
        """Parses what `print` prints."""
        operands = Indices()
        found = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_bound(parser, operands, word)
        )
        groups = DenseIntElementsAttr.from_list(
            VectorType(i32, [len(found)]), [len(exprs) for exprs in found]
        )
        exprs = [expr for each in found for expr in each]
        return ParallelBounds(map_of(exprs, operands.values), groups, operands.values)

    @property
    def of_axes(self) -> list[list[AffineExpr]]:
        """The expressions of each axis, over the operands as dimensions."""
        exprs = iter(over_dims(self.map.data))
        return [[*islice(exprs, int(count))] for count in self.groups.get_values()]

    def print(self, printer: Printer, word: str) -> None:
        """Prints `(0, max(1, %n - 2))`; word is `max` or `min`."""
        with printer.in_parens():
            printer.print_list(
                self.of_axes, lambda exprs: print_bound(printer, exprs, self.operands, word)
            )


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """Loops whose iterations may run at once; those with results fold what each yields.

    ```mlir
    %A, %n = "test.op"() : () -> (memref<?x8xf32>, index)
    %s = affine.parallel (%i, %j) = (0, max(2, %n - 4)) to (%n, 8) reduce ("addf") -> f32 {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      affine.yield %a : f32
    }
    ```

    Shape: a lower bound, an upper bound and a step for each argument of the region.
    Refused: bounds that are not as many; a step below 1; a number of results that is not that of
    reductions.
    Like: upstream's; xDSL's has no syntax, and takes an operand for each result.
    """

    name = "affine.parallel"

    map_operands = var_operand_def(INDEX)
    reductions = prop_def(ArrayAttr[StringAttr])
    lowerBoundsMap = prop_def(AffineMapAttr)
    lowerBoundsGroups = prop_def(DenseIntElementsAttr)
    upperBoundsMap = prop_def(AffineMapAttr)
    upperBoundsGroups = prop_def(DenseIntElementsAttr)
    steps = prop_def(ArrayAttr[IntegerAttr])
    res = var_result_def()
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), DividesByPositive())

    @property
    def bounds(self) -> tuple[ParallelBounds, ParallelBounds]:
        """The lower and the upper bounds."""
        first = _operand_count(self.lowerBoundsMap)
        return (
            ParallelBounds(self.lowerBoundsMap, self.lowerBoundsGroups, self.operands[:first]),
            ParallelBounds(self.upperBoundsMap, self.upperBoundsGroups, self.operands[first:]),
        )

    def verify_(self) -> None:
        taken = _operand_count(self.lowerBoundsMap) + _operand_count(self.upperBoundsMap)
        if len(self.operands) != taken:
            raise VerifyException(f"{len(self.operands)} operands for maps of {taken}")
        axes = len(self.body.block.args)
        for side, bounds in zip(("lower", "upper"), self.bounds, strict=True):
            counts = [int(count) for count in bounds.groups.get_values()]
            if len(counts) != axes:
                raise VerifyException(f"{len(counts)} {side} bounds for {axes} axes")
            if 0 in counts or sum(counts) != len(bounds.map.data.results):
                raise VerifyException(f"the {side} bounds differ from their map")
        if len(self.steps) != axes:
            raise VerifyException(f"{len(self.steps)} steps for {axes} axes")
        for step in self.steps:
            check_step(step)
        if len(self.reductions) != len(self.results):
            raise VerifyException(
                f"{len(self.reductions)} reductions for {len(self.results)} results"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = ParallelBounds.parse(parser, "max")
        parser.parse_keyword("to")
        upper = ParallelBounds.parse(parser, "min")
        steps = [1] * len(names)
        if parser.parse_optional_keyword("step"):
            steps = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_integer(allow_boolean=False)
            )
        folds: Sequence[str] = ()
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("reduce"):
            folds = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_str_literal
            )
            parser.parse_punctuation("->")
            types = parse_arrow_types(parser)
        body = parse_body(parser, [name.resolve(INDEX) for name in names], affine.YieldOp.get())
        return ParallelOp.create(
            operands=[*lower.operands, *upper.operands],
            result_types=types,
            properties={
                "reductions": ArrayAttr([StringAttr(name) for name in folds]),
                "lowerBoundsMap": lower.map,
                "lowerBoundsGroups": lower.groups,
                "upperBoundsMap": upper.map,
                "upperBoundsGroups": upper.groups,
                "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
            },
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        lower, upper = self.bounds
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_operand)
        printer.print_string(" = ")
        lower.print(printer, "max")
        printer.print_string(" to ")
        upper.print(printer, "min")
        if any(step.value.data != 1 for step in self.steps):
            printer.print_string(" step ")
            with printer.in_parens():
                printer.print_list(self.steps, lambda one: printer.print_int(one.value.data))
        if self.results:
            printer.print_string(" reduce ")
            with printer.in_parens():
                printer.print_list(self.reductions, printer.print_attribute)
            printer.print_string(" -> ")
            print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_block_terminators=bool(self.results)
        )
        printer.print_op_attributes(self.attributes)


def _operand_count(map: AffineMapAttr) -> int:
    return map.data.num_dims + map.data.num_symbols


give_syntax(affine.IfOp, _parse_if, _print_if)

_OTHERS = [op for op in affine.Affine.operations if op is not affine.ParallelOp]

Affine = Dialect("affine", [*_OTHERS, MaxOp, ParallelOp], [*affine.Affine.attributes])
