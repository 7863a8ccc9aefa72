"""Teloom beside the fastest libraries there are: 19 programs, each in all of them.

    python benchmarks/peers.py
    python benchmarks/peers.py --threads 2 --ragged --rows matmul --libraries numpy halide

Those libraries take part that are installed; `pip install -e '.[peers]'` brings all. Each is
a process of its own, bound to the first cores, and in every round each runs once, in an order that
is shuffled. Results are compared with NumPy's before anything is timed.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import time
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "examples"))

from workloads import ROWS, Row  # noqa: E402

OURS = "teloom"
SYMBOLIC = "teloom_symbolic"
PEERS = "numpy", "halide", "tvm", "onnxruntime", "jax", "iree", "numba", "torch"


PATH = os.pathsep.join([str(HERE), str(HERE.parent / "examples"), os.environ.get("PYTHONPATH", "")])

COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "HL_NUM_THREADS",
    "TVM_NUM_THREADS",
    "TELOOM_NUM_THREADS",
)
"""Variables of the environment that say how many threads there are."""

OTHERS = {"JAX_PLATFORMS": "cpu"}

PAUSE = 0.06
"""Seconds between two libraries with several threads: so long some wait for work by spinning.

Forbidding that (`OMP_WAIT_POLICY=passive`) measures something else: threads that wake up on the
core that wakes them run one after the other.
"""


class Failure(Exception):
    """What a library says that cannot run a program."""


class Library:
    """A library in a process of its own, on the first `threads` cores."""

    def __init__(self, name: str, threads: int, rows: str = "workloads"):
        """Starts the process; raises `Failure` where the library is not there.

        `rows` is the module with the rows that it is asked for.
        """
        self.name = name
        self.threads = threads
        self.rows = rows
        self._start()

    def _start(self) -> None:
        count = str(self.threads)
        cores = sorted(os.sched_getaffinity(0))[: self.threads]
        self._process = subprocess.Popen(
            [sys.executable, HERE / "worker.py", self.name, count, self.rows],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("PEERS_TRACEBACKS") else subprocess.DEVNULL,
            text=True,
            env=os.environ | {"PYTHONPATH": PATH} | dict.fromkeys(COUNTS, count) | OTHERS,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        try:
            hello = self.ask("hello")
        except Failure:
            self.stop()
            raise
        self.version: str = hello["version"]
        self.programs: list[str] = hello["programs"]

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """The answer of its process; raises `Failure` where there is none."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps({"do": do, **request}), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self._process.wait()
            if do != "hello":
                self._start()
            raise Failure(f"its process ended with code {code}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


class Result(NamedTuple):
    """A row that was run."""

    row: str
    sizes: tuple[int, ...]
    seconds: dict[str, list[float]]
    """By library: the seconds of each round."""
    compiled: dict[str, float]
    """By library: the seconds that it took to prepare the program, the first run included."""
    least: float
    """The seconds that the machine needs at least, with all of its cores that take part."""
    failures: dict[str, str]

    def best(self, library: str) -> float:
        return min(self.seconds[library])

    def median(self, library: str) -> float:
        return median(self.seconds[library])

    @property
    def fastest_peer(self) -> str | None:
        """The peer with the least median."""
        peers = [name for name in self.seconds if name not in (OURS, SYMBOLIC)]
        return min(peers, key=self.median, default=None)

    def ratio(self, ours: str = OURS) -> float | None:
        """The median of the fastest peer over ours: above 1 where we are faster."""
        peer = self.fastest_peer
        if peer is None or ours not in self.seconds:
            return None
        return self.median(peer) / self.median(ours)


class Peak(NamedTuple):
    """What one core can do in a second."""

    operations: float
    bytes: float

    def least(self, row: Row, moved: int, threads: int) -> float:
        """The seconds that a row takes at least; memory does not become faster with more cores."""
        computing = row.operations(*row.sizes) if row.operations else 0
        return max(computing / (self.operations * threads), moved / self.bytes)


def measure(
    name: str,
    row: Any,
    libraries: list[Library],
    rounds: int,
    peak: Peak | None,
    clock: str = "perf_counter",
) -> Result:
    """Runs a row in all libraries in turns; without a peak, it does not say what is least."""
    failures: dict[str, str] = {}
    compiled: dict[str, float] = {}
    moved = 0
    ready: list[Library] = []
    for library in libraries:
        if row.program not in library.programs:
            continue
        try:
            answer = library.ask("prepare", program=row.program, sizes=row.sizes)
            compiled[library.name], moved = answer["compiled"], answer["bytes"]
            ready.append(library)
        except Failure as failure:
            failures[library.name] = str(failure)
    seconds: dict[str, list[float]] = {library.name: [] for library in ready}
    shuffle = random.Random(0).shuffle
    for _ in range(rounds):
        shuffle(ready)
        for library in ready[:]:
            if library.threads > 1:
                time.sleep(PAUSE)
            try:
                seconds[library.name].append(library.ask("run", clock=clock)["seconds"])
            except Failure as failure:
                failures[library.name] = str(failure)
                ready.remove(library)
                del seconds[library.name]
    least = 0.0 if peak is None else peak.least(row, moved, libraries[0].threads)
    return Result(name, row.sizes, seconds, compiled, least, failures)


def geometric_mean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def print_row(result: Result) -> None:
    """One line: our time, the fastest peer's, the ratio, and all the others."""
    times = {name: f"{result.median(name) * 1e3:.3f}" for name in result.seconds}
    ours, peer, ratio = times.get(OURS, "-"), result.fastest_peer, result.ratio()
    best = f"{peer} {times[peer]}" if peer else "-"
    others = [f"{name} {time}" for name, time in times.items() if name not in (OURS, peer)]
    said = "-" if ratio is None else f"{ratio:.2f}"
    share = f"{result.least / result.median(OURS):.0%}" if OURS in times else "-"
    print(f"{result.row:<26}{ours:>10}{share:>9}{best:>22}{said:>7}   {', '.join(sorted(others))}")
    for name, failure in result.failures.items():
        print(f"    {name}: {failure[:140]}")
    sys.stdout.flush()


def draw(results: list[Result], file: Path) -> None:
    """A bar for each row: how many times as fast as the fastest peer it is."""
    from matplotlib import pyplot  # only for this

    rows = [(one.row, one.fastest_peer, ratio) for one in results if (ratio := one.ratio())]
    figure, axes = pyplot.subplots(figsize=(8, 0.35 * len(rows) + 1), layout="constrained")
    labels = [f"{name}  ({peer})" for name, peer, _ in rows]
    ratios = [ratio for _, _, ratio in rows]
    colours = ["tab:green" if ratio >= 1 else "tab:orange" for ratio in ratios]
    bars = axes.barh(labels, ratios, color=colours)
    axes.bar_label(bars, [f"{ratio:.2f}" for ratio in ratios], padding=3)
    axes.set_xlim(right=1.08 * max(ratios))  # room for the longest bar's number
    axes.axvline(1, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel("time of the fastest peer, over Teloom's: above 1, Teloom is faster")
    figure.savefig(file, dpi=120)


def started(names: list[str], threads: int, rows: str = "workloads") -> list[Library]:
    """The processes of those libraries that are there."""
    libraries: list[Library] = []
    for name in names:
        try:
            libraries.append(Library(name, threads, rows))
        except Failure as failure:
            print(f"without {name}: {failure}")
    return libraries


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", default=[""], help="words of rows (default: all)")
    parser.add_argument("--libraries", nargs="+", default=[*PEERS], help="beside Teloom")
    parser.add_argument("--threads", type=int, default=1, help="threads and cores (default: 1)")
    parser.add_argument("--ragged", action="store_true", help="each extent one less")
    parser.add_argument("--symbolic", action="store_true", help="programs for all sizes, too")
    parser.add_argument("--rounds", type=int, default=20, help="of each row (default: 20)")
    parser.add_argument("--json", type=Path, help="where to write all times, in seconds")
    parser.add_argument("--picture", type=Path, help="where to draw the ratios")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    names = [OURS, *([SYMBOLIC] if options.symbolic else []), *options.libraries]
    results: list[Result] = []
    libraries = started(names, options.threads)
    try:
        print(f"Python {platform.python_version()}, {options.threads} thread(s);", end=" ")
        print(", ".join(f"{library.name} {library.version}" for library in libraries))
        peak = Peak(**libraries[0].ask("peak"))
        print(f"a core: {peak.operations / 1e9:.0f} GFLOP/s, {peak.bytes / 1e9:.1f} GB/s")
        print(
            f"\n{'median of ' + str(options.rounds) + ', in ms':<26}{OURS:>10}{'of peak':>9}",
            end="",
        )
        print(f"{'fastest peer':>22}{'ratio':>7}   others")
        for name, row in ROWS.items():
            if any(word in name for word in options.rows):
                shape = row.ragged if options.ragged else row
                results.append(measure(name, shape, libraries, options.rounds, peak))
                print_row(results[-1])
    finally:
        for library in libraries:
            library.stop()
    for ours in (OURS, SYMBOLIC):
        ratios = [ratio for result in results if (ratio := result.ratio(ours)) is not None]
        if ratios:
            print(f"geometric mean of {len(ratios)} rows, {ours}: {geometric_mean(ratios):.2f}")
    if options.picture:
        draw(results, options.picture)
    if options.json:
        versions = {library.name: library.version for library in libraries}
        report = {"versions": versions, "rows": [result._asdict() for result in results]}
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
