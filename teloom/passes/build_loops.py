"""Scheduled stages with ranges become loop nests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    Attribute,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from teloom.analysis.stages import is_reduce, name_of, stage_of
from teloom.dialects import loop, schedule, te
from teloom.dialects.affine_operands import OperandList, replace_dims
from teloom.dialects.constraints import Conjunction
from teloom.dialects.loop import LoopKind
from teloom.dialects.stage_header import scalar_type
from teloom.errors import PassError
from teloom.passes.equation_body import AffineValue, EquationBody, index_value

INDEX = IndexType()


class BuildFunction(RewritePattern):
    """Makes a function over buffers from a `te.func` of stages."""

    def __init__(self, keep_trivial_loops: bool):
        self.keep_trivial_loops = keep_trivial_loops

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: te.FuncOp, rewriter: PatternRewriter):
        shapes = _tensor_shapes(op)
        names = [value.name_hint for value in op.body.block.args]
        names += [_result_name(value) for value in op.return_op.values]
        sizes = len(op.sizes)
        types: list[Attribute] = [INDEX] * sizes
        types += [_buffer_type(tensor, shape) for tensor, shape in shapes]
        block = Block(arg_types=types)
        attributes: list[DictionaryAttr] = []
        for position, (argument, name) in enumerate(zip(block.args, names, strict=True)):
            argument.name_hint = name
            said: dict[str, Attribute] = {"te.name": StringAttr(name or f"arg{position}")}
            if position >= sizes:
                tensor, shape = shapes[position - sizes]
                said |= _array_attributes(tensor, shape, sizes)
            if position >= len(op.body.block.args):
                said["te.output"] = UnitAttr()
            attributes.append(DictionaryAttr(said))

        loops = _LoopBuilder(op, block, shapes, self.keep_trivial_loops)
        loops.build()
        new = func.FuncOp(
            op.sym_name.data,
            FunctionType.from_lists(types, ()),
            Region(block),
            arg_attrs=ArrayAttr(attributes),
        )
        if op.order is not None:
            new.attributes["te.order"] = op.order
        new.location = op.location
        rewriter.replace(op, new, [])


def _tensor_shapes(
    op: te.FuncOp,
) -> list[tuple[SSAValue, tuple[AffineExpr, ...]]]:
    """Tensor arguments, then results, with their extents; dimension k is size k."""
    found = [(tensor, op.shape_of(position)) for position, tensor in enumerate(op.tensors)]
    sizes = list(op.sizes)
    for tensor in op.return_op.values:
        stage = tensor.owner
        if not isinstance(stage, schedule.StageOp):
            raise PassError("a result must be computed by a stage", op.return_op)
        dims = [AffineExpr.dimension(sizes.index(size)) for size in stage.sizes]
        extents = [
            upper.replace_dims_and_symbols(dims, ())
            for _, upper in stage.bounds.pairs()[: stage.data_axis_count]
        ]
        found.append((tensor, tuple(extents)))
    return found


def _result_name(tensor: SSAValue) -> str | None:
    if tensor.name_hint:
        return tensor.name_hint
    owner = tensor.owner
    return name_of(owner) if isinstance(owner, schedule.StageOp) else None


def _buffer_type(tensor: SSAValue, shape: Sequence[AffineExpr]) -> MemRefType:
    elements = 1
    for extent in shape:
        if not isinstance(extent, AffineConstantExpr):
            elements = DYNAMIC_INDEX
            break
        elements *= extent.value
    return MemRefType(scalar_type(tensor.type), [elements])


def _array_attributes(
    tensor: SSAValue, shape: Sequence[AffineExpr], sizes: int
) -> dict[str, Attribute]:
    symbols = [AffineExpr.symbol(k) for k in range(sizes)]
    exprs = tuple(extent.replace_dims_and_symbols(symbols, ()) for extent in shape)
    said: dict[str, Attribute] = {"te.shape": AffineMapAttr(AffineMap(0, sizes, exprs))}
    assert isinstance(tensor.type, TensorType)
    element = tensor.type.get_element_type()
    if isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED:
        said["te.dtype"] = StringAttr(f"uint{element.width.data}")
    return said


class _LoopBuilder:
    """Writes the loops of one function into its entry block."""

    def __init__(
        self,
        op: te.FuncOp,
        block: Block,
        shapes: Sequence[tuple[SSAValue, tuple[AffineExpr, ...]]],
        keep_trivial_loops: bool,
    ):
        self.op, self.block, self.shapes = op, block, shapes
        self.keep_trivial_loops = keep_trivial_loops
        self.tensors: dict[SSAValue, SSAValue] = {}
        # sizes and axes -> index values, as expressions
        self.places: dict[SSAValue, AffineValue] = {}
        self.sizes: dict[SSAValue, SSAValue] = {}

    def build(self) -> None:
        builder = Builder(InsertPoint.at_end(self.block))
        count = len(self.op.sizes)
        sizes, buffers = self.block.args[:count], self.block.args[count:]
        for old, new in zip(self.op.sizes, sizes, strict=True):
            self._add_size(old, new)
        zero = AffineExpr.constant(0)
        for buffer, (tensor, shape) in zip(buffers, self.shapes, strict=True):
            bind = loop.BindOp(buffer, [(zero, extent) for extent in shape], sizes)
            bind.tensor.name_hint = buffer.name_hint
            self.tensors[tensor] = builder.insert(bind).tensor
        for op in self.op.body.block.ops:
            if isinstance(op, schedule.StageOp):
                self._stage(op, builder)
            elif not isinstance(op, te.ReturnOp):
                copied = self.body({})
                copied.copy_op(op, builder)
                for result in op.results:
                    self._add_size(result, copied.values[result])
        builder.insert(func.ReturnOp())

    def _add_size(self, old: SSAValue, new: SSAValue) -> None:
        self.sizes[old] = new
        self.places[old] = (AffineExpr.dimension(0), [new])

    def body(self, axes: Mapping[SSAValue, AffineValue]) -> EquationBody:
        """Copies regions of an equation into the function."""
        return EquationBody(axes, self.load, self.sizes)

    def _placed(
        self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]
    ) -> tuple[list[AffineExpr], list[SSAValue]]:
        """Expressions of sizes and axes as expressions of index values."""
        operands = OperandList()

        def new_dim(position: int) -> AffineExpr:
            expr, inner = self.places[values[position]]
            return replace_dims(expr, lambda k: operands.dim(inner[k]))

        return [replace_dims(expr, new_dim) for expr in exprs], operands.values

    def _stage(self, stage: schedule.StageOp, builder: Builder) -> None:
        for tensor in stage.tensors:
            if tensor not in self.tensors:
                self._realize(stage, tensor, builder)
        nest = _Nest(stage, self)
        nest.build(0, builder)

    def _realize(self, stage: schedule.StageOp, tensor: SSAValue, builder: Builder) -> None:
        region = inferred(stage, schedule.RegionOp)
        offsets, extents = region.offsets.data.results, region.extents.data.results
        exprs, values = self._placed([*offsets, *extents], region.operands_)
        realize = loop.RealizeOp(
            name_of(stage),
            list(zip(exprs[: len(offsets)], exprs[len(offsets) :], strict=True)),
            values,
            scalar_type(tensor.type),
        )
        realize.location = stage.location
        realize.tensor.name_hint = tensor.name_hint
        self.tensors[tensor] = builder.insert(realize).tensor

    def load(
        self,
        read: te.ReadOp,
        map: AffineMapAttr,
        operands: Sequence[SSAValue],
        builder: Builder,
    ) -> SSAValue:
        load = loop.LoadOp(self.tensors[read.tensor], map.data.results, operands)
        load.location = read.location
        return builder.insert(load).value


def inferred(stage: schedule.StageOp, kind: type):
    """The op of this kind that infer-bounds left in the stage; PassError without one."""
    for op in stage.body.block.ops:
        if isinstance(op, kind):
            return op
    raise PassError(f'stage "{name_of(stage)}" has no {kind.name}; run infer-bounds first', stage)


class _Nest:
    """The loops of one stage: init and update of a reduction apart, innermost together."""

    def __init__(self, stage: schedule.StageOp, around: _LoopBuilder):
        self.stage, self.around = stage, around
        self.leaves = stage.order.leaves
        self.ranges = {
            op.axis: op for op in stage.body.block.ops if isinstance(op, schedule.RangeOp)
        }
        self.values = {
            op.axis: op for op in stage.body.block.ops if isinstance(op, schedule.ValueOp)
        }
        # Axes that have a place in the body that is being written.
        self.placed: set[SSAValue] = set()
        reduces = [k for k, (axis, _) in enumerate(self.leaves) if is_reduce(axis)]
        self.first_reduce = reduces[0] if reduces else None

    def build(self, depth: int, builder: Builder) -> None:
        """The loops from `depth` inwards."""
        if depth == self.first_reduce:
            rest = [leaf for leaf in self.leaves[depth:] if not is_reduce(leaf[0])]
            self._loops(rest, builder, self._init)
        if depth == len(self.leaves):
            if self.stage.equation.is_reduction:
                self._guarded(builder, True, self._update)
            else:
                self._guarded(builder, False, self._assign)
            return
        axis, kind = self.leaves[depth]
        inner = self._loop(axis, kind, builder)
        for attached in self.stage.attached:
            if attached.at is axis:
                self.around._stage(attached, inner)
        self.build(depth + 1, inner)

    def _loops(self, leaves, builder: Builder, body) -> None:
        for axis, kind in leaves:
            builder = self._loop(axis, kind, builder)
        self._guarded(builder, False, body)

    def _loop(self, axis: SSAValue, kind: LoopKind, builder: Builder) -> Builder:
        """Opens the loop of an axis; returns where its body is written."""
        range_op = self.ranges.get(axis)
        if range_op is None:
            raise PassError(
                f"axis {schedule.axis_name(axis)} has no range; run infer-bounds first",
                self.stage,
            )
        lower, upper = range_op.lower.data.results, range_op.upper.data.results
        exprs, values = self.around._placed([*lower, *upper], range_op.operands_)
        lower, upper = exprs[: len(lower)], exprs[len(lower) :]
        if not self.around.keep_trivial_loops and _runs_once(lower, upper):
            self.around.places[axis] = (lower[0], values)
            return builder
        block = Block(arg_types=[INDEX])
        block.args[0].name_hint = axis.name_hint
        self.around.places[axis] = (AffineExpr.dimension(0), [block.args[0]])
        op = loop.ForOp(lower, upper, values, Region(block), kind)
        op.location = self.stage.location
        builder.insert(op)
        return Builder(InsertPoint.at_end(block))

    def _guarded(self, builder: Builder, with_reduce: bool, body) -> None:
        """Writes `body`, inside the stage's guards if it has some."""
        self.placed = {axis for axis, _ in self.leaves}
        for guard in self.stage.body.block.ops:
            if isinstance(guard, schedule.GuardOp):
                builder = self._guard(guard, with_reduce, builder)
        body(builder)

    def _guard(self, guard: schedule.GuardOp, with_reduce: bool, builder: Builder) -> Builder:
        """Opens the guard; outside the reduce loops it says only what it says of data axes."""

        def is_said(expr: AffineExpr) -> bool:
            axes = [guard.operands_[k] for k in expr.used_dims()]
            return with_reduce or not any(self._owns(axis) and is_reduce(axis) for axis in axes)

        alternatives = [
            Conjunction(*(list(filter(is_said, part)) for part in alternative))
            for alternative in guard.alternatives
        ]
        if not all(a.equalities or a.inequalities for a in alternatives):
            return builder
        for axis in guard.operands_:
            if self._owns(axis) and (with_reduce or not is_reduce(axis)):
                self._place(axis, builder)
        flat = [expr for alternative in alternatives for part in alternative for expr in part]
        exprs, values = self.around._placed(flat, guard.operands_)
        placed = iter(exprs)
        block = Block()
        condition = [
            Conjunction(*([next(placed) for _ in part] for part in alternative))
            for alternative in alternatives
        ]
        builder.insert(loop.IfOp(condition, values, Region(block)))
        return Builder(InsertPoint.at_end(block))

    def _owns(self, value: SSAValue) -> bool:
        """Whether a value is an axis of this stage: axes of loops around it are fixed here."""
        return isinstance(value.type, schedule.AxisType) and stage_of(value) is self.stage

    # --- the innermost statements ---

    def _root_values(self, axes: Sequence[SSAValue], builder: Builder) -> list[AffineValue]:
        """Root axes as expressions of index values."""
        for axis in axes:
            self._place(axis, builder)
        return [self.around.places[axis] for axis in axes]

    def _place(self, axis: SSAValue, builder: Builder) -> None:
        """Says where an axis that is no leaf is, in terms of the loops that are open."""
        if axis in self.placed:
            return
        self.placed.add(axis)
        value = self.values.get(axis)
        if value is None:
            index = self._index_of(axis, builder)
            self.around.places[axis] = (AffineExpr.dimension(0), [index])
            return
        for operand in value.operands_:
            if self._owns(operand):
                self._place(operand, builder)
        exprs, values = self.around._placed(value.map.data.results, value.operands_)
        self.around.places[axis] = (exprs[0], values)

    def _index_of(self, axis: SSAValue, builder: Builder) -> SSAValue:
        """The value of an axis that is no affine expression, by arithmetic.

        The extents that its relation multiplies or divides by are known only at run
        time: the value is computed from the relation's other axes.
        """
        relation = next(
            relation
            for relation in self.stage.relations
            if axis in schedule.consumed_axes(relation)
        )
        for made in relation.results:
            self._place(made, builder)
        if isinstance(relation, schedule.SplitOp):
            assert relation.nparts is not None
            lower, upper = self._range(axis)
            factor = (upper + lower * -1).ceil_div(relation.nparts.value.data)
            index = builder.insert(
                arith.MuliOp(
                    self._value(AffineExpr.dimension(0), [relation.outer], builder),
                    self._value(factor, self.ranges[axis].operands_, builder),
                )
            ).result
            inner = self._value(AffineExpr.dimension(0), [relation.inner], builder)
            index = builder.insert(arith.AddiOp(index, inner)).result
        else:
            index = self._unfused(relation, axis, builder)
        start = self._range(axis)[0]
        if start == AffineExpr.constant(0):
            return index
        start_index = self._value(start, self.ranges[axis].operands_, builder)
        return builder.insert(arith.AddiOp(index, start_index)).result

    def _unfused(self, relation: schedule.FuseOp, axis: SSAValue, builder: Builder) -> SSAValue:
        index = self._value(AffineExpr.dimension(0), [relation.fused], builder)
        for inner in reversed(relation.args[1:]):
            lower, upper = self._range(inner)
            extent = self._value(upper + lower * -1, self.ranges[inner].operands_, builder)
            if inner is axis:
                return builder.insert(arith.RemSIOp(index, extent)).result
            index = builder.insert(arith.DivSIOp(index, extent)).result
        return index

    def _range(self, axis: SSAValue) -> tuple[AffineExpr, AffineExpr]:
        """Start and end of an axis that is no leaf."""
        range_op = self.ranges[axis]
        return range_op.lower.data.results[0], range_op.upper.data.results[0]

    def _value(self, expr: AffineExpr, values: Sequence[SSAValue], builder: Builder) -> SSAValue:
        """An index value for an expression of sizes and axes."""
        exprs, placed = self.around._placed([expr], values)
        return index_value(exprs[0], placed, builder)

    def _data_values(self, builder: Builder) -> list[AffineValue]:
        """Root data axes as expressions of index values."""
        data = self.stage.root_axes[: self.stage.data_axis_count]
        return self._root_values(data, builder)

    def _store(self, values: Sequence[SSAValue], builder: Builder) -> None:
        subscripts, operands = self._subscripts(builder)
        for tensor, value in zip(self.stage.tensors, values, strict=True):
            store = loop.StoreOp(value, self.around.tensors[tensor], subscripts, operands)
            store.location = self.stage.location
            builder.insert(store)

    def _subscripts(self, builder: Builder) -> tuple[list[AffineExpr], list[SSAValue]]:
        operands = OperandList()
        subscripts = [
            replace_dims(expr, lambda k, values=values: operands.dim(values[k]))
            for expr, values in self._data_values(builder)
        ]
        return subscripts, operands.values

    def _values(self, block: Block, axes: Sequence[AffineValue], builder: Builder):
        places = dict(zip(block.args, axes, strict=True))
        return self.around.body(places).copy(block, builder)

    def _assign(self, builder: Builder) -> None:
        block = self.stage.equation.body.block
        self._store(
            self._values(block, self._root_values(self.stage.root_axes, builder), builder), builder
        )

    def _init(self, builder: Builder) -> None:
        equation = self.stage.equation
        if equation.has_init:
            values = self._values(equation.init.block, self._data_values(builder), builder)
        else:
            assert equation.identity is not None
            values = [builder.insert(arith.ConstantOp(value)).result for value in equation.identity]
        self._store(values, builder)

    def _update(self, builder: Builder) -> None:
        equation = self.stage.equation
        new = self._values(
            equation.body.block, self._root_values(self.stage.root_axes, builder), builder
        )
        subscripts, operands = self._subscripts(builder)
        old = [
            builder.insert(loop.LoadOp(self.around.tensors[tensor], subscripts, operands)).value
            for tensor in self.stage.tensors
        ]
        combine = self.around.body({})
        arguments = equation.combine.block.args
        combine.values.update(zip(arguments, [*old, *new], strict=True))
        self._store(combine.copy(equation.combine.block, builder), builder)


def _runs_once(lower: Sequence[AffineExpr], upper: Sequence[AffineExpr]) -> bool:
    return len(lower) == 1 and len(upper) == 1 and upper[0] == lower[0] + 1


@dataclass(frozen=True)
class BuildLoopsPass(ModulePass):
    """Build the loop nests of scheduled stages: loops, guards and realized regions.

    A reduction becomes an init nest and an update nest, side by side in the loops that
    they share. A loop that runs once is left out.

    Order: after `infer-bounds`, which says where the loops run; before
    `storage-flatten`, which gives addresses to the regions realized here.

    Options:
        keep_trivial_loops: keep the loops that run once.

    Example: `build-loops`
    ```mlir
    te.func @row_sum(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?xf32>) {
      %S = schedule.stage "S" (%i = %n) reduce (%k = 8) : tensor<?xf32> {
        schedule.order %i, %k
        schedule.region [0 : %n]
        schedule.range %i = 0 to %n
        schedule.range %k = 0 to 8
        schedule.equation (%p, %r) {
          %a = te.read %A[%p, %r] : f32
          te.yield %a : f32
        } combine (%x: f32, %y: f32) identity [0.0 : f32] {
          %s = arith.addf %x, %y : f32
          te.yield %s : f32
        }
      }
      te.return %S : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @row_sum(
        %n: index {te.name = "n"},
        %A: memref<?xf32> {te.name = "A", te.shape = affine_map<()[s0] -> (s0, 8)>},
        %S: memref<?xf32> {te.name = "S", te.shape = affine_map<()[s0] -> (s0)>, te.output}) {
      %a = loop.bind %A [0 : %n, 0 : 8] : memref<?xf32>
      %s = loop.bind %S [0 : %n] : memref<?xf32>
      loop.for %i = 0 to %n {
        %zero = arith.constant 0.0 : f32
        loop.store %zero, %s[%i] : f32
        loop.for %k = 0 to 8 {
          %0 = loop.load %a[%i, %k] : f32
          %1 = loop.load %s[%i] : f32
          %2 = arith.addf %1, %0 : f32
          loop.store %2, %s[%i] : f32
        }
      }
      func.return
    }
    ```
    Refused: `build-loops`
    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
        schedule.order %i
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```
    with "axis i has no range; run infer-bounds first"
    """

    name = "build-loops"

    keep_trivial_loops: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(
            BuildFunction(self.keep_trivial_loops), apply_recursively=False
        ).rewrite_module(op)
