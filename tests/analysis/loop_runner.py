"""Runs what `build-loops` made, element by element, and refuses every wrong access.

The loops become Python source over dictionaries: no flat addresses, no isl, no machine
code. A region's elements start undefined; an access outside the region is an error.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import affine, arith, func, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from teloom.analysis.signature import signature_of
from teloom.dialects import loop

Index = tuple[int, ...]
# The elements of an argument that is read.
Elements = Callable[[Index], int]


class WrongAccess(Exception):
    """An access outside a region, or of an element that nothing has written."""


@dataclass
class Storage:
    """A region of a tensor, and how often each of its elements was written and read.

    `at` is where the loops around were when the region was realized, outermost first;
    `latest` has the element that lies at an address.
    """

    name: str
    box: Sequence[tuple[int, int]]
    at: Index = ()
    given: Elements | None = None
    folds: Mapping[int, int] = field(default_factory=dict)
    latest: dict[Index, Index] = field(default_factory=dict)
    elements: dict[Index, int] = field(default_factory=dict)
    writes: Counter[Index] = field(default_factory=Counter)
    reads: Counter[Index] = field(default_factory=Counter)

    def load(self, *index: int) -> int:
        self.check(index, "read")
        if self.given is not None:
            return self.given(index)
        if index not in self.elements:
            raise WrongAccess(f"{self.name}{list(index)} is read before it is written")
        latest = self.latest[self.address(index)]
        if latest != index:
            raise WrongAccess(f"{self.name}{list(index)} is read where {list(latest)} lies now")
        self.reads[index] += 1
        return self.elements[index]

    def store(self, value: int, *index: int) -> None:
        self.check(index, "written")
        if self.given is not None:
            raise WrongAccess(f"{self.name} is an argument and must not be written")
        self.elements[index] = value
        self.latest[self.address(index)] = index
        self.writes[index] += 1

    def address(self, index: Index) -> Index:
        """Where an element lies: folded axes are circles."""
        address = [*index]
        for axis, factor in self.folds.items():
            address[axis] = (index[axis] - self.box[axis][0]) % factor
        return tuple(address)

    def check(self, index: Index, what: str) -> None:
        if not all(
            offset <= at < offset + extent
            for at, (offset, extent) in zip(index, self.box, strict=True)
        ):
            raise WrongAccess(f"{self.name}{list(index)} is {what} outside {self.box}")


@dataclass
class Run:
    """The storages of one run: outputs in their order, and all that stages were stored in."""

    outputs: list[Storage]
    realized: list[Storage]


def run_loops(function: func.FuncOp, sizes: Sequence[int], inputs: Sequence[Elements]) -> Run:
    """Runs a function of loops whose arguments are sizes, inputs and outputs."""
    signature = signature_of(function)
    names = [*signature.sizes, *(argument.name for argument in signature.arguments)]
    first_output = len(sizes) + len(inputs)
    realized: list[Storage] = []
    outputs: dict[int, Storage] = {}

    def bind(position: int, box: Sequence[tuple[int, int]]) -> Storage:
        if position < first_output:
            return Storage(names[position], box, given=inputs[position - len(sizes)])
        return outputs.setdefault(position, Storage(names[position], box))

    def realize(
        name: str, box: Sequence[tuple[int, int]], folds: Mapping[int, int], *at: int
    ) -> Storage:
        realized.append(Storage(name, box, at, folds=folds))
        return realized[-1]

    translation = _Translation()
    translation.function(function, len(sizes))
    scope: dict = {"bind": bind, "realize": realize, "truncated": _truncated}
    exec("\n".join(translation.lines), scope)
    scope["run"](*sizes)
    return Run([outputs[position] for position in sorted(outputs)], realized)


def _truncated(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


_BINARY = {
    arith.AddiOp: "{} + {}",
    arith.SubiOp: "{} - {}",
    arith.MuliOp: "{} * {}",
    arith.MaxSIOp: "max({}, {})",
    arith.MinSIOp: "min({}, {})",
    arith.DivSIOp: "truncated({0}, {1})",
    arith.RemSIOp: "{0} - {1} * truncated({0}, {1})",
    arith.AndIOp: "{} & {}",
}
_PREDICATES = ("==", "!=", "<", "<=", ">", ">=")


class _Translation:
    """Python source of one function."""

    def __init__(self):
        self.lines: list[str] = []
        self.names: dict[SSAValue, str] = {}
        self.open: list[str] = []
        self.depth = 0

    def function(self, function: func.FuncOp, sizes: int) -> None:
        arguments = function.body.block.args
        for argument in arguments[:sizes]:
            self.define(argument)
        self.line(f"def run({', '.join(self.names[a] for a in arguments[:sizes])}):")
        self.block(function.body.block)

    def define(self, value: SSAValue) -> str:
        return self.names.setdefault(value, f"v{len(self.names)}")

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def block(self, block: Block, results: Sequence[SSAValue] = ()) -> None:
        self.depth += 1
        self.line("pass")
        for op in block.ops:
            self.op(op, results)
        self.depth -= 1

    def op(self, op: Operation, results: Sequence[SSAValue]) -> None:
        match op:
            case loop.ForOp():
                lower = ", ".join(self.exprs(op.lower.data.results, op.operands_))
                upper = ", ".join(self.exprs(op.upper.data.results, op.operands_))
                variable = self.define(op.induction_variable)
                self.line(f"for {variable} in range(max([{lower}]), min([{upper}])):")
                self.open.append(variable)
                self.block(op.body.block)
                self.open.pop()
            case loop.IfOp():
                self.line(f"if {self.condition(op)}:")
                self.block(op.then_body.block)
            case loop.BindOp():
                position = op.buffer.index  # type: ignore[attr-defined]
                self.line(f"{self.define(op.tensor)} = bind({position}, {self.box(op)})")
            case loop.RealizeOp():
                name, folds = repr(op.stage_name.data), repr(op.storage.factors)
                arguments = ", ".join([name, self.box(op), folds, *self.open])
                self.line(f"{self.define(op.tensor)} = realize({arguments})")
            case loop.LoadOp():
                index = ", ".join(self.exprs(op.subscripts, op.operands_))
                self.line(f"{self.define(op.value)} = {self.names[op.tensor]}.load({index})")
            case loop.ReduceOp():
                self._reduce(op)
            case loop.WriteOp():
                index = ", ".join(self.exprs(op.subscripts, op.operands_))
                self.line(f"{self.names[op.tensor]}.store({self.names[op.value]}, {index})")
            case scf.IfOp():
                self.line(f"if {self.names[op.cond]}:")
                self.block(op.true_region.block, op.results)
                self.line("else:")
                self.block(op.false_region.block, op.results)
            case scf.YieldOp():
                for result, value in zip(results, op.operands, strict=True):
                    self.line(f"{self.define(result)} = {self.names[value]}")
            case func.ReturnOp():
                return
            case _:
                (result,) = op.results
                self.line(f"{self.define(result)} = {self.value(op)}")

    def _reduce(self, op: loop.ReduceOp) -> None:
        index = ", ".join(self.exprs(op.subscripts, op.operands_))
        arguments = op.combine.block.args
        for tensor, argument in zip(op.tensors, arguments, strict=False):
            self.line(f"{self.define(argument)} = {self.names[tensor]}.load({index})")
        for value, argument in zip(op.values, arguments[len(op.values) :], strict=True):
            self.names[argument] = self.names[value]
        for inner in op.combine.block.ops:
            if not isinstance(inner, loop.YieldOp):
                self.op(inner, ())
        for tensor, value in zip(op.tensors, op.combined, strict=True):
            self.line(f"{self.names[tensor]}.store({self.names[value]}, {index})")

    def value(self, op: Operation) -> str:
        match op:
            case arith.ConstantOp():
                assert isinstance(op.value, IntegerAttr)
                return str(op.value.value.data)
            case affine.ApplyOp():
                return self.exprs(op.map.data.results, op.mapOperands, op.map.data.num_dims)[0]
            case arith.CmpiOp():
                word = _PREDICATES[op.predicate.value.data]
                return f"{self.names[op.lhs]} {word} {self.names[op.rhs]}"
            case arith.IndexCastOp():
                return self.names[op.input]
        return _BINARY[type(op)].format(*(self.names[operand] for operand in op.operands))

    def box(self, op: loop.TensorRegionOp) -> str:
        offsets = self.exprs(op.offsets.data.results, op.operands_)
        extents = self.exprs(op.extents.data.results, op.operands_)
        return f"[{', '.join(map('({}, {})'.format, offsets, extents))}]"

    def condition(self, op: loop.IfOp) -> str:
        alternatives: list[str] = []
        for equalities, inequalities in op.alternatives:
            tests = [f"{expr} == 0" for expr in self.exprs(equalities, op.operands_)]
            tests += [f"{expr} >= 0" for expr in self.exprs(inequalities, op.operands_)]
            alternatives.append(f"({' and '.join(tests)})")
        return " or ".join(alternatives)

    def exprs(
        self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue], dims: int | None = None
    ) -> list[str]:
        """Expressions over `values`: dimensions first, then symbols."""
        names = [self.names[value] for value in values]
        count = len(names) if dims is None else dims
        return [affine_source(expr, names[:count], names[count:]) for expr in exprs]


def affine_source(expr: AffineExpr, dims: Sequence[str], symbols: Sequence[str] = ()) -> str:
    """An affine expression as Python source."""
    match expr:
        case AffineConstantExpr():
            return str(expr.value)
        case AffineDimExpr():
            return dims[expr.position]
        case AffineSymExpr():
            return symbols[expr.position]
    assert isinstance(expr, AffineBinaryOpExpr)
    lhs, rhs = (affine_source(side, dims, symbols) for side in (expr.lhs, expr.rhs))
    match expr.kind:
        case AffineBinaryOpKind.Add:
            return f"({lhs} + {rhs})"
        case AffineBinaryOpKind.Mul:
            return f"({lhs} * {rhs})"
        case AffineBinaryOpKind.FloorDiv:
            return f"({lhs} // {rhs})"
        case AffineBinaryOpKind.CeilDiv:
            return f"(-(-{lhs} // {rhs}))"
    return f"({lhs} % {rhs})"
