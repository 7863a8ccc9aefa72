"""The examples in docstrings: of operations, of passes, and Python's own.

An operation shows itself in a fenced `mlir` block. A pass shows what becomes of what:

    Example: `name{option=1}`
    ```mlir
    before
    ```
    becomes
    ```mlir
    after
    ```
    Refused: `name{option=0}`
    ```mlir
    input
    ```
    with "words of the error"
"""

import doctest
import inspect
import re
from difflib import unified_diff
from importlib import import_module
from pathlib import Path

import pytest
import roundtrip
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from teloom.dialects import get_all_dialects
from teloom.driver.pipeline_spec import parse_passes
from teloom.driver.reading.located_parser import LocatedParser
from teloom.driver.registry import load_universe
from teloom.errors import Error
from teloom.passes import get_all_passes
from teloom.passes.pipelines import PIPELINES

ROOT = Path(__file__).parent.parent

BLOCK = r"```mlir\n(.*?)```"
EXAMPLE = re.compile(rf"Example: `([^`]+)`\s*{BLOCK}\s*becomes\s*{BLOCK}", re.DOTALL)
REFUSED = re.compile(rf'Refused: `([^`]+)`\s*{BLOCK}\s*with "(.*?)"[.,]?(?:\n|$)', re.DOTALL)


def our_operations() -> list[type[Operation]]:
    """Also those with which we extend a dialect of xDSL's."""
    return [
        op
        for factory in get_all_dialects().values()
        for op in factory().operations
        if op.__module__.startswith("teloom.")
    ]


def documentation(thing: type) -> str:
    return inspect.cleandoc(thing.__dict__.get("__doc__") or "")


def parse(text: str, ctx: Context) -> ModuleOp:
    module = LocatedParser(ctx, text, "docstring").parse_module()
    module.verify()
    return module


@pytest.mark.parametrize("op", our_operations(), ids=lambda op: op.name)
def test_operation(op: type[Operation], ctx: Context, tmp_path: Path):
    text = documentation(op)
    blocks = re.findall(BLOCK, text, re.DOTALL)
    assert blocks, f"{op.name} has no example"
    assert any(inner.name == op.name for block in blocks for inner in parse(block, ctx).walk()), (
        f"no example of {op.name} shows {op.name}"
    )
    for block in blocks:
        sample = tmp_path / "example.mlir"
        sample.write_text(block)
        assert roundtrip.main([str(sample)]) == 0
    if op.dialect_name() != "llvm":  # upstream's own operations need no comparison
        assert re.search(r"^Like: ", text, re.MULTILINE), f"{op.name} is not compared (`Like:`)"


@pytest.mark.parametrize("name", get_all_passes())
def test_pass(name: str, ctx: Context):
    pass_type = get_all_passes()[name]()
    assert pass_type.name == name
    text = documentation(pass_type)
    examples, refusals = EXAMPLE.findall(text), REFUSED.findall(text)
    assert examples, f"{name} has no example"
    assert 2 * len(examples) + len(refusals) == text.count("```mlir"), (
        f"a block of {name} is neither of an `Example:` nor of a `Refused:`"
    )
    for spec, before, after in examples:
        result = apply(spec, parse(before, ctx), ctx)
        result.verify()
        # Read back what it prints: the text fills in properties that stand for their absence.
        module = parse(str(result), ctx)
        expected = parse(after, ctx)
        assert module.is_structurally_equivalent(expected), difference(expected, module)
    for spec, before, words in refusals:
        with pytest.raises((Error, DiagnosticException)) as refusal:
            apply(spec, parse(before, ctx), ctx).verify()
        assert " ".join(words.split()) in " ".join(str(refusal.value).split())


def apply(spec: str, module: ModuleOp, ctx: Context) -> ModuleOp:
    for step in passes_of(spec):
        step.apply(ctx, module)
    return module


def passes_of(spec: str) -> tuple[ModulePass, ...]:
    return parse_passes(spec, load_universe().all_passes, PIPELINES)


def difference(expected: ModuleOp, found: ModuleOp) -> str:
    for module in (expected, found):  # names do not count
        for op in module.walk():
            arguments = [
                arg for region in op.regions for block in region.blocks for arg in block.args
            ]
            for value in (*op.results, *arguments):
                value.name_hint = None
    lines = (str(expected).splitlines(), str(found).splitlines())
    return "\n".join(unified_diff(*lines, "docstring", "result", lineterm=""))


def modules_with_sessions() -> list[str]:
    files = sorted((ROOT / "teloom").rglob("*.py"))
    names = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in files
        if ">>> " in file.read_text()
    ]
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", modules_with_sessions())
def test_session(name: str):
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert tried > 0, f"no session of {name} is found by doctest"
    assert failed == 0
