"""A short run of the soak, and what it says of pairs that are at fault."""

import ctypes
import faulthandler
import os
import signal
from collections import Counter
from subprocess import CompletedProcess

import pytest
from budget import EXAMPLES
from soak.careless import Careless, check_careless
from soak.command import main, share_accepted
from soak.families import FAMILIES, Family
from soak.refusals import ILLEGAL, LEGAL, UNSAID
from soak.runner import FAULTS, RUN, outcome, outcomes

from teloom.driver.runner import NotVerifiedError
from teloom.errors import PassError

PAIRS = EXAMPLES


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
def test_attached_stages():
    found = [outcome(FAMILIES["attach"], seed) for seed in range(PAIRS)]
    assert {one.kind for one in found} == {"run"}, [one for one in found if one.kind != "run"]


def check(pair: int) -> None:
    """A pair of every kind, by its number."""
    faulthandler.disable()  # pytest's would print what is expected
    match pair:
        case 1:
            raise PassError("this is refused")
        case 2:
            raise AssertionError("this is wrong")
        case 3:
            os.kill(os.getpid(), signal.SIGFPE)
        case 4:
            ctypes.CDLL(None).abort()
        case 5:
            while True:
                pass
        case 6:
            raise NotVerifiedError("this does not verify")


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> Family:
    family = Family(int, check, "pair {}".format)
    monkeypatch.setitem(FAMILIES, "attach", family)
    return family


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_pair_that_ends_its_process_does_not_end_the_run(family: Family, jobs: int):
    found = {one.seed: one for one in outcomes(family, range(7), jobs, seconds=0.2)}
    kinds = [found[seed].kind for seed in range(7)]
    assert kinds == ["run", "refused", "wrong", "crashed", "crashed", "hung", "wrong"]
    assert found[1].reason == "this is refused"
    assert "AssertionError: this is wrong" in found[2].reason
    assert found[3].reason == f"exit code {-signal.SIGFPE}"
    assert "NotVerifiedError: this does not verify" in found[6].reason


def test_what_a_run_prints(family: Family, capsys: pytest.CaptureFixture):
    asked = ["--family", "attach", "--pairs", "3", "--refusals"]
    assert main(asked) == 1
    said = capsys.readouterr().out
    assert "--family attach --seed 2 --pairs 1: wrong\n" in said
    assert "AssertionError: this is wrong\n\npair 2\n" in said
    assert "1 times: this is refused\n" in said
    assert "attach: 1 run, 1 refused, 1 wrong, 0 crashed, 0 hung; " in said
    assert main(["--family", "attach", "--pairs", "2"]) == 0


def test_all_cases_of_all_tests(monkeypatch: pytest.MonkeyPatch):
    commands: list[tuple[list[str], dict[str, str]]] = []

    def run(command: list[str], env: dict[str, str]) -> CompletedProcess[bytes]:
        commands.append((command, env))
        return CompletedProcess(command, 3)

    monkeypatch.setattr("subprocess.run", run)
    assert main(["--tests", "--pairs", "500", "--jobs", "2"]) == 3
    ((command, environment),) = commands
    assert command[1:] == ["-m", "pytest", "-n", "2"]
    assert environment["TELOOM_TESTS"] == "all"
    assert environment["TELOOM_EXAMPLES"] == "500"


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
def test_commands_without_care():
    """What is accepted is right, and most of what may be legal is accepted."""
    found = Counter(outcome(FAMILIES["careless"], seed).kind for seed in range(PAIRS))
    assert not found.keys() & {*FAULTS}, found
    assert found[RUN] >= 0.6 * (PAIRS - found[ILLEGAL]), found


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
def test_verdicts_on_refusals():
    """The oracle tells a fold that is too small from one that would do."""
    program = """te.func @f(%A: tensor<4xi64>[4]) -> (tensor<4xi64>) {
  %B = te.compute "B" (%b = 4) : tensor<4xi64> {
    %r = te.read %A[%b] : i64
    te.yield %r : i64
  }
  %C = te.compute "C" (%c = 4) : tensor<4xi64> {
    %r = te.read %B[%c] : i64
    te.yield %r : i64
  }
  te.return %C : tensor<4xi64>
}"""
    named = '%B = schedule.get "B"', "%b = schedule.axes 1 of %B"
    for factor, kind in ((3, ILLEGAL), (4, RUN)):
        pair = Careless(program, (*named, f"schedule.fold_storage %b factor {factor}"))
        family = Family(lambda _, pair=pair: pair, check_careless, str)
        assert outcome(family, 0).kind == kind
    pair = Careless(program, (*named, "schedule.fuse %b"))
    assert outcome(Family(lambda _: pair, check_careless, str), 0).kind == RUN
    pair = Careless(program, ('%C = schedule.get "C"', "schedule.compute_inline %C"))
    assert outcome(Family(lambda _: pair, check_careless, str), 0).kind == UNSAID


def test_the_share_that_is_accepted():
    said = share_accepted({RUN: 3, LEGAL: 1, ILLEGAL: 7, UNSAID: 4})
    assert "of 4 legal ones 75% are accepted" in said
    assert "of 8, should all without a text be legal, 38%" in said
    assert "of 0 legal ones 0%" in share_accepted(Counter({ILLEGAL: 1}))
