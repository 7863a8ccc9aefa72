"""How long it takes from a schedule to a callable: part by part, and by the number of stages.

The parts are those of the matrix product of `examples/matmul.py`. Each time is taken in a fresh
process. Modules are imported before the clock starts. Parts are timed by the clock on the wall,
which `TELOOM_DEBUG=1` prints, and all else by the time of the process, which uses one core.

    python benchmarks/compile_time.py
    python benchmarks/compile_time.py --compared   # the programs that peers.py times
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

EXAMPLES = Path(__file__).parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))

from compile_programs import COMPARED, PROGRAMS  # noqa: E402

PROCESSES = 5
"""Of each kind for the matrix product; medians are printed, and the best of the whole."""

MATMUL = "matmul 512"

ONE = """
import contextlib, io, json, os, sys, time
parts = sys.argv[2] == "parts"
clock = time.perf_counter if parts else time.process_time
start = clock()
import teloom
from teloom import te
te_imported = clock()
from compile_programs import COMPARED, PROGRAMS
from teloom.backend.call import compiled
from teloom.passes import get_all_passes
teloom.build
for factory in get_all_passes().values():
    factory()
imported = clock()
make = {**PROGRAMS, **COMPARED}[sys.argv[1]]
if parts:
    os.environ["TELOOM_DEBUG"] = "1"
with contextlib.redirect_stderr(io.StringIO()) as printed:
    begin = clock()
    s, tensors = make()
    scheduled = clock()
    teloom.build(s, tensors, name="f")
    end = clock()
times = {
    "import": te_imported - start,
    "all imports": imported - start,
    "whole": end - begin,
    "te and schedule": scheduled - begin,
}
for line in printed.getvalue().splitlines():
    name, _, milliseconds = line.partition(": ")
    if milliseconds.endswith(" ms"):  # not a remark
        times[name] = times.get(name, 0) + float(milliseconds.removesuffix(" ms")) / 1e3
print(json.dumps(times))
"""


def one_process(cache: str, program: str = MATMUL, parts: bool = True) -> dict[str, float]:
    """Seconds by part of the work, in a fresh process with the cache in the folder `cache`.

    Without `parts` the whole is timed, and a program that the cache knows is not lowered.
    """
    here = Path(__file__).parent
    paths = [str(here), str(EXAMPLES), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"TELOOM_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", ONE, program, "parts" if parts else ""],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def cold_and_warm(program: str, times: int) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Of so many pairs of processes, what the first takes and what the second, which finds it."""
    found: list[tuple[dict[str, float], dict[str, float]]] = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as cache:
            first = one_process(cache, program, parts=False)
            found.append((first, one_process(cache, program, parts=False)))
    return found


def print_parts() -> None:
    """The parts of the matrix product, as medians."""
    runs: list[dict[str, float]] = []
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as cache:
            runs.append(one_process(cache))
    middle = {name: median(run[name] for run in runs) for name in runs[0]}
    print(f"\n{'compiling ' + MATMUL + ', in ms':<32}{'empty cache':>16}")
    not_parts = ("import", "all imports", "whole")
    parts = [name for name in middle if name not in not_parts]
    for name in parts:
        print(f"  {name:<30}{middle[name] * 1e3:>16.1f}")
    rest = middle["whole"] - sum(middle[name] for name in parts)
    print(f"  {'all else':<30}{rest * 1e3:>16.1f}")


def print_row(program: str, times: int) -> None:
    """The whole of a program, as the median and the best."""
    pairs = cold_and_warm(program, times)
    columns = [shown([one["whole"] for one in runs]) for runs in zip(*pairs, strict=True)]
    print(f"{program:<32}{columns[0]:>16}{columns[1]:>18}", flush=True)
    if program == MATMUL:
        for label, name in (("import teloom and te", "import"), ("all imports", "all imports")):
            both = shown([one[name] for pair in pairs for one in pair])
            print(f"  ({label + ', not included)':<29}{both:>16}")


def shown(seconds: Sequence[float]) -> str:
    """The median and, in brackets, the best, in ms."""
    return f"{median(seconds) * 1e3:.0f} ({min(seconds) * 1e3:.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compared", action="store_true", help="the programs that peers.py times")
    compared = parser.parse_args().compared
    if not compared:
        print_parts()
    print(f"\n{'schedule to callable, in ms':<32}{'empty cache':>16}{'second process':>18}")
    for program in COMPARED if compared else PROGRAMS:
        print_row(program, PROCESSES if program == MATMUL else 1)


if __name__ == "__main__":
    main()
