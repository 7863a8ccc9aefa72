"""What is derived from the ops of the `schedule` dialect, written down for type checkers.

`python tests/stubs.py` writes the `.pyi` files again; a test holds that they are up to date.
"""

from collections.abc import Iterator
from inspect import Parameter
from pathlib import Path

from xdsl.dialects.builtin import AffineSetAttr, ArrayAttr, StringAttr, SymbolRefAttr
from xdsl.irdl import IRDLOperation, OptPropertyDef, PropertyDef, VarOperandDef

import teloom
from teloom.dialects import schedule as dialect
from teloom.frontend import schedule_namespace
from teloom.frontend.schedule.commands import TENSOR, Command, all_commands, is_stage
from teloom.frontend.schedule.relations import RELATIONS
from teloom.frontend.schedule.stage_methods import StageMethods
from teloom.frontend.schedule.stages import Stage

FRONTEND = Path(teloom.__file__).parent / "frontend"
WRITTEN = '"""{} Written by `python tests/stubs.py`: do not edit."""\n'


def stage_methods() -> str:
    """The stub of the commands as methods of a stage, without those that `Stage` has itself."""
    lines = [
        WRITTEN.format("The commands as methods of a stage."),
        "from typing import Any, overload\n",
        "from xdsl.irdl import IRDLOperation\n",
        "from teloom.frontend.expr.expressions import Expr",
        "from teloom.frontend.extern.tensor_intrins import TensorIntrin",
        "from teloom.frontend.schedule.stages import Stage",
        "from teloom.frontend.tensor.tensors import IterVar, Tensor\n",
        "class StageMethods:",
        "    def command(self, op: type[IRDLOperation], *args: object, **kwargs: object) -> Any:",
        f'        """{_first_sentence(StageMethods.command)}"""\n',
    ]
    for command in sorted(all_commands(), key=lambda command: command.name):
        if command.name not in vars(Stage):
            lines += [f"    {line}".rstrip() for line in _method(command)]
    return "\n".join(lines)


def _method(command: Command) -> Iterator[str]:
    definition = command.op.get_irdl_definition()
    operands = {name.rstrip("_"): one for name, one in definition.operands}
    shown = []
    for parameter in command.signature.parameters.values():
        name = parameter.name
        if name == "self":
            shown.append(name)
        elif parameter.kind is Parameter.VAR_POSITIONAL:
            shown.append(f"*{name}: IterVar")
        elif name in operands:
            kind = "Stage" if is_stage(operands[name]) else "IterVar"
            default = " | None = None" if parameter.default is None else ""
            shown.append(f"{name}: {'Tensor' if name == TENSOR else kind}{default}")
        else:
            shown.append(f"{name}: {_property(definition.properties[name])}")
    made = {0: "None", 1: "IterVar"}.get(len(definition.results), "list[IterVar]")
    if sum(one.endswith(": IterVar") for one in shown) > 1 and definition.properties:
        # For `tile(*C.op.axis, 8, 8)`: checkers take a list for all arguments that are left.
        yield "@overload"
        yield f"def {command.name}(self, *axes_and_numbers: IterVar | int | Var) -> {made}: ..."
        yield "@overload"
    yield f"def {command.name}("
    yield from (f"    {one}," for one in shown)
    yield f") -> {made}:"
    yield f'    """{_first_sentence(command.op)}"""'
    yield ""


def _property(definition: PropertyDef) -> str:
    bases = definition.constr.get_bases()
    types = {
        frozenset({dialect.ThreadAxisAttr}): "IterVar | str",
        frozenset({StringAttr}): "str",
        frozenset({ArrayAttr}): "str | list[str]",
        frozenset({dialect.NumberAttr}): "int",
        frozenset({AffineSetAttr}): "Expr",
        frozenset(dialect.VALUES): "bool | int | float | str",
        frozenset({SymbolRefAttr}): "TensorIntrin",
    }
    found = types[frozenset(bases or ())] + _or_size(definition)
    return f"{found} | None = None" if isinstance(definition, OptPropertyDef) else found


def _or_size(definition: PropertyDef) -> str:
    return " | Expr" * (definition.constr == dialect.NUMBER_OR_SIZE)


def schedule_names() -> str:
    """The stub of `te.schedule`."""
    lines = [
        WRITTEN.format("What a user finds in `te.schedule`."),
        "from teloom.frontend.report.bounds import infer_bounds as InferBound",
        "from teloom.frontend.report.compact_buffers import needs_compact_buffers"
        " as VerifyCompactBuffer",
        "from teloom.frontend.expr.expressions import Var",
        "from teloom.frontend.report.scan_axes import scan_fix_points as ScanFixPointAnalysis",
        "from teloom.frontend.report.scheduled_loops import scheduled_loops as ScheduleOps",
        *(
            f"from teloom.frontend.schedule.auto_inline import {name} as {shown}"
            for name, shown in (
                ("auto_inline_broadcast", "AutoInlineBroadcast"),
                ("auto_inline_elementwise", "AutoInlineElemWise"),
                ("auto_inline_injective", "AutoInlineInjective"),
            )
        ),
        "from teloom.frontend.schedule.stage_places import attach_paths as CreateAttachPath",
        "from teloom.frontend.tensor.read_graph import feed_graph as CreateFeedGraph",
        "from teloom.frontend.tensor.read_graph import post_dfs_order as PostDFSOrder",
        "from teloom.frontend.tensor.read_graph import read_graph as CreateReadGraph",
        "from teloom.frontend.schedule.relations import Relation as Relation",
        "from teloom.frontend.tensor.scan_steps import scan_body as ScanGetBody",
        "from teloom.frontend.schedule.schedules import Schedule as Schedule",
        "from teloom.frontend.schedule.stages import Stage as Stage",
        "from teloom.frontend.schedule.schedules import create_schedule as create_schedule",
        "from teloom.frontend.tensor.tensors import IterVar",
        "",
        "RELATION_CLASSES: dict[str, type[Relation]]",
        "__all__ = [",
        *(f'    "{name}",' for name in schedule_namespace.__all__),
        "]\n",
    ]
    for op, relation in RELATIONS.items():
        assert issubclass(op, IRDLOperation)
        lines += [f"class {relation.__name__}(Relation):", f'    """{_first_sentence(op)}"""\n']
        definition = op.get_irdl_definition()
        for name, one in definition.operands:
            if is_stage(one):
                continue
            kind = "list[IterVar]" if isinstance(one, VarOperandDef) else "IterVar"
            lines.append(f"    {name.rstrip('_')}: {kind}")
        lines += [f"    {name}: IterVar" for name, _ in definition.results]
        for name, one in definition.properties.items():
            lines.append(
                f"    {name}: int{_or_size(one)}{' | None' * isinstance(one, OptPropertyDef)}"
            )
        lines.append("")
    return "\n".join(lines)


def _first_sentence(op: object) -> str:
    assert op.__doc__ is not None
    return op.__doc__.partition("\n\n")[0].strip()


STUBS = {
    FRONTEND / "schedule" / "stage_methods.pyi": stage_methods,
    FRONTEND / "schedule_namespace.pyi": schedule_names,
}
"""The files, and what makes them."""

if __name__ == "__main__":
    for file, make in STUBS.items():
        file.write_text(make())
