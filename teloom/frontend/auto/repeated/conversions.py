"""Products of numbers that are converted: those of rows once, in a copy that tiles read."""

from __future__ import annotations

from collections.abc import Iterator

from teloom.dialects.syntax.scopes import GLOBAL
from teloom.frontend.auto.facts import EquationFacts
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import REUSE, choice_of_tile, group_of, readers
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Cast, Expr, walk
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import ComputeOp, Tensor, TensorSlice


def convert_once(rules: ScheduleWriter, op: ComputeOp) -> None:
    """Copies what tiles of a product convert again and again, as what they convert it to."""
    found = _conversions(op)
    if not found:
        return
    equation = EquationFacts(op)
    if not equation.is_product or group_of(equation, rules.machine) is not None:
        return
    stage = rules.s[op]
    for tensor in _converted_again(equation, rules.machine):
        if (dtype := found.get(tensor)) is not None:
            copy = rules.s[rules.s.cache_read(tensor, GLOBAL, [stage.op], dtype)]
            rules.say(copy, f"elements of {tensor.name} are converted once, not for each tile")


def _conversions(op: ComputeOp) -> dict[Tensor, str]:
    """The tensors all of whose elements that are read are widened, to one dtype each."""
    if not isinstance(op.body[0], Reduce):
        return {}
    kinds: dict[Tensor, set[str | None]] = {}
    for one in walk(tuple(op.body)):
        for part in one.operands():
            if isinstance(part, TensorSlice):
                kinds.setdefault(part.tensor, set()).add(_widened_to(one, part))
    return {
        tensor: dtype
        for tensor, found in kinds.items()
        if len(found) == 1 and (dtype := found.pop()) is not None
    }


def _widened_to(expr: Expr, part: TensorSlice) -> str | None:
    """The dtype to which an expression converts an element by one op; None if it does not."""
    is_wider = isinstance(expr, Cast) and dtypes.of(expr.dtype).bits > dtypes.of(part.dtype).bits
    return expr.dtype if is_wider else None


def _converted_again(equation: EquationFacts, machine: Machine) -> Iterator[Tensor]:
    """The tensors that rows of enough tiles read for copies of them to pay: number by number.

    What lanes read is converted by whole vectors, which takes no longer than reading larger ones.
    """
    choice = choice_of_tile(equation, machine)
    lanes = equation.op.axis[choice.lanes]
    least = REUSE * choice.tile.columns
    for tensor in equation.tensors:
        reads = [*equation.reads_of([tensor])]
        if all(not one.mentions(lanes) and readers(equation, one) >= least for one in reads):
            yield tensor
