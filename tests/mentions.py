"""Prints how many modules of the package mention each command of schedules.

    python tests/mentions.py

A module mentions a command if an expression of its code is the class of its op, of an op that
the command becomes at a lower level, or of the pattern that carries it out; or if it has the
command's name of several words (`double_buffer`) outside of documentation and of what an error
advises, also for the names that other systems have. The demo is a user's program; schedules by
rules and of operators, and TVM's helpers of schedules, are written as users write theirs: these do
not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import teloom
from teloom.dialects import loop, schedule
from teloom.dialects.upstream import memref
from teloom.passes.schedule.primitives import PRIMITIVES

PACKAGE = Path(teloom.__file__).parent
NOT_COUNTED = {
    "frontend/missing_names.py",
    "tools/demo.py",
    "tvm_compat/topi/utils.py",
    *(
        file.relative_to(PACKAGE).as_posix()
        for folder in ("frontend/auto", "topi/schedules")
        for file in PACKAGE.glob(f"{folder}/**/*.py")
    ),
}

BECOMES: dict[type, list[type]] = {
    schedule.BindOp: [schedule.ExtentOp],
    schedule.DecomposeReductionOp: [schedule.DecomposedOp],
    schedule.PragmaOp: [schedule.PragmasOp],
    schedule.SpecializeOp: [schedule.SpecializedOp],
    schedule.TensorizeOp: [schedule.TensorizedOp, schedule.CodeOp],
    schedule.BoundOp: [schedule.BoundedOp],
    schedule.BoundExtentOp: [schedule.BoundedOp],
    schedule.AlignBoundsOp: [schedule.BoundedOp],
    schedule.PrefetchOp: [schedule.PrefetchedOp, loop.PrefetchOp, memref.PrefetchOp],
}
"""What a command becomes, where that is another op."""


def mentioned() -> dict[str, list[str]]:
    """By command, the modules that mention it."""
    found: dict[str, list[str]] = {}
    commands = {op: _known_by(op) for op in PRIMITIVES}
    for op in (schedule.GetOp, schedule.AxesOp):
        del commands[op]
    modules = {
        name: _module(file)
        for file in sorted(PACKAGE.rglob("*.py"))
        if (name := file.relative_to(PACKAGE).as_posix()) not in NOT_COUNTED
    }
    names = _names_of(commands, modules.values())
    for name, module in modules.items():
        text = (PACKAGE / name).read_text()
        if not names.search(text):
            continue
        words, values = _named_in(text, module)
        for op, classes in commands.items():
            word = op.name.removeprefix("schedule.")
            if not values.isdisjoint(classes) or ("_" in word and word in words):
                found.setdefault(word, []).append(name.removesuffix(".py"))
    return found


def _known_by(op: type) -> set[type]:
    return {op, PRIMITIVES[op], *BECOMES.get(op, ())}


def _module(file: Path) -> ModuleType:
    path = file.relative_to(PACKAGE.parent).with_suffix("")
    return import_module(".".join(path.parts).removesuffix(".__init__"))


def _names_of(commands: dict[type, set[type]], modules: Iterable[ModuleType]) -> re.Pattern[str]:
    """What stands in each text that mentions a command: most texts need not be parsed."""
    classes = set().union(*commands.values())
    names = {op.name.removeprefix("schedule.") for op in commands}
    names = {name for name in names if "_" in name} | {one.__name__ for one in classes}
    for module in modules:
        bound = vars(module).items()
        names |= {name for name, value in bound if isinstance(value, type) and value in classes}
    return re.compile(rf"\b(?:{'|'.join(sorted(names))})\b")


def _named_in(text: str, module: ModuleType) -> tuple[set[str], set[type]]:
    """The words of a module's code, and the classes that its expressions and definitions are."""
    texts, classes = list[str](), set[type]()
    for node in _code(ast.parse(text)):
        texts += [value for value in vars(node).values() if isinstance(value, str)]
        if isinstance(value := _value(node, module), type):
            classes.add(value)
    return set(re.findall(r"\w+", "\n".join(texts))), classes


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, without documentation and what is raised."""
    pending = [tree]
    while pending:
        yield (node := pending.pop())
        pending += [one for one in ast.iter_child_nodes(node) if not _is_prose(one)]


def _is_prose(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Raise)


def _value(node: ast.AST, module: ModuleType) -> object:
    match node:
        case ast.ClassDef():
            return getattr(module, node.name, None)
        case ast.Name():
            return getattr(module, node.id, None)
        case ast.Attribute():
            return getattr(_value(node.value, module), node.attr, None)
        case _:
            return None


if __name__ == "__main__":
    for word, modules in sorted(mentioned().items(), key=lambda item: -len(item[1])):
        print(f"{word:18} {len(modules):3}  {', '.join(modules)}")
