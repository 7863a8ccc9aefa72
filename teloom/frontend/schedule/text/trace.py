"""The commands of a schedule as steps in JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from teloom.dialects import get_all_dialects, loop
from teloom.dialects import schedule as dialect
from teloom.driver.registry import context_of
from teloom.errors import ScheduleError

Step = Mapping[str, Any]
"""One command: its kind, the names of its inputs and outputs, and attributes as IR text."""

FIELDS = ("kind", "inputs", "attributes", "outputs")

_MEMORY = "declare_memory"
"""The kind of a step that is no command: of a `loop.memory`."""


def to_json(commands: Sequence[Operation]) -> str:
    """Memories and commands, one step a line. Raises ScheduleError for one with regions."""
    names: dict[SSAValue, str] = {}
    steps = [_step(command, names) for command in commands]
    lines = ",\n".join(json.dumps(step) for step in steps)
    return f"[\n{lines}\n]" if lines else "[]"


def _step(command: Operation, names: dict[SSAValue, str]) -> Step:
    if command.regions:
        raise ScheduleError(f"{command.name} has commands in it; a step in JSON is one command")
    for result in command.results:
        hint = result.name_hint or "value"
        same = sum(name.partition("#")[0] == hint for name in names.values())
        names[result] = f"{hint}#{same}" if same else hint
    is_memory = isinstance(command, loop.MemoryOp)
    return {
        "kind": _MEMORY if is_memory else command.name.removeprefix("schedule."),
        "inputs": [names[operand] for operand in command.operands],
        "attributes": {name: str(value) for name, value in command.properties.items()},
        "outputs": [[names[result], str(result.type)] for result in command.results],
    }


def from_json(text: str) -> str:
    """The text of a sequence with these steps, and of the memories, for any function.

    Raises ScheduleError for what `to_json` does not write.
    """
    try:
        steps = json.loads(text)
    except json.JSONDecodeError as error:
        raise ScheduleError(f"the trace is no JSON: {error}") from None
    if not isinstance(steps, list) or not all(map(_is_step, steps)):
        raise ScheduleError(f"a trace is a list of steps, each with {', '.join(FIELDS)}")
    block, context = Block(), _context()
    memories: list[Operation] = []
    values: dict[str, SSAValue] = {}
    for number, step in enumerate(steps):
        try:
            command = _command(step, values, context)
            command.verify()
        except (ParseError, VerifyException, ScheduleError) as error:
            reason = str(error).strip().splitlines()[-1]
            raise ScheduleError(f"step {number} of the trace, {step['kind']}: {reason}") from None
        if isinstance(command, loop.MemoryOp):
            memories.append(command)
        else:
            block.add_op(command)
    sequence = dialect.SequenceOp("trace", "main", Region(block))
    return "\n".join(map(str, [*memories, sequence]))


def _is_step(step: object) -> bool:
    if not isinstance(step, dict) or {*step} != {*FIELDS}:
        return False
    kind, inputs, attributes, outputs = (step[field] for field in FIELDS)
    if not all(isinstance(one, list) for one in (inputs, outputs)):
        return False
    pairs = all(isinstance(one, list) and len(one) == 2 for one in outputs)
    if not isinstance(attributes, dict) or not pairs:
        return False
    words = [kind, *inputs, *attributes.values(), *(word for pair in outputs for word in pair)]
    return all(isinstance(word, str) for word in words)


def _context() -> Context:
    context = context_of(get_all_dialects())
    context.load_dialect(Builtin)
    return context


def _command(step: Step, values: dict[str, SSAValue], context: Context) -> Operation:
    kind = step["kind"]
    op = loop.MemoryOp if kind == _MEMORY else context.get_optional_op(f"schedule.{kind}")
    if op is None:
        raise ScheduleError("there is no such command")
    if unknown := [name for name in step["inputs"] if name not in values]:
        raise ScheduleError(f"no step above has the output {unknown[0]}")
    outputs: Sequence[tuple[str, str]] = step["outputs"]
    command = op.create(
        operands=[values[name] for name in step["inputs"]],
        properties={name: _attribute(one, context) for name, one in step["attributes"].items()},
        result_types=[_attribute(kind, context) for _, kind in outputs],  # pyright: ignore
    )
    for result, (name, _) in zip(command.results, outputs, strict=True):
        result.name_hint = name.partition("#")[0]
        values[name] = result
    return command


def _attribute(text: str, context: Context) -> Attribute:
    return Parser(context, text).parse_attribute()
