"""What is said of passes that run, and of one that leaves IR that does not verify."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import arith, builtin, cf, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

import teloom
from teloom import te
from teloom.driver import runner
from teloom.driver.runner import NotVerifiedError, Runner, contents, verify
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


def test_what_no_pass_has_changed_is_verified_once(monkeypatch: pytest.MonkeyPatch):
    times: list[str] = []
    monkeypatch.setattr(runner, "verify", lambda module, when: times.append(when))
    run(NothingPass(), NothingPass(), AddPass(), NothingPass(), SwapPass(), verifying=True)
    assert times == [
        f"the IR does not verify after {name}: " for name in ("nothing", "add", "swap")
    ]


BLOCKS = """
func.func @f(%a: i32, %b: i32) {
  cf.br ^left
^left:
  %s = arith.addi %a, %b : i32
  cf.br ^right
^right:
  func.return
}
"""


def change_an_operand(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    add.operands[0] = f.args[1]


def change_a_type(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    Rewriter.replace_value_with_new_type(add.result, builtin.i64)


def change_the_type_of_an_argument(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    Rewriter.replace_value_with_new_type(f.args[0], builtin.i64)


def change_a_property(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    f.sym_name = builtin.StringAttr("g")


def add_an_attribute(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    add.attributes["said"] = builtin.UnitAttr()


def change_a_successor(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    br.successors = [f.body.blocks[1]]


def move_an_op(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    add.detach()
    f.body.blocks[2].insert_op_before(add, f.body.blocks[2].first_op)


def add_a_block(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    f.body.add_block(Block())


def add_a_region(f: func.FuncOp, add: arith.AddiOp, br: cf.BranchOp):
    add.add_region(Region())


@pytest.mark.parametrize(
    "change",
    [
        change_an_operand,
        change_a_type,
        change_the_type_of_an_argument,
        change_a_property,
        add_an_attribute,
        change_a_successor,
        move_an_op,
        add_a_block,
        add_a_region,
    ],
)
def test_no_change_is_missed(change: Callable[[func.FuncOp, arith.AddiOp, cf.BranchOp], None]):
    module = parse(BLOCKS)
    before = contents(module)
    assert contents(module) == before
    f = module.body.block.first_op
    assert isinstance(f, func.FuncOp)
    add, br = f.body.blocks[1].ops
    change(f, add, br)
    assert contents(module) != before


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


@dataclass(frozen=True)
class MixTypesPass(ModulePass):
    """Gives an addition operands of two types."""

    name = "mix-types"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        add = next(one for one in op.walk() if isinstance(one, arith.AddfOp))
        other = arith.ConstantOp(builtin.FloatAttr(1.0, 64))
        Rewriter.insert_op(other, InsertPoint.before(add))
        add.operands[1] = other.result


@dataclass(frozen=True)
class LatePass(ModulePass):
    """Puts what an addition adds behind it."""

    name = "late"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        add = next(one for one in op.walk() if isinstance(one, arith.AddfOp))
        added = add.lhs.owner
        assert isinstance(added, Operation)
        added.detach()
        Rewriter.insert_op(added, InsertPoint.after(add))


@dataclass(frozen=True)
class RenamePass(ModulePass):
    """Renames all functions, or removes them."""

    name = "rename"
    new: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [*op.ops]:
            function.properties["sym_name"] = builtin.StringAttr(self.new)
            if not self.new:
                Rewriter.erase_op(function)


def plus_one():
    A = te.placeholder((4,), name="A")
    C = te.compute((4,), lambda i: A[i] + 1, name="C")
    return te.create_schedule(C), [A, C]


@pytest.mark.parametrize("level", ["loop", "memref", "standard"])
@pytest.mark.parametrize("kind", [LatePass, MixTypesPass])
def test_the_users_passes_are_verified_where_they_run(
    level: str, kind: type[ModulePass], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TELOOM_VERIFY", "0")
    words = f"the IR does not verify after {kind.name}: "
    s, args = plus_one()
    for make in (
        lambda: teloom.lower(s, args, level="llvm", passes={level: kind}),
        lambda: teloom.build(s, args, passes={level: ["cse", kind, "cse"]}),
        lambda: teloom.compile(teloom.lower(s, args), passes={level: kind()}),
    ):
        with pytest.raises(teloom.PassError, match=words):
            make()


class EndPass(ModulePass):
    name = "end"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise SystemExit(3)


def test_a_pass_that_ends_the_process_is_refused():
    s, args = plus_one()
    with pytest.raises(teloom.PassError, match=r"^pass end ends the process: SystemExit: 3$"):
        teloom.build(s, args, passes={"loop": EndPass})


def test_only_the_users_passes_are_verified(monkeypatch: pytest.MonkeyPatch):
    times: list[str] = []
    monkeypatch.setattr(runner, "verify", lambda module, when: times.append(when))
    monkeypatch.setenv("TELOOM_SANITIZE", "")
    monkeypatch.setenv("TELOOM_VERIFY", "0")
    s, args = plus_one()
    teloom.build(s, args)
    assert times == []
    teloom.build(s, args, passes={"loop": [NothingPass, AddPass], "standard": "cse"})
    assert times == [f"the IR does not verify after {name}: " for name in ("nothing", "add", "cse")]


@pytest.mark.parametrize("sanitize", [None, "memory"])
@pytest.mark.parametrize("level", ["te", "schedule", "loop", "memref", "standard", "llvm"])
def test_the_users_passes_keep_the_function_that_is_built(
    level: str, sanitize: str | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TELOOM_VERIFY", "0")
    s, args = plus_one()
    for step, left in (
        (RenamePass("other"), "; there are: other"),
        (RenamePass(), "; there are: none"),
    ):
        with pytest.raises(teloom.Error, match=f"function f is gone after rename{left}$"):
            teloom.build(s, args, name="f", passes={level: step}, sanitize=sanitize)
