"""The line that shows on a terminal how far a long compilation is."""

import io
import sys

import pytest

import teloom
from teloom import progress, te


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def chain() -> tuple[te.Schedule, list[te.Tensor]]:
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1, name="B")
    C = te.compute((4,), lambda i: B[i] + 1, name="C")
    return te.create_schedule(C), [A, C]


def shown(patience: float, wrong: bool = False) -> str:
    """What a compilation writes on a terminal that shows it from so many seconds on."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TELOOM_CACHE", "0")
        patched.setattr(progress, "PATIENCE", patience)
        patched.setattr(progress, "INTERVAL", 0.0)
        patched.setattr(sys, "stderr", terminal := Terminal())
        if wrong:
            A = te.placeholder((4,), name="A")
            B = te.compute((4,), lambda i: A[i + 1], name="B")
            with pytest.raises(teloom.Error):
                teloom.build(te.create_schedule(B), [A, B])
        else:
            teloom.build(*chain())
        return terminal.getvalue()


def test_what_takes_long_is_shown_and_then_gone():
    text = shown(0.0)
    half = "#" * (progress.WIDTH // 2)
    for line in (f"infer-bounds     [{half}", "LLVM codegen     [", "] 2 of 4"):
        assert line in text
    assert text.endswith("\r\x1b[K")
    assert shown(0.0, wrong=True).endswith("\r\x1b[K")


def test_what_is_quick_is_silent():
    assert not shown(1000.0)


def test_without_a_terminal_all_is_silent(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    teloom.build(*chain())
    assert not capsys.readouterr().err
