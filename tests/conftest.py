"""What tests share: every program is checked as it runs, and IR is a value to compare."""

import os

import pytest
from unchecked import is_unchecked
from xdsl.context import Context

from teloom.backend.call.kernel import Kernel
from teloom.driver.registry import load_universe
from teloom.switches import sanitizer

os.environ.setdefault("TELOOM_SANITIZE", "memory")


@pytest.fixture(autouse=True)
def every_call_is_checked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """A test fails that calls a program without a check, unless it is in `unchecked.py`."""
    if is_unchecked(request.node.nodeid):
        monkeypatch.setenv("TELOOM_SANITIZE", "")
    if sanitizer(None) is None:
        return
    call = Kernel.__call__

    def checked_call(kernel: Kernel, *values: object) -> None:
        assert kernel.check is not None, f"{kernel} runs without a check; see tests/unchecked.py"
        call(kernel, *values)

    monkeypatch.setattr(Kernel, "__call__", checked_call)


VERIFIED = ("driver", "programs", "examples")
"""The folders of tests whose programs are verified after every pass."""


@pytest.fixture(autouse=True)
def every_pass_is_verified(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Where `VERIFIED` says so, a test fails if a pass leaves IR that does not verify."""
    if request.node.nodeid.split("/")[1] in VERIFIED:
        monkeypatch.setenv("TELOOM_VERIFY", "1")


@pytest.fixture
def ctx() -> Context:
    """A context that knows every dialect that `teloom-opt` knows."""
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context
