"""Scheduled text that is changed at random: what `check-schedule` accepts has to be right.

The text of a pair of the family `attach`, with its ranges inferred, gets another order, kind,
place, range, region, guard, value or fold. An oracle that runs the stages one instance after
another says whether it still computes its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from analysis.loop_runner import WrongAccess
from analysis.stage_runner import TURNS, run_stages
from soak.attach import LARGEST, attached
from soak.bounds import inputs, parsed, sizes_of
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.verification.dominance import check_dominance
from teloom.backend.interpreter.equations import interpret, te_func
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import PassError
from teloom.passes.checks.check_schedule import CheckSchedulePass
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass
from teloom.remarks import heard

KINDS = (LoopKind.SERIAL, LoopKind.PARALLEL, LoopKind.VECTORIZED, LoopKind.UNROLLED)


@dataclass(frozen=True)
class Changed:
    """A program, and its scheduled text with something changed."""

    program: str
    text: str

    def __str__(self) -> str:
        return f"// RUN: teloom-opt %s -p check-schedule\n{self.text}"


def changed(seed: int) -> Changed:
    """The pair of that number, or of the next that is a program."""
    random = Random(seed)
    while True:
        program = attached(random.randrange(2**60)).text
        module = parsed(program)
        try:
            for step in (ApplySchedulePass(), InferBoundsPass()):
                step.apply(Context(), module)
        except PassError:
            continue
        for _ in range(random.choice((0, 1, 1, 1, 2))):
            _change(module, random)
        try:
            module.verify()
            check_dominance(module)
        except VerifyException:
            continue
        return Changed(program, str(module))


def is_right(pair: Changed, largest: int = LARGEST) -> bool:
    """Whether the changed text computes the results of the program, however iterations run.

    It runs with all sizes up to the largest.
    """
    program, module = parsed(pair.program), parsed(pair.text)
    function, scheduled = te_func(program, "f"), te_func(module, "f")
    for sizes in sizes_of(function, largest):
        arrays = inputs(function, sizes)
        expected = interpret(program, "f", arrays, sizes)
        elements = [array.item for array in arrays]
        given = [lambda index, of=of: of(*index) for of in elements]
        for turns in TURNS:
            try:
                found = run_stages(scheduled, sizes, given, turns)
            except WrongAccess:
                return False
            for output, values in zip(expected, found, strict=True):
                if any(values.get(index) != one for index, one in np.ndenumerate(output)):
                    return False
    return True


def check_changed(pair: Changed) -> None:
    """Raises `AssertionError` if wrong text is accepted, and `PassError` if it is not proved."""
    with heard() as said:
        CheckSchedulePass().apply(Context(), parsed(pair.text))
    if said:
        raise PassError(said[0].message)
    assert is_right(pair), "accepted, but wrong"


def _change(module: ModuleOp, random: Random) -> None:
    stages = [op for op in module.walk() if isinstance(op, schedule.StageOp)]
    for _ in range(20):
        if random.choice(_CHANGES)(random.choice(stages), random):
            return


def _order(stage: schedule.StageOp, random: Random) -> bool:
    leaves = stage.order.leaves
    if len(leaves) < 2:
        return False
    first, second = random.sample(range(len(leaves)), 2)
    leaves[first], leaves[second] = leaves[second], leaves[first]
    _set_order(stage, leaves)
    return True


def _kind(stage: schedule.StageOp, random: Random) -> bool:
    leaves = stage.order.leaves
    if not leaves:
        return False
    position = random.randrange(len(leaves))
    leaves[position] = (leaves[position][0], random.choice(KINDS))
    _set_order(stage, leaves)
    return True


def _set_order(stage: schedule.StageOp, leaves: Sequence[tuple[SSAValue, LoopKind]]) -> None:
    order = schedule.OrderOp([axis for axis, _ in leaves], [kind for _, kind in leaves])
    Rewriter.replace_op(stage.order, order)


def _moved(exprs: Sequence[AffineExpr], random: Random) -> list[AffineExpr]:
    found = [*exprs]
    position = random.randrange(len(found))
    found[position] = found[position] + random.choice((-1, 1))
    return found


def _range(stage: schedule.StageOp, random: Random) -> bool:
    ops = [op for axis, op in stage.ranges.items() if axis in stage.order.axes]
    if not ops:
        return False
    op = random.choice(ops)
    sides = [[*op.lower.data.results], [*op.upper.data.results]]
    side = random.randrange(2)
    sides[side] = _moved(sides[side], random)
    Rewriter.replace_op(op, schedule.RangeOp(op.axis, *sides, op.operands_))
    return True


def _region(stage: schedule.StageOp, random: Random) -> bool:
    op = stage.region
    if op is None or not stage.data_axis_count:
        return False
    offsets, extents = op.offsets.data.results, op.extents.data.results
    if random.random() < 0.5:
        offsets = _moved(offsets, random)
    else:
        extents = _moved(extents, random)
    box = [*zip(offsets, extents, strict=True)]
    Rewriter.replace_op(op, schedule.RegionOp(box, op.operands_))
    return True


def _guard(stage: schedule.StageOp, random: Random) -> bool:
    if not stage.guards:
        return False
    Rewriter.erase_op(random.choice(stage.guards))
    return True


def _value(stage: schedule.StageOp, random: Random) -> bool:
    ops = [*stage.values.values()]
    if not ops:
        return False
    op = random.choice(ops)
    (value,) = _moved(op.map.data.results, random)
    Rewriter.replace_op(op, schedule.ValueOp(op.axis, value, op.operands_))
    return True


def _fold(stage: schedule.StageOp, random: Random) -> bool:
    factors = stage.storage.factors
    if not factors:
        return False
    axis = random.choice([*factors])
    factor = factors[axis] + random.choice((-1, -1, 1))
    if factor < 1:
        return False
    stage.set_storage(stage.storage.folded_by({**factors, axis: factor}))
    return True


def _stored(stage: schedule.StageOp, random: Random) -> bool:
    if stage.enclosing is None:
        return False
    if stage.is_stored_elsewhere:
        stage._set_operands(stage.sizes, stage.at, None)
        stage.properties.pop("stored_at_root", None)
    else:
        stage.set_stored_at(None)
    return True


def _at(stage: schedule.StageOp, random: Random) -> bool:
    around = stage.enclosing
    if around is None:
        return False
    stage.set_at(random.choice([*around.order.axes]))
    return True


_CHANGES: tuple[Callable[[schedule.StageOp, Random], bool], ...] = (
    *(_order, _kind, _range, _region, _guard, _value, _fold, _fold, _stored, _at),
)
