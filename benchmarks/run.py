"""Every number that Teloom claims about its speed, as ratios measured in one run.

    python benchmarks/run.py

All of it runs on one core, with one thread: this process chooses both, for NumPy's
library reads them when it is loaded, and starts the others.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = "peers.py", "operators.py", "calls.py", "stores.py", "compile_time.py"


def processor() -> str:
    """The model of the CPU and the number of its cores, as far as the system says."""
    name = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        fields = (line.split(":", 1) for line in information.read_text().splitlines())
        known = {pair[0].strip(): pair[1].strip() for pair in fields if len(pair) == 2}
        name = known.get("model name", name)
    return f"{name}, {os.cpu_count()} cores"


def main() -> None:
    cores = "all cores"
    if hasattr(os, "sched_setaffinity"):  # not on macOS
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        cores = "one core"
    print(f"{processor()}; {cores} used")
    environment = os.environ | {
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONPATH": str(HERE.parent / "examples"),
    }
    for part in PARTS:
        sys.stdout.flush()
        subprocess.run([sys.executable, HERE / part], env=environment, check=True)


if __name__ == "__main__":
    main()
