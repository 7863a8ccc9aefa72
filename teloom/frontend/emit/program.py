"""From tensors to a module: one `te.func` with an equation per operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    FunctionType,
    IndexType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from teloom.analysis.dtypes import element_type, scalar_type
from teloom.backend.call.callbacks import External
from teloom.dialects import te
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.syntax.argument_names import say_names
from teloom.dialects.syntax.names import unique_names, unused_name
from teloom.dialects.syntax.stage_header import ANYWHERE, EVERYWHERE, AxisBounds, shape_in_type
from teloom.errors import Error, depth_checked
from teloom.frontend.emit.emission import Emitter, LeafValues
from teloom.frontend.emit.extern_emission import ExternEmitter
from teloom.frontend.emit.externals import Externals
from teloom.frontend.emit.locations import location
from teloom.frontend.emit.scalar_ops import constant
from teloom.frontend.emit.update_emission import update_parts
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.comparisons import conjunction_of
from teloom.frontend.expr.expressions import Const, Expr, Var, walk
from teloom.frontend.expr.names import ir_string, ssa_name
from teloom.frontend.extern.te_functions import FunctionStage
from teloom.frontend.tensor.data_bounds import is_from_data, limits_of
from teloom.frontend.tensor.read_graph import post_dfs_order, read_graph
from teloom.frontend.tensor.reductions import Reduce, Reduction
from teloom.frontend.tensor.scan_steps import check_steps, scan_of_states, steps_of_scans
from teloom.frontend.tensor.shape_forms import ShapeForms
from teloom.frontend.tensor.tensors import (
    INFERRED,
    ComputeOp,
    ExternOp,
    IterVar,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
)
from teloom.frontend.tensor.updates import UpdateOp
from teloom.garbage import without_collection
from teloom.lazy import loaded

INDEX = IndexType()

_ANY_ZERO = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])
"""Of an extreme over an axis, which has no order: a zero may have either sign. To choose by the
sign takes a machine as long as all else."""


class EmittedProgram(NamedTuple):
    """A module with one `te.func`, and the places of the user's objects in it.

    `operations` stand in dependency order; `stage_names` are unique; `externals` are the
    addresses of functions that the module calls by name.
    """

    module: ModuleOp
    func: te.FuncOp
    operations: tuple[Operation, ...]
    stage_names: dict[Operation, str]
    tensors: dict[Tensor, SSAValue]
    sizes: dict[Var, SSAValue]
    externals: dict[str, External]


@depth_checked()
@without_collection()
def build_program(outputs: Sequence[Operation], name: str = "main") -> EmittedProgram:
    """The program that computes all tensors of `outputs`, which become its results.

    Its arguments are the sizes and the placeholders, both in order of first use.
    """
    builder = OperationEmitter(tuple(post_dfs_order(outputs, read_graph(outputs))))
    check_steps(outputs, builder.steps)
    return builder.program(outputs, name)


def sizes_of(operations: Sequence[Operation]) -> list[Var]:
    """The vars in the shapes, bounds and bodies of operations, in order of first use."""
    roots: list[Expr] = []
    for op in operations:
        if isinstance(op, PlaceholderOp):
            roots.extend(op.output(0).extents)
    for op in operations:
        if isinstance(op, ComputeOp | ScanOp | UpdateOp):
            roots.extend(bound for axis in (*op.axis, *op.reduce_axis) for bound in axis.dom or ())
            roots.extend(op.body)
            roots.extend(op.domain)
        elif isinstance(op, ExternOp):
            roots.extend(extent for tensor in op.outputs for extent in tensor.extents)
            roots.extend(bound for axis in op.reduce_axis for bound in axis.dom or ())
            roots.extend(op.inputs)
            roots.extend(op.numbers)
    return [expr for expr in walk(tuple(roots)) if isinstance(expr, Var)]


class OperationEmitter:
    """Writes operations to a block: those of a program, or what an intrinsic is."""

    def __init__(self, operations: tuple[Operation, ...]):
        self.operations = operations
        self.steps = steps_of_scans(operations)
        self.taken: set[str] = set()
        self.block = Block()
        self.tensors: dict[Tensor, SSAValue] = {}
        self.sizes: dict[Var, SSAValue] = {}
        self.stage_names: dict[Operation, str] = {}
        self.shapes: list[AffineMapAttr] = []
        self.argument_names: list[str] = []
        self.externals = Externals()
        self.forms = ShapeForms([])

    def program(self, outputs: Sequence[Operation], name: str) -> EmittedProgram:
        for size in sizes_of(self.operations):
            self.sizes[size] = self._argument(INDEX, self._unique(size.name))
        self.forms = ShapeForms(list(self.sizes))
        states = scan_of_states(self.operations)
        for op in self.operations:
            self.stage_names[op] = self._unique(ir_string(op.name))
            if isinstance(op, PlaceholderOp) and op.output(0) not in states:
                self.placeholder(op)
        for op in self.operations:
            if isinstance(op, ComputeOp) and op not in self.steps:
                self.equation(op)
            elif isinstance(op, UpdateOp):
                self._update(op)
            elif isinstance(op, ScanOp):
                self._scan(op)
            elif isinstance(op, ExternOp) and op not in self.steps:
                self.extern(op)
        results = [self.tensors[tensor] for op in outputs for tensor in op.outputs]
        self.block.add_op(te.ReturnOp(results))
        type = FunctionType.from_lists(
            [argument.type for argument in self.block.args], [result.type for result in results]
        )
        func = te.FuncOp(name, type, self.shapes, Region(self.block))
        say_names(func, unique_names(self.argument_names))
        module = ModuleOp([func, *self.externals.declarations()])
        self._infer_domains(func, outputs)
        return EmittedProgram(
            module,
            func,
            self.operations,
            self.stage_names,
            self.tensors,
            self.sizes,
            self.externals.found,
        )

    def _unique(self, name: str) -> str:
        found = unused_name(name or "_", self.taken)
        self.taken.add(found)
        return found

    def _argument(self, type, name: str) -> SSAValue:
        argument = self.block.insert_arg(type, len(self.block.args))
        argument.name_hint = known = ssa_name(name)
        self.argument_names.append(known)
        return argument

    def placeholder(self, op: PlaceholderOp) -> None:
        tensor = op.output(0)
        extents = self.forms.extents(tensor.extents, op.name)
        self.tensors[tensor] = self._argument(
            tensor_type(extents, tensor.dtype), self.stage_names[op]
        )
        self.shapes.append(AffineMapAttr(AffineMap(len(self.sizes), 0, extents)))

    def _infer_domains(self, func: te.FuncOp, outputs: Sequence[Operation]) -> None:
        """Gives the equations without a shape the shape of what is read of them."""
        asked = [op for op in self.operations if isinstance(op, ComputeOp) and has_no_shape(op)]
        for op in asked:
            if op in outputs or op in self.steps:
                what = "an output" if op in outputs else "a step of a scan"
                raise Error(f"{op.name!r} is {what}, so no reader says its shape; give it one")
        if not asked:
            return
        infer_domains = loaded("teloom.frontend.emit.inferred_domains", "infer_domains")
        made = infer_domains(func, [self.stage_names[op] for op in asked])
        for op, compute in zip(asked, made, strict=True):
            self.tensors.update(zip(op.outputs, compute.tensors, strict=True))

    def equation(self, op: ComputeOp) -> None:
        bounds = self._bounds(op)
        extents = [canonical(difference(upper, lower)) for lower, upper in bounds[: len(op.axis)]]
        top = op.body[0]
        reduction = top.reduction if isinstance(top, Reduce) else None
        compute = te.ComputeOp(
            self.stage_names[op],
            AxisBounds.of(bounds, list(self.sizes.values()), self._domain(op)),
            len(op.axis),
            self._parts(op, reduction),
            [tensor_type(extents, tensor.dtype) for tensor in op.outputs],
        )
        self._add(op, compute)

    def extern(self, op: ExternOp) -> None:
        if isinstance(op, FunctionStage):
            self._function_stage(op)
            return
        shapes = [self.forms.extents(tensor.extents, op.name) for tensor in op.outputs]
        types = [
            tensor_type(extents, tensor.dtype)
            for extents, tensor in zip(shapes, op.outputs, strict=True)
        ]
        emitter = ExternEmitter(op, self.tensors, self.sizes, self.externals)
        body = emitter.region(op.statements, [*op.axis, *op.reduce_axis], op.inputs, types)
        init = None
        if op.reset is not None:
            emitter = ExternEmitter(op, self.tensors, self.sizes, self.externals)
            init = emitter.region(op.reset, op.axis, [], types)
        bounds = self._bounds(op)
        parts = ExternParts.of(shapes, list(self.sizes.values()), body, init)
        self._add(op, te.ExternOp(self.stage_names[op], parts, types, bounds, len(op.axis)))

    def _function_stage(self, op: FunctionStage) -> None:
        values = [self.tensors[region.tensor] for region in op.inputs]
        values += [self.sizes[number] for number in op.numbers if isinstance(number, Var)]
        inside = [step.stage_name.data for step in op.steps]
        names = {name: self._unique(name) for name in inside}
        made = op.emitted(values, {op.ir.stage_name.data: self.stage_names[op], **names})
        self.externals.declare_calls(made)
        self._add(op, made)

    def _update(self, op: UpdateOp) -> None:
        extents = self.forms.extents(op.output(0).extents, op.name)
        types = [tensor_type(extents, tensor.dtype) for tensor in op.outputs]
        bounds = AxisBounds.of(self._bounds(op), list(self.sizes.values()), self._domain(op))
        parts = update_parts(op, types, self.tensors, self.sizes, self.externals)
        self._add(op, te.UpdateOp(self.stage_names[op], bounds, len(op.axis), parts, types))

    def _scan(self, op: ScanOp) -> None:
        inits = [] if op.begins_in_steps else op.inits
        first = inits[0].extents[0] if inits else Const(0, "int32")
        domain = [axis.dom.extent for axis in op.axis if axis.dom is not None]
        until, *extents = self.forms.extents([first, *domain], op.name)
        shapes = [self.forms.extents(one.extents, op.name) for one in op.outputs]
        types = [
            tensor_type(shape, tensor.dtype)
            for shape, tensor in zip(shapes, op.outputs, strict=True)
        ]
        steps = [step for step, scan in self.steps.items() if scan is op]
        inside = Block(arg_types=[*[INDEX] * len(extents), *types])
        named = [*(axis.name for axis in op.axis), *(state.name for state in op.states)]
        for argument, name in zip(inside.args, named, strict=True):
            argument.name_hint = ssa_name(name)
        self.tensors.update(zip(op.states, inside.args[len(extents) :], strict=True))
        around, self.block = self.block, inside
        for step in steps:
            self.extern(step) if isinstance(step, ExternOp) else self.equation(step)
        self.block.add_op(te.YieldOp([self.tensors[update] for update in op.updates]))
        self.block = around
        sizes = list(self.sizes.values())
        bounds = AxisBounds.of([(AffineExpr.constant(0), extent) for extent in extents], sizes)
        scan = te.ScanOp(
            self.stage_names[op],
            bounds.over(sizes) if op.has_shapes else bounds,
            [self.tensors[init] for init in inits],
            until,
            sizes,
            Region(inside),
            types,
            shapes if op.has_shapes else (),
        )
        self._add(op, scan)
        for tensor in (*op.states, *(one for step in steps for one in step.outputs)):
            del self.tensors[tensor]  # nothing else can read it

    def _add(
        self, op: Operation, stage: te.ComputeOp | te.ExternOp | te.UpdateOp | te.ScanOp
    ) -> None:
        stage.location = location(op.location)
        self.block.add_op(stage)
        for tensor, result in zip(op.outputs, stage.tensors, strict=True):
            result.name_hint = ssa_name(self.stage_names[op])
            self.tensors[tensor] = result

    def _bounds(self, op: Operation) -> list[tuple[AffineExpr, AffineExpr]]:
        """(lower, upper) of the axes of an operation, over the sizes."""
        bounds: list[tuple[AffineExpr, AffineExpr]] = []
        for axis in op.axis:
            assert axis.dom is not None
            if axis.dom is INFERRED:
                bounds.append(ANYWHERE)
                continue
            lower, extent = self.forms.extents(axis.dom, op.name)
            bounds.append((lower, canonical(lower + extent)))
        axes = [*op.axis]
        for axis in op.reduce_axis:
            bounds.append(self._reduce_bounds(axis, axes, op))
            axes.append(axis)
        return bounds

    def _domain(self, op: ComputeOp | UpdateOp) -> Conjunction:
        """What holds at the elements of an operation, over the sizes and then its axes."""
        if not op.domain:
            return EVERYWHERE
        leaves = {
            leaf: AffineExpr.dimension(dim) for dim, leaf in enumerate([*self.sizes, *op.axis])
        }
        forms = AffineForms[AffineExpr | None](leaves.get)
        return conjunction_of(op.domain, forms, f"the axes of {op.name!r} and sizes")

    def _reduce_bounds(
        self, axis: IterVar, before: Sequence[IterVar], op: Operation
    ) -> tuple[AffineExpr, AffineExpr]:
        """(lower, upper) of a reduce axis, over the sizes and then the axes before it."""
        assert axis.dom is not None
        bounds = limits_of(axis, op) if is_from_data(axis) else axis.dom
        over_axes = any(isinstance(one, IterVar) for one in walk((*bounds,)))
        forms = ShapeForms([*self.sizes], before) if over_axes else self.forms
        lower, extent = forms.extents(bounds, axis.name)
        return lower, canonical(lower + extent)

    def _parts(self, op: ComputeOp, reduction: Reduction | None) -> EquationParts:
        if reduction is None:
            return EquationParts(self._region(op.axis, op.body), Region(), None, Region())
        axes = [*op.axis, *op.reduce_axis]
        identity = [constant(one.value, one.dtype) for one in reduction.constants]
        init = self._region(op.axis, reduction.start) if reduction.start else Region()
        body = self._region(axes, [*reduction.sources, *reduction.outside])
        bounded = [position for position, axis in enumerate(axes) if is_from_data(axis)]
        bounds = self._bounds_from_data(op, [axes[position] for position in bounded])
        neutral = ArrayAttr(identity) if identity else None
        return EquationParts(body, self._combine(reduction), neutral, init, bounds, bounded)

    def _bounds_from_data(self, op: ComputeOp, axes: Sequence[IterVar]) -> Region | None:
        """The region that says the bounds of reduce axes; none if there are no axes."""
        if not axes:
            return None
        block, emitter = self._block_over(op.axis)
        bounds = [bound for axis in axes if axis.dom for bound in (axis.dom.min, axis.dom.end)]
        block.add_op(te.YieldOp([emitter.position(form) for form in emitter.forms(bounds)]))
        return Region(block)

    def _region(self, axes: Sequence[IterVar], values: Sequence[Expr]) -> Region:
        block, emitter = self._block_over(axes)
        block.add_op(te.YieldOp([emitter.value(value) for value in values]))
        return Region(block)

    def _block_over(self, axes: Sequence[IterVar]) -> tuple[Block, Emitter]:
        """A block with the axes as arguments, and what emits expressions of them into it."""
        block = Block(arg_types=[INDEX] * len(axes))
        for axis, argument in zip(axes, block.args, strict=True):
            argument.name_hint = ssa_name(axis.name)
        positions: dict[Expr, SSAValue] = {**self.sizes}
        positions.update(zip(axes, block.args, strict=True))
        return block, Emitter(block, LeafValues(self.tensors, positions, {}, self.externals))

    def _combine(self, reduction: Reduction) -> Region:
        parameters = [*reduction.accumulators, *reduction.values, *reduction.outside]
        block = Block(arg_types=[scalar_type(one.dtype) for one in parameters])
        named = [*reduction.accumulators, *reduction.values]
        for parameter, argument in zip(named, block.args, strict=False):
            argument.name_hint = parameter.name
        emitter = Emitter(block, LeafValues(self.tensors, {**self.sizes}, {}))
        for parameter, argument in zip(parameters, block.args, strict=True):
            emitter.know(parameter, argument)
        block.add_op(te.YieldOp([emitter.value(value) for value in reduction.combined]))
        for op in ops_of(block, arith.MaximumfOp, arith.MinimumfOp):
            if {*op.operands} <= {*block.args}:
                op.fastmath = _ANY_ZERO
        return Region(block)


def has_no_shape(op: ComputeOp) -> bool:
    """Whether the domain of an equation follows from its readers."""
    return any(axis.dom is INFERRED for axis in op.axis)


def tensor_type(extents: Sequence[AffineExpr], dtype: str) -> TensorType:
    """The type of a tensor; an extent that is no constant is dynamic."""
    return TensorType(element_type(dtype), shape_in_type(extents))
