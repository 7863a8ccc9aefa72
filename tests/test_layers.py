"""Which layer may import which, and that nothing is hidden in the imports.

A layer imports those to its left; folders inside a layer import each other in no circle. Imports
stand at the top of a file, name what they take, and reach our modules as `teloom....`:
`dialects.te` would be a second copy of every class.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = (
    "garbage",
    "lazy",
    "errors",
    "locations",
    "remarks",
    "switches",
    "widths",
    "progress",
    "dialects",
    "analysis",
    "passes",
    "backend",
    "driver",
    "frontend",
    "topi",
    "tvm_compat",
    "tools",
)

ONLY = {"topi": ("topi", "errors", "te")}
"""Layers that take nothing else of those to their left: operators are programs like a user's."""

INSIDE_A_FUNCTION = {
    "lazy.py": "a part of the package is loaded when it is first used",
    "dialects/__init__.py": "a dialect's file is loaded when its first name is read",
    "driver/registry.py": "all of xDSL is loaded when a name is looked up that may be its own",
    "passes/__init__.py": "a pass's file is loaded when the pass is named",
    "passes/schedule/primitives/__init__.py": "the folder is the list of primitives",
}
"""The files that import inside functions, or by a name, each with its reason."""


def faults(source: str, path: str) -> list[str]:
    """What is wrong with the imports of the file at `path`, relative to the package."""
    tree = ast.parse(source)
    return faults_of(tree, nodes_of(tree, source), path)


LOADERS = ("import_module", "__import__")


def nodes_of(tree: ast.Module, source: str) -> list[ast.AST]:
    """The statements, where imports and classes stand; and all nodes, if some name a loader."""
    if any(loader in source for loader in LOADERS):
        return [*ast.walk(tree)]
    found: list[ast.AST] = [*tree.body]
    for node in found:  # grows
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            below = getattr(node, part, ())
            found += below if isinstance(below, list) else ()
    return found


def faults_of(tree: ast.Module, nodes: list[ast.AST], path: str) -> list[str]:
    top = set(map(id, _top_level(tree.body)))
    layer = path.split("/")[0].removesuffix(".py")
    found: list[str] = []
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and _loads_modules(node):
            if path not in INSIDE_A_FUNCTION:
                found.append(f"{path}:{node.lineno}: {ast.unparse(node)} hides what is imported")
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        place = f"{path}:{node.lineno}:"
        if id(node) not in top and path not in INSIDE_A_FUNCTION:
            found.append(f"{place} an import stands inside a function")
        if any(alias.name == "*" for alias in node.names):
            found.append(f"{place} import * hides what is imported")
        for target in _targets(node, path):
            found += [f"{place} {fault}" for fault in _fault(layer, target)]
    return found


def _loads_modules(node: ast.Name | ast.Attribute) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr
    return name in LOADERS


def _fault(layer: str, target: str) -> Iterator[str]:
    head, _, rest = target.partition(".")
    if head in LAYERS:
        yield f"{target} is to be imported as teloom.{target}"
    other = rest.split(".")[0]
    if head != "teloom" or layer not in LAYERS:
        return
    if not other:
        yield f"{layer} may not import the whole of teloom"
    elif other in LAYERS and LAYERS.index(other) > LAYERS.index(layer):
        yield f"{layer} may not import {other}"
    elif layer in ONLY and not f"{rest}.".startswith(tuple(f"{one}." for one in ONLY[layer])):
        yield f"{layer} may import {', '.join(ONLY[layer])} only, not {rest}"


def _targets(node: ast.Import | ast.ImportFrom, path: str) -> Iterator[str]:
    """The dotted names of the modules that may be meant."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    package = ["teloom", *path.split("/")[:-1]]
    prefix = package[: len(package) - node.level + 1] if node.level else []
    module = ".".join([*prefix, *([node.module] if node.module else [])])
    if module == "teloom":
        yield from (f"teloom.{alias.name}" for alias in node.names)
    else:
        yield module


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run on import, also those under `if TYPE_CHECKING` and in `try`."""
    for statement in body:
        yield statement
        for part in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(statement, ast.If | ast.Try | ast.ExceptHandler):
                yield from _top_level(getattr(statement, part, []))


class Module(NamedTuple):
    """What the tests below ask of a file."""

    faults: list[str]
    imports: list[ast.Import | ast.ImportFrom]
    classes: list[tuple[str, int]]
    """Their names, and the lines where they stand."""


@cache
def modules() -> dict[Path, Module]:
    """Each file of the package, by its path in there; each is parsed once."""
    package = ROOT / "teloom"
    found: dict[Path, Module] = {}
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package)
        tree = ast.parse(source := file.read_text())
        nodes = nodes_of(tree, source)
        found[path] = Module(
            faults_of(tree, nodes, path.as_posix()),
            [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))],
            [(node.name, node.lineno) for node in nodes if isinstance(node, ast.ClassDef)],
        )
    return found


def test_layers():
    assert len(modules()) > len(LAYERS)
    found = [fault for module in modules().values() for fault in module.faults]
    assert not found, "\n".join(found)


def _folder(module: str) -> str:
    """The folder of a module, up to two levels: `analysis.sets`, or a file directly in a layer."""
    return ".".join(module.split(".")[1:3])


def imports_of_folders() -> dict[str, set[str]]:
    """What the modules of each folder import of other folders."""
    found: dict[str, set[str]] = {}
    for path, module in modules().items():
        if path.as_posix() in INSIDE_A_FUNCTION or len(path.parts) == 1:
            continue
        own = _folder(".".join(["teloom", *path.with_suffix("").parts]))
        for node in module.imports:
            found.setdefault(own, set()).update(_imported_folders(node, path.as_posix()))
        found.get(own, set()).discard(own)
    return found


def _imported_folders(node: ast.Import | ast.ImportFrom, path: str) -> Iterator[str]:
    for target in _targets(node, path):
        if target.count(".") == 1 and isinstance(node, ast.ImportFrom):  # a part of a layer
            yield from (_folder(f"{target}.{alias.name}") for alias in node.names)
        elif target.startswith("teloom.") and target.count(".") > 1:
            yield _folder(target)


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Nodes on a circle, or on the way to one; none if there is no circle."""
    left = {node: set(targets) & graph.keys() for node, targets in graph.items()}
    while ends := [node for node, targets in left.items() if not targets]:
        for end in ends:
            del left[end]
        for targets in left.values():
            targets.difference_update(ends)
    return sorted(left)


def test_no_import_circle():
    graph = imports_of_folders()
    assert {"dialects.te", "analysis.regions", "passes.loops", "frontend.tensor"} <= graph.keys()
    assert "analysis.sets" in graph["analysis.regions"]
    assert not circle(graph)


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


MOST_FILES = 16
"""In one folder: above, it holds several subjects."""

LISTS = {
    "passes/schedule/primitives": "one file per primitive",
    "dialects/schedule/commands": "one file per family of commands",
}
"""Folders that may hold more, each with its reason."""


def test_folders_are_small_and_say_what_belongs_in_them():
    package = ROOT / "teloom"
    for init in package.rglob("__init__.py"):
        folder = init.parent.relative_to(package).as_posix()
        assert ast.get_docstring(ast.parse(init.read_text())), folder
        assert len([*init.parent.glob("*.py")]) <= MOST_FILES or folder in LISTS, folder


SAME_NAME = {
    "Target": "a machine; in `tvm_compat`, TVM's class for one",
}
"""The names that several classes have, each with what they are."""


def test_a_class_name_means_one_thing():
    """Ops are told apart by their dialects; a name with `_` is seen in one module only."""
    places: dict[str, list[str]] = {}
    for path, module in modules().items():
        for name, line in module.classes:
            if not name.startswith("_"):
                place = f"teloom/{path.as_posix()}:{line}"
                places.setdefault(name, []).append(place)
    for name, found in places.items():
        assert len(found) == 1 or name.endswith("Op") or name in SAME_NAME, (name, found)


def test_every_folder_is_a_layer():
    folders = {path.parent.name for path in (ROOT / "teloom").glob("*/__init__.py")}
    assert folders <= set(LAYERS)


def test_exceptions_are_needed():
    for path in INSIDE_A_FUNCTION:
        source = (ROOT / "teloom" / path).read_text()
        imports = ("    from ", "    import ", "import_module(")
        assert any(word in source for word in imports), f"{path} imports nothing in a function"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("from teloom.frontend import te", "dialects/bad.py:1: dialects may not import frontend"),
        ("from teloom import passes", "dialects/bad.py:1: dialects may not import passes"),
        ("import teloom.tools.opt", "dialects/bad.py:1: dialects may not import tools"),
        ("from ..analysis import sets", "dialects/bad.py:1: dialects may not import analysis"),
        ("import teloom", "dialects/bad.py:1: dialects may not import the whole of teloom"),
        ("\nfrom os import *", "dialects/bad.py:2: import * hides what is imported"),
        (
            "def f():\n    return importlib.import_module('teloom.tools')",
            "dialects/bad.py:2: importlib.import_module hides what is imported",
        ),
        (
            "from dialects import te",
            "dialects/bad.py:1: dialects is to be imported as teloom.dialects",
        ),
        (
            "def f():\n    import os",
            "dialects/bad.py:2: an import stands inside a function",
        ),
        (
            "class A:\n    def f(self):\n        if 1:\n            import os",
            "dialects/bad.py:4: an import stands inside a function",
        ),
    ],
)
def test_refuses(source: str, fault: str):
    assert faults(source, "dialects/bad.py") == [fault]


def test_operators_are_made_of_the_language_alone():
    source = "from teloom import te\nfrom teloom.topi import tag\nfrom teloom.frontend import x"
    fault = "topi/bad.py:3: topi may import topi, errors, te only, not frontend"
    assert faults(source, "topi/bad.py") == [fault]


@pytest.mark.parametrize(
    "source",
    [
        "from teloom.errors import Error",
        "from teloom.dialects.te import Te\nfrom .te import Te",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from xdsl.ir import Block",
        "try:\n    import os\nexcept ImportError:\n    import sys",
    ],
)
def test_accepts(source: str):
    assert faults(source, "dialects/good.py") == []


def test_definitions_need_no_ir():
    program = """
import sys
import teloom
from teloom import te
A, B = (te.placeholder((te.var("n"), 8), "float16", name=name) for name in "AB")
C = te.compute(A.shape, lambda i, j: te.max(A[i, j] * 2, te.exp(B[i, j])), name="C")
k = te.reduce_axis((0, 8), name="k")
te.compute((8,), lambda i: te.sum(C[i, k], axis=k), name="D", domain=lambda i: i >= 1)
print([name for name in sys.modules if name.startswith(("numpy", "xdsl.dialects", "xdsl.irdl"))])
"""
    run = [sys.executable, "-c", program]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "[]\n"
