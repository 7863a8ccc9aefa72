"""The fenced blocks of README.md and docs/*.md, each run as its language says.

python   run in the order of the file, in one namespace
text     directly after a python block: exactly what that printed; elsewhere: not run
mlir     parsed, verified, printed and read back; if it starts with `// NAME.mlir`, kept as that
console  `$ ` lines of our tools, run where the kept files lie; the lines below are what they print
sh       for the reader only

`...` in expected output stands for anything.
"""

import doctest
import linecache
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
import roundtrip
from lit_format import parse_pipe, run_pipe

ROOT = Path(__file__).parent.parent
FILES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]


@dataclass
class Block:
    language: str
    text: str
    line: int
    follows: str
    """The language of the block before, if only empty lines stand between."""


def blocks(document: str) -> list[Block]:
    """Every fenced block, in order."""
    found: list[Block] = []
    end = 0
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", document, re.DOTALL | re.MULTILINE):
        between = document[end : match.start()].strip()
        line = document.count("\n", 0, match.start(2)) + 1
        found.append(
            Block(match[1], match[2], line, found[-1].language if found and not between else "")
        )
        end = match.end()
    return found


def same(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS)


def run_document(document: str, name: str, folder: Path) -> int:
    """Runs the blocks of a document in `folder`; returns how many it ran."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    ran = 0
    for block in blocks(document):
        place = f"{name}:{block.line}"
        match block.language:
            case "python":
                output = StringIO()
                text = "\n" * (block.line - 1) + block.text
                # So that functions of the block have a source.
                linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
                code = compile(text, name, "exec")
                with redirect_stdout(output):
                    exec(code, namespace)
                printed = output.getvalue()
            case "text":
                if block.follows != "python":
                    continue
                assert same(block.text, printed), f"{place}: printed was\n{printed}"
            case "mlir":
                title = re.match(r"// (\S+\.mlir)\n", block.text)
                sample = folder / (title[1] if title else "block.mlir")
                sample.write_text(block.text)
                assert roundtrip.main([str(sample)]) == 0, place
            case "console":
                run_console(block.text, place)
            case "sh" | "js" | "c":
                continue  # tests/driver runs what they show of libraries
            case other:
                raise AssertionError(f"{place}: no rule for a block of language '{other}'")
        ran += 1
    return ran


def run_console(text: str, place: str):
    for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, expected = session.partition("\n")
        pipe = parse_pipe(line)
        assert pipe, f"{place}: not a pipe of our tools: {line}"
        _, printed = run_pipe(pipe)
        assert same(expected, printed), f"{place}: {line}\nprinted\n{printed}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_document(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run_document(file.read_text(), file.name, tmp_path)


def test_the_two_commands_are_one_line_each():
    commands = [block.text for block in blocks((ROOT / "README.md").read_text())][:2]
    assert all(command.count("\n") == 1 for command in commands)
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands)
    assert "teloom demo" in commands[0]
    assert "pytest" in commands[1]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("```python\nx = 1\n```\n```python\nprint(x)\n```\n```text\n2\n```\n", "printed was"),
        ("```mlir\nhello\n```\n", "doc.md:2"),
        ("```console\n$ teloom-opt -p x\nfine\n```\n", "no pass named 'x'"),
        ("```console\n$ rm x\n```\n", "not a pipe of our tools"),
        ("```rust\n```\n", "no rule for a block of language 'rust'"),
    ],
)
def test_a_wrong_block_fails(document: str, words: str, tmp_path: Path):
    with pytest.raises(AssertionError, match=words):
        run_document(document, "doc.md", tmp_path)


def test_right_blocks_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    document = (
        "```python\nx = 1\n```\n\n```python\nprint(x, 'is it')\n```\n```text\n1 is ...\n```\n"
        "```mlir\n// kept.mlir\nfunc.func @f() {\n  func.return\n}\n```\n"
        "```console\n$ teloom-opt kept.mlir | teloom-opt\nbuiltin.module {\n...\n}\n```\n"
        "prose\n```text\nnot run\n```\n"
    )
    assert run_document(document, "doc.md", tmp_path) == 5
