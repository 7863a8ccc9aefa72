"""Pass `linalg-to-te`: functions of structured ops become tensor programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref, tensor
from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from teloom.analysis.dtypes import dtype_of
from teloom.dialects import te
from teloom.dialects.affine.operands import map_of
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.syntax.argument_names import argument_names
from teloom.dialects.syntax.names import unused_name
from teloom.dialects.syntax.placements import USUAL, Placement
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds
from teloom.errors import PassError, placed
from teloom.passes.upstream.equations import (
    Content,
    Sources,
    check_scalar_op,
    equation_parts,
    reading,
)
from teloom.passes.upstream.extents import Extents, exprs_over
from teloom.passes.upstream.layouts import strides_of
from teloom.passes.upstream.structured import Structured

INDEX = IndexType()

_KNOWN = (
    "linalg-to-te knows structured ops of linalg, tensor.empty, memref.alloc, memref.copy, "
    "constants, dimensions and arithmetic on scalars"
)


class _Filled(NamedTuple):
    """A tensor whose elements are all one scalar of the function."""

    scalar: SSAValue


class _Program:
    """The `te.func` of one function, and what each of its tensors and buffers holds so far."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.arguments = function.body.block.args
        self.ops = [*function.body.block.ops]
        self.names = dict(zip(self.arguments, argument_names(function), strict=True))
        self.holds: dict[SSAValue, SSAValue | _Filled] = {}
        self.extents = Extents(self.arguments)
        self.stage_names: set[str] = set()
        for op in self.ops:
            self._read_extents(op)
        self._overwritten, self._written = _written(self.ops, self.arguments)
        self.sizes: list[SSAValue] = []
        self.body = Block()
        self._add_sizes()
        self.shapes: list[Sequence[AffineExpr]] = []
        self.placements: list[Placement] = []
        self.tensors: dict[SSAValue, SSAValue] = {}
        self._add_tensors()

    # What it takes

    def _read_extents(self, op: Operation) -> None:
        if (said := Structured.of(op)) is not None:
            self.extents.read_structured(said)
        elif isinstance(op, tensor.EmptyOp | memref.AllocOp | memref.AllocaOp):
            self.extents.read_allocation(op)
        elif isinstance(op, memref.CopyOp):
            self.extents.unite_axes(op.source, op.destination)
        elif isinstance(op, tensor.CastOp | memref.CastOp):
            self.extents.unite_axes(op.operands[0], op.results[0])

    def _add_sizes(self) -> None:
        self.index_sizes: dict[SSAValue, int] = {}
        for argument in self.arguments:
            if argument.type == INDEX:
                self.index_sizes[argument] = len(self.sizes)
                size = self._add_size(self.names[argument])
                self.extents.sizes.setdefault(self.extents.class_of(argument), size)
        for node, argument, axis in self.extents.open_axes():
            if node not in self.extents.sizes:
                self.extents.sizes[node] = self._add_size(f"{self.names[argument]}.d{axis}")
        self.placed = {
            argument: self._placement(argument, strides_of(argument.type))
            for argument in self.arguments
            if isinstance(argument.type, MemRefType)
        }

    def _add_size(self, name: str) -> SSAValue:
        size = self.body.insert_arg(INDEX, len(self.sizes))
        size.name_hint = name
        self.sizes.append(size)
        return size

    def _placement(self, argument: SSAValue, strides: Sequence[int | None] | None) -> Placement:
        """How an argument lies in memory; strides that are open become sizes."""
        if strides is None:
            return USUAL
        steps: list[AffineExpr] = []
        for axis, stride in enumerate(strides):
            if stride is None:
                self._add_size(f"{self.names[argument]}.stride{axis}")
                steps.append(AffineExpr.dimension(len(self.sizes) - 1))
            else:
                steps.append(AffineExpr.constant(stride))
        return Placement(tuple(steps))

    def _add_tensors(self) -> None:
        for argument in self.arguments:
            if argument.type == INDEX or argument in self._overwritten:
                continue
            value = self.body.insert_arg(_tensor_type(argument.type), len(self.body.args))
            value.name_hint = self.names[argument]
            self.tensors[argument] = self.holds[argument] = value
            self.shapes.append(self.exprs(self.shape(argument)))
            self.placements.append(self.placed.get(argument, USUAL))

    # Shapes

    def shape(self, value: SSAValue) -> list[Polynomial]:
        """The extents of a tensor or buffer; none for a scalar."""
        if not isinstance(value.type, TensorType | MemRefType):
            return []
        rank = len(value.type.get_shape())
        return [self.extents.extent(self.extents.axis(value, axis)) for axis in range(rank)]

    def exprs(self, forms: Sequence[Polynomial]) -> list[AffineExpr]:
        """Expressions over the sizes as dimensions."""
        return exprs_over(forms, self.sizes)

    # What it computes

    def add(self, op: Operation) -> None:
        """Adds what an op of the function computes."""
        said = Structured.of(op)
        if said is not None:
            said.check_types()
            is_fill = isinstance(op, linalg.FillOp)
            self._give(said, [_Filled(op.inputs[0])] if is_fill else self._equation(said))
        elif isinstance(op, memref.CopyOp):
            self.holds[op.destination] = self.held(op.source, op)
        elif isinstance(op, tensor.CastOp | memref.CastOp):
            if op.operands[0] in self.holds:
                self.holds[op.results[0]] = self.holds[op.operands[0]]
            if isinstance(op, memref.CastOp):
                raise PassError(f"memref.cast makes two names of one buffer; {_KNOWN}", op)
        elif not _only_says(op):
            raise PassError(f"{op.name} stands beside structured ops; {_KNOWN}", op)

    def held(self, value: SSAValue, op: Operation) -> SSAValue | _Filled:
        """The contents of a tensor or buffer; raises `PassError` where nothing was written."""
        if value not in self.holds:
            raise PassError(f"{op.name} reads elements that nothing has written", op)
        return self.holds[value]

    def _give(self, said: Structured, values: Sequence[SSAValue | _Filled]) -> None:
        """Notes what outputs become; a tensor that is an output stays what it was."""
        for (output, result), value in zip(_results(said), values, strict=True):
            self.holds[result] = value
            if isinstance(output.type, MemRefType):
                self.holds[output] = value

    def _equation(self, said: Structured) -> Sequence[SSAValue]:
        sources = Sources(
            [
                *(self._content(value, said.op) for value in said.inputs),
                *(self._content(value, said.op) for value in said.outputs),
            ],
            [self._start(value) for value in said.outputs],
            self.scalar,
            lambda value: self.tensor(value, said.op),
        )
        loops = [*said.data_loops, *said.folded_loops]
        extents = [self.extents.loop_extent(said, loop) for loop in loops]
        types = [_tensor_type(value.type) for value in said.outputs]
        parts = equation_parts(said, sources)
        results = [result for _, result in _results(said)]
        return self._compute(self._stage_name(said, results), extents, parts, types)

    def _stage_name(self, said: Structured, results: Sequence[SSAValue]) -> str:
        (name, *_) = (value.name_hint for value in results)
        name = name or said.op.name.partition(".")[2]
        return self._new_name(name)

    def _new_name(self, name: str) -> str:
        found = unused_name(name, self.stage_names)
        self.stage_names.add(found)
        return found

    def _compute(
        self,
        name: str,
        extents: Sequence[Polynomial],
        parts: EquationParts,
        types: Sequence[TensorType],
    ) -> Sequence[SSAValue]:
        bounds = AxisBounds.of([(ZERO, expr) for expr in self.exprs(extents)], self.sizes)
        data_axes = len(types[0].get_shape())
        op = te.ComputeOp(name, bounds, data_axes, parts, types)
        for result in op.tensors:
            result.name_hint = name if len(types) == 1 else None
        self.body.add_op(op)
        return op.tensors

    def _content(self, value: SSAValue, op: Operation) -> Content:
        if not isinstance(value.type, TensorType | MemRefType):
            return lambda block, map, indices: self.scalar(block, value)

        def content(block: Block, map: AffineMap, indices: Sequence[SSAValue]) -> SSAValue:
            held = self.held(value, op)
            if isinstance(held, _Filled):
                return self.scalar(block, held.scalar)
            return reading(held)(block, map, indices)

        return content

    def _start(self, value: SSAValue) -> Attribute | None:
        held = self.holds.get(value)
        if isinstance(held, _Filled) and isinstance(held.scalar.owner, arith.ConstantOp):
            return held.scalar.owner.value
        return None

    def scalar(self, block: Block, value: SSAValue) -> SSAValue:
        """Adds to a block a scalar of the function."""
        if isinstance(value.owner, Block):
            if value.type == INDEX:
                return self.sizes[self.index_sizes[value]]
            return reading(self.tensors[value])(block, AffineMap(0, 0, ()), [])
        if isinstance(value.owner, memref.DimOp | tensor.DimOp):
            map = map_of(self.exprs([self.extents.form(value)]), self.sizes)
            block.add_op(size := affine.ApplyOp(self.sizes, map))
            return size.result
        check_scalar_op(value.owner)
        operands = {one: self.scalar(block, one) for one in value.owner.operands}
        block.add_op(copy := value.owner.clone(operands))
        return copy.results[value.owner.results.index(value)]

    def tensor(self, value: SSAValue, op: Operation) -> SSAValue:
        """The tensor that a value is, computed if it is filled with one scalar."""
        held = self.held(value, op)
        if not isinstance(held, _Filled):
            return held
        return self._elementwise(
            "filled", value, lambda block, map, indices: self.scalar(block, held.scalar)
        )

    def _elementwise(self, name: str, like: SSAValue, content: Content) -> SSAValue:
        """A further tensor of the shape of `like`."""
        extents = self.shape(like)
        block = Block(arg_types=[INDEX] * len(extents))
        element = content(block, AffineMap.identity(len(extents)), block.args)
        block.add_op(te.YieldOp([element]))
        parts = EquationParts(Region(block), Region(), None, Region())
        types = [_tensor_type(like.type)]
        return self._compute(self._new_name(name), extents, parts, types)[0]

    # What it gives

    def made(self) -> te.FuncOp:
        """The function, whose body is then complete."""
        last = self.ops[-1]
        assert isinstance(last, func.ReturnOp)
        results = [*self._written, *last.operands]
        values: list[SSAValue] = []
        for result in results:
            if not isinstance(result.type, TensorType | MemRefType):
                raise PassError(f"returns a value of type {result.type} beside tensors", last)
            value = self.tensor(result, last)
            if isinstance(value.owner, Block) or value in values:
                value = self._elementwise("copy", result, reading(value))
            values.append(value)
            placement = self.placed.get(result, USUAL)
            self.placements.append(placement)
        self._name_results(values)
        self.body.add_op(te.ReturnOp(values))
        count = len(self.sizes)
        shapes = [map_of(shape, self.sizes) for shape in self.shapes]
        type = FunctionType.from_lists(
            [argument.type for argument in self.body.args], [value.type for value in values]
        )
        assert all(shape.data.num_dims == count for shape in shapes)
        name = self.function.sym_name.data
        made = te.FuncOp(name, type, shapes, Region(self.body), self._order(), self.placements)
        made.location = self.function.location
        return made

    def _name_results(self, values: Sequence[SSAValue]) -> None:
        """A result that is a buffer of the caller has its name."""
        for buffer, value in zip(self._written, values):
            if buffer in self._overwritten and isinstance(value.owner, te.ComputeOp):
                value.name_hint = self.names[buffer]
                if len(value.owner.tensors) == 1:
                    self.stage_names.discard(value.owner.stage_name.data)
                    name = self._new_name(self.names[buffer])
                    value.owner.stage_name = StringAttr(name)

    def _order(self) -> list[int]:
        """The parameters of the function: the arguments as they stood, then new results."""
        count = len(self.sizes)
        first_result = count + len(self.tensors)
        places = {argument: count + k for k, argument in enumerate(self.tensors)}
        results = {buffer: first_result + k for k, buffer in enumerate(self._written)}
        order: list[int] = []
        for argument in self.arguments:
            if argument in self.index_sizes:
                order.append(self.index_sizes[argument])
            else:
                order.append(places[argument] if argument in places else results.pop(argument))
        order += results.values()
        returned = len(self.function.function_type.outputs)
        order += range(
            first_result + len(self._written), first_result + len(self._written) + returned
        )
        return order


def _results(said: Structured) -> list[tuple[SSAValue, SSAValue]]:
    """Each output, and what it becomes: a result, or the buffer itself."""
    results = said.op.results or said.outputs
    return [*zip(said.outputs, results, strict=True)]


def _tensor_type(type: Attribute) -> TensorType:
    """The type of what a tensor, a buffer or a scalar is in a `te.func`."""
    if isinstance(type, TensorType | MemRefType):
        dtype_of(type.element_type)
        return TensorType(type.element_type, type.get_shape())
    dtype_of(type)
    return TensorType(type, [])


def _only_says(op: Operation) -> bool:
    """Whether an op is asked for where what it gives is used, or nowhere."""
    kinds = tensor.EmptyOp | tensor.DimOp | memref.DimOp | affine.ApplyOp | func.ReturnOp
    memory = memref.AllocOp | memref.AllocaOp | memref.DeallocOp
    return isinstance(op, kinds | memory) or (
        op.dialect_name() in ("arith", "math") and not op.regions
    )


def _written(
    ops: Sequence[Operation], arguments: Sequence[SSAValue]
) -> tuple[set[SSAValue], list[SSAValue]]:
    """Buffers of the caller that are overwritten before they are read; and all that are written."""
    read: set[SSAValue] = set()
    overwritten: set[SSAValue] = set()
    written: set[SSAValue] = set()
    for op in ops:
        said = Structured.of(op)
        if said is not None:
            read |= {*said.inputs} - overwritten
            for output, old in zip(said.outputs, said.body.args[len(said.inputs) :], strict=True):
                if old.uses.get_length() or said.folded_loops:
                    read |= {output} - overwritten
                written.add(output)
                overwritten |= {output} - read
        elif isinstance(op, memref.CopyOp):
            read |= {op.source} - overwritten
            written.add(op.destination)
            overwritten |= {op.destination} - read
    buffers = [one for one in arguments if isinstance(one.type, MemRefType)]
    return overwritten & {*buffers}, [one for one in buffers if one in written]


def is_structured(function: func.FuncOp) -> bool:
    """Whether a function has structured ops of linalg."""
    return any(op.name.startswith("linalg.") for op in preorder(function))


@dataclass(frozen=True)
class LinalgToTePass(ModulePass):
    """Turn functions of structured ops, on tensors or on buffers, into tensor programs.

    Each op is an equation: its parallel loops are data axes, the others reduce axes. What a fold
    starts from is what its output held; a `linalg.fill` with the neutral element is the identity.
    A dynamic extent becomes a size, one for all axes that loops say are equal. Scalar arguments
    become tensors of no axes, for which a caller may pass numbers.

    A buffer that is written becomes a result, at its place among the arguments of a call if it is
    overwritten before it is read. One that is read first is an argument, too: the function reads
    that, and gives what the buffer would hold as a result behind all arguments.

    Order: before everything else, so that a `schedule.sequence` finds the equations by name: that
    of the value of the text, or of the op without `linalg.`.

    Example: `linalg-to-te`
    ```mlir
    func.func @mm(%A: memref<?x70xf32>, %B: memref<70x90xf32>, %C: memref<?x90xf32>) {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%C : memref<?x90xf32>)
      linalg.matmul ins(%A, %B : memref<?x70xf32>, memref<70x90xf32>) outs(%C : memref<?x90xf32>)
      func.return
    }
    ```
    becomes
    ```mlir
    te.func @mm(%n: index, %A: tensor<?x70xf32>[%n, 70], %B: tensor<70x90xf32>)
        -> (tensor<?x90xf32>) order [1, 2, 3] {
      %C = te.compute "C" (%d0 = %n, %d1 = 90) reduce (%d2 = 70) : tensor<?x90xf32> {
        %0 = te.read %A[%d0, %d2] : f32
        %1 = te.read %B[%d2, %d1] : f32
        %2 = arith.mulf %0, %1 : f32
        te.yield %2 : f32
      } combine (%3: f32, %4: f32) identity [0.000000e+00 : f32] {
        %5 = arith.addf %3, %4 : f32
        te.yield %5 : f32
      }
      te.return %C : tensor<?x90xf32>
    }
    ```
    Refused: `linalg-to-te`
    ```mlir
    func.func @both(%A: memref<4xf32>, %B: memref<4xf32>, %i: index) {
      linalg.exp ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
      %x = memref.load %B[%i] : memref<4xf32>
      memref.store %x, %A[%i] : memref<4xf32>
      func.return
    }
    ```
    with "memref.load stands beside structured ops; linalg-to-te knows structured ops of linalg"
    """

    name = "linalg-to-te"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [one for one in op.ops if isinstance(one, func.FuncOp)]:
            if function.body.blocks and is_structured(function):
                with placed(function):
                    Rewriter.replace_op(function, _converted(function), [])


def _converted(function: func.FuncOp) -> te.FuncOp:
    if len(function.body.blocks) > 1:
        raise PassError(f"a function of several blocks; {_KNOWN}", function)
    program = _Program(function)
    for op in program.ops:
        with placed(op):
            program.add(op)
    return program.made()
