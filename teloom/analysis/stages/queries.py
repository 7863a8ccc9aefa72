"""Questions about scheduled stages: whose axis is this, who reads a stage, where may it go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import takewhile

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.dialects import schedule, te
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.extern import Extern, axes_in, outputs_in
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.bodies.update import Update
from teloom.dialects.loop import LoopKind
from teloom.dialects.schedule import Mode
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError, placed

Read = te.ReadOp | te.BufferOp
"""An op that reads a tensor: an element in an equation, or a box in an extern."""

Access = Read | te.WriteOp
"""An op at a point of a stage that names elements of a tensor."""


def stage_of(axis: SSAValue) -> schedule.StageOp:
    """The stage to which an axis belongs."""
    parent = axis.owner.parent_op()
    assert isinstance(parent, schedule.StageOp)
    return parent


def function_around(stage: schedule.StageOp) -> te.FuncOp:
    """The function that a stage is in."""
    return next(op for op in ops_around(stage) if isinstance(op, te.FuncOp))


def size_names(stage: schedule.StageOp) -> list[str]:
    """The names of the sizes of the function that a stage is in, for the user."""
    return function_around(stage).size_names


def name_of(stage: schedule.StageOp) -> str:
    return stage.stage_name.data


def at_stage(stage: schedule.StageOp) -> AbstractContextManager[None]:
    """Adds a stage and its place to a refusal without a place."""
    return placed(stage, f'stage "{name_of(stage)}"')


def all_stages(func: te.FuncOp) -> list[schedule.StageOp]:
    """Every stage of a function, each after those that are computed inside it."""
    found: list[schedule.StageOp] = []

    def visit(block: Block) -> None:
        for stage in ops_of(block, schedule.StageOp):
            visit(stage.body.block)
            found.append(stage)

    visit(func.body.block)
    return found


def is_reduce(axis: SSAValue) -> bool:
    """Whether an axis comes from a reduce axis, through any splits and fusions."""
    while not isinstance(axis, BlockArgument):
        assert isinstance(axis.owner, schedule.RelationOp)
        if not axis.owner.consumed:
            return False
        axis = axis.owner.consumed[0]
    return axis.index >= stage_of(axis).data_axis_count


def is_leaf(axis: SSAValue) -> bool:
    """Whether an axis becomes a loop: no relation has consumed it."""
    return axis in stage_of(axis).order.axes


def is_axis_of(value: SSAValue, stage: schedule.StageOp) -> bool:
    """Whether a value, which may be a size, is an axis of the stage."""
    return isinstance(value.type, schedule.AxisType) and stage_of(value) is stage


def is_output(stage: schedule.StageOp) -> bool:
    """Whether the function returns a result of the stage."""
    uses = (use.operation for tensor in stage.tensors for use in tensor.uses)
    if any(isinstance(op, te.ReturnOp) for op in uses):
        return True
    if stage.enclosing is None:
        return False
    func = root_of(stage).parent_op()
    owners = [value.owner for value in func.return_op.values] if isinstance(func, te.FuncOp) else []
    return any(isinstance(op, schedule.ResultOp) and op.of == stage.stage_name for op in owners)


def outputs_of(func: te.FuncOp) -> list[SSAValue]:
    """The outputs of a function: results of stages, wherever these are computed."""
    return [result_behind(value) for value in func.return_op.values]


def run_of(stage: schedule.StageOp) -> list[schedule.StageOp]:
    """A stage and those behind it that share its loops; it is the first."""
    run = [stage]
    while isinstance(following := run[-1].next_op, schedule.StageOp) and following.shared:
        run.append(following)
    return run


def first_of_run(stage: schedule.StageOp) -> schedule.StageOp:
    """The first of the stages with which a stage shares loops; itself if it shares none."""
    while stage.shared and isinstance(stage.prev_op, schedule.StageOp):
        stage = stage.prev_op
    return stage


def shares_loops(stage: schedule.StageOp) -> bool:
    """Whether a stage shares loops with others."""
    return len(run_of(first_of_run(stage))) > 1


def stored_in(axis: SSAValue) -> list[schedule.StageOp]:
    """The stages that a command stores in the loop of an axis, and that are computed further in."""
    users = (use.operation for use in axis.uses)
    return [op for op in users if isinstance(op, schedule.StageOp) and op.stored_at is axis]


def modes_of(stage: schedule.StageOp, modes: Sequence[Mode]) -> Sequence[Mode]:
    """The modes in which the region of a stage may be computed: its own, or else these."""
    return modes if stage.mode is None else (Mode(stage.mode.data),)


def operations_of(stage: schedule.StageOp, operations: int) -> int:
    """The isl operations that a mode of a stage may take: its own number, or else this."""
    return operations if stage.budget is None else stage.budget.value.data


def box_of(
    tensor: SSAValue,
) -> tuple[Sequence[tuple[AffineExpr, AffineExpr]], Sequence[SSAValue]]:
    """The declared (start, extent) of a stage's results; dimension k stands for the k-th size."""
    stage = tensor.owner
    assert isinstance(stage, schedule.StageOp)
    if stage.extern is not None:
        shape = stage.extern.shape_of(stage.tensors.index(tensor))
        return [(ZERO, extent) for extent in shape], stage.extern.sizes
    return stage.bounds.box(stage.data_axis_count), stage.sizes


def states_of(stage: schedule.StageOp) -> list[schedule.StateOp]:
    """The results that the steps of a recurrence read; none for any other stage."""
    return ops_of(stage.body.block, schedule.StateOp)


def is_computed_whole(stage: schedule.StageOp) -> bool:
    """Whether all elements of a stage are computed at its place, whatever is read of them."""
    opaque = stage.extern is not None and not stage.root_axes
    is_whole_output = is_output(stage) and stage.enclosing is None
    return is_whole_output or opaque or stage.update is not None


def steps_of(scan: schedule.StageOp) -> list[schedule.StageOp]:
    """The stages that read a state of a recurrence, themselves or through others.

    Any other stage has none.
    """
    found: dict[schedule.StageOp, None] = {}
    pending = [read for state in states_of(scan) for read in reads_of_tensor(state.tensor)]
    while pending:
        stage = reader_of(pending.pop())
        if stage is not scan and stage not in found:
            found[stage] = None
            pending += reads_of(stage)
    return list(found)


def result_behind(tensor: SSAValue) -> SSAValue:
    """The result of a stage for which `tensor` stands elsewhere; else `tensor` itself.

    Inside of the stage an extern fills such a tensor, an update changes it, and the steps of a
    recurrence read it. Outside of loops the function returns one.
    """
    if isinstance(named := tensor.owner, schedule.ResultOp):
        assert named.behind is not None
        return named.behind
    if isinstance(state := tensor.owner, schedule.StateOp):
        return state.stage.tensors[state.number.value.data]
    block = tensor.owner
    if not isinstance(block, Block) or not isinstance(op := block.parent_op(), Extern | Update):
        return tensor
    stage = op.parent_op()
    assert isinstance(stage, schedule.StageOp)
    return stage.tensors[outputs_in(block).index(tensor)]


def reads_of(stage: schedule.StageOp) -> Iterator[Read]:
    """The reads of a stage's results."""
    for tensor in stage.tensors:
        yield from reads_of_tensor(tensor)


def reads_of_tensor(tensor: SSAValue) -> Iterator[Read]:
    """The reads of one tensor, of a stage or an argument."""
    for use in tensor.uses:
        if isinstance(use.operation, Read):
            yield use.operation


def reads_inside(tensor: SSAValue, axis: SSAValue) -> Iterator[Read]:
    """The reads of a tensor in the loop of a leaf axis, in whatever stage."""
    for read in reads_of_tensor(tensor):
        if axis in loops_of(read):
            yield read


def definition_of(read: Access) -> schedule.EquationOp | Update | Extern:
    """The equation, update or extern that a read belongs to."""
    around = ops_around(read)
    return next(op for op in around if isinstance(op, schedule.EquationOp | Update | Extern))


def reader_of(read: Access) -> schedule.StageOp:
    """The stage whose equation, update or extern holds a read."""
    stage = definition_of(read).parent_op()
    assert isinstance(stage, schedule.StageOp)
    return stage


def in_init(read: Access) -> bool:
    """Whether a read is in the init region of its equation."""
    found = definition_of(read)
    return found.has_init and found.init.is_ancestor(read)


def in_bounds(read: Access) -> bool:
    """Whether a read is in the region of its equation that says bounds from data."""
    found = definition_of(read)
    return isinstance(found, schedule.EquationOp) and found.bounds_from_data.is_ancestor(read)


def bounds_from_data(stage: schedule.StageOp) -> dict[int, tuple[SSAValue, SSAValue]]:
    """The bounds of root axes, by position, that depend on data, once `infer-bounds` named them."""
    op = stage.bounds_from_data
    if op is None:
        return {}
    values = iter(op.values)
    roots = list(stage.root_axes)
    return {roots.index(axis): (next(values), next(values)) for axis in op.axes}


def bounds_depth(stage: schedule.StageOp) -> int:
    """The number of loops of a stage that are around the place where its bounds from data are.

    As few as fix all axes that the bounds are over.
    """
    region, leaves = stage.equation.bounds_from_data, list(stage.order.axes)
    pairs = zip(stage.root_axes, region.block.args, strict=False)
    used = {axis for axis, argument in pairs if any(argument.uses)}
    depths = range(len(leaves) + 1)
    return next(depth for depth in depths if used <= fixed_axes(stage, leaves[:depth]))


def ended_by_data(stage: schedule.StageOp) -> set[SSAValue]:
    """The leaf axes whose loops run as many iterations as data says."""
    axes = stage.data_bounded_axes
    if stage.update is not None and stage.update.ending is not None:
        axes = [stage.root_axes[stage.data_axis_count + stage.update.ending]]
    return {leaf for axis in axes for leaf in leaves_of(axis)}


def in_until(read: Access) -> bool:
    """Whether a read decides when a loop of an update ends."""
    found = definition_of(read)
    return isinstance(found, Update) and found.until.is_ancestor(read)


def block_of(read: Access) -> Block:
    """The block of the definition that a read is in, whose arguments are its axes."""
    found = definition_of(read)
    region = next(one for one in found.regions if one.is_ancestor(read))
    return region.block


def axes_of(read: Access) -> Sequence[SSAValue]:
    """The root axes at whose points a read happens, in the order of the arguments of its block."""
    stage, axes = reader_of(read), axes_in(block_of(read))
    first = stage.data_axis_count if stage.update is not None and not in_init(read) else 0
    return stage.root_axes[first : first + len(axes)]


def root_of(stage: schedule.StageOp) -> schedule.StageOp:
    """The stage at the root in whose loops a stage is computed; itself if it is at the root."""
    return [stage, *stages_around(stage)][-1]


def stages_around(stage: schedule.StageOp) -> Iterator[schedule.StageOp]:
    """The stages in whose loops a stage is computed, the innermost first."""
    while (around := stage.enclosing) is not None:
        yield around
        stage = around


def path(stage: schedule.StageOp) -> list[SSAValue]:
    """The axes of the loops around the place where a stage is computed, outermost first."""
    inside = [one for one in (stage, *stages_around(stage)) if one.enclosing is not None]
    return [axis for one in reversed(inside) for axis in loops_around(one)]


def path_to_storage(stage: schedule.StageOp) -> list[SSAValue]:
    """The axes of the loops around the place where a stage is stored, outermost first."""
    axes = path(stage)
    if stage.stored_at is not None:
        return axes[: axes.index(stage.stored_at) + 1]
    return [] if stage.is_stored_elsewhere else axes


def is_stored_inside(tensor: SSAValue, axis: SSAValue) -> bool:
    """Whether each iteration of the loop of a leaf axis has a tensor of its own."""
    stage = tensor.owner
    return isinstance(stage, schedule.StageOp) and axis in path_to_storage(stage)


def legal_stores(stage: schedule.StageOp) -> list[SSAValue | None]:
    """Where a stage may be stored, outermost first; None is the root.

    Where iterations of the loops between storage and computation have no order, `check-schedule`
    proves that none needs what another one computes. An output is the caller's array: it proves
    what such loops do to it.
    """
    return [None] if is_output(stage) else [None, *path(stage)]


def loops_around(stage: schedule.StageOp) -> list[SSAValue]:
    """The leaf axes of the enclosing stage in whose loops a stage is computed."""
    assert stage.at is not None
    return loops_to(stage.at)


def loops_to(axis: SSAValue) -> list[SSAValue]:
    """The leaf axes of a stage in whose loops one iteration of a leaf axis is, itself last."""
    leaves = nest_of(axis)
    return leaves[: leaves.index(axis) + 1]


def nest_of(axis: SSAValue) -> list[SSAValue]:
    """The leaf axes of the loops that are nested with the loop of a leaf axis, outermost first.

    An update has two nests: data axes, at whose points it begins, and the domain.
    """
    stage = stage_of(axis)
    leaves = list(stage.order.axes)
    if stage.update is None:
        return leaves
    return [leaf for leaf in leaves if is_reduce(leaf) == is_reduce(axis)]


def leaves_of(axis: SSAValue) -> list[SSAValue]:
    """The leaf axes into which relations have turned an axis."""
    pending, seen, leaves = [axis], {axis}, list[SSAValue]()
    while pending:
        one = pending.pop()
        consumers = schedule.consumers_of(one)
        if not consumers:
            leaves.append(one)
        for made_from in consumers:
            new = [value for value in _values_in(made_from) if value not in seen]
            seen.update(new)
            pending += new
    return leaves


def fixed_axes(stage: schedule.StageOp, leaves: Sequence[SSAValue]) -> set[SSAValue]:
    """The axes of a stage that are fixed when these leaves are fixed."""
    fixed = set(leaves)
    for relation in reversed(stage.relations):
        if fixed.issuperset(_values_in(relation)):
            fixed.update(relation.consumed)
    return fixed


def _values_in(relation: Operation) -> list[SSAValue]:
    """The axes that a relation computes its consumed axes from."""
    consumed = schedule.consumed_axes(relation)
    return [*relation.results, *(axis for axis in relation.operands if axis not in consumed)]


def legal_places(stage: schedule.StageOp) -> list[SSAValue]:
    """The axes at which a stage may be computed, outermost first.

    All its readers must be inside the loop of such an axis; a vectorized axis and
    those inside it have no loop to be in, and a reader's init region runs before
    the loop of its first reduce axis. Readers that are computed inside the stage have none.
    """
    common: list[SSAValue] | None = None
    for read in reads_of(stage):
        loops = loops_of(read)
        common = loops if common is None else _common_prefix(common, loops)
    places = takewhile(lambda axis: not stage.is_ancestor(stage_of(axis)), common or [])
    return list(_before_vectorized([*places]))


def is_legally_placed(stage: schedule.StageOp) -> bool:
    """Whether the place of a stage is one of its `legal_places`, if those around it are, too."""
    at, around, reads = stage.at, stage.enclosing, list(reads_of(stage))
    if at is None or around is None:
        return True
    if not reads:
        return False
    is_inside = all(at in _loops_inside(around, read) for read in reads)
    return is_inside and at in _before_vectorized(loops_around(stage))


def loops_of(read: Read) -> list[SSAValue]:
    """The axes of the loops around a read, outermost first."""
    return path(reader_of(read)) + _own_loops_of(read)


def _own_loops_of(read: Read) -> list[SSAValue]:
    """The axes of the loops of a reader's own that are around a read."""
    stage = reader_of(read)
    leaves = list(stage.order.axes)
    if stage.update is not None:
        of_domain = not in_init(read)
        return [] if in_until(read) else [leaf for leaf in leaves if is_reduce(leaf) == of_domain]
    if in_bounds(read):
        return leaves[: bounds_depth(stage)]
    return leaves[: init_depth(stage)] if in_init(read) else leaves


def init_depth(stage: schedule.StageOp) -> int | None:
    """How many loops are around the init part of a reduction; None of any other stage."""
    leaves = list(stage.order.axes)
    said = [op.axis for op in stage.body.block.ops if isinstance(op, schedule.DecomposedOp)]
    if said:
        return leaves.index(_loops_made_of(stage, said[-1])[0])
    return first_reduce(stage)


def first_reduce(stage: schedule.StageOp) -> int | None:
    """The position of the first reduce axis in the order; None if there is none."""
    return next((k for k, axis in enumerate(stage.order.axes) if is_reduce(axis)), None)


def _loops_made_of(stage: schedule.StageOp, axis: SSAValue) -> list[SSAValue]:
    """The leaves that replace an axis: itself, or those of what consumed it."""
    made = {axis}
    for relation in stage.relations:
        if made.intersection(relation.consumed):
            made.update(relation.results)
    return [leaf for leaf in stage.order.axes if leaf in made]


def _loops_inside(stage: schedule.StageOp, read: Read) -> list[SSAValue]:
    """The axes of a stage's loops that are around a read, by the way up from there."""
    reader = reader_of(read)
    if reader is stage:
        return _own_loops_of(read)
    for inside in (reader, *stages_around(reader)):
        if inside.enclosing is stage:
            return loops_around(inside)
    return []


def _common_prefix(left: Sequence[SSAValue], right: Sequence[SSAValue]) -> list[SSAValue]:
    length = 0
    while length < min(len(left), len(right)) and left[length] is right[length]:
        length += 1
    return list(left[:length])


def _before_vectorized(axes: Sequence[SSAValue]) -> Iterator[SSAValue]:
    for axis in axes:
        if kind_of(axis) is LoopKind.VECTORIZED:
            return
        yield axis


def no_order_text(axis: SSAValue) -> str:
    """Such as `and iterations of i, which is parallel, have no order`."""
    name, kind = schedule.axis_name(axis), kind_of(axis)
    return f"and iterations of {name}, which is {kind.value}, have no order"


def kind_of(axis: SSAValue) -> LoopKind:
    """The kind of a leaf axis."""
    order = stage_of(axis).order
    return order.kinds.data[order.axes.index(axis)].data


def places_text(axes: Sequence[SSAValue]) -> str:
    """Axes as a user reads them: `C.i_outer, C.i_inner`, or the root."""
    return ", ".join(["the root", *([qualified(axes)] if axes else [])])


def qualified(axes: Sequence[SSAValue]) -> str:
    """Axes with their stages: `C.i_outer, C.i_inner`."""
    return ", ".join(f"{name_of(stage_of(axis))}.{schedule.axis_name(axis)}" for axis in axes)


def result_extents(entry: te.FuncOp, value: SSAValue) -> tuple[AffineExpr, ...]:
    """The extents of a tensor that a function computes; dimension k stands for size k."""
    stage = value.owner
    sizes = list(entry.sizes)
    extern = stage.extern if isinstance(stage, schedule.StageOp) else stage
    if isinstance(extern, Extern | te.ScanOp):
        dims = [AffineExpr.dimension(sizes.index(operand)) for operand in extern.sizes]
        assert isinstance(value, OpResult)
        shape = extern.shape_of(value.index)
        return tuple(extent.replace_dims_and_symbols(dims, []) for extent in shape)
    if not isinstance(stage, te.ComputeOp | te.UpdateOp | schedule.StageOp):
        raise PassError("a result must be computed by a stage", entry.return_op)
    assert isinstance(value.type, TensorType)
    dims = [AffineExpr.dimension(sizes.index(operand)) for operand in stage.bounds.operands]
    box = stage.bounds.box(value.type.get_num_dims())
    return tuple(extent.replace_dims_and_symbols(dims, []) for _, extent in box)
