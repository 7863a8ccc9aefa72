"""What tests share: every program is checked as it runs, and IR is a value to compare."""

import gc
import os
import tempfile
from typing import Any

import pytest
from budget import EXAMPLES
from hypothesis import settings
from unchecked import is_unchecked
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Signature
from teloom.backend.call.kernel import Kernel
from teloom.driver import compilation
from teloom.driver.compilation import checked_code
from teloom.driver.lowering import Lowering
from teloom.driver.registry import load_universe
from teloom.switches import sanitizer

os.environ.setdefault("TELOOM_SANITIZE", "memory")

# Rules write schedules for the threads that there are: for as many on all machines.
os.environ.setdefault("TELOOM_NUM_THREADS", "2")

# Without bytecode, each of the processes that tests start compiles half a thousand modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Tests find the code that others compiled, also where it is not kept for the user.
os.environ.pop("TELOOM_CACHE", None)

if "TELOOM_CACHE_DIR" not in os.environ:
    # One for all processes of a run: each program is compiled once, and the user's stays as it is.
    CACHE = tempfile.TemporaryDirectory(prefix="teloom-tests-")
    os.environ["TELOOM_CACHE_DIR"] = CACHE.name

settings.register_profile(
    "short", max_examples=EXAMPLES, derandomize=True, database=None, deadline=None
)
settings.register_profile("long", max_examples=EXAMPLES, deadline=None, print_blob=True)
settings.load_profile("long" if "TELOOM_EXAMPLES" in os.environ else "short")


def pytest_collection_finish():
    """No collection of garbage looks again through what all tests share."""
    gc.freeze()


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


VERIFIED = ("driver/", "programs/", "examples/", "backend/test_memory_check.py")
"""The tests whose programs are verified after every pass, by the beginnings of their names."""

UNVERIFIED = ("test_sizes_known", "test_64", "test_128", "test_photograph", "test_512x1024")
"""Tests in there of programs that another test verifies, with variables for their sizes."""

ALONE = ("programs/", "examples/")
"""Programs in there are verified without the code that checks them, which takes twice as long.

A `test_every_pass_alone_on_text`, where they have one, verifies that, too.
"""


@pytest.fixture(autouse=True)
def every_pass_is_verified(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Where `VERIFIED` says so, a test fails if a pass leaves IR that does not verify."""
    name = request.node.nodeid.removeprefix("tests/")
    if not name.startswith(VERIFIED) or request.node.originalname in UNVERIFIED:
        return
    monkeypatch.setenv("TELOOM_VERIFY", "1")
    if name.startswith(ALONE):
        monkeypatch.setattr(compilation, "checked_code", unverified_check)


def unverified_check(module: ModuleOp, signature: Signature, lowering: Lowering, *more: Any):
    """`checked_code`, without verification after its passes."""
    lowering.runner.verifying = False
    return checked_code(module, signature, lowering, *more)


@pytest.fixture
def ctx() -> Context:
    """A context that knows every dialect that `teloom-opt` knows."""
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context
