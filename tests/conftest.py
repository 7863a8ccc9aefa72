"""What tests share: every program is checked as it runs, and IR is a value to compare."""

import os

import pytest
from xdsl.context import Context

from teloom.tools.registry import load_universe

os.environ.setdefault("TELOOM_SANITIZE", "memory")


@pytest.fixture
def ctx() -> Context:
    """A context that knows every dialect that `teloom-opt` knows."""
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context
