"""From loops as IR to the text of a hybrid script."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from xdsl.dialects import affine, cf, func, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSymExpr

from teloom.analysis.dtypes import dtype_of
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.signature import Argument, signature_of
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.interfaces import Rules
from teloom.dialects.syntax.names import unused_name
from teloom.dialects.upstream.accesses import accesses_of
from teloom.errors import PassError
from teloom.frontend.hybrid.functions import IN_PYTHON
from teloom.frontend.hybrid.source_values import VALUES, number

_RANGES = {
    loop.LoopKind.SERIAL: "range",
    loop.LoopKind.PARALLEL: "parallel",
    loop.LoopKind.DYNAMIC: "parallel",
    loop.LoopKind.VECTORIZED: "vectorize",
    loop.LoopKind.UNROLLED: "unroll",
}

_WORDS = {*keyword.kwlist, *IN_PYTHON, "len", "min", "max", "abs", "round", "bool"}
"""Names that mean something in a script."""


class _Region(NamedTuple):
    """A tensor of the script: its element at subscripts is at these minus `offsets`."""

    name: str
    offsets: Sequence[Polynomial]
    leading: Sequence[Polynomial] = ()


def source_of(function: func.FuncOp, name: str) -> str:
    """The text of a script `name` that does what a function over loops and arrays does.

    Raises `PassError` for what no script has, such as calls of other code.
    """
    writer = _Writer(name)
    writer.function(function)
    return "\n".join(writer.lines) + "\n"


class _Writer:
    """Writes the lines of a script."""

    def __init__(self, name: str):
        self.lines: list[str] = []
        self._name, self._indent = name, 0
        self._taken = {*_WORDS, name}
        self._texts: dict[SSAValue, str] = {}
        self._regions: dict[SSAValue, _Region] = {}
        self._forms = IndexForms()

    # Lines and names

    def _line(self, text: str) -> None:
        self.lines.append("    " * self._indent + text)

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self._line(head)
        self._indent += 1
        count = len(self.lines)
        yield
        if len(self.lines) == count:
            self._line("pass")
        self._indent -= 1

    def _named(self, hint: str | None) -> str:
        letters = "".join(one if one.isalnum() or one == "_" else "_" for one in hint or "v")
        name = unused_name(letters if letters[:1].isidentifier() else f"v{letters}", self._taken)
        self._taken.add(name)
        return name

    # The function

    def function(self, op: func.FuncOp) -> None:
        signature = signature_of(op)
        count = len(signature.sizes)
        values = op.body.block.args
        names = [self._named(value.name_hint) for value in values]
        self._texts.update(zip(values, names, strict=True))
        arguments = [*zip(signature.arguments, values[count:], strict=True)]
        passed = [
            names[k] for k in signature.order if k < count or not arguments[k - count][0].output
        ]
        with self._block(f"def {self._name}({', '.join(passed)}):"):
            for position, size in enumerate(names[:count]):
                if position not in signature.order:
                    self._line(f"{size} = {self._size(position, arguments, op)}")
            for argument, value in arguments:
                if argument.output:
                    extents = [self._extent(one, names) for one in argument.shape or ()]
                    self._line(
                        f"{self._texts[value]} = output_tensor({_tuple(extents)}, "
                        f'"{argument.dtype}")'
                    )
            self._ops(op.body.block)
            returned = [self._texts[value] for argument, value in arguments if argument.output]
            self._line(f"return {', '.join(returned)}")

    def _size(
        self, position: int, arguments: Sequence[tuple[Argument, SSAValue]], op: func.FuncOp
    ) -> str:
        """The size as an extent of an input."""
        for argument, value in arguments:
            for axis, extent in enumerate(argument.shape or ()):
                is_it = isinstance(extent, AffineSymExpr) and extent.position == position
                if is_it and not argument.output:
                    return f"{self._texts[value]}.shape[{axis}]"
        name = self._texts[op.body.block.args[position]]
        raise PassError(f"no input has an axis of {name} elements; give it among the inputs", op)

    def _extent(self, extent: AffineExpr, sizes: Sequence[str]) -> str:
        values = [AffineExpr.dimension(number) for number in range(len(sizes))]
        form = extent.replace_dims_and_symbols([], values)
        operands = [value for value, text in self._texts.items() if text in sizes]
        return self._sum(self._forms.expr(form, operands))

    # Ops

    def _ops(self, block: Block) -> None:
        for op in block.ops:
            rule = WRITTEN[type(op)]
            if rule is not None:
                rule(self, op)
            elif (text := VALUES[type(op)]) is not None:
                self._value(op, text(op, [self._text(value) for value in op.operands]))
            elif not _is_hint(op):
                raise PassError(f"a hybrid script has no {op.name}", op)

    def _text(self, value: SSAValue) -> str:
        if isinstance(value.type, IndexType) and value not in self._texts:
            return self._atom(self._forms.of(value))
        return self._texts[value]

    def _value(self, op: Operation, text: str) -> None:
        """Writes a value where it is used, if it is used once in this block; else by a name."""
        (result,) = op.results
        uses = [*result.uses]
        is_constant = not op.operands
        if is_constant or (len(uses) == 1 and uses[0].operation.parent is op.parent):
            self._texts[result] = text
        elif uses:
            self._keep(result, text)

    def _keep(self, value: SSAValue, text: str) -> None:
        self._texts[value] = self._named(value.name_hint)
        self._line(f"{self._texts[value]} = {text}")

    def _bind(self, op: loop.BindOp) -> None:
        self._regions[op.tensor] = _Region(self._texts[op.buffer], self._offsets(op))

    def _realize(self, op: loop.RealizeOp) -> None:
        name = self._named(op.tensor.name_hint)
        extents = [self._sum(one) for one in self._all(op.extents.data.results, op.operands_)]
        dtype = dtype_of(op.tensor.type.element_type)
        self._line(f'{name} = allocate({_tuple(extents)}, "{dtype}", "{op.scope}")')
        self._regions[op.tensor] = _Region(name, self._offsets(op))

    def _offsets(self, op: loop.BindOp | loop.RealizeOp) -> list[Polynomial]:
        return self._all(op.offsets.data.results, op.operands_)

    def _buffer(self, op: loop.BufferOp) -> None:
        region = self._regions[op.tensor]
        begins = self._all(op.offsets.data.results, op.operands_)
        at = [_minus(begin, one) for begin, one in zip(begins, region.offsets, strict=True)]
        shifts = [_minus(Polynomial({}), one) for one in at[op.left_out :]]
        self._regions[op.buffer] = _Region(region.name, shifts, at[: op.left_out])

    def _element(
        self, tensor: SSAValue, subscripts: Sequence[AffineExpr], values: Sequence[SSAValue]
    ) -> str:
        region = self._regions[tensor]
        found = self._all(subscripts, values)
        behind = [_minus(one, offset) for one, offset in zip(found, region.offsets, strict=True)]
        return f"{region.name}[{self._at([*region.leading, *behind])}]"

    def _at(self, subscripts: Sequence[Polynomial]) -> str:
        return ", ".join(map(self._sum, subscripts)) or "()"

    def _load(self, op: loop.LoadOp | memref.LoadOp) -> None:
        self._keep(op.results[0], self._accessed(op))

    def _accessed(self, op: Any) -> str:
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            dims = [AffineExpr.dimension(number) for number in range(len(op.indices))]
            return self._element(op.memref, dims, op.indices)
        return self._element(op.tensor, op.subscripts, op.operands_)

    def _store(self, op: loop.StoreOp | loop.InitOp | memref.StoreOp) -> None:
        self._line(f"{self._accessed(op)} = {self._text(op.value)}")

    def _reduce(self, op: loop.ReduceOp) -> None:
        places = [self._element(one, op.subscripts, op.operands_) for one in op.tensors]
        arguments = op.combine.block.args
        for argument, place in zip(arguments, places, strict=False):
            self._keep(argument, place)
        for argument, value in zip(arguments[len(places) :], op.values, strict=True):
            self._texts[argument] = self._text(value)
        self._ops(op.combine.block)
        for place, value in zip(places, op.combined, strict=True):
            self._line(f"{place} = {self._text(value)}")

    def _for(self, op: loop.ForOp) -> None:
        variable = op.induction_variable
        self._texts[variable] = name = self._named(variable.name_hint)
        lower = _extreme("max", self._bounds(op.lower.data.results, op))
        upper = _extreme("min", self._bounds(op.upper.data.results, op))
        kind = _RANGES.get(op.kind.data)
        if kind is None:
            raise PassError(f"a hybrid script has no loop over {op.kind.data.value}", op)
        bounds = upper if lower == "0" else f"{lower}, {upper}"
        with self._block(f"for {name} in {kind}({bounds}):"):
            self._ops(op.body.block)

    def _bounds(self, exprs: Sequence[AffineExpr], op: loop.ForOp) -> list[str]:
        return [self._sum(one) for one in self._all(exprs, op.operands_)]

    def _if(self, op: loop.IfOp) -> None:
        alternatives = [
            " and ".join(
                [f"{self._sum(one)} == 0" for one in self._all(said.equalities, op.operands_)]
                + [f"{self._sum(one)} >= 0" for one in self._all(said.inequalities, op.operands_)]
            )
            or "True"
            for said in op.alternatives
        ]
        condition = alternatives[0]
        if len(alternatives) > 1:
            condition = " or ".join(f"({one})" for one in alternatives)
        with self._block(f"if {condition}:"):
            self._ops(op.then_body.block)
        if op.else_body is not None and op.else_body.block.ops:
            with self._block("else:"):
                self._ops(op.else_body.block)

    def _express(self, block: Block) -> None:
        """Takes what a block loads and computes as expressions, without lines of their own."""
        for op in block.ops:
            if isinstance(op, loop.LoadOp | memref.LoadOp):
                self._texts[op.results[0]] = self._accessed(op)
            elif isinstance(op, scf.IfOp) and len(op.results) == 1:
                self._texts[op.results[0]] = self._choice(op)
            elif (text := VALUES[type(op)]) is not None:
                values = [self._text(value) for value in op.operands]
                self._texts[op.results[0]] = text(op, values)
            elif not isinstance(op, _EXPRESSED):
                raise PassError(f"a hybrid script has no {op.name} in a condition", op)

    def _choice(self, op: scf.IfOp) -> str:
        """A branch that gives one value, as an expression."""
        texts: list[str] = []
        for region in op.regions:
            self._express(region.block)
            last = region.block.last_op
            assert last is not None
            texts.append(self._text(last.operands[0]))
        return f"({texts[0]} if {self._text(op.cond)} else {texts[1]})"

    def _choose(self, op: scf.IfOp) -> None:
        if len(op.results) == 1 and _is_expression(op):
            self._keep(op.results[0], self._choice(op))
            return
        for result in op.results:
            self._keep(result, number(0, result.type))
        regions = [region for region in op.regions if region.blocks and region.block.ops]
        for head, region in zip((f"if {self._text(op.cond)}:", "else:"), regions, strict=False):
            last = region.block.last_op
            if head == "else:" and last is region.block.first_op and not op.results:
                continue
            with self._block(head):
                self._ops(region.block)
                for result, value in zip(op.results, last.operands if last else (), strict=True):
                    self._line(f"{self._texts[result]} = {self._text(value)}")

    def _while(self, op: scf.WhileOp) -> None:
        if op.arguments or op.results:
            raise PassError("a hybrid script has no while loop that carries values", op)
        before = op.before_region.block
        self._express(before)
        last = before.last_op
        assert isinstance(last, scf.ConditionOp)
        with self._block(f"while {self._text(last.condition)}:"):
            self._ops(op.after_region.block)

    def _assert(self, op: cf.AssertOp) -> None:
        self._line(f"assert {self._text(op.arg)}, {op.msg.data!r}")

    # Index values

    def _all(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[Polynomial]:
        return self._forms.of_exprs(exprs, values)

    def _sum(self, form: Polynomial) -> str:
        """A polynomial, as a sum."""
        parts = [self._product(monomial, factor) for monomial, factor in form.terms.items()]
        parts.sort(key=lambda part: part.startswith("-"))
        return " + ".join(parts).replace("+ -", "- ") or "0"

    def _product(self, monomial: Sequence[Atom], factor: int) -> str:
        atoms = [self._factor(atom) for atom in monomial]
        if not atoms:
            return str(factor)
        text = " * ".join(atoms)
        if factor in (1, -1):
            return text if factor == 1 else f"-{text}"
        return f"{text} * {factor}" if factor > 0 else f"-{text} * {-factor}"

    def _factor(self, atom: Atom) -> str:
        if isinstance(atom, Quotient):
            return f"(({self._sum(atom.dividend)}) // {atom.divisor})"
        return self._texts[atom]

    def _atom(self, form: Polynomial) -> str:
        text = self._sum(form)
        return text if text.isidentifier() or text.isdigit() else f"({text})"


def _is_hint(op: Operation) -> bool:
    """Whether an op may be left out: it needs no element, and gives no value."""
    accesses = accesses_of(op)
    return bool(accesses) and not op.results and not any(one.is_needed for one in accesses)


_EXPRESSED = (affine.ApplyOp, scf.YieldOp, scf.ConditionOp, scf.IfOp)
"""What else may stand in an expression."""


def _is_expression(op: scf.IfOp) -> bool:
    """Whether the branches are expressions: nothing is stored, and no value is used twice."""
    return all(
        _is_used_once(inner) or isinstance(inner, _EXPRESSED)
        for region in op.regions
        for inner in preorder(region)
    )


def _is_used_once(op: Operation) -> bool:
    is_value = isinstance(op, loop.LoadOp | memref.LoadOp) or VALUES[type(op)] is not None
    return is_value and (not op.operands or len([*op.results[0].uses]) < 2)


def _minus(one: Polynomial, other: Polynomial) -> Polynomial:
    return Polynomial.sum([(one, 1), (other, -1)])


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _extreme(name: str, bounds: Sequence[str]) -> str:
    return bounds[0] if len(bounds) == 1 else f"{name}({', '.join(bounds)})"


def _nothing(writer: _Writer, op: Operation) -> None:
    """What a script need not say: its index values are written where they are used."""


WRITTEN: Rules[Callable[[_Writer, Any], None]] = Rules(
    {
        loop.BindOp: _Writer._bind,
        loop.RealizeOp: _Writer._realize,
        loop.BufferOp: _Writer._buffer,
        loop.LoadOp: _Writer._load,
        memref.LoadOp: _Writer._load,
        loop.StoreOp: _Writer._store,
        loop.InitOp: _Writer._store,
        memref.StoreOp: _Writer._store,
        loop.ReduceOp: _Writer._reduce,
        loop.ForOp: _Writer._for,
        loop.IfOp: _Writer._if,
        scf.IfOp: _Writer._choose,
        scf.WhileOp: _Writer._while,
        cf.AssertOp: _Writer._assert,
        **dict.fromkeys((affine.ApplyOp, loop.YieldOp, scf.YieldOp), _nothing),
        func.ReturnOp: _nothing,
    }
)
"""How each op is written that does more than compute a value."""
