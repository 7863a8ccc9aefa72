"""Tests of the backend compile, whatever an earlier run has left in the cache."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_CACHE", "0")


@pytest.fixture(autouse=True)
def quiet_overflow():
    """References overflow and meet NaN on purpose."""
    with np.errstate(all="ignore"):
        yield
