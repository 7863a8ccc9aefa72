"""What `teloom-opt` says about each kind of mistake, to the letter, and how it ends."""

import io
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, NoReturn

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.universe import Universe
from xdsl.utils.exceptions import PassFailedException

from teloom.driver import registry
from teloom.errors import PassError, ScheduleError
from teloom.passes import get_all_passes
from teloom.passes.pipelines import PIPELINES
from teloom.tools import opt
from teloom.tools.exit_code import INTERRUPTED

ADD = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  func.return %0 : i32
}
"""

LONG = f"arith.constant {'7' * 5000} : index\n"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs the tool on a text called in.mlir: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(text: str, *args: str) -> tuple[int, str, str]:
        Path("in.mlir").write_text(text)
        status = opt.main(["in.mlir", *args])
        output, errors = capsys.readouterr()
        return status, output, errors

    return run


@dataclass(frozen=True)
class RefusePass(ModulePass):
    """Fails in the way that `how` names."""

    name = "test-refuse"
    how: str

    def __post_init__(self):
        if not self.how:
            raise PassError("how is empty")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        add = next(inner for inner in op.walk() if inner.name == "arith.addi")
        match self.how:
            case "at op":
                raise PassError("no addition, please", add)
            case "nowhere":
                raise ScheduleError("the schedule is refused")
            case "upstream":
                raise PassFailedException("Could not do it.")
            case "derived op":
                new = arith.AddfOp(add.results[0], add.results[0])
                Rewriter.insert_op(new, InsertPoint.after(add))
            case _:
                raise KeyError(self.how)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch):
    """Installs plugins: entry points with this name that load to this value, or raise it."""

    def install(**loaded: object):
        def load(entry: EntryPoint) -> object:
            value = loaded[entry.name]
            if isinstance(value, BaseException):
                raise value
            return value

        entries = [
            EntryPoint(name, f"{name}.universe:X", "xdsl.universe") for name in sorted(loaded)
        ]
        monkeypatch.setattr(registry, "installed_plugins", lambda: entries)
        monkeypatch.setattr(EntryPoint, "load", load)

    return install


@pytest.fixture
def refusing_pass(plugins):
    plugins(tests=Universe(all_passes={"test-refuse": lambda: RefusePass}))


# Mistakes in the text


MAP = "(a) -> (a + 9223372036854775808)"
SET = "(a) : (a + 9223372036854775808 >= 0)"


def _too_wide(text: str, at: str) -> Any:
    column = text.index(at)
    marked = f"{text}\n{' ' * column}{'^' * len(at)}\n"
    said = f"in.mlir:1:{column + 1}: error: 9223372036854775808 is no integer of 64 bits\n"
    return pytest.param(text + "\n", said + marked, id=at.partition("9")[0])


WIDE = [
    _too_wide(
        '"test.op"() {n = 9223372036854775808 : index} : () -> ()', "9223372036854775808 : index"
    ),
    _too_wide("loop.for %i = 0 to 9223372036854775808 { }", "9223372036854775808"),
    _too_wide(
        "func.func private @f(memref<2x9223372036854775808xf32>)",
        "memref<2x9223372036854775808xf32>",
    ),
    _too_wide(f'"test.op"() {{m = affine_map<{MAP}>}} : () -> ()', MAP),
    _too_wide(f'"test.op"() {{m = affine_set<{SET}>}} : () -> ()', SET),
]
"""Numbers that no word holds, where words are meant."""


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param(
            "func.func @f() {\n  func.return )\n}\n",
            """\
in.mlir:2:15: error: expected an operation, a block label or '}'
  func.return )
              ^
""",
            id="syntax",
        ),
        pytest.param(
            'hello "a string that nobody ends, of some length\n',
            """\
in.mlir:1:7: error: end of file reached before closing string literal
hello "a string that nobody ends, of some length
      ^
""",
            id="unclosed string",
        ),
        pytest.param(
            f"func.func @f() {{{' ' * 300}spam{' ' * 300}}}\n",
            f"""\
in.mlir:1:317: error: no operation named 'spam'
...{" " * 200}spam{" " * 200}...
{" " * 203}^^^^
""",
            id="a long line",
        ),
        pytest.param(
            "€\n", "in.mlir:1:1: error: unexpected character: €\n€\n^\n", id="no token at all"
        ),
        pytest.param(
            ADD.replace("%a, %a", "%a, %b"),
            """\
in.mlir:2:23: error: value %b is not defined
  %0 = arith.addi %a, %b : i32
                      ^^
""",
            id="undefined value",
        ),
        pytest.param(
            "func.func @f(%a: i32) {\n  %0 = arith.addi %a, %1 : i32\n"
            "  %1 = arith.addi %a, %a : i32\n  func.return\n}\n",
            """\
in.mlir:2:23: error: value %1 is not defined at this use
  %0 = arith.addi %a, %1 : i32
                      ^^
""",
            id="used before its definition",
        ),
        pytest.param(
            ADD.replace("%a, %a", "%a, %x") + ADD.replace("@f", "@g").replace("%0", "%x"),
            """\
in.mlir:2:23: error: value %x is not defined at this use
  %0 = arith.addi %a, %x : i32
                      ^^
""",
            id="defined in another function",
        ),
        pytest.param(
            ADD.replace("arith.addi", "arith.adi"),
            """\
in.mlir:2:8: error: no operation named 'arith.adi'; did you mean 'arith.andi'?
  %0 = arith.adi %a, %a : i32
       ^^^^^^^^^
""",
            id="unknown operation",
        ),
        pytest.param(
            '"te.comptue"() : () -> ()\n',
            """\
in.mlir:1:1: error: no operation named 'te.comptue'; did you mean 'te.compute'?
"te.comptue"() : () -> ()
^^^^^^^^^^^^
""",
            id="unknown operation in generic form",
        ),
        pytest.param(
            "func.func @f(%a: !what.ever) {\n  func.return\n}\n",
            """\
in.mlir:1:18: error: 'what.ever' is not registered
func.func @f(%a: !what.ever) {
                 ^^^^^^^^^^
""",
            id="unknown type",
        ),
        pytest.param(
            "func.func @f() {\n  %0 = arith.constant 1000 : i8\n  func.return\n}\n",
            """\
in.mlir:2:23: error: integer value 1000 is out of range for type i8 which supports values in \
the range [-128, 256)
  %0 = arith.constant 1000 : i8
                      ^
""",
            id="attribute that does not verify",
        ),
        pytest.param(
            ADD.replace("  %0", "\t%0").replace("%a, %a", "%a, %b"),
            """\
in.mlir:2:22: error: value %b is not defined
\t%0 = arith.addi %a, %b : i32
\t                    ^^
""",
            id="tabs",
        ),
        pytest.param(
            ADD.replace("addi %a, %a : i32", "constant 1 : i64"),
            """\
in.mlir:3:15: error: operand is used with type i32, but has been previously used or defined with \
type i64
  func.return %0 : i32
              ^^
""",
            id="type of a use",
        ),
        pytest.param(
            LONG,
            f"""\
in.mlir:1:16: error: a number of more than 4300 digits
{LONG.strip()[:216]}...
               ^
""",
            id="digits",
        ),
        *WIDE,
    ],
)
def test_parse_error(tool, text: str, error: str):
    assert tool(text) == (1, "", error)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param(
            ADD.replace("-> i32", "-> i64"),
            """\
in.mlir:3:3: error: expected arguments to have the same types as the function output types: \
expected [i64], got [i32]
  func.return %0 : i32
  ^
""",
            id="operation",
        ),
        pytest.param(
            ADD.replace("  func.return %0 : i32\n", ""),
            """\
in.mlir:2:8: error: operation arith.addi terminates block in single-block region but is not a \
terminator
  %0 = arith.addi %a, %a : i32
       ^
""",
            id="block without terminator",
        ),
        pytest.param(
            'func.func @f(%c: i1) {\n  "scf.if"(%c) ({\n  ^bb0:\n  }, {}) : (i1) -> ()\n'
            "  func.return\n}\n",
            """\
in.mlir:2:3: error: 'scf.if' contains empty block instead of at least terminating with scf.yield
  "scf.if"(%c) ({
  ^
""",
            id="empty block",
        ),
        pytest.param(
            'func.func @f() -> i32 {\n  func.return loc("model.py":7:5)\n}\n',
            "model.py:7:5: error: expected arguments to have the same types as the function output "
            "types: expected [i32], got []\n",
            id="location of its own",
        ),
    ],
)
def test_verify_error(tool, text: str, error: str):
    assert tool(text) == (1, "", error)


def test_every_part_of_a_split_file_is_processed(tool):
    text = ADD.replace("%a, %a", "%a, %b") + "// -----\n" + ADD + "// -----\n\n\n???\n"
    status, output, errors = tool(text, "--split-input-file")
    assert status == 1
    assert output.count("// -----") == 2
    assert "func.func @f" in output
    assert errors.startswith("in.mlir:2:23: error: value %b is not defined\n")
    assert "in.mlir:13:1: error: " in errors


# Mistakes in the pipeline


@dataclass(frozen=True)
class OptionsPass(ModulePass):
    """Has options, of which `how` may be wrong in the way that it names."""

    name = "test-options"
    how: str = "right"
    some_number: float = 0.5
    numbers: tuple[float, ...] | None = None

    def __post_init__(self):
        if self.how in ("TypeError", "KeyError"):
            raise {"TypeError": TypeError, "KeyError": KeyError}[self.how]("how")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        print(self.some_number, self.numbers)


class AbstractPass(ModulePass):
    name = "test-abstract"


class ArgumentPass(ModulePass):
    name = "test-argument"

    def __init__(self, argument: int):
        self.argument = argument

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class UntypedPass(OptionsPass):
    name = "test-untyped"
    where: "Somewhere | None" = None  # noqa: F821


@pytest.fixture
def odd_passes(plugins):
    kinds = (OptionsPass, AbstractPass, ArgumentPass, UntypedPass)
    plugins(odd=Universe(all_passes={kind.name: lambda kind=kind: kind for kind in kinds}))


@pytest.mark.parametrize(
    ("pipeline", "column", "message"),
    [
        ("test-options{how=TypeError}", 1, "test-options: TypeError: how"),
        ("test-options{how=KeyError}", 1, "test-options: KeyError: 'how'"),
        ("dce,test-abstract", 5, "test-abstract: TypeError: Can't instantiate abstract class "),
        ("test-argument", 1, "test-argument: TypeError: ArgumentPass.__init__() missing 1 requ"),
        ("dce,test-untyped", 5, "test-untyped: NameError: name 'Somewhere' is not defined"),
        ("test-argument{argument=3}", 15, "pass 'test-argument' has no option 'argument'; its op"),
        (
            "test-options{how=a how=b}",
            20,
            "option 'how' of pass 'test-options' is given twice",
        ),
        (
            "test-options{some-number=1.5 some_number=2.5}",
            30,
            "option 'some_number' of pass 'test-options' is given twice",
        ),
        (
            "te-to-memref{alignment=64 alignment=64}",
            27,
            "option 'alignment' of pass 'te-to-memref' is given twice",
        ),
        ("test-options{some_number=true}", 14, "option 'some_number' of pass 'test-options' is fl"),
        (f"test-options{{some_number={'9' * 400}}}", 14, "option 'some_number' of pass 'test-opt"),
    ],
)
@pytest.mark.usefixtures("odd_passes")
def test_a_pass_that_cannot_be_made(tool, pipeline: str, column: int, message: str):
    status, output, errors = tool(ADD, "-p", pipeline)
    assert errors.startswith(f"-p:1:{column}: error: {message}")
    assert errors.count("\n") == 3
    assert (status, output) == (1, "")


@pytest.mark.usefixtures("odd_passes")
def test_an_integer_is_a_number(tool):
    given = "test-options{some-number=2 numbers=1,2.5},test-options{numbers=3}"
    shown = tool(ADD, "-p", given)[1]
    assert shown.startswith("2.0 (1.0, 2.5)\n0.5 (3.0,)\n")


@pytest.mark.parametrize(
    ("pipeline", "column", "message", "width"),
    [
        ("dce,canonicalise", 5, "no pass named 'canonicalise'; did you mean 'canonicalize'?", 12),
        ("qqqqqqq", 1, "no pass named 'qqqqqqq'", 7),
        ("dce{x=1}", 5, "pass 'dce' has no option 'x'; its options: none", 1),
        (
            "convert-memref-to-ptr{lower-fun=true}",
            23,
            "pass 'convert-memref-to-ptr' has no option 'lower-fun'; did you mean 'lower_func'?",
            9,
        ),
        (
            "cse,convert-memref-to-ptr{lower_func=3}",
            27,
            "option 'lower_func' of pass 'convert-memref-to-ptr' is true or false, not 3",
            10,
        ),
        ("test-refuse", 1, "pass 'test-refuse' needs the option 'how'", 11),
        ('test-refuse{how=""}', 1, "test-refuse: how is empty", 11),
        ("dce{", 5, "expected argument name here", 1),
        ("dce;cse", 4, "unknown token", 1),
        ("dce,", 4, "there is no pass behind this comma", 1),
        (
            "builtin.module(dce)",
            8,
            "unknown token; give the passes without builtin.module(...)",
            1,
        ),
    ],
)
@pytest.mark.usefixtures("refusing_pass")
def test_pipeline_error(tool, pipeline: str, column: int, message: str, width: int):
    status, output, errors = tool(ADD, "-p", pipeline)
    caret = " " * (column - 1) + "^" * width
    assert errors == f"-p:1:{column}: error: {message}\n{pipeline}\n{caret}\n"
    assert (status, output) == (1, "")


def test_a_pipeline_stands_for_its_passes(tool, monkeypatch: pytest.MonkeyPatch):
    steps = (("canonicalize", "first"), ("dce", "a second time"))
    monkeypatch.setattr(opt, "PIPELINES", {"clean-up": steps})
    assert tool(ADD, "-p", "cse,clean-up") == tool(ADD, "-p", "cse,canonicalize,dce")
    assert tool(ADD, "-p", "clean-up{x=1}")[2].startswith(
        "-p:1:10: error: pipeline 'clean-up' has no option 'x'; its options: none\n"
    )
    assert "; did you mean 'clean-up'?" in tool(ADD, "-p", "clean-ups")[2]


def test_an_option_of_a_pipeline_is_that_of_its_passes(tool):
    program = """te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %0 = te.read %B[%n - 1 - %i] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<?xf32>
}
"""
    wide = tool(program, "-p", "te-to-memref{alignment=256}")
    assert "alignment = 256" in wide[1]
    steps = "storage-flatten{alignment=256},flatten-views,double-buffer,buffer-reuse"
    assert wide == tool(program, "-p", f"te-to-loops,{steps},check-memory,allocate-early")
    assert tool(program, "-p", "te-to-memref{alignmnet=256}")[2].startswith(
        "-p:1:14: error: pipeline 'te-to-memref' has no option 'alignmnet'; "
        "did you mean 'alignment'?\n"
    )
    assert tool(program, "-p", "te-to-memref{alignment=wide}")[2].startswith(
        "-p:1:14: error: option 'alignment' of pass 'storage-flatten' is int, not wide\n"
    )


# Mistakes that passes find


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (
            "at op",
            """\
in.mlir:2:8: error: test-refuse: no addition, please
  %0 = arith.addi %a, %a : i32
       ^
""",
        ),
        ("nowhere", "in.mlir:1:1: error: test-refuse: the schedule is refused\n"),
        ("upstream", "in.mlir:1:1: error: test-refuse: could not do it\n"),
        (
            "derived op",
            """\
in.mlir:1:1: error: the IR does not verify after test-refuse: operand 'lhs' at position 0 does not \
verify: Unexpected attribute i32
func.func @f(%a: i32) -> i32 {
^
""",
        ),
    ],
)
@pytest.mark.usefixtures("refusing_pass")
def test_pass_error(tool, how: str, error: str):
    assert tool(ADD, "-p", f'dce,test-refuse{{how="{how}"}},cse') == (1, "", error)


@pytest.mark.usefixtures("refusing_pass")
def test_a_fault_of_ours_is_a_traceback(tool):
    with pytest.raises(KeyError, match="our bug"):
        tool(ADD, "-p", 'test-refuse{how="our bug"}')


@pytest.mark.usefixtures("refusing_pass")
def test_reproducer(tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_REPRODUCER", str(tmp_path / "failed"))
    pipeline = 'dce,test-refuse{how="at op"},cse'
    _, _, errors = tool(ADD, "-p", pipeline)
    (file,) = (tmp_path / "failed").iterdir()
    assert errors.startswith(f"reproducer: {file}\n")
    run, text = file.read_text().split("\n", 1)
    assert run == "// RUN: teloom-opt %s -p 'dce,test-refuse{how=\"at op\"}'"
    _, _, again = tool(text, "-p", run.split("'")[1])
    assert again.split("\n")[1] == errors.split("\n")[1].replace("in.mlir:2:8", "in.mlir:3:10")
    assert len([*(tmp_path / "failed").iterdir()]) == 2


@pytest.mark.usefixtures("refusing_pass")
def test_a_reproducer_has_no_checks_of_the_test_that_it_is_from(tool, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("TELOOM_REPRODUCER", str(tmp_path))
    tool(
        f"// RUN: teloom-opt %s | filecheck %s\n// CHECK: add\n{ADD}",
        "-p",
        'test-refuse{how="at op"}',
    )
    text = (tmp_path / "test-refuse.mlir").read_text()
    assert text.count("RUN") == 1
    assert "CHECK" not in text


@pytest.mark.usefixtures("refusing_pass")
def test_a_reproducer_holds_what_options_say_of_the_program(tool, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("TELOOM_REPRODUCER", str(tmp_path))
    schedule = 'schedule.sequence @own on @other { %B = schedule.get "B" }'
    (tmp_path / "schedule.txt").write_text(schedule)
    text = """te.func @f(%A: tensor<4xf32>) -> (tensor<4xf32>) {
      %B = te.compute "B" (%i = 4) : tensor<4xf32> {
        %a = te.read %A[%i] : f32
        %s = arith.addf %a, %a : f32
        te.yield %s : f32
      }
      te.return %B : tensor<4xf32>
    }
    "own.op"() : () -> ()"""
    options = "--schedule", str(tmp_path / "schedule.txt"), "--cpu", "x86-64-v3"
    tool(text, *options, "--allow-unregistered-dialect", "-p", "expand-sequences{parameters=n}")
    run, text = (tmp_path / "expand-sequences.mlir").read_text().split("\n", 1)
    assert run.startswith("// RUN: teloom-opt %s --allow-unregistered-dialect -p ")
    assert '"cpu" = "x86-64-v3"' in text
    assert "schedule.sequence @own on @f" in text


def test_a_schedule_brings_its_memories(tool, tmp_path: Path):
    text = """te.func @f(%A: tensor<4xf32>) -> (tensor<4xf32>) {
      %B = te.compute "B" (%i = 4) : tensor<4xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<4xf32>
    }"""
    memory = 'loop.memory "global.vtcm" limit 64\n'
    (tmp_path / "schedule.txt").write_text(
        memory + 'schedule.sequence @s on @f { %B = schedule.get "B" }'
    )
    options = "--schedule", str(tmp_path / "schedule.txt")
    assert 'loop.memory "global.vtcm" limit 64' in tool(text, *options)[1]
    assert 'declares the memory "global.vtcm" again' in tool(memory + text, *options)[2]


def test_several_lists_of_passes_are_one(tool):
    both = tool(ADD, "-p", "cse", "-p", "dce,canonicalize")
    assert both == tool(ADD, "-p", "cse,dce,canonicalize")


def test_passes_are_no_options(tool):
    with pytest.raises(SystemExit, match="--te-to-loops; passes are named by -p, as in -p te-to-"):
        tool(ADD, "--te-to-loops")


@pytest.mark.usefixtures("refusing_pass")
def test_a_reproducer_that_cannot_be_written_hides_no_refusal(tool, tmp_path: Path, monkeypatch):
    pipeline = 'test-refuse{how="at op"}'
    refused = tool(ADD, "-p", pipeline)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TELOOM_REPRODUCER", str(tmp_path / "file"))
    status, output, errors = tool(ADD, "-p", pipeline)
    told, _, refusal = errors.partition("\n")
    assert (status, output, refusal) == refused
    assert re.fullmatch(rf"reproducer: .*\.mlir, as {tmp_path}/file cannot be written to: .+", told)


@pytest.mark.parametrize("name", ["te.func", "func.func", "llvm.func"])
def test_a_function_without_a_region(tool, name: str):
    status, output, errors = tool(f'"{name}"() : () -> ()')
    assert (status, output) == (1, "")
    assert errors.startswith("in.mlir:1:1: error: expected 1 region, but got 0")


# Diagnostics that are expected


@pytest.mark.usefixtures("refusing_pass")
def test_what_has_no_place_is_expected_nowhere(tool):
    options = ("--verify-diagnostics", "-p", 'test-refuse{how="nowhere"}')
    words = "test-refuse: the schedule is refused"
    assert tool(f"// expected-error@unknown {{{{{words}}}}}\n{ADD}", *options) == (0, "", "")
    told = f"in.mlir:1:1: error: unexpected error: {words}\n"
    assert tool(ADD, *options) == (1, "", told)
    missing = f'in.mlir:1:4: error: expected error "{words}" was not produced\n'
    text = f"// expected-error {{{{{words}}}}}\n{ADD}"
    assert tool(text, *options) == (1, "", told + missing)


def test_a_misspelt_expectation_is_no_comment(tool):
    _, _, errors = tool(f"// expected-eror@+1 {{{{words}}}}\n{ADD}", "--verify-diagnostics")
    assert errors.startswith("in.mlir:1:4: error: expected-eror@+1 is not of the form expected-")
    assert tool(f"// expected-ly {{x}}, {{{{y}}}}\n{ADD}", "--verify-diagnostics")[0] == 0


def test_no_line_is_above_the_first(tool):
    _, _, errors = tool(f"// expected-error@above {{{{words}}}}\n{ADD}", "--verify-diagnostics")
    assert errors.startswith("in.mlir:1:4: error: there is no line above this one\n")


def test_mistakes_outside_of_the_text_cannot_be_expected(tool):
    text = f"// expected-error@unknown {{{{no pass named}}}}\n{ADD}"
    assert tool(text, "--verify-diagnostics", "-p", "none-such")[0] == 1


# What TELOOM_DEBUG asks for


@pytest.mark.parametrize(
    ("level", "shown", "hidden"),
    [
        ("0", [], ["ms"]),
        ("1", ["cse: ", "lower-to-llvm: ", " ms\n"], ["llvm.func"]),
        ("2", ["cse: ", "llvm.func"], ["define"]),
        ("3", ["llvm.func", "define"], [".text"]),
        ("4", ["llvm.func", "define", ".text"], []),
    ],
)
def test_the_debug_ladder(tool, monkeypatch: pytest.MonkeyPatch, level, shown, hidden):
    text = "func.func @f(%n: index) {\n  func.return\n}\n"
    monkeypatch.setenv("TELOOM_DEBUG", level)
    status, output, errors = tool(text, "-p", "cse,lower-to-llvm")
    assert status == 0
    assert output.count("llvm.func") == 1
    assert all(words in errors for words in shown)
    assert not any(words in errors for words in hidden)
    # `cse` changes nothing.
    assert "func.func" not in errors


def test_the_debug_ladder_has_an_end(tool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_DEBUG", "5")
    words = "teloom-opt: error: TELOOM_DEBUG is '5'; it must be 0, 1, 2, 3 or 4\n"
    assert tool(ADD, "-p", "cse") == (1, "", words)


# Plugins


def universe_with(**wrong: object) -> Universe:
    """A universe that has these attributes, whatever they are."""
    universe = Universe()
    vars(universe).update(wrong)
    return universe


@pytest.mark.parametrize(
    ("loaded", "reason"),
    [
        (ModuleNotFoundError("No module named 'gone'"), "ModuleNotFoundError: No module named"),
        (SystemExit(0), "SystemExit: 0\n"),
        (SystemExit("no licence"), "SystemExit: no licence\n"),
        (3, "broken.universe:X is a int, not a Universe"),
        (universe_with(all_passes=["dce"]), "its all_passes is a list, not a dict of factories\n"),
        (universe_with(all_targets=3), "its all_targets is a int, not a dict of factories\n"),
        (Universe(all_passes={"dce": lambda: RefusePass}), "dce of its all_passes exists already"),
        (
            Universe(all_passes={"te-to-llvm": lambda: RefusePass}),
            "te-to-llvm of its all_passes exists already",
        ),
    ],
)
def test_a_broken_plugin_is_left_out(tool, plugins, loaded: object, reason: str):
    plugins(broken=loaded, works=Universe(all_passes={"test-refuse": lambda: RefusePass}))
    status, output, errors = tool(ADD, "-p", "dce")
    assert status == 0
    assert output
    assert errors.startswith(f"warning: plugin broken is left out: {reason}")
    assert errors.count("\n") == 1
    assert "no pass named" not in tool(ADD, "-p", "test-refuse")[2]


def raising(error: BaseException):
    """A factory that raises this."""

    def factory() -> NoReturn:
        raise error

    return factory


FACTORIES = [
    (raising(ModuleNotFoundError("No module named 'gone'")), "raises ModuleNotFoundError: No mod"),
    (raising(SystemExit(3)), "raises SystemExit: 3"),
    (lambda: None, "gives None, not a "),
    (42, "raises TypeError: 'int' object is not callable"),
]


@pytest.mark.parametrize(
    ("factory", "did"), [*FACTORIES, (lambda: int, "gives <class 'int'>, not")]
)
def test_a_factory_that_gives_no_pass(tool, plugins, factory, did: str):
    plugins(broken=universe_with(all_passes={"faulty": factory}))
    status, output, errors = tool(ADD, "-p", "dce,faulty")
    assert (status, output) == (1, "")
    assert errors.startswith(f"-p:1:5: error: pass 'faulty' cannot be loaded: its factory {did}")
    assert errors.endswith("\ndce,faulty\n    ^^^^^^\n")
    assert tool(ADD, "-p", "dce")[0] == 0


@pytest.mark.parametrize(("factory", "did"), FACTORIES)
@pytest.mark.parametrize("text", ["faulty.op\n", "func.func private @f(!faulty.type)\n"])
def test_a_factory_that_gives_no_dialect(tool, plugins, text: str, factory, did: str):
    plugins(broken=universe_with(all_dialects={"faulty": factory}))
    status, output, errors = tool(text)
    assert (status, output) == (1, "")
    where = f"in.mlir:1:{text.replace('!', '').index('faulty') + 1}: error: "
    assert errors.startswith(f"{where}dialect 'faulty' cannot be loaded: its factory {did}")
    assert errors.count("\n") == 3
    assert tool(ADD)[0] == 0


def test_the_user_stops_the_import_of_a_plugin(tool, plugins):
    plugins(slow=KeyboardInterrupt())
    assert tool(ADD, "-p", "dce") == (INTERRUPTED, "", "")


# Files and arguments


def test_unreadable_input(tool, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "latin.mlir").write_bytes(b"// fine\n// caf\xe9\n")
    errors = {
        "gone.mlir": "gone.mlir:1:1: error: cannot be read: No such file or directory\n",
        str(tmp_path): f"{tmp_path}:1:1: error: cannot be read: Is a directory\n",
        "latin.mlir": "latin.mlir:2:1: error: not UTF-8 text\n",
    }
    for name, error in errors.items():
        assert opt.main([name]) == 1
        assert capsys.readouterr() == ("", error)


def test_a_byte_order_mark_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "marked.mlir"
    file.write_bytes(ADD.encode("utf-8-sig"))
    assert opt.main([str(file)]) == 0
    assert "arith.addi" in capsys.readouterr().out


def test_what_is_printed_between_passes_is_not_the_result(tool):
    _, plain, _ = tool(ADD, "-p", "cse,dce")
    status, output, errors = tool(ADD, "-p", "cse,dce", "--print-between-passes")
    assert (status, output) == (0, plain)
    assert errors.startswith("IR after cse:\n")


def test_functions_of_machine_code_name_their_values_themselves(tool):
    one = """llvm.func @one(%A: !llvm.ptr) -> !llvm.ptr {
      llvm.return %A : !llvm.ptr
    }
    """
    _, text, _ = tool(one + one.replace("@one", "@two"))
    assert "llvm.func @two(%A: " in text
    assert tool(text) == (0, text, "")


def test_unwritable_output(tool):
    assert tool(ADD, "-o", "gone/out.mlir") == (
        1,
        "",
        "gone/out.mlir:1:1: error: cannot be written: No such file or directory\n",
    )


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n  hello\n")))
    assert opt.main([]) == 1
    expected = "stdin:2:3: error: no operation named 'hello'\n  hello\n  ^^^^^\n"
    assert capsys.readouterr().err == expected


def test_empty_input_is_an_empty_module(tool):
    assert tool("// nothing\n") == (0, "builtin.module {\n}\n", "")


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        (
            "--splt-input-file",
            "unrecognized arguments: --splt-input-file; did you mean '--split",
        ),
        ("--target=what", "argument -t/--target: invalid choice: 'what' (choose from "),
    ],
)
def test_argument_error(tool, argument: str, error: str):
    with pytest.raises(SystemExit) as exit:
        tool(ADD, argument)
    assert str(exit.value).startswith(f"teloom-opt: error: {error}")
    assert "\n" not in str(exit.value)


def test_help_names_every_pipeline_and_pass_of_ours(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        opt.main(["--help"])
    text = capsys.readouterr().out
    for name in (*PIPELINES, *get_all_passes()):
        assert re.search(rf"[ \n]{name}[,\n]", text)


def test_closed_input(tool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys, "stdin", None)  # so Python begins where the shell closed it
    assert opt.main([]) == 1
    assert capsys.readouterr() == ("", "stdin:1:1: error: cannot be read: it is closed\n")


FULL = "teloom-opt: error: the output cannot be written: No space left on device\n"


def test_full_output(tool):
    assert tool(ADD, "-o", "/dev/full") == (1, "", FULL)


# The installed program


def program(line: str) -> subprocess.CompletedProcess[str]:
    """Runs the installed program in a line of the shell that begins with it.

    `opt-installed.mlir` shows what it prints.
    """
    line = f"{Path(sys.executable).parent / 'teloom-opt'} {line}"
    return subprocess.run(["bash", "-c", line], input=ADD, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("redirection", "error"),
    [
        ("> /dev/full", FULL),
        (
            ">&-",
            "teloom-opt: error: standard output is closed; -o FILE says where the result goes\n",
        ),
    ],
)
def test_program_without_a_place_for_its_output(redirection: str, error: str):
    done = program(redirection)
    assert (done.returncode, done.stderr) == (1, error)


def test_program_whose_reader_left():
    assert program("-p canonicalize | true").stderr == ""
