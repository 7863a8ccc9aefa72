"""A plugin of pytest that keeps the text of every program that a test lowers."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from replay.corpus import COLLECT

from teloom.frontend.call import build

PER_TEST = 20
"""Programs of one test that are kept: some make hundreds at random, much alike."""


def pytest_configure(config: pytest.Config) -> None:
    """Puts the keeping before the lowering."""
    lower = build.lower_module
    file = Path(os.environ[COLLECT]) / f"{os.getpid()}.jsonl"
    kept: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()

    def lower_module(module, first, last, context, reporting, options):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        text = str(module)
        if test and first == "schedule" and kept[test] < PER_TEST and (test, text) not in seen:
            seen.add((test, text))
            kept[test] += 1
            given = {name: dict(each) for name, each in options.items()}
            with file.open("a") as out:
                print(json.dumps([f"{test} #{kept[test]}", text, given, []]), file=out)
        lower(module, first, last, context, reporting, options)

    build.lower_module = lower_module
