"""Tests of the backend compile, whatever an earlier run has left in the cache."""

import numpy as np
import pytest

import teloom
from teloom.backend.call import workspace


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_CACHE", "0")


@pytest.fixture(autouse=True)
def quiet_overflow():
    """References overflow and meet NaN on purpose."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def empty_workspace():
    """Nothing is in the workspace of this thread, before or after."""
    teloom.release_workspace()
    yield
    assert workspace._mine.workspace.record.used == 0
    teloom.release_workspace()
