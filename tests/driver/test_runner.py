"""What is said of passes that run, and of one that leaves IR that does not verify."""

from dataclasses import dataclass

import pytest
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import teloom
from teloom import te
from teloom.driver.runner import NotVerifiedError, Runner, verify
from teloom.errors import Error, PassError

TEXT = """
func.func @f(%a: i32) -> i32 {
  %w = arith.addi %a, %a : i32
  %x = arith.muli %w, %a : i32
  func.return %x : i32
}
"""


@dataclass(frozen=True)
class SwapPass(ModulePass):
    """Puts the first op of a function before the last."""

    name = "swap"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = next(one for one in op.walk() if isinstance(one, func.FuncOp)).body.block
        first = block.first_op
        assert first is not None
        assert block.last_op is not None
        first.detach()
        block.insert_op_before(first, block.last_op)


@dataclass(frozen=True)
class AddPass(ModulePass):
    """Adds a constant that nothing uses."""

    name = "add"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = next(one for one in op.walk() if isinstance(one, func.FuncOp))
        function.body.block.insert_op_before(
            arith.ConstantOp.from_int_and_width(7, 32), function.body.block.first_op
        )


@dataclass(frozen=True)
class NothingPass(ModulePass):
    """Changes nothing."""

    name = "nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


def run(*passes: ModulePass, verifying: bool = False) -> ModuleOp:
    module = parse(TEXT)
    Runner(Context(), lambda error, name: error, lambda: TEXT, verifying).run(module, passes)
    return module


def test_a_use_before_its_definition_does_not_verify():
    module = parse(TEXT)
    verify(module)
    SwapPass().apply(Context(), module)
    with pytest.raises(NotVerifiedError, match=r"^here: arith.muli uses %w, which is not"):
        verify(module, "here: ")


def test_the_pass_is_named_that_leaves_wrong_ir(monkeypatch: pytest.MonkeyPatch):
    words = "the IR does not verify after swap: "
    with pytest.raises(PassError, match=words):
        run(SwapPass(), verifying=True)
    monkeypatch.setenv("TELOOM_VERIFY", "1")
    with pytest.raises(PassError, match=words):
        run(SwapPass())
    monkeypatch.setenv("TELOOM_VERIFY", "0")
    run(SwapPass())


@pytest.mark.parametrize(
    ("asked", "shown", "hidden"),
    [
        ("before", ["IR before nothing:\nbuiltin.module", "IR before add:"], ["constant"]),
        ("after", ["IR after nothing:\nbuiltin.module", "IR after add:", "constant"], []),
        ("changed", ["IR after add:\nbuiltin.module", "constant"], ["nothing"]),
        ("diff", ["+++ after add\n", "\n+    %0 = arith.constant 7 : i32"], ["nothing"]),
        ("", [], ["add"]),
    ],
)
def test_what_is_printed(asked, shown, hidden, monkeypatch, capsys):
    monkeypatch.setenv("TELOOM_PRINT", asked)
    run(NothingPass(), AddPass())
    said = capsys.readouterr().err
    assert all(words in said for words in shown)
    assert not any(words in said for words in hidden)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("TELOOM_PRINT", "chnged", "'chnged'; it may have before, after, changed, diff, with "),
        ("TELOOM_VERIFY", "yes", "TELOOM_VERIFY is 'yes'; it must be 0 or 1"),
    ],
)
def test_wrong_switches(variable, value, words, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(Error, match=words):
        run(NothingPass())


def test_the_users_passes_are_verified_where_they_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_VERIFY", "1")
    A = te.placeholder((4,), name="A")
    C = te.compute((4,), lambda i: A[i] + 1, name="C")
    with pytest.raises(teloom.PassError, match="the IR does not verify after swap: "):
        teloom.lower(te.create_schedule(C), [A, C], passes={"loop": [SwapPass]})
