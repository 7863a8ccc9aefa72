"""What tests share: IR as a value to compare."""

import pytest
from xdsl.context import Context

from teloom.tools.registry import load_universe


@pytest.fixture
def ctx() -> Context:
    """A context that knows every dialect that `teloom-opt` knows."""
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context
