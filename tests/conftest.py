"""What tests share: every program is checked as it runs, and IR is a value to compare."""

import os
import tempfile

import pytest
from budget import EXAMPLES
from hypothesis import settings
from unchecked import is_unchecked
from xdsl.context import Context

from teloom.backend.call.kernel import Kernel
from teloom.driver.registry import load_universe
from teloom.switches import sanitizer

os.environ.setdefault("TELOOM_SANITIZE", "memory")

if "TELOOM_CACHE_DIR" not in os.environ:
    # One for all processes of a run: each program is compiled once, and the user's stays as it is.
    CACHE = tempfile.TemporaryDirectory(prefix="teloom-tests-")
    os.environ["TELOOM_CACHE_DIR"] = CACHE.name

settings.register_profile(
    "short", max_examples=EXAMPLES, derandomize=True, database=None, deadline=None
)
settings.register_profile("long", max_examples=EXAMPLES, deadline=None, print_blob=True)
settings.load_profile("long" if "TELOOM_EXAMPLES" in os.environ else "short")


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

UNVERIFIED = ("test_sizes_known", "test_64", "test_256", "test_photograph", "test_4096x1024")
"""Tests in there of programs that another test verifies, with variables for their sizes."""


@pytest.fixture(autouse=True)
def every_pass_is_verified(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Where `VERIFIED` says so, a test fails if a pass leaves IR that does not verify."""
    name = request.node.originalname
    if request.node.nodeid.split("/")[1] in VERIFIED and name not in UNVERIFIED:
        monkeypatch.setenv("TELOOM_VERIFY", "1")


@pytest.fixture
def ctx() -> Context:
    """A context that knows every dialect that `teloom-opt` knows."""
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context
