"""Compiled kernels beside NumPy: `python benchmarks/run.py` starts this on one core.

Everything here has one thread, so the time of the process is what counts: on a busy
machine it leaves out when others had the core.
"""

import platform
import time
from collections.abc import Callable

import llvmlite
import numpy as np
from blur import blur, blur_numpy  # pyright: ignore[reportMissingImports]
from matmul import matmul  # pyright: ignore[reportMissingImports]

import teloom
from teloom.tools.timing import Times, time_in_turns

ROUNDS = 200


def matmul_512() -> dict[str, Callable[[], object]]:
    """A product of two matrices of 512 x 512 float32; NumPy writes into an array as well."""
    rng = np.random.default_rng(0)
    a, b = (rng.random((512, 512), dtype="float32") for _ in range(2))
    c, expected = np.empty_like(a), np.empty_like(a)
    multiply = teloom.build(*matmul(512, 512, 512), name="matmul")
    multiply(a, b, c)
    np.testing.assert_allclose(c, np.matmul(a, b, out=expected), rtol=1e-4)
    return {
        "teloom": lambda: multiply(a, b, c),
        "numpy": lambda: np.matmul(a, b, out=expected),
    }


def blur_2560x1600() -> dict[str, Callable[[], object]]:
    """A 3x3 box blur of 2560 x 1600 float32; NumPy makes its arrays, as slices do."""
    a = np.random.default_rng(0).random((1602, 2562), dtype="float32")
    out = np.empty((1600, 2560), "float32")
    run = teloom.build(*blur(1600, 2560), name="blur")
    run(a, out)
    np.testing.assert_allclose(out, blur_numpy(a), rtol=1e-6)
    return {
        "teloom": lambda: run(a, out),
        "numpy": lambda: blur_numpy(a),
        "copy": lambda: np.copyto(out, a[1:-1, 1:-1]),
    }


KERNELS = {"matmul 512, float32": matmul_512, "blur 2560x1600, float32": blur_2560x1600}


def main() -> None:
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]  # type: ignore[index]
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__} with {blas['name']} "
        f"{blas['version']}, llvmlite {llvmlite.__version__}"
    )
    print(f"\n{f'median (best) of {ROUNDS}, in ms':<32}{'Teloom':>16}{'NumPy':>18}{'ratio':>16}")
    for name, programs in KERNELS.items():
        with teloom.num_threads(1):
            times = time_in_turns(programs(), ROUNDS, time.process_time)
        ours, numpys = times["teloom"], times["numpy"]
        ratio = f"{numpys.median / ours.median:.2f} ({numpys.best / ours.best:.2f})"
        print(f"{name:<32}{in_ms(ours):>16}{in_ms(numpys):>18}{ratio:>16}", flush=True)
        if "copy" in times:
            print(f"{'  copying as many floats':<32}{in_ms(times['copy']):>34}", flush=True)


def in_ms(times: Times) -> str:
    return f"{times.median * 1e3:.2f} ({times.best * 1e3:.2f})"


if __name__ == "__main__":
    main()
