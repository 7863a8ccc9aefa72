"""Runs scheduled stages (level 2) as their text says, and refuses every wrong read.

An oracle of `check-schedule`: no integer set and no polynomial, only loops and dictionaries. Each
place of memory knows the element that lies there and which values are folded into it. Iterations
of a loop that has no order run in turns, forwards or backwards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from analysis.loop_runner import Elements, Index, WrongAccess
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineDimExpr, AffineExpr

from teloom.dialects import schedule, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import fold
from teloom.dialects.bodies.equation import yielded

TURNS = ("one by one", "in turns", "backwards")
"""How iterations without an order run."""


@dataclass
class Place:
    """What lies at one place of memory."""

    element: Index
    values: list[int]
    folded: set[Index] = field(default_factory=set)


@dataclass
class Memory:
    """The elements of one stage in one iteration of the loops around its storage."""

    name: str
    box: Sequence[tuple[int, int]]
    folds: Mapping[int, int]
    places: dict[Index, Place] = field(default_factory=dict)

    def at(self, element: Index) -> Index:
        for position, (offset, extent) in zip(element, self.box, strict=True):
            if not offset <= position < offset + extent:
                raise WrongAccess(f"{self.name}{list(element)} has no place in {self.box}")
        return tuple(
            position % self.folds[axis] if axis in self.folds else position
            for axis, position in enumerate(element)
        )

    def load(self, element: Index) -> Place:
        place = self.places.get(self.at(element))
        if place is None or place.element != element:
            raise WrongAccess(f"{self.name}{list(element)} is not there")
        return place


def run_stages(
    func: te.FuncOp, sizes: Sequence[int], inputs: Sequence[Elements], turns: str
) -> list[dict[Index, int]]:
    """The elements of the results of a function, by its order of results."""
    run = _Run(func, sizes, inputs, turns)
    for op in func.body.block.ops:
        if isinstance(op, schedule.StageOp):
            run.realize_inside(op)
            run.finish(run.stage(op))
    returned = func.body.block.last_op
    assert returned is not None
    return [run.result(tensor) for tensor in returned.operands]


class _Said:
    """What the text says of a stage, read once: a run asks for it at every instance."""

    def __init__(self, stage: schedule.StageOp):
        self.leaves = stage.order.leaves
        self.ranges, self.values = stage.ranges, stage.values
        self.bounds, self.attached = stage.bounds.pairs(), stage.attached
        self.reduces = {axis for axis in _axes(stage) if _is_reduce(axis, stage)}
        self.guards = [(guard.operands_, guard.alternatives) for guard in stage.guards]
        inside = [op for op in stage.walk() if isinstance(op, schedule.StageOp)]
        self.stored = [(op.stored_at, op) for op in inside if op.stored_at is not None]


class _Run:
    def __init__(
        self, func: te.FuncOp, sizes: Sequence[int], inputs: Sequence[Elements], turns: str
    ):
        self.turns = turns
        self.env: dict[SSAValue, int] = dict(zip(func.sizes, sizes, strict=True))
        self.given = dict(zip(func.tensors, inputs, strict=True))
        self.shapes = {
            tensor: [extent.eval(sizes, []) for extent in func.shape_of(position)]
            for position, tensor in enumerate(func.tensors)
        }
        self.memory: dict[schedule.StageOp, Memory] = {}
        stages = [op for op in func.walk() if isinstance(op, schedule.StageOp)]
        self.said = {stage: _Said(stage) for stage in stages}
        for op in func.body.block.ops:
            if not isinstance(op, schedule.StageOp | te.ReturnOp):
                self.scalar(op, self.env)

    @staticmethod
    def finish(instances: Iterator[None]) -> None:
        for _ in instances:
            pass

    def result(self, tensor: SSAValue) -> dict[Index, int]:
        stage = tensor.owner
        assert isinstance(stage, schedule.StageOp)
        number, found = stage.tensors.index(tensor), {}
        bounds = self.bounds_at(stage, [])[: stage.data_axis_count]
        for element in product(*(range(low, up) for low, up in bounds)):
            place = self.memory[stage].load(element)
            self.check_folded(stage, place)
            found[element] = place.values[number]
        return found

    # Expressions

    def exprs(self, map, operands: Sequence[SSAValue]) -> list[int]:
        values = [self.axis(operand) for operand in operands]
        return [_evaluated(expr)(values) for expr in map.data.results]

    def axis(self, value: SSAValue) -> int:
        """A size or an axis at this iteration."""
        if value in self.env:
            return self.env[value]
        stage = value.owner.parent_op()
        assert isinstance(stage, schedule.StageOp)
        if (said := self.said[stage].values.get(value)) is not None:
            (found,) = self.exprs(said.map, said.operands_)
            return found
        if not (makers := schedule.consumers_of(value)):
            raise WrongAccess(f"axis {value.name_hint} is used outside of its loop")
        (relation,) = makers
        start = self.start(value, stage) if value in stage.root_axes else 0
        return start + self.consumed(value, relation, stage)

    def start(self, axis: SSAValue, stage: schedule.StageOp) -> int:
        op = self.said[stage].ranges[axis]
        return self.exprs(op.lower, op.operands_)[0]

    def extent(self, axis: SSAValue, stage: schedule.StageOp) -> int:
        op = self.said[stage].ranges[axis]
        return self.exprs(op.upper, op.operands_)[0] - self.start(axis, stage)

    def consumed(self, axis: SSAValue, relation: Operation, stage: schedule.StageOp) -> int:
        """The coordinate, in a relation, of an axis that it consumes."""
        first = 0 if axis in stage.root_axes else self.start(axis, stage)
        match relation:
            case schedule.SplitOp():
                if relation.factor is not None:
                    first, factor = 0, relation.factor.value.data
                else:
                    factor = -(-self.extent(axis, stage) // relation.nparts.value.data)
                return first + self.axis(relation.outer) * factor + self.axis(relation.inner)
            case schedule.FuseOp():
                rest = self.axis(relation.fused)
                for inner in reversed(relation.args):
                    extent = max(1, self.extent(inner, stage))
                    if inner is axis:
                        return first + (rest if inner is relation.args[0] else rest % extent)
                    rest //= extent
            case schedule.ShiftOp():
                return self.axis(relation.shifted) - relation.offset.value.data
            case schedule.ReverseOp():
                last = first + self.extent(axis, stage) - 1
                return first + last - self.axis(relation.reversed)
            case schedule.SkewOp():
                along = self.axis(relation.along) * relation.factor.value.data
                return self.axis(relation.skewed) - along
        raise AssertionError(f"no meaning of {relation.name}")

    def bounds_at(self, stage: schedule.StageOp, point: Sequence[int]) -> list[tuple[int, int]]:
        """(start, end) of root axes at a point along the leading ones."""
        values = [self.axis(size) for size in stage.sizes] + [*point]
        pairs = self.said[stage].bounds
        values += [0] * (len(pairs) + len(stage.sizes) - len(values))
        return [(low.eval(values, []), up.eval(values, [])) for low, up in pairs]

    # Loops

    def realize_inside(self, stage: schedule.StageOp) -> None:
        """Gives new memory to a stage at the root, and to all in it that are stored there."""
        self.realize(stage)
        for op in stage.walk():
            if isinstance(op, schedule.StageOp) and op.stored_at_root is not None:
                self.realize(op)

    def realize(self, stage: schedule.StageOp) -> None:
        region = stage.region
        assert region is not None
        sides = (region.offsets, region.extents)
        box = [*zip(*(self.exprs(side, region.operands_) for side in sides), strict=True)]
        self.memory[stage] = Memory(stage.stage_name.data, box, stage.storage.factors)

    def stage(self, stage: schedule.StageOp) -> Iterator[None]:
        yield from self.loops(stage, 0)

    def loops(self, stage: schedule.StageOp, depth: int) -> Iterator[None]:
        """Runs the loops of a stage from a depth on; yields after each instance."""
        leaves, folded = self.said[stage].leaves, self.said[stage].reduces
        reduces = [k for k, (axis, _) in enumerate(leaves) if axis in folded]
        if len(stage.root_axes) > stage.data_axis_count and depth == (reduces or [len(leaves)])[0]:
            data = [axis for axis, _ in leaves[depth:] if axis not in folded]
            yield from self.init(stage, data)
        if depth == len(leaves):
            self.instance(stage)
            yield
            return
        axis, kind = leaves[depth]
        if not kind.one_after_another and self.turns != TURNS[0]:
            yield from self.in_turns(stage, axis, depth)
            return
        for position in self.range(axis):
            self.env[axis] = position
            yield from self.iteration(stage, axis, depth)
        self.env.pop(axis, None)

    def iteration(self, stage: schedule.StageOp, axis: SSAValue, depth: int) -> Iterator[None]:
        for at, op in self.said[stage].stored:
            if at is axis:
                self.realize(op)
        for attached in self.said[stage].attached:
            if attached.at is axis:
                if not attached.is_stored_elsewhere:
                    self.realize(attached)
                yield from self.stage(attached)
        yield from self.loops(stage, depth + 1)

    def in_turns(self, stage: schedule.StageOp, axis: SSAValue, depth: int) -> Iterator[None]:
        """Runs all iterations of a loop by one instance each, again and again; or from the last."""
        around = self.env, self.memory
        positions = [*self.range(axis)]
        if self.turns == TURNS[2]:
            positions.reverse()
        waiting = []
        for position in positions:
            self.env[axis] = position
            state = dict(self.env), dict(self.memory)
            waiting.append((state, self.iteration(stage, axis, depth)))
        while waiting:
            left = []
            for (env, memory), instances in waiting:
                self.env, self.memory = env, memory
                more = self.turns == TURNS[1]
                for _ in instances:
                    if more:
                        left.append(((self.env, self.memory), instances))
                        break
                yield
            waiting = left
        self.env, self.memory = around
        self.env.pop(axis, None)

    def range(self, axis: SSAValue) -> range:
        stage = axis.owner.parent_op()
        assert isinstance(stage, schedule.StageOp)
        op = self.said[stage].ranges[axis]
        lower, upper = (self.exprs(map, op.operands_) for map in (op.lower, op.upper))
        return range(max(lower), min(upper))

    def runs(self, stage: schedule.StageOp, of_data: bool = False) -> bool:
        """Whether the guards of a stage hold, or what they say of data axes alone."""
        for operands, alternatives in self.said[stage].guards:
            folded = self.said[stage].reduces if of_data else ()
            skipped = {dim for dim, one in enumerate(operands) if one in folded}
            values = [0 if one in folded else self.axis(one) for one in operands]
            if not any(_holds(one, values, skipped) for one in alternatives):
                return False
        return True

    def init(self, stage: schedule.StageOp, data: Sequence[SSAValue]) -> Iterator[None]:
        if data:
            for position in self.range(data[0]):
                self.env[data[0]] = position
                yield from self.init(stage, data[1:])
            self.env.pop(data[0], None)
            return
        if not self.runs(stage, of_data=True):
            return
        point = tuple(self.axis(axis) for axis in stage.root_axes[: stage.data_axis_count])
        equation = stage.equation
        if equation.has_init:
            values = self.evaluate(equation.init.block, point)
        else:
            assert equation.identity is not None
            values = [one.value.data for one in equation.identity]  # type: ignore[union-attr]
        memory = self.memory[stage]
        memory.places[memory.at(point)] = Place(point, values)
        yield

    def instance(self, stage: schedule.StageOp) -> None:
        if not self.runs(stage):
            return
        point = tuple(self.axis(axis) for axis in stage.root_axes)
        for position, (low, up) in zip(point, self.bounds_at(stage, point), strict=True):
            if not low <= position < up:
                raise WrongAccess(f"{stage.stage_name.data} runs at {list(point)}")
        element, memory = point[: stage.data_axis_count], self.memory[stage]
        values = self.evaluate(stage.equation.body.block, point)
        if not stage.equation.is_reduction:
            memory.places[memory.at(element)] = Place(element, values)
            return
        place, of = memory.load(element), point[stage.data_axis_count :]
        if of in place.folded:
            raise WrongAccess(f"{stage.stage_name.data}{list(element)} folds {list(of)} twice")
        place.folded.add(of)
        block = stage.equation.combine.block
        env = dict(zip(block.args, [*place.values, *values], strict=True))
        for op in block.ops:
            self.scalar(op, env)
        place.values = [env[value] for value in yielded(stage.equation.combine)]

    def check_folded(self, stage: schedule.StageOp, place: Place) -> None:
        """All points of the reduce axes are folded into an element that is read."""
        wanted = {()}
        for axis in range(stage.data_axis_count, len(stage.root_axes)):
            wanted = {
                (*point, position)
                for point in wanted
                for low, up in [self.bounds_at(stage, [*place.element, *point])[axis]]
                for position in range(low, up)
            }
        if stage.equation.is_reduction and place.folded != wanted:
            raise WrongAccess(f"{stage.stage_name.data}{list(place.element)} is not finished")

    # Equations

    def evaluate(self, block: Block, point: Sequence[int]) -> list[int]:
        env = {**self.env, **dict(zip(block.args, point, strict=True))}
        for op in block.ops:
            self.scalar(op, env)
        assert block.last_op is not None
        return [env[value] for value in block.last_op.operands]

    def scalar(self, op: Operation, env: dict[SSAValue, int]) -> None:
        match op:
            case te.YieldOp() | scf.YieldOp():
                return
            case te.ReadOp():
                values = [env[operand] for operand in op.operands_]
                index = tuple(_evaluated(expr)(values) for expr in op.map.data.results)
                env[op.value] = self.read(op.tensor, index)
            case scf.IfOp():
                block = (op.true_region if env[op.cond] else op.false_region).block
                for inner in block.ops:
                    self.scalar(inner, env)
                assert block.last_op is not None
                for result, value in zip(op.results, block.last_op.operands, strict=True):
                    env[result] = env[value]
            case te.BoundedOp():
                env[op.results[0]] = env[op.operands[0]]
            case _:
                env[op.results[0]] = _value(op, [env[operand] for operand in op.operands])

    def read(self, tensor: SSAValue, index: Index) -> int:
        if tensor in self.given:
            for position, extent in zip(index, self.shapes[tensor], strict=True):
                if not 0 <= position < extent:
                    raise WrongAccess(f"{tensor.name_hint}{list(index)} is outside")
            return self.given[tensor](index)
        owner = tensor.owner
        if isinstance(owner, schedule.StateOp):
            stage, number = owner.stage, owner.number.value.data
        else:
            assert isinstance(owner, schedule.StageOp)
            stage, number = owner, owner.tensors.index(tensor)
        if stage not in self.memory:
            raise WrongAccess(f"{stage.stage_name.data} is read outside of its loop")
        place = self.memory[stage].load(index)
        self.check_folded(stage, place)
        return place.values[number]


def _axes(stage: schedule.StageOp) -> list[SSAValue]:
    """The root axes of a stage, and those that relations make."""
    return [*stage.root_axes, *(made for one in stage.relations for made in one.results)]


def _is_reduce(axis: SSAValue, stage: schedule.StageOp) -> bool:
    """Whether an axis is made of reduce axes."""
    makers = {made: one for one in stage.relations for made in one.results}
    while axis in makers:
        axis = makers[axis].consumed[0]
    return axis in stage.root_axes[stage.data_axis_count :]


def _holds(one: Conjunction, values: Sequence[int], skipped: set[int]) -> bool:
    """Whether an alternative of a guard holds; constraints on `skipped` values do not count."""
    zeros = (e for e in one.equalities if not (skipped and e.used_dims() & skipped))
    least = (e for e in one.inequalities if not (skipped and e.used_dims() & skipped))
    return all(_evaluated(e)(values) == 0 for e in zeros) and all(
        _evaluated(e)(values) >= 0 for e in least
    )


def _evaluated(expr: AffineExpr) -> Callable[[Sequence[int]], int]:
    """The function of the values of its dimensions: ten times as fast as `eval` of the expression.

    By its identity: to find an expression that is equal takes longer than to evaluate it.
    """
    if id(expr) not in _EVALUATED:
        _EVALUATED[id(expr)] = expr, eval(f"lambda d: {fold(expr, _leaf_text, _text)}")
    return _EVALUATED[id(expr)][1]


_EVALUATED: dict[int, tuple[AffineExpr, Callable[[Sequence[int]], int]]] = {}
_SIGNS = {
    AffineBinaryOpKind.Add: "({} + {})",
    AffineBinaryOpKind.Mul: "({} * {})",
    AffineBinaryOpKind.Mod: "({} % {})",
    AffineBinaryOpKind.FloorDiv: "({} // {})",
    AffineBinaryOpKind.CeilDiv: "(-(-{} // {}))",
}


def _leaf_text(expr: AffineExpr) -> str:
    return f"d[{expr.position}]" if isinstance(expr, AffineDimExpr) else str(expr)


def _text(expr: AffineBinaryOpExpr, left: str, right: str) -> str:
    return _SIGNS[expr.kind].format(left, right)


_BINARY = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
}
_COMPARED = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)


def _value(op: Operation, operands: Sequence[int]) -> int:
    match op:
        case arith.ConstantOp():
            assert isinstance(op.value, IntegerAttr)
            return op.value.value.data
        case affine.ApplyOp():
            map, dims = op.map.data, op.map.data.num_dims
            return map.results[0].eval(operands[:dims], operands[dims:])
        case arith.CmpiOp():
            return int(_COMPARED[op.predicate.value.data](*operands))
        case arith.IndexCastOp():
            return operands[0]
    return _BINARY[type(op)](*operands)
