"""The arguments of `python -m tests.soak`, and what it prints."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence

from soak.families import FAMILIES
from soak.refusals import ILLEGAL, LEGAL, REFUSALS, UNSAID
from soak.runner import FAULTS, REFUSED, RUN, outcomes

MOST_REFUSALS = 10


def main(arguments: Sequence[str]) -> int:
    """Runs pairs of the families asked for; 1 if one of them is at fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    add = parser.add_argument
    add("--family", action="append", choices=FAMILIES, help="all of them, without one")
    add("--pairs", type=int, default=1000, help="of each family")
    add("--seed", type=int, default=0, help="the number of the first pair")
    add("--jobs", type=int, default=1, help="processes")
    add("--seconds", type=float, default=30, help="of CPU time; a pair that takes more hangs")
    add("--refusals", action="store_true", help="print why pairs were refused")
    add("--tests", action="store_true", help="all cases of the tests instead; pairs are examples")
    asked = parser.parse_args(arguments)
    if asked.tests:
        return run_tests(asked.pairs, asked.jobs)
    os.environ.setdefault("TELOOM_SANITIZE", "memory")
    families = asked.family or list(FAMILIES)
    seeds = range(asked.seed, asked.seed + asked.pairs)
    faults = [soak(family, seeds, asked) for family in families]
    return 1 if any(faults) else 0


def run_tests(examples: int, jobs: int) -> int:
    """Runs every case of every test, with so many examples of a property; the exit code."""
    environment = os.environ | {"TELOOM_TESTS": "all", "TELOOM_EXAMPLES": str(examples)}
    command = [sys.executable, "-m", "pytest", "-n", str(jobs)]
    return subprocess.run(command, env=environment).returncode


def soak(family: str, seeds: range, asked: argparse.Namespace) -> int:
    """Runs pairs of a family, prints each that is at fault and a line of counts; their number."""
    start = time.monotonic()
    kinds: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    make, _, text = FAMILIES[family]
    for found in outcomes(FAMILIES[family], seeds, asked.jobs, asked.seconds):
        kinds[found.kind] += 1
        if found.kind in FAULTS:
            again = f"--family {family} --seed {found.seed} --pairs 1"
            print(f"{again}: {found.kind}\n{found.reason}\n{text(make(found.seed))}", flush=True)
        elif found.kind != RUN:
            refusals[found.reason] += 1
    if asked.refusals:
        for reason, count in refusals.most_common(MOST_REFUSALS):
            print(f"{count} times: {reason}")
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in (RUN, REFUSED, *FAULTS))
    print(f"{family}: {counts}; {time.monotonic() - start:.1f} s", flush=True)
    if any(kinds[kind] for kind in REFUSALS):
        print(share_accepted(kinds), flush=True)
    return sum(kinds[kind] for kind in FAULTS)


def share_accepted(kinds: Mapping[str, int]) -> str:
    """How many of those that are legal are accepted, and of those of which that is not known."""
    accepted, refused, unsaid = kinds[RUN], kinds[LEGAL], kinds[UNSAID]
    legal, most = accepted + refused, accepted + refused + unsaid
    return (
        f"{refused} {LEGAL}, {kinds[ILLEGAL]} {ILLEGAL}, {unsaid} {UNSAID}; "
        f"of {legal} legal ones {accepted / legal if legal else 0:.0%} are accepted, "
        f"of {most}, should all without a text be legal, {accepted / most if most else 0:.0%}"
    )
