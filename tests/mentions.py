"""Prints how many modules of the package mention each command of schedules.

    python tests/mentions.py

A module mentions a command if it names its op, the op that it leaves in a stage or the pattern
that carries it out, or has its name of several words (`double_buffer`) outside of documentation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import teloom
from teloom.dialects import schedule
from teloom.passes.schedule.primitives import PRIMITIVES

PACKAGE = Path(teloom.__file__).parent

LEFT = {
    "bind": ["ExtentOp"],
    "prefetch": ["PrefetchedOp"],
}
"""What a command leaves in a stage, where that is another op."""


def commands() -> Iterator[tuple[str, str]]:
    """The word of each command, and the name of its op."""
    for op in PRIMITIVES:
        if op not in (schedule.GetOp, schedule.AxesOp):
            yield op.name.removeprefix("schedule."), op.__name__


def words_of(source: str) -> set[str]:
    """All words of a module's code; comments and docstrings have none."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            body[0] = ast.Pass()
    return set(re.findall(r"\w+", ast.unparse(tree)))


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def mentioned() -> dict[str, list[str]]:
    """By command, the modules that mention it."""
    words = {
        file.relative_to(PACKAGE).with_suffix("").as_posix(): words_of(file.read_text())
        for file in sorted(PACKAGE.rglob("*.py"))
    }
    found: dict[str, list[str]] = {}
    for word, op in commands():
        named = {op, f"Apply{op.removesuffix('Op')}", *LEFT.get(word, ())}
        if "_" in word:
            named.add(word)
        found[word] = [module for module, all_words in words.items() if named & all_words]
    return found


if __name__ == "__main__":
    for word, modules in sorted(mentioned().items(), key=lambda item: -len(item[1])):
        print(f"{word:18} {len(modules):3}  {', '.join(modules)}")
