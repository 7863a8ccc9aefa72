"""The C source of programs, built by a C compiler, beside the code that LLVM makes of them.

    PYTHONPATH=examples python benchmarks/c_source.py
    PYTHONPATH=examples python benchmarks/c_source.py --cc 'python -m ziglang cc' --vectors loops

With one thread, by the time of the process. A ratio is that of our code over the C compiler's.
"""

import argparse
import ctypes
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from workloads import ROWS, Row  # pyright: ignore[reportMissingImports]

import teloom
from teloom.driver.function import Function
from teloom.tools.timing import time_in_turns

USUAL = ("matmul 512", "blur 2560x1600")

Call = Callable[[], object]

FLAGS = "-std=c11 -O3 -march=native -ffp-contract=fast -fno-math-errno -fPIC -shared"


def in_c(f: Function, compiler: str, vectors: str, arrays: list[np.ndarray]) -> Call:
    """The call of the C source of a program with these arrays."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "source.c"), Path(folder, "source.so")
        source.write_text(f.source("c", vectors=vectors))
        command = [*shlex.split(compiler), *FLAGS.split(), str(source), "-o", str(made), "-lm"]
        subprocess.run(command, check=True)
        function = getattr(ctypes.CDLL(str(made)), f.name)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]

    def call() -> None:
        assert function(*pointers) == 0

    return call


def measure(row: Row, compiler: str, vectors: str, rounds: int) -> tuple[float, float]:
    """The medians of our code and of the C compiler's, in seconds."""
    program, arguments = row.example.program(*row.sizes)
    f = teloom.build(program, arguments, name="program", target="native")
    inputs = row.inputs()
    expected = row.example.numpy(*inputs)
    outputs = [teloom.zeros(expected.shape, expected.dtype) for _ in range(2)]
    ours, theirs = f.bind(*inputs, outputs[0]), in_c(f, compiler, vectors, [*inputs, outputs[1]])
    ours()
    theirs()
    largest = float(np.abs(expected).max())
    np.testing.assert_allclose(*outputs, rtol=row.example.rtol, atol=row.example.rtol * largest)
    times = time_in_turns({"ours": ours, "theirs": theirs}, rounds, time.process_time)
    return times["ours"].median, times["theirs"].median


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cc", default="cc", help="the C compiler's command")
    parser.add_argument("--vectors", default="extension", choices=("extension", "loops"))
    parser.add_argument("--rows", nargs="*", default=USUAL, help="words of names of rows")
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    os.environ["TELOOM_NUM_THREADS"] = "1"
    print(f"{options.cc} {FLAGS}\nmedian of {options.rounds}, in ms      LLVM         C   ratio")
    for name, row in ROWS.items():
        if any(word in name for word in options.rows):
            ours, theirs = measure(row, options.cc, options.vectors, options.rounds)
            print(f"{name:<24} {ours * 1e3:9.3f} {theirs * 1e3:9.3f}   {ours / theirs:5.2f}")


if __name__ == "__main__":
    main()
